"""Which file is this really? Regular files are opened, everything else is named for what it is."""

import io
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attncli.errors import AttncliError

PICKLE = (
    "a pickle file, which can run code when it is loaded; attncli reads safetensors only: convert "
    'it once, where torch is installed, with python -c "import torch, safetensors.torch as s; '
    "s.save_file({k: v.contiguous().clone() for k, v in torch.load('FILE', 'cpu', "
    "weights_only=True).items()}, 'model.safetensors')\""
)
_GGUF = "a GGUF file; attncli reads safetensors: take the checkpoint that it was made from"
_HDF5 = "an HDF5 file (Keras); attncli reads safetensors: take that form of the checkpoint"
_ARRAY = "a single array without a name; attncli reads .npz: save it by name with numpy.savez"
_FLAX = "a msgpack file (Flax); attncli reads safetensors: take that form of the checkpoint"
_HTML = "an HTML page, not the weights: download the file itself"

KIND_OF_SUFFIX = {
    **dict.fromkeys((".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle"), PICKLE),
    ".gguf": _GGUF,
    ".h5": _HDF5,
    ".npy": _ARRAY,
    ".msgpack": _FLAX,
    ".onnx": "an ONNX graph; attncli reads safetensors: take the checkpoint that it was made from",
}
_KIND_OF_START = {  # of the first bytes, in lower case
    b"version https://git-lfs": "a Git LFS pointer (SIZE bytes), not the weights: run git lfs pull",
    b"<!doctype": _HTML,
    b"<html": _HTML,
    b"{": "a JSON text (SIZE bytes), a server's answer perhaps: download the file itself",
    b"gguf": _GGUF,
    b"\x89hdf": _HDF5,
    b"\x93numpy": _ARRAY,
    b"\x80": PICKLE,  # protocol 2 and up, torch.save before 1.6
}


def kind_from_content(file: io.FileIO) -> str | None:
    """What a file really is that is not what its name says; None: nothing known.

    A safetensors header has its { at byte 8, whatever the length before it looks like.
    torch.save writes a zip archive that begins with the entry NAME/data.pkl.
    """
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    head = file.read(512)
    if not size:
        return "empty (0 bytes): download it again"
    if size <= 8 or head[8:9] == b"{":
        return None
    if head.startswith(b"PK") and b"data.pkl" in head:
        return PICKLE
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    kinds = (kind for magic, kind in _KIND_OF_START.items() if start.startswith(magic))
    return next((kind.replace("SIZE", str(size)) for kind in kinds), None)


@contextmanager
def reporting(path: Path) -> Iterator[None]:
    """What the system says about `path` as an AttncliError."""
    try:
        yield
    except FileNotFoundError:
        link = path.is_symlink()
        what = "is a link to a file that is not there" if link else "does not exist"
        raise AttncliError(f"{path} {what}: give the path of a file or folder") from None
    except OSError as error:
        raise AttncliError(f"{path} cannot be read: {error.strerror or error}") from None


def status(path: Path) -> int:
    """The mode bits of a file or folder, links followed. AttncliError if it cannot be reached."""
    with reporting(path):
        return path.stat().st_mode


def open_regular(path: Path) -> io.FileIO:
    """Open a file for reading. AttncliError for folders, pipes, sockets, devices (S_ISREG).

    The mode is asked for first: opening a pipe would wait for its writer.
    """
    mode = status(path)
    if not stat.S_ISREG(mode):
        kinds = {stat.S_IFDIR: "folder", stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket"}
        kind = kinds.get(stat.S_IFMT(mode), "device")
        raise AttncliError(f"{path} is a {kind}: a regular file is needed")
    with reporting(path):
        return io.FileIO(path)
