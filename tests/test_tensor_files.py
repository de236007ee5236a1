"""Reading tensors from files: exact values, nothing read in vain, and errors that help."""

import json
import os
import pickle
import socket
import zipfile
from contextlib import closing
from pathlib import Path

import broken_files as files
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from safetensors import safe_open
from safetensors.numpy import save_file

from attncli.errors import AttncliError
from attncli.text.printable import printable
from attncli.weights import npz_file, shards
from attncli.weights.tensors import open_tensors

RNG = np.random.default_rng(0)
REUSED_FOLDER = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None
)


def refusal(path: Path) -> str:
    """The message with which a file is refused; one line."""
    with pytest.raises(AttncliError) as caught:
        open_tensors(path)
    return str(caught.value)


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def read(path: Path, name: str, rows: list[int] | None = None) -> np.ndarray:
    with closing(open_tensors(path)) as tensors:
        return tensors.read(name, rows)


# Values


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@given(data=st.data())
@REUSED_FOLDER
def test_a_written_tensor_comes_back_as_float32(tmp_path, dtype, data):
    shape = data.draw(array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
    written = data.draw(
        arrays(dtype, shape, elements={"allow_nan": False, "allow_infinity": False})
    )
    path = tmp_path / "w.safetensors"
    save_file({"before": np.ones(3, np.float16), "w": np.ascontiguousarray(written)}, path)
    with np.errstate(over="ignore"):
        expected = np.asarray(written, np.float32)
    if not np.isfinite(expected).all():  # a float64 beyond float32
        with pytest.raises(AttncliError, match="non-finite"):
            read(path, "w")
        return
    found = read(path, "w")
    assert found.dtype == np.float32
    assert found.flags.c_contiguous
    assert found.flags.writeable
    # ascontiguousarray made (1,) of a scalar
    np.testing.assert_array_equal(found.reshape(shape), expected)
    assert found.shape == (shape or (1,))


def test_bfloat16_is_widened_exactly(tmp_path):
    bits = np.arange(65536, dtype=np.uint16)
    bits = bits[(bits & 0x7F80) != 0x7F80]  # nan and inf
    header = {"w": files.entry([len(bits)], 0, 2 * len(bits), "BF16")}
    path = written(tmp_path / "w.safetensors", files.safetensors(header, bits.tobytes()))
    found = read(path, "w")
    np.testing.assert_array_equal(found.view(np.uint32), bits.astype(np.uint32) << 16)


@pytest.mark.parametrize(
    ("name", "expected"), [("bf16", [[1, -2], [0.5, 3.140625]]), ("scalar", 7), ("unordered", [1])]
)
def test_unusual_but_valid_files_give_their_values(tmp_path, name, expected):
    path = written(tmp_path / "x.safetensors", files.ODD[name])
    np.testing.assert_array_equal(read(path, "w"), np.array(expected, np.float32), strict=True)


@pytest.mark.parametrize("name", files.ODD)
def test_what_the_library_opens_is_opened_with_the_same_names_and_shapes(tmp_path, name):
    path = written(tmp_path / "x.safetensors", files.ODD[name])
    with safe_open(path, framework="numpy") as library, closing(open_tensors(path)) as tensors:
        assert set(tensors.names()) == set(library.keys())
        for tensor in tensors.names():
            assert list(tensors.shape(tensor)) == library.get_slice(tensor).get_shape()
            assert tensors.storage(tensor) == library.get_slice(tensor).get_dtype()


def test_arrays_outlive_the_file_which_is_let_go(tmp_path):
    path = files.save(tmp_path / "w.safetensors", w=np.arange(6).reshape(2, 3))
    tensors = open_tensors(path)
    found = tensors.read("w")
    tensors.close()
    path.write_bytes(bytes(path.stat().st_size))
    np.testing.assert_array_equal(found, [[0, 1, 2], [3, 4, 5]])
    maps = Path("/proc/self/maps")
    assert not maps.exists() or str(path) not in maps.read_text()


# Rows

TABLE = RNG.standard_normal((50, 3, 2)).astype(np.float32)
TABLE.view(np.uint32)[:] &= 0xFFFF0000  # exact in bfloat16


def write_table(path: Path) -> Path:
    if path.stem == "bf16":
        bias = files.bf16(TABLE[:, 0, 0])
        header = {
            "bias": files.entry([50], 0, 100, "BF16"),
            "table": files.entry([50, 3, 2], 100, 700, "BF16"),
        }
        return written(path, files.safetensors(header, bias + files.bf16(TABLE)))
    if path.suffix == ".safetensors":
        return files.save(path, first=np.ones(5), table=TABLE, bias=TABLE[:, 0, 0])
    by_columns = path.stem == "by_columns"
    stored = np.asfortranarray(TABLE) if by_columns else TABLE
    np.savez_compressed(path, first=np.ones(5), table=stored, bias=TABLE[:, 0, 0])
    return path


@pytest.mark.parametrize("name", ["w.safetensors", "bf16.safetensors", "w.npz", "by_columns.npz"])
@given(rows=st.lists(st.integers(0, 49), max_size=12))
@REUSED_FOLDER
def test_rows_equal_those_of_the_whole_table(tmp_path, name, rows):
    path = write_table(tmp_path / name)
    with closing(open_tensors(path)) as tensors:
        whole, some = tensors.read("table"), tensors.read("table", rows)
        np.testing.assert_array_equal(whole, TABLE, strict=True)
        np.testing.assert_array_equal(some, TABLE[rows], strict=True)
        np.testing.assert_array_equal(tensors.read("bias", rows), TABLE[rows, 0, 0], strict=True)
        assert whole.flags.c_contiguous
        assert some.flags.c_contiguous


@pytest.mark.parametrize("row", [-1, 50, 10**30])
def test_a_row_that_is_not_there_is_no_other_row(tmp_path, row):
    path = write_table(tmp_path / "w.safetensors")
    with pytest.raises(AttncliError, match=f"table has 50 rows, counted from 0: no row {row}"):
        read(path, "table", [0, row])


def test_only_the_rows_asked_for_are_read(tmp_path):
    """A table of 4 GB, all holes but one row; reading it whole would take seconds."""
    rows, width = 1_000_000, 1024
    header = {"table": files.entry([rows, width], 0, rows * width * 4)}
    path = tmp_path / "big.safetensors"
    with path.open("wb") as file:
        start = file.write(files.safetensors(header))
        file.truncate(start + rows * width * 4)
        file.seek(start + 777_777 * width * 4)
        file.write(np.full(width, 7, "<f4").tobytes())
        file.seek(start + 5 * width * 4)
        file.write(np.full(width, np.nan, "<f4").tobytes())  # a row that is not asked for
    if os.name == "posix" and path.stat().st_blocks * 512 > 10_000_000:
        pytest.skip("this file system keeps no holes")
    found = read(path, "table", [777_777, 999_999, 0])
    np.testing.assert_array_equal(found[:, 0], [7, 0, 0])
    with pytest.raises(
        AttncliError, match=r"table has 1024 non-finite values \(first at \[5, 0\]\)"
    ):
        read(path, "table", [0, 777_777, 5, 5])


# Values that cannot be used


def test_a_value_that_is_not_finite_is_counted_and_placed(tmp_path):
    values = np.zeros((2000, 8), np.float32)
    values[1037, 5] = np.nan
    path = files.save(tmp_path / "w.safetensors", w=values, v=[np.inf, -np.inf], s=np.nan)
    with closing(open_tensors(path)) as tensors:
        with pytest.raises(
            AttncliError, match=r"w has 1 non-finite value \(first at \[1037, 5\]\)"
        ):
            tensors.read("w")
        with pytest.raises(AttncliError, match=r"v has 2 non-finite values \(first at \[0\]\)"):
            tensors.read("v")
        with pytest.raises(AttncliError, match="s has 1 non-finite value"):
            tensors.read("s")
        np.testing.assert_array_equal(tensors.read("w", [1036]), np.zeros((1, 8)))


def test_a_sum_beyond_float32_is_no_error(tmp_path):
    huge = np.full(4, 3e38, np.float32)
    np.testing.assert_array_equal(read(files.save(tmp_path / "w.safetensors", w=huge), "w"), huge)


@pytest.mark.parametrize(
    ("dtype", "itemsize", "message"),
    [
        ("F8_E4M3", 1, "q_proj.weight is F8_E4M3; quantised checkpoints are not supported"),
        ("I32", 4, "q_proj.weight is I32, not floating-point numbers; quantised checkpoints"),
        ("BOOL", 1, "q_proj.weight is BOOL, not floating-point numbers"),
    ],
)
def test_numbers_that_are_no_weights_are_listed_but_not_read(tmp_path, dtype, itemsize, message):
    header = {"q_proj.weight": files.entry([2], 0, 2 * itemsize, dtype)}
    content = files.safetensors(header, bytes(2 * itemsize))
    path = written(tmp_path / "w.safetensors", content)
    with closing(open_tensors(path)) as tensors:
        assert tensors.storage("q_proj.weight") == dtype
        with pytest.raises(AttncliError, match=message):
            tensors.read("q_proj.weight")


def test_a_tensor_larger_than_memory_is_an_error_line(tmp_path, monkeypatch):
    def too_much(*_: object, **__: object) -> None:
        raise MemoryError

    path = files.save(tmp_path / "w.safetensors", w=np.ones((3, 2)))
    with closing(open_tensors(path)) as tensors:
        monkeypatch.setattr(np, "array", too_much)
        with pytest.raises(AttncliError, match=r"w \[3, 2\] as float32 does not fit into memory"):
            tensors.read("w")


# Broken safetensors files


@pytest.mark.parametrize("name", files.BROKEN)
def test_a_broken_file_is_refused_by_name_with_the_reason(tmp_path, name):
    content, message = files.BROKEN[name]
    text = refusal(written(tmp_path / f"{name}.safetensors", content))
    assert text.startswith(f"{tmp_path / name}.safetensors is ")
    assert message in text
    assert len(text) < 500


# Folders


def test_a_folder_gives_its_single_file_even_beside_an_index(tmp_path):
    files.save(tmp_path / "model.safetensors", w=np.ones(2))
    files.write_index(tmp_path, {"w": "model-00001-of-00002.safetensors"})
    np.testing.assert_array_equal(read(tmp_path, "w"), [1, 1])


@pytest.fixture
def parts(tmp_path) -> Path:
    """Two parts, w in the first, v in the second."""
    files.save(tmp_path / "model-1.safetensors", w=np.arange(8).reshape(4, 2))
    files.save(tmp_path / "model-2.safetensors", unlisted=np.zeros(1), v=np.ones(3))
    return files.write_index(tmp_path, {"w": "model-1.safetensors", "v": "model-2.safetensors"})


def test_parts_are_one_set_of_tensors(parts):
    with closing(open_tensors(parts)) as tensors:
        assert list(tensors.names()) == ["w", "v"]
        assert tensors.shape("w") == (4, 2)
        assert tensors.storage("v") == "F32"
        np.testing.assert_array_equal(tensors.read("w", [3, 1]), [[6, 7], [2, 3]])
        np.testing.assert_array_equal(tensors.read("v"), [1, 1, 1])


def test_parts_that_do_not_fit_to_their_index(parts):
    files.save(parts / "model-2.safetensors", u=np.ones(3))
    assert "v is listed for model-2.safetensors, but that file does not" in refusal(parts)
    written(parts / "model-2.safetensors", b"")
    assert "model-2.safetensors is empty (0 bytes)" in refusal(parts)
    (parts / "model-2.safetensors").unlink()
    assert (
        "part model-2.safetensors is missing: model.safetensors.index.json lists it for v"
        in refusal(parts)
    )


@pytest.mark.parametrize(
    "target",
    [
        "../../etc/passwd",
        "/etc/hostname",
        "../model.safetensors",
        "sub/../../x.safetensors",
        "sub/x.safetensors",
        "C:\\x.safetensors",
        "C:x.safetensors",
        "..\\x.safetensors",
        "x\0.safetensors",
        "\ud800.safetensors",
        "\x1b[2J.safetensors",
        "model.bin",
        "",
        7,
        None,
    ],
)
def test_an_index_names_plain_files_only(tmp_path, target, monkeypatch):
    folder = files.write_index(tmp_path / "model", {"w": "good.safetensors", "v": target})
    files.save(tmp_path / "model.safetensors", w=np.ones(1), v=np.ones(1))
    monkeypatch.setattr(shards, "open_safetensors", lambda path: pytest.fail(f"opened {path}"))
    text = refusal(folder)
    assert text.startswith("the index names a file outside the model directory: '")
    assert printable(str(target)) in text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"[1]", "holds list, not a JSON object"),
        (b"{}", "has no weight_map"),
        (b'{"weight_map": [1]}', "has no weight_map"),
        (b"[" * 100_000, "is nested too deeply"),
        (b"\xff\xfe", "is UTF-16"),
    ],
)
def test_a_broken_index(tmp_path, content, message):
    written(tmp_path / "model.safetensors.index.json", content)
    text = refusal(tmp_path)
    assert "model.safetensors.index.json " in text
    assert message in text


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "has no weights: model.safetensors, or model.safetensors.index.json with its parts"),
        (["config.json"], "has no weights: model.safetensors"),
        (["optimizer.pt", "pytorch_model.bin"], "pytorch_model.bin is a pickle file, which can"),
        (["training_args.bin"], "training_args.bin is a pickle file"),
        (["model.gguf"], "model.gguf is in GGUF format"),
        (["flax_model.msgpack", "tf_model.h5"], "flax_model.msgpack is in msgpack (Flax) format"),
        (["other.safetensors", "pytorch_model.bin"], "has no model.safetensors: give the file, "),
    ],
)
def test_a_folder_without_weights_says_what_it_has(tmp_path, names, message):
    for name in names:
        written(tmp_path / name, b"\x80\x02.")
    assert message in refusal(tmp_path)


