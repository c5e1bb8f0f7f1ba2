"""What an app prints goes out line by line, each with the run that printed it."""

import contextvars
import io
import json
import os
import threading

current_run = contextvars.ContextVar("run", default=None)
LONGEST_LINE = 256 * 1024


class Wire:
    """Whole lines to the emulator, from any thread."""

    def __init__(self, descriptor):
        self._file = os.fdopen(descriptor, "wb", buffering=0)
        self._lock = threading.Lock()

    def send(self, **event):
        line = memoryview(json.dumps(event).encode() + b"\n")
        with self._lock:
            while line:
                line = line[self._file.write(line):]


class Printed(io.TextIOBase):
    """Stands for stdout or stderr: each line goes out with the run that printed it."""

    def __init__(self, name, wire):
        self._name, self._wire = name, wire
        self._open = {}
        self._lock = threading.RLock()

    encoding = "utf-8"
    errors = "replace"

    def writable(self):
        return True

    def fileno(self):
        return {"stdout": 1, "stderr": 2}[self._name]

    @property
    def buffer(self):
        return Bytes(self)

    def write(self, text):
        run = current_run.get()
        with self._lock:
            *lines, rest = (self._open.pop(run, "") + str(text)).split("\n")
            if len(rest) < LONGEST_LINE:
                self._open[run] = rest
            else:
                lines.append(rest)
            for line in lines:
                self._say(run, line)
        return len(text)

    def finish(self, run):
        """What a run printed last may have no line end."""
        with self._lock:
            rest = self._open.pop(run, "")
            if rest:
                self._say(run, rest)

    def _say(self, run, line):
        text = line.removesuffix("\r").encode("utf-8", "replace").decode()
        for start in range(0, max(1, len(text)), LONGEST_LINE):
            self._wire.send(run=run, stream=self._name, line=text[start : start + LONGEST_LINE])


class Bytes(io.RawIOBase):
    """sys.stdout.buffer"""

    def __init__(self, text):
        self._text = text

    def writable(self):
        return True

    def write(self, data):
        self._text.write(bytes(data).decode("utf-8", "replace"))
        return len(data)
