"""An emulator of the platform."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Union

from . import program
from .app import App, Response


def start_platform(*flags: str, folder: Union[str, Path, None] = None) -> Platform:
    """Starts an emulator on a free port, with flags of `gantry emulator start`. `folder` is for files of its own."""
    __tracebackhide__ = True
    temporary = None if folder else tempfile.TemporaryDirectory(prefix="gantry-platform-")
    root = Path(folder or temporary.name)  # type: ignore[union-attr]
    env = program.private_environment(root)
    process, ready = program.start(
        ["emulator", "start", "--port", "0", "--no-seed", "--end-with-stdin", "--late", "0", *flags],
        env,
        root / "emulator.log",
    )
    return Platform(process, ready, env, root, temporary)


class Platform:
    """A running emulator: deploys apps, fails as it is told, and has a clock and a state that tests set."""

    def __init__(
        self, process: "subprocess.Popen[bytes]", ready: Dict[str, Any], env: Dict[str, str], folder: Path, owned: Any
    ):
        self.url: str = ready["url"]
        self.project: str = ready["project"]
        #: The variables that point gantry, the official client and your code to it.
        self.environment: Dict[str, str] = ready["environment"]
        self.clock = Clock(self)
        self.webhooks = Webhooks(self)
        self._process = process
        self._env = {**env, **self.environment}
        self._folder = folder
        self._owned = owned
        self._snapshots: Dict[str, Path] = {}

    def deploy(self, folder: Union[str, Path] = ".", *flags: str) -> App:
        """Deploys the app of a folder, with flags of `gantry deploy`. Raises GantryFailed with its errors."""
        __tracebackhide__ = True
        printed = self.gantry("deploy", "--yes", "--json", *flags, cwd=folder)
        deployed = json.loads(printed)
        return App(self, deployed["app"], deployed["differences"])

    def app(self, name: str) -> App:
        """An app that is deployed already."""
        return App(self, name)

    def fail(self, *faults: str) -> None:
        """Lets the next requests fail, as `gantry help faults` says: `fail("invoke=503:2", "upload=reset-during")`."""
        __tracebackhide__ = True
        self.control("fail", faults=list(faults))

    def snapshot(self, name: str = "default") -> None:
        """Keeps the state under a name, for `restore`."""
        __tracebackhide__ = True
        path = self._folder / f"snapshot-{time.monotonic_ns()}"
        self.control("save", folder=str(path))
        self._snapshots[name] = path

    def restore(self, name: str = "default") -> None:
        """Goes back to a snapshot: apps, runs, logs, volumes, secrets and the clock; faults and deliveries are forgotten."""
        __tracebackhide__ = True
        self.control("restore", folder=str(self._snapshots[name]))

    def gantry(self, *words: str, cwd: Union[str, Path] = ".") -> str:
        """What a command of gantry prints that works with this platform. Raises GantryFailed if it fails."""
        __tracebackhide__ = True
        return program.run(list(words), self._env, Path(cwd))

    def stop(self) -> None:
        """Ends it, with all that it runs."""
        if self._process.poll() is None:
            try:
                self.control("stop")
                self._process.wait(timeout=20)
            except (OSError, subprocess.TimeoutExpired):
                self._process.kill()
                self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()
        if self._owned is not None:
            self._owned.cleanup()

    def __enter__(self) -> Platform:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def get(self, path: str) -> Any:
        """The reply of the platform's API to a GET below the project, as `/apps`."""
        __tracebackhide__ = True
        response = self.send("GET", f"{self.url}/v2/projects/{self.project}{path}")
        if response.status not in (200, 204):
            raise AssertionError(f"GET {path} was answered with {response.status}: {response.text}")
        return response.json() if response.body else None

    def control(self, action: str, **parameters: Any) -> Any:
        """What the owner of an emulator may ask of it (docs/testing-your-apps.md)."""
        __tracebackhide__ = True
        body = {"secret": self.environment["GANTRY_EMULATOR_SECRET"], **parameters}
        response = self.send("POST", f"{self.url}/emulator/{action}", body)
        if response.status >= 300:
            raise AssertionError(response.json()["message"])
        return response.json()

    def send(self, method: str, url: str, data: Any = None, headers: Optional[Dict[str, str]] = None) -> Response:
        """An HTTP request with the token. Any status is returned."""
        content = data if isinstance(data, bytes) or data is None else json.dumps(data).encode()
        sent = {"authorization": f"Bearer {self.environment['GANTRY_TOKEN']}", "content-type": "application/json"}
        request = urllib.request.Request(url, content, {**sent, **(headers or {})}, method=method)
        try:
            with _opener.open(request, timeout=600) as reply:
                return Response(reply.status, reply.headers, reply.read())
        except urllib.error.HTTPError as error:
            with error:
                return Response(error.code, error.headers, error.read())

    def __repr__(self) -> str:
        return f"<Platform {self.url}>"


class Clock:
    """The clock of the platform."""

    def __init__(self, platform: Platform):
        self._platform = platform

    def advance(self, duration: str) -> None:
        """Moves it forward by `30s`, `5m`, `1h30m` or `2d`: replicas cool down, signed URLs expire."""
        __tracebackhide__ = True
        parts = re.findall(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)", duration)
        if not parts or "".join(number + unit for number, unit in parts) != duration:
            raise ValueError(f"expected a duration such as 30s, 5m or 1h30m, not {duration!r}")
        self._platform.control("advance", ms=sum(float(number) * _unit_ms[unit] for number, unit in parts))

    @property
    def now(self) -> str:
        """RFC 3339, UTC."""
        return str(self._platform.control("advance", ms=0)["now"])


class Delivery:
    """A webhook that the platform has delivered."""

    def __init__(self, url: str, headers: Dict[str, str], body: str):
        self.url = url
        self.headers = headers
        self.body = body

    def json(self) -> Any:
        return json.loads(self.body)

    def __repr__(self) -> str:
        return f"<Delivery {self.body[:200]}>"


class Webhooks:
    """Deliveries to an address of the platform itself: no server is needed to receive them."""

    def __init__(self, platform: Platform):
        self._platform = platform

    @property
    def url(self) -> str:
        return str(self._platform.control("webhooks")["url"])

    @property
    def received(self) -> List[Delivery]:
        """Oldest first."""
        return [Delivery(**one) for one in self._platform.control("webhooks")["deliveries"]]

    def wait(self, count: int = 1, timeout: float = 10) -> Sequence[Delivery]:
        """Returns as soon as there are so many."""
        __tracebackhide__ = True
        end = time.monotonic() + timeout
        while True:
            received = self.received
            if len(received) >= count:
                return received
            if time.monotonic() > end:
                raise AssertionError(f"{len(received)} of {count} webhooks were delivered in {timeout} s")
            time.sleep(0.02)


_unit_ms = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}

#: The emulator is on this machine: no proxy can reach it.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