# Links, pipes, devices, permissions


@pytest.fixture
def outside(tmp_path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    return files.save(folder / "secret.safetensors", w=np.ones(2))


def test_a_link_in_a_folder_may_not_leave_it(tmp_path, outside):
    model = tmp_path / "model"
    model.mkdir()
    (model / "model.safetensors").symlink_to(f"../outside/{outside.name}")
    assert "is a link that leaves the folder" in refusal(model)
    np.testing.assert_array_equal(read(model / "model.safetensors", "w"), [1, 1])  # named itself


def test_a_part_or_an_index_may_not_be_a_link_elsewhere(tmp_path, outside):
    model = files.write_index(tmp_path / "model", {"w": "part.safetensors"})
    (model / "part.safetensors").symlink_to(outside)
    with pytest.raises(AttncliError, match="link that leaves the folder"):
        read(model, "w")
    index = model / "model.safetensors.index.json"
    index.rename(outside.parent / "index.json")
    index.symlink_to(outside.parent / "index.json")
    assert "model.safetensors.index.json is a link that leaves the folder" in refusal(model)


def test_links_within_the_folder_and_to_the_folder_are_followed(tmp_path):
    model = tmp_path / "model"
    model.mkdir()
    files.save(model / "v1.safetensors", w=np.ones(2))
    (model / "model.safetensors").symlink_to("v1.safetensors")
    (tmp_path / "link").symlink_to("model")
    np.testing.assert_array_equal(read(tmp_path / "link", "w"), [1, 1])


def test_the_cache_of_the_hub(tmp_path):
    """snapshots/REVISION/model.safetensors is a link to ../../blobs/HASH."""
    repository = tmp_path / "models--a--b"
    (repository / "blobs").mkdir(parents=True)
    files.save(repository / "blobs" / "0a1b", w=np.ones(2))
    snapshot = repository / "snapshots" / "main"
    snapshot.mkdir(parents=True)
    (snapshot / "model.safetensors").symlink_to("../../blobs/0a1b")
    np.testing.assert_array_equal(read(snapshot, "w"), [1, 1])
    np.testing.assert_array_equal(read(snapshot / "model.safetensors", "w"), [1, 1])
    (repository / "blobs" / "0a1b").unlink()
    assert "is a link to a file that is not there" in refusal(snapshot)


def test_a_link_to_itself(tmp_path):
    (tmp_path / "model.safetensors").symlink_to("model.safetensors")
    assert "cannot be read" in refusal(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="pipes and devices in the file system")
def test_pipes_sockets_devices_and_folders_are_not_read(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "model.safetensors")
    assert "model.safetensors is a pipe: a regular file is needed" in refusal(tmp_path)
    assert "is a pipe" in refusal(tmp_path / "model.safetensors")
    (tmp_path / "zero.safetensors").symlink_to("/dev/zero")
    assert "zero.safetensors is a device" in refusal(tmp_path / "zero.safetensors")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "model.safetensors").mkdir()
    assert "model.safetensors is a folder" in refusal(tmp_path / "inner")
    (tmp_path / "inner" / "model.safetensors").rename(
        tmp_path / "inner" / "model.safetensors.index.json"
    )
    assert "index.json is a folder: a regular file is needed" in refusal(tmp_path / "inner")
    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.npz")
        assert "s.npz is a socket" in refusal(Path("s.npz"))


