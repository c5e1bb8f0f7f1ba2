"""Sends what an app prints as events, one for each line, with the run that printed it."""

import contextvars
import io
import json
import os
import threading

current_run = contextvars.ContextVar("run", default=None)
MAX_LINE = 256 * 1024


class EventWriter:
    """Thread-safe writer of JSON lines."""

    def __init__(self, descriptor):
        self._file = os.fdopen(descriptor, "wb", buffering=0)
        self._lock = threading.Lock()

    def send(self, **event):
        line = memoryview(json.dumps(event).encode() + b"\n")
        with self._lock:
            while line:
                line = line[self._file.write(line):]


class OutputStream(io.TextIOBase):
    """Replaces stdout or stderr."""

    def __init__(self, name, events):
        self._name, self._events = name, events
        self._partial = {}
        self._lock = threading.RLock()

    encoding = "utf-8"
    errors = "replace"

    def writable(self):
        return True

    def fileno(self):
        return {"stdout": 1, "stderr": 2}[self._name]

    @property
    def buffer(self):
        return BinaryOutput(self)

    def write(self, text):
        run = current_run.get()
        with self._lock:
            *lines, rest = (self._partial.pop(run, "") + str(text)).split("\n")
            if len(rest) < MAX_LINE:
                self._partial[run] = rest
            else:
                lines.append(rest)
            for line in lines:
                self._send_line(run, line)
        return len(text)

    def finish(self, run):
        """Sends a last line without a line end."""
        with self._lock:
            rest = self._partial.pop(run, "")
            if rest:
                self._send_line(run, rest)

    def _send_line(self, run, line):
        text = line.removesuffix("\r").encode("utf-8", "replace").decode()
        for start in range(0, max(1, len(text)), MAX_LINE):
            self._events.send(run=run, stream=self._name, line=text[start : start + MAX_LINE])


class BinaryOutput(io.RawIOBase):
    """sys.stdout.buffer"""

    def __init__(self, text):
        self._text = text

    def writable(self):
        return True

    def write(self, data):
        self._text.write(bytes(data).decode("utf-8", "replace"))
        return len(data)
