"""What can go wrong in a way that the user can mend."""


class AttncliError(Exception):
    """A request that cannot be answered.

    The text is one line in three parts: what was asked, what is true, what to do.
    The command line prints it on standard error and exits with `exit_status`. A `Phrase` in its
    place (language/) is English there, and what the reader chose in `attncli step`.
    """

    exit_status = 1


class UsageError(AttncliError):
    """The command line is wrong by itself, whatever the model."""

    exit_status = 2