@pytest.mark.parametrize("name", ["model.safetensors", "model.safetensors.index.json", ""])
def test_no_permission(tmp_path, name):
    locked = tmp_path / name
    if name:
        locked.write_bytes(b"{}")
    locked.chmod(0)
    try:
        if os.access(locked, os.R_OK):
            pytest.skip("this user may read everything")
        text = refusal(tmp_path)
    finally:
        locked.chmod(0o700)
    assert "cannot be read: Permission denied" in text


def test_paths_that_do_not_exist(tmp_path):
    assert "nope does not exist" in refusal(tmp_path / "nope")
    assert "does not exist" in refusal(tmp_path / "pytorch_model.bin")
    file = written(tmp_path / "file.txt", b"text")
    assert "file.txt is not a file of weights: a .safetensors or .npz" in refusal(file)
    assert "cannot be read: Not a directory" in refusal(file / "model.safetensors")
    assert "cannot be read: File name too long" in refusal(tmp_path / ("n" * 300))


@pytest.mark.parametrize("name", ["w.bin", "w.pt", "w.PTH", "w.ckpt", "w.pkl"])
def test_a_pickle_is_never_opened_and_the_recipe_is_given(tmp_path, name):
    text = refusal(written(tmp_path / name, b"any"))
    assert text.startswith(f"{name} is a pickle file, which can run code when it is loaded")
    assert "safetensors.torch" in text
    assert "weights_only=True" in text


