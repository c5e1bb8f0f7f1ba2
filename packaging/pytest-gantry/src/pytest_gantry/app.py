"""A deployed app."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence
from urllib.parse import quote, urlencode

if TYPE_CHECKING:
    from .platform import Platform


class Response:
    """What an app, or the platform in its place, has answered."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")

    def json(self) -> Any:
        return json.loads(self.body)

    def __repr__(self) -> str:
        return f"<Response {self.status}: {self.text[:200]}>"


class CallFailed(AssertionError):
    """A call has another status than 2xx. The message has the response and the log of the run."""

    def __init__(self, what: str, response: Response, log: List[str]):
        self.response = response
        self.status = response.status
        printed = "".join(f"\n  {line}" for line in log)
        shown = f"\n\nlog of the run:{printed}" if log else ""
        super().__init__(f"{what} was answered with {response.status}: {response.text.strip()[:2000]}{shown}")


class App:
    """Calls an app, and shows what became of the calls."""

    def __init__(self, platform: Platform, name: str, differences: Sequence[str] = ()):
        self.name = name
        #: What the emulator does not do as the platform does, in words; known of an app from `deploy`.
        self.differences = list(differences)
        self.id = f"{platform.project}-{name}"
        self.url = f"{platform.url}/v4/{platform.project}/{quote(name)}"
        self._platform = platform

    def run(self, /, **data: Any) -> Any:
        """Calls the function `run` with these arguments, and returns its result."""
        __tracebackhide__ = True
        return self.call("run", **data)

    def call(self, function: str, /, **data: Any) -> Any:
        """Calls a function, and returns its result. A refusal with Retry-After is repeated when that time has passed, on
        the clock of the platform. Raises CallFailed for any other status but 2xx."""
        __tracebackhide__ = True
        response = self.request(function, data=data)
        for _ in range(_most_retries):
            seconds = response.headers.get("retry-after", "")
            if response.status not in (429, 503) or not seconds.isdigit():
                break
            self._platform.clock.advance(f"{seconds}s")
            response = self.request(function, data=data)
        return self._result(function, response)

    def submit(self, function: str, /, webhook: Optional[str] = None, **data: Any) -> str:
        """Calls a function asynchronously, and returns the id of the run. `webhook` gets its result."""
        __tracebackhide__ = True
        query = {"async": "true", **({"webhookEndpoint": webhook} if webhook else {})}
        response = self.request(f"{function}?{urlencode(query)}", data=data)
        return str(self._result(function, response, whole=True)["run_id"])

    def request(
        self, path: str, *, method: str = "POST", data: Any = None, headers: Optional[Dict[str, str]] = None
    ) -> Response:
        """Sends a request to the app. `data` is sent as JSON, bytes as they are. Any status is returned."""
        return self._platform.send(method, f"{self.url}/{path.lstrip('/')}", data, headers)

    def logs(self, run: Optional[str] = None) -> List[str]:
        """The lines that the app has printed, oldest first; only those of a run."""
        lines: List[str] = []
        query = {"direction": "forward", "pageSize": "1000", **({"runId": run} if run else {})}
        while True:
            page = self._platform.get(f"/apps/{self.id}/logs?{urlencode(query)}") or {}
            lines += [line["logLine"] for line in page.get("logs") or []]
            if not page.get("nextPageToken"):
                return lines
            query["nextToken"] = page["nextPageToken"]

    def runs(self) -> List[Dict[str, Any]]:
        """Its calls, newest first."""
        runs: List[Dict[str, Any]] = []
        token = ""
        while True:
            page = self._platform.get(f"/apps/{self.id}/runs?{urlencode({'nextToken': token}) if token else ''}")
            runs += page.get("items") or []
            token = page.get("nextToken")
            if not token:
                return runs

    @property
    def cold_starts(self) -> int:
        """How many calls have waited for a replica to start."""
        return sum(1 for run in self.runs() if (run.get("coldstartTimeMs") or 0) > 0)

    def _result(self, function: str, response: Response, whole: bool = False) -> Any:
        __tracebackhide__ = True
        if not 200 <= response.status < 300:
            run = response.headers.get("x-request-id", "")
            raise CallFailed(f"{self.name}/{function}", response, self.logs(run) if run else [])
        try:
            document = response.json()
        except ValueError:
            return response.text
        is_of_function = isinstance(document, dict) and {"run_id", "result"} <= set(document)
        return document["result"] if is_of_function and not whole else document

    def __repr__(self) -> str:
        return f"<App {self.name}>"


_most_retries = 4
