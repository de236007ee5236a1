"""Ten implementations as people write them: right ones pass, the mistake of wrong ones is named."""

import re
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

if not find_spec("torch"):
    pytest.skip("needs torch", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parent))

import safetensors.torch
import torch
from implementations import IMPLEMENTATIONS, Kept, LinearAttention, seeded
from safetensors.torch import save_file

from attncli.check import check_files
from attncli.check.report import Report, Verdict


def save(kept: Kept, folder: Path) -> Path:
    """As the author does: numpy.savez, numpy.save in a folder, or safetensors.torch."""
    path = folder / f"mine.{kept.format}"
    if kept.format == "safetensors":
        save_file({name: array.contiguous() for name, array in kept.arrays.items()}, path)
        return path
    arrays = {
        name: array.detach().numpy() if torch.is_tensor(array) else array
        for name, array in kept.arrays.items()
    }
    if kept.format == "npz":
        np.savez(path, **arrays)
    else:
        path = folder / "mine"
        path.mkdir()
        for name, array in arrays.items():
            np.save(path / f"{name}.npy", array)
    return path


def asked(name: str, wrong: bool, folder: Path) -> Report:
    torch.manual_seed(2)
    kept = IMPLEMENTATIONS[name][0](wrong)
    return check_files([save(kept, folder)], mapping=kept.mapping, **kept.options)


@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_a_right_implementation_is_called_right(name, tmp_path):
    report = asked(name, False, tmp_path)
    assert report.right, [(s.name, s.difference, s.findings) for s in report.stages]
    checked = [s.name for s in report.stages if s.verdict in (Verdict.agrees, Verdict.odd)]
    assert checked


@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_its_one_mistake_is_named(name, tmp_path):
    report = asked(name, True, tmp_path)
    differing = [s for s in report.stages if s.verdict is Verdict.differs]
    assert differing
    mistake = IMPLEMENTATIONS[name][1]
    for stage in differing:
        keys = [finding.keys for finding in stage.findings]
        assert (mistake,) in keys, (stage.name, keys)
        tolerance = max(stage.tolerance, 2 * stage.findings[0].after.largest)
        assert stage.findings[keys.index((mistake,))].after.largest <= tolerance


def test_the_lines_that_save_from_torch_and_jax(tmp_path, monkeypatch):
    page = Path(__file__).parents[2] / "docs" / "check.md"
    from_torch, from_jax = re.findall(r"```python\n(kept = .*?)```", page.read_text("utf-8"), re.S)
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(2)
    module = seeded(LinearAttention())
    x, q, k, v, scores, attn, z, y = module(torch.randn(1, 7, 24), False).values()
    mask = torch.ones(7, 7, dtype=torch.bool)
    names = {"x": x, "q": q, "k": k, "v": v, "scores": scores, "attn": attn, "z": z, "y": y}
    exec(from_torch, {**names, "mask": mask, "module": module, "safetensors": safetensors})
    weights = {f"w{w[0]}": module.get_submodule(f"{w}_proj").weight for w in ("q", "k", "v", "out")}
    arrays = {name: a.detach().numpy() for name, a in (names | weights).items()}
    exec(from_jax, {**arrays, "mask": mask.numpy(), "np": np})  # arrays of numpy in place of JAX's
    for name in ("mine.safetensors", "mine.npz"):
        saved = {stored.name for stored in check_files([tmp_path / name], heads=4).arrays}
        assert saved >= {"X", "Q", "K", "V", "S", "A", "Z", "Y", "W_Q", "W_O", "mask"}