# npz


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_of_an_archive(tmp_path, save):
    W = RNG.standard_normal((7, 5))
    path = tmp_path / "w.npz"
    save(path, a=W.T, b=W.astype(">f4"), c=W.astype(np.float16), s=np.float32(3), e=W[:0], i=[1, 2])
    with closing(open_tensors(path)) as tensors:
        assert list(tensors.names()) == ["a", "b", "c", "s", "e", "i"]
        assert [tensors.storage(name) for name in "abci"] == ["F64", "F32", "F16", "int64"]
        assert tensors.shape("a") == (5, 7)
        np.testing.assert_array_equal(tensors.read("a"), W.T.astype(np.float32), strict=True)
        np.testing.assert_array_equal(tensors.read("b"), W.astype(np.float32), strict=True)
        np.testing.assert_array_equal(tensors.read("c"), W.astype("f2").astype("f4"), strict=True)
        np.testing.assert_array_equal(tensors.read("s"), np.array(3, "f4"), strict=True)
        np.testing.assert_array_equal(tensors.read("e"), np.zeros((0, 5), "f4"), strict=True)
        with pytest.raises(AttncliError, match="i is int64, not floating-point numbers"):
            tensors.read("i")
        tensors.read("a").fill(0)  # is a copy
        assert tensors.read("a").any()


