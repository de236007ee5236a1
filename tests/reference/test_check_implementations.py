"""Ten implementations as people write them: right ones pass, the mistake of wrong ones is named."""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

if not find_spec("torch"):
    pytest.skip("needs torch", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parent))

import torch
from implementations import IMPLEMENTATIONS, Kept
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
