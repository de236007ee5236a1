"""For every test: no network, no cache but the test's own, and BLAS as the program has it."""

import os

import pytest

os.environ.update(HF_HUB_OFFLINE="1", HF_HOME="/no/such/cache")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy loads, as attncli.cli does

pytest_plugins = ["hub_fixtures"]


def pytest_addoption(parser):
    parser.addoption(
        "--everything", action="store_true", help="test all cases where usually some are drawn"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """The whole suite runs on all cores, where pytest-xdist is installed and no `-n` says else."""
    named = config.args_source is pytest.Config.ArgsSource.ARGS or config.option.keyword
    is_worker = hasattr(config, "workerinput")
    if named or is_worker or os.cpu_count() == 1 or not config.pluginmanager.hasplugin("xdist"):
        return
    if config.option.numprocesses is None:
        config.option.numprocesses = "auto"
        config.option.maxprocesses = config.option.maxprocesses or 8  # each collects all tests


@pytest.fixture(scope="session")
def everything(pytestconfig):
    """Whether all cases are wanted."""
    return pytestconfig.getoption("everything")