class Bomb:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return pytest.fail, ("the pickle was loaded",)


def test_objects_in_an_archive_are_not_unpickled(tmp_path):
    path = tmp_path / "w.npz"
    np.savez(path, W_Q=np.ones((2, 2)), W_K=np.array([Bomb()], object))
    assert "W_K: it holds Python objects, which are never unpickled" in refusal(path)
    written(path, pickle.dumps(Bomb()))
    assert "is a pickle file" in refusal(path)


@pytest.mark.parametrize("name", files.BROKEN_NPZ)
def test_a_broken_archive(tmp_path, name):
    content, message = files.BROKEN_NPZ[name]
    text = refusal(written(tmp_path / f"{name}.npz", content))
    assert text.startswith(f"{name}.npz is ")
    assert "\n" not in text
    assert message in text


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("_LARGE", "bytes unpack to 4000128: weights do not shrink like that"),
        ("_MOST", "it unpacks to 4000128 bytes, the limit is 100000"),
    ],
)
def test_an_archive_that_unpacks_to_too_much(tmp_path, monkeypatch, limit, message):
    monkeypatch.setattr(npz_file, limit, 100_000)
    monkeypatch.setattr(np.lib.format, "read_array", lambda *_, **__: pytest.fail("unpacked"))
    path = tmp_path / "w.npz"
    np.savez_compressed(path, w=np.zeros(1_000_000, np.float32))
    assert message in refusal(path)


