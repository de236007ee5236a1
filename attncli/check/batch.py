"""Many files, each checked for itself: a class's homework."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from attncli.check.report import Report
from attncli.errors import AttncliError, UsageError
from attncli.text.printable import quoted

SUFFIXES = (".npz", ".safetensors", ".json")


@dataclass(frozen=True)
class Unread:
    """A file that could not be checked, and the line that says why."""

    source: str
    error: str


def find_each(paths: Sequence[Path]) -> list[tuple[str, Path]]:
    """What is to be checked one by one, by the name to show, sorted.

    A file is itself. A folder of .npy arrays is one; of any other folder each file of arrays and
    each folder of .npy in it, named as from that folder. Raises AttncliError for a folder with
    nothing of that kind and UsageError where none is named.
    """
    if not paths:
        raise UsageError("`each`: name the files, or a folder of them")
    found: dict[str, Path] = {}
    for path in paths:
        if not path.is_dir() or _is_array_folder(path):
            found[str(path)] = path
            continue
        inside = list(_inside(path))
        if not inside:
            raise AttncliError(
                "{path} has nothing to check: files {suffixes} or folders of .npy are needed",
                path=quoted(path),
                suffixes=", ".join(SUFFIXES),
            )
        several = len(paths) > 1
        found |= {str(each if several else each.relative_to(path)): each for each in inside}
    return sorted(found.items())


def check_each(
    named: Sequence[tuple[str, Path]],
    check: Callable[[Path], Report],
    said: Callable[[AttncliError], str] = str,
) -> Iterator[tuple[str, Report | Unread]]:
    """Each by its name with its report; a file that cannot be checked does not end the run.

    `said` is the text of an error, such as one in another language.
    """
    for name, path in named:
        try:
            yield name, check(path)
        except AttncliError as error:
            yield name, Unread(str(path), said(error))
        except MemoryError as error:
            memory = AttncliError("not enough memory: {reason}", reason=quoted(error))
            yield name, Unread(str(path), said(memory))
        except Exception as error:  # one file must not cost a teacher the run over all the others
            line = quoted(" ".join(f"{type(error).__name__}: {error}".split()))
            fault = AttncliError("attncli itself failed here, please report it: {what}", what=line)
            yield name, Unread(str(path), said(fault))


def _is_array_folder(path: Path) -> bool:
    return any(each.suffix == ".npy" for each in path.iterdir())


def _inside(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if _is_array_folder(path) if path.is_dir() else path.suffix in SUFFIXES:
            yield path
