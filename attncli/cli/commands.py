"""What all commands have in common: --debug, help, and usage errors that say what to do."""

from dataclasses import dataclass
from functools import reduce
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from attncli.cli.console import write_answer
from attncli.cli.help import help_text
from attncli.language import Language, Phrase
from attncli.text.printable import quoted

# click's, which is a part of typer from 0.26 on
ClickUsageError: Any = typer.BadParameter.__base__

# Options by the names that others would give them, and by those of 0.1: what may have been meant,
# and the option that a command must have for it.
_MISNAMED: dict[str, dict[str | None, Phrase]] = {
    "--heads": {
        "--head": Phrase("--head 3 chooses a head"),
        "--n-heads": Phrase("--n-heads 8 says how many there are"),
    },
    "--layers": {
        "--layer": Phrase("--layer 3 chooses a layer"),
        "--n-layers": Phrase("--n-layers 2 says how many there are"),
    },
    "--stack": {"--attention": Phrase("--attention encoder, decoder or cross says which")},
    "--self": {None: Phrase("attncli selftest checks this installation")},
}


@dataclass
class Run:
    """How one run of the program is to behave, whatever its command."""

    debug: bool = False
    language: Language | None = None  # None: the user's


def _switch_on_debug(ctx: Any, _option: Any, wanted: bool) -> None:
    run = ctx.find_object(Run)
    if wanted and run is not None:  # there is none while a shell completes the line
        run.debug = True


def write_help(ctx: Any) -> None:
    """Writes the help of the command that `ctx` runs to standard output."""
    run = ctx.find_object(Run)
    write_answer(help_text(ctx, None if run is None else run.language))


def _show_help(ctx: Any, _option: Any, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        write_help(ctx)
        raise typer.Exit


class _Shared:
    """Mixed into typer's command and group."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.params: list[Any]
        self.params.append(
            TyperOption(
                param_decls=["--debug"],
                is_flag=True,
                expose_value=False,
                is_eager=True,
                callback=_switch_on_debug,
                help="Show a traceback if attncli itself fails.",
            )
        )

    def get_help_option(self, ctx: Any) -> Any:
        option = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None:
            option.callback = _show_help
        return option

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        words = list(args)
        try:
            if not ctx.resilient_parsing:  # a shell completes the line
                self._refuse_repeated(ctx, words)
            rest: list[str] = super().parse_args(ctx, args)  # type: ignore[misc]
        except ClickUsageError as error:
            error.ctx = error.ctx or ctx  # the parser's own errors have none, and no usage line
            if hasattr(error, "possibilities"):  # NoSuchOption
                error.message = _about_unknown_option(ctx, error, words)
                error.possibilities = None
            raise
        return rest

    def _refuse_repeated(self, ctx: Any, words: list[str]) -> None:
        """Raises click's UsageError for an option of one value that is given twice.

        click takes the last value and says nothing.
        """
        _, _, given = self.make_parser(ctx).parse_args(list(words))  # type: ignore[attr-defined]
        for option in (each for each in given if each.param_type_name == "option"):
            names = "/".join([*option.opts, *option.secondary_opts])
            plain = option.is_flag and not option.secondary_opts  # twice is no more than once
            if given.count(option) > 1 and not option.multiple and not plain:
                ctx.fail(
                    Phrase("{names} is given more than once: it takes one value", {"names": names})
                )


class Command(_Shared, TyperCommand):
    """A command that explains what is wrong with its arguments."""

    allow_extra_args = True  # which is to say: they are reported below

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Raises click's UsageError for words too many."""
        rest = super().parse_args(ctx, args)
        if rest and not ctx.resilient_parsing:
            ctx.fail(_about_extra_words(ctx, rest))
        return rest


class Group(_Shared, TyperGroup):
    """The program itself."""


def _takes_sentence(ctx: Any) -> bool:
    return any(
        parameter.param_type_name == "argument" and parameter.name == "sentence"
        for parameter in ctx.command.params
    )


def _about_extra_words(ctx: Any, rest: list[str]) -> Phrase:
    if not _takes_sentence(ctx):
        return Phrase("unexpected argument: {words}", {"words": quoted(" ".join(rest))})
    sentence = " ".join([ctx.params["sentence"], *rest])
    return Phrase(
        'put quotes around the sentence: {command} "{sentence}"',
        {"command": ctx.command_path, "sentence": quoted(sentence)},
    )


def _about_unknown_option(ctx: Any, error: Any, words: list[str]) -> Phrase:
    name = error.option_name
    facts = {"name": quoted(name)}
    known = {option for each in ctx.command.get_params(ctx) for option in each.opts}
    meant = [says for option, says in _MISNAMED.get(name, {}).items() if option in {None, *known}]
    if meant:
        hint = reduce(lambda a, b: Phrase("{first}, {second}", {"first": a, "second": b}), meant)
        return Phrase("there is no option {name}: {hint}", {**facts, "hint": hint})
    if error.possibilities:
        return Phrase(
            "there is no option {name}: did you mean {other}?",
            {**facts, "other": error.possibilities[0]},
        )
    word = next((word for word in words if word.startswith(name)), name)
    if _takes_sentence(ctx) and (" " in word or word[1:2].isdecimal()):
        return Phrase(
            "there is no option {name}: put -- before a sentence that begins with a dash: "
            '-- "{word}"',
            {**facts, "word": quoted(word)},
        )
    return Phrase("there is no option {name}", facts)
