"""For every test: no network, and no cache but the test's own."""

import os

os.environ.update(HF_HUB_OFFLINE="1", HF_HOME="/no/such/cache")
