"""The program `gantry`: found on the PATH, run with a state of its own, and its failures made readable."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Dict, List, Mapping, Optional, Tuple


class GantryFailed(AssertionError):
    """A command of gantry failed. The message has what it printed on stderr."""

    def __init__(self, words: List[str], exit_code: Optional[int], stderr: str):
        self.exit_code = exit_code
        self.stderr = stderr
        how = "did not end" if exit_code is None else f"exited with {exit_code}"
        super().__init__(f"gantry {' '.join(words)} {how}\n\n{stderr.strip()}")


def find_program() -> str:
    """GANTRY_BIN, or `gantry` on the PATH."""
    __tracebackhide__ = True
    name = os.environ.get("GANTRY_BIN") or "gantry"
    found = shutil.which(name)
    if found is None:
        raise AssertionError(f"{name} is not on the PATH: install gantry, or set GANTRY_BIN to the program")
    return found


def private_environment(folder: Path) -> Dict[str, str]:
    """Without settings of gantry, so that tests neither use nor change logins, targets and history of the user."""
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GANTRY_", "CEREBRIUM_")) and name not in _official
    }
    own = os.environ.get("GANTRY_CONFIG_DIR")
    if own:
        env["XDG_CACHE_HOME"] = own
    for name in ("config", "state"):
        env[f"XDG_{name.upper()}_HOME"] = str(folder / name)
    return env


_official = {"REST_API_URL", "AUTH_URL", "CLIENT_ID", "LOGSTREAM_URL"}


def run(words: List[str], env: Mapping[str, str], cwd: Path, timeout: float = 600) -> str:
    """What the command prints. Raises GantryFailed for any exit code but 0."""
    __tracebackhide__ = True
    command = [find_program(), *words]
    if not cwd.is_dir():
        raise GantryFailed(words, None, f"error: folder {cwd} not found")
    try:
        ended = subprocess.run(
            command, env=dict(env), cwd=str(cwd), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise GantryFailed(words, None, _text(error.stderr)) from None
    if ended.returncode != 0:
        raise GantryFailed(words, ended.returncode, _text(ended.stderr))
    return _text(ended.stdout)


def start(words: List[str], env: Mapping[str, str], log: Path) -> Tuple["subprocess.Popen[bytes]", dict]:
    """A command that runs until it is stopped or this process ends, and the JSON that it prints when it is ready."""
    __tracebackhide__ = True
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            [find_program(), *words, "--json"], env=dict(env), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=stderr,
        )  # fmt: skip
    assert process.stdout is not None
    line = process.stdout.readline()
    try:
        ready = json.loads(line)
    except ValueError:
        ready = None
    if not isinstance(ready, dict) or "environment" not in ready:
        process.kill()
        raise GantryFailed(words, process.wait(), log.read_text(errors="replace"))
    return process, ready


def _text(content: Optional[bytes]) -> str:
    return (content or b"").decode(errors="replace")
