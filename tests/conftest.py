"""For every test: no network, no cache but the test's own, and BLAS as the program has it."""

import os

os.environ.update(HF_HUB_OFFLINE="1", HF_HOME="/no/such/cache")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy loads, as attncli.cli does

pytest_plugins = ["hub_fixtures"]
