"""The errors that a user can fix."""

from attncli.language import Phrase


class AttncliError(Exception):
    """A request that cannot be answered.

    The text is one line in three parts: what was asked, what is true, what to do. `message` is a
    template whose {fields} are filled in from `facts`, or a `Phrase`; parameters are named in it
    in backquotes, and the command line names its options in their place. `str` of the error is
    English; `phrase` can be put into another language (language/).
    """

    exit_status = 1

    def __init__(self, message: str | Phrase, **facts: object) -> None:
        if not isinstance(message, Phrase):
            text = message if facts else message.replace("{", "{{").replace("}", "}}")
            message = Phrase(text, facts)
        self.phrase = message
        super().__init__(message)

    def __str__(self) -> str:
        return str(self.phrase)


class UsageError(AttncliError):
    """A request that contradicts itself, whatever the model: on the command line, exit status 2."""

    exit_status = 2