def test_an_archive_that_is_merely_compressed(tmp_path, monkeypatch):
    monkeypatch.setattr(npz_file, "_LARGE", 0)
    values = np.repeat(RNG.standard_normal(100).astype(np.float32), 20)
    np.savez_compressed(tmp_path / "w.npz", w=values)
    np.testing.assert_array_equal(read(tmp_path / "w.npz", "w"), values)


def test_damaged_values_of_an_archive(tmp_path):
    path = tmp_path / "w.npz"
    np.savez(path, w=np.full(10_000, 3, np.float32))
    content = bytearray(path.read_bytes())
    content[20_000] ^= 1
    with pytest.raises(AttncliError, match=r"w\.npz is not usable .*: w: Bad CRC-32"):
        read(written(path, bytes(content)), "w")


@given(place=st.floats(0, 0.999), byte=st.integers(0, 255))
@settings(REUSED_FOLDER, max_examples=60)
def test_any_byte_of_an_archive_may_be_wrong(tmp_path, place, byte):
    values = RNG.standard_normal(20).astype(np.float32)
    path = tmp_path / "w.npz"
    np.savez(path, w=values)
    content = bytearray(path.read_bytes())
    content[int(place * len(content))] = byte
    written(path, bytes(content))
    try:
        with closing(open_tensors(path)) as tensors:
            for name in tensors.names():
                tensors.read(name)
    except AttncliError:
        pass


# Names that are there twice, and sums of sizes

TWICE = b'{"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}, "\\u0077": %b}'


@pytest.mark.parametrize("offsets", [[0, 4], [4, 8]])
def test_a_tensor_that_is_twice_in_a_header_is_named(tmp_path, offsets):
    """The library itself takes one of them, or finds fault with the offsets of the other."""
    second = json.dumps(files.entry([1], *offsets)).encode()
    data = files.f32(1, 2)[: offsets[1]]
    path = written(tmp_path / "x.safetensors", files.safetensors(TWICE % second, data))
    assert 'the header of x.safetensors cannot be read as JSON (duplicate key "w")' in refusal(path)


def test_a_tensor_that_is_twice_in_an_index_is_named(tmp_path):
    text = b'{"weight_map": {"w": "a.safetensors", "w": "b.safetensors"}}'
    written(tmp_path / "model.safetensors.index.json", text)
    assert 'duplicate key "w"' in refusal(tmp_path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_array_that_is_twice_in_an_archive_is_named(tmp_path):
    array = files.npy(files.FLOAT_HEADER % "1,", files.ONE)
    with zipfile.ZipFile(tmp_path / "w.npz", "w") as archive:
        archive.writestr("w.npy", array)
        archive.writestr("v.npy", array)
        archive.writestr("w.npy", array)
    assert "it holds 2 arrays named w" in refusal(tmp_path / "w.npz")


def test_the_sum_of_an_archives_arrays_is_limited(tmp_path, monkeypatch):
    """Each of them alone is within the limit."""
    monkeypatch.setattr(npz_file, "_LARGE", 100_000)
    path = tmp_path / "w.npz"
    np.savez_compressed(path, **{f"w{i}": np.zeros(24_000, np.float32) for i in range(2)})
    assert "weights do not shrink like that" in refusal(path)


def test_no_values_of_an_archive_are_read_until_they_are_wanted(tmp_path, monkeypatch):
    np.savez(tmp_path / "w.npz", w=np.arange(3.0), v=np.ones((2, 2), np.int8))
    read_array = np.lib.format.read_array
    monkeypatch.setattr(np.lib.format, "read_array", lambda *_, **__: pytest.fail("read"))
    with closing(open_tensors(tmp_path / "w.npz")) as tensors:
        assert {n: (tensors.shape(n), tensors.storage(n)) for n in tensors.names()} == {
            "w": ((3,), "F64"),
            "v": ((2, 2), "int8"),
        }
        monkeypatch.setattr(np.lib.format, "read_array", read_array)
        np.testing.assert_array_equal(tensors.read("w"), [0, 1, 2])
