"""Sends what an app prints as events, one for each line, with the run that printed it."""

import builtins
import contextvars
import io
import re
from _thread import RLock, allocate_lock
from json import dumps
from os import write
from time import monotonic

# The app may replace what is in it.
__builtins__ = vars(builtins).copy()
current_run = contextvars.ContextVar("run", default=None)
MAX_LINE = 256 * 1024
# As in process.ts.
STATE_SECONDS = 5


class EventWriter:
    """Thread-safe writer of JSON lines."""

    def __init__(self, descriptor):
        self._descriptor = descriptor
        self._lock = allocate_lock()

    def send(self, **event):
        line = dumps(event).encode() + b"\n"
        with self._lock:
            write_all(self._descriptor, line)


class OutputStream(io.TextIOBase):
    """Replaces stdout or stderr."""

    def __init__(self, name, events):
        self._name, self._events = name, events
        self._partial = {}
        self._lock = RLock()
        self._is_child = False
        self._next_state = 0

    encoding = "utf-8"
    errors = "replace"
    line_buffering = True

    def reconfigure(self, **_):
        """Programs ask for UTF-8 and for lines at once, which it does."""

    def writable(self):
        return True

    def fileno(self):
        return {"stdout": 1, "stderr": 2}[self._name]

    @property
    def buffer(self):
        return BinaryOutput(self)

    def detach_from_parent(self):
        """In a forked process: events of several processes would mix, and another thread may have held the lock."""
        self._partial, self._lock, self._is_child = {}, RLock(), True

    def write(self, text):
        run = current_run.get()
        with self._lock:
            rest = self._partial.pop(run, "") + str(text)
            # `print` writes each of its arguments by itself.
            if "\n" not in rest and "\r" not in rest and len(rest) < MAX_LINE:
                self._partial[run] = rest
                return len(text)
            *lines, rest = split_lines(rest)
            if len(rest) < MAX_LINE:
                self._partial[run] = rest
            else:
                lines.append((rest, False))
            for line, is_state in lines:
                if not is_state or self._is_due():
                    self._send_line(run, line)
        return len(text)

    def flush(self):
        if self._is_child:
            self.finish(current_run.get())

    def finish(self, run):
        """Sends a last line without a line end."""
        with self._lock:
            rest = self._partial.pop(run, "").strip("\r")
            if rest:
                self._send_line(run, rest)

    def _is_due(self):
        now = monotonic()
        if now < self._next_state:
            return False
        self._next_state = now + STATE_SECONDS
        return True

    def _send_line(self, run, line):
        data = line.encode("utf-8", "replace")
        if self._is_child:
            write_all(self.fileno(), data + b"\n")
            return
        text = data.decode()
        for start in range(0, max(1, len(text)), MAX_LINE):
            self._events.send(run=run, stream=self._name, line=text[start : start + MAX_LINE])


split_at_line_ends = re.compile(r"(\r?\n|(?<=[^\r\n])\r+(?![\r\n]|$))").split


def split_lines(text):
    """Lines, each with whether it is a state of a progress bar, which prints a bare carriage return before the next one; and
    the rest after the last line end."""
    *parts, rest = split_at_line_ends(text)
    return [*((line.strip("\r"), "\n" not in end) for line, end in zip(parts[::2], parts[1::2])), rest]


def write_all(descriptor, data):
    data = memoryview(data)
    while data:
        data = data[write(descriptor, data):]


class BinaryOutput(io.RawIOBase):
    """sys.stdout.buffer"""

    def __init__(self, text):
        self._text = text

    def writable(self):
        return True

    def write(self, data):
        self._text.write(bytes(data).decode("utf-8", "replace"))
        return len(data)
