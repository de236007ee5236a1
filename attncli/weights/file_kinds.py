"""Which file is this really? What is not a regular file of weights is named for what it is."""

from pathlib import Path

from attncli.files import PLACEHOLDERS, open_regular
from attncli.language import Phrase

PICKLE = Phrase(
    "a pickle file, which can run code when it is loaded; attncli reads safetensors only: convert "
    'it once, where torch is installed, with python -c "import torch, safetensors.torch as s; '
    "s.save_file({{k: v.contiguous().clone() for k, v in torch.load('FILE', 'cpu', "
    "weights_only=True).items()}}, 'model.safetensors')\""
)
_ARRAY = Phrase(
    "a single array without a name; attncli reads .npz: save it by name with numpy.savez"
)


def _other(form: str) -> Phrase:
    """What to say of a form of checkpoint that is none of ours."""
    return Phrase(
        "in {form} format; attncli reads safetensors: take the checkpoint as safetensors",
        {"form": form},
    )


KIND_OF_SUFFIX = {
    **dict.fromkeys((".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle"), PICKLE),
    ".npy": _ARRAY,
    ".gguf": _other("GGUF"),
    ".h5": _other("HDF5 (Keras)"),
    ".msgpack": _other("msgpack (Flax)"),
    ".onnx": _other("ONNX"),
}
_KIND_OF_START = {  # of the first bytes, in lower case
    **PLACEHOLDERS,
    b"{": Phrase("JSON, a server's answer perhaps: download the file itself"),
    b"gguf": KIND_OF_SUFFIX[".gguf"],
    b"\x89hdf": KIND_OF_SUFFIX[".h5"],
    b"\x93numpy": _ARRAY,
    b"\x80": PICKLE,  # protocol 2 and up, torch.save before 1.6
}


def kind_from_content(path: Path) -> Phrase | None:
    """What a file really is that is not what its name says; None: nothing known.

    A safetensors header has its { at byte 8, whatever the length before it looks like.
    torch.save writes a zip archive that begins with the entry NAME/data.pkl.
    """
    with open_regular(path) as file:
        head = file.read(512)
    if not head:
        return Phrase("empty (0 bytes): download it again")
    if head[8:9] == b"{":
        return None
    if head.startswith(b"PK") and b"data.pkl" in head:
        return PICKLE
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    kinds = (kind for magic, kind in _KIND_OF_START.items() if start.startswith(magic))
    return next(kinds, None)
