"""Makes the golden files of this folder with the reference implementation.

    pip install torch transformers
    python tests/golden/make_goldens.py [NAME ...]

For every variant of tests/reference/variants.py: `NAME/config.json` and `NAME/model.safetensors`
as transformers saves them, and `NAME/golden.npz` with what it computes for one sentence. The
weights are random but nothing is trivial: every bias, norm and table is perturbed.
"""

import shutil
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "reference"))

from reference import save  # noqa: E402
from variants import VARIANTS  # noqa: E402

SEED = 0


def main(names: list[str]) -> None:
    for name in names or VARIANTS:
        folder = HERE / name
        shutil.rmtree(folder, ignore_errors=True)
        golden = save(name, folder, VARIANTS[name].tokens, SEED)
        np.savez_compressed(folder / "golden.npz", **golden)
        print(name, sum(file.stat().st_size for file in folder.iterdir()))


if __name__ == "__main__":
    main(sys.argv[1:])
