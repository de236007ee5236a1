"""The help of a command in the reader's language."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import typer

from attncli.cli.console import help_language
from attncli.language import Language

_Formatter: Any = typer.Context.formatter_class  # click's, which is a part of typer from 0.26 on

_TERM = 30  # cells of the left column at most, as in click
_GAP = 2


def help_text(ctx: Any, asked: Language | None) -> str:
    """The help of the command that `ctx` runs; `asked` is the language that --lang names."""
    if help_language(asked) is Language.zh:
        _translate(ctx.command, ctx)
        ctx.formatter_class = _ChineseFormatter
    return f"{ctx.get_help()}\n"


def paragraphs(text: str) -> Iterator[tuple[str, bool]]:
    r"""Each paragraph of a docstring on one line, and whether it is an example, marked by \b.

    Of an example each line is a paragraph of its own.
    """
    for paragraph in text.split("\n\n"):
        first, *others = paragraph.strip().splitlines()
        if first.strip() == "\b":
            yield from ((line.strip(), True) for line in others)
        else:
            yield " ".join([first, *map(str.strip, others)]), False


def _translate(command: Any, ctx: Any) -> None:
    """Puts Chinese in place of the English of a command, its parameters and its subcommands."""
    from attncli.language.help import HELP

    for each in (command, *getattr(command, "commands", {}).values()):
        says = [
            ("\b\n" if example else "") + HELP.get(paragraph, paragraph)
            for paragraph, example in paragraphs(each.help)
        ]
        each.help = "\n\n".join(says)
        each.short_help = says[0].removesuffix("。")
    for parameter in command.get_params(ctx):
        parameter.help = HELP.get(parameter.help, parameter.help)


class _ChineseFormatter(_Formatter):  # type: ignore[misc]
    """click's, which counts characters, with Chinese ones two cells wide and Chinese headings."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, args, "用法：" if prefix is None else prefix)

    def write_heading(self, heading: str) -> None:
        from attncli.language.help import HEADINGS

        self.write(f"{HEADINGS.get(heading, heading)}：\n")

    def write_text(self, text: str) -> None:
        after_example = False
        for at, (paragraph, example) in enumerate(paragraphs(text)):
            if at and not (example and after_example):
                self.write("\n")
            room = self.width - self.current_indent
            for line in [paragraph] if example else _wrapped(paragraph, room):
                self.write(" " * self.current_indent + line + "\n")
            after_example = example

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = _TERM, col_spacing: int = _GAP
    ) -> None:
        """What is defined on the left, and in words on the right or, if it is long, below."""
        from rich.cells import cell_len

        rows = list(rows)
        left = min(max(cell_len(term) for term, _ in rows), col_max) + col_spacing
        indent = " " * self.current_indent
        for term, says in rows:
            text = re.sub(r" *\[default: (.*)\]$", r"[默认：\1]", says)
            lines = _wrapped(text, self.width - left - self.current_indent)
            if cell_len(term) > left - col_spacing:
                self.write(f"{indent}{term}\n")
                term = ""
            for at, line in enumerate(lines or [""]):
                self.write(f"{indent}{'' if at else term:<{left}}{line}".rstrip() + "\n")


def _wrapped(text: str, room: int) -> list[str]:
    from attncli.views.lines import wrap

    return wrap(text, room)
