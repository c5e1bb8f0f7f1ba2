"""The fixtures `platform` and `app`."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, Iterator

import pytest

from .app import App
from .platform import Platform, start_platform


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("gantry_app", "folder of the app (default: the nearest with a cerebrium.toml)", default="")
    parser.addini("gantry_flags", "flags of gantry emulator start, such as --install", type="args", default=[])


class _Worker:
    """The emulator of a process of tests. pytest-xdist has several, each with folders of its own."""

    def __init__(self, platform: Platform):
        self.platform = platform
        self.deployed: Dict[Path, App] = {}
        platform.snapshot("start")

    def deploy(self, folder: Path) -> App:
        """Deploys an app in the first test that needs it. All tests have the state right after that, and no replica."""
        __tracebackhide__ = True
        if folder not in self.deployed:
            self.platform.restore("start")
            self.deployed[folder] = self.platform.deploy(folder)
            self.platform.snapshot(str(folder))
        self.platform.restore(str(folder))
        return self.deployed[folder]


@pytest.fixture(scope="session")
def _gantry(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Worker]:
    flags = request.config.getini("gantry_flags")
    with start_platform(*flags, folder=tmp_path_factory.mktemp("gantry")) as platform:
        yield _Worker(platform)


@pytest.fixture
def platform(
    _gantry: _Worker, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Platform:
    """An emulator with the state of its start. The environment of the test leads to it."""
    if "app" not in request.fixturenames:
        _gantry.platform.restore("start")
    for name, value in _gantry.platform.environment.items():
        monkeypatch.setenv(name, value)
    return _gantry.platform


@pytest.fixture
def app(platform: Platform, _gantry: _Worker, request: pytest.FixtureRequest) -> App:
    """The app of this folder, deployed on `platform` once, and with the state right after that in each test."""
    __tracebackhide__ = True
    return _gantry.deploy(_app_folder(request))


def _app_folder(request: pytest.FixtureRequest) -> Path:
    given = request.config.getini("gantry_app")
    if given:
        return (request.config.rootpath / given).resolve()
    for folder in request.path.parents:
        if (folder / "cerebrium.toml").exists():
            return folder
    raise pytest.UsageError("no folder above the test has a cerebrium.toml: set gantry_app in the configuration of pytest")
