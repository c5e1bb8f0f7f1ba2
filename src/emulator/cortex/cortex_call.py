"""One call of a function: how it can be stopped, and what it answers."""

import ctypes
import json
import sys
import tempfile
import threading
import time

# So much text of a stream may be under way before the function has to wait for its reader.
WINDOW = 1024 * 1024
# An item counts for its text and so much more.
ITEM_OVERHEAD = 64
# A longer answer travels as a file.
HELD = 1024 * 1024


class Cancelled(BaseException):
    """Raised in a function whose call was given up."""


class Refused(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Call:
    def __init__(self, identity):
        self.identity = identity
        self.started = time.perf_counter()
        self.thread = None
        self.task = None
        self.under_way = 0
        self.cancelled = False
        self.moved = threading.Condition()

    @property
    def milliseconds(self):
        return round((time.perf_counter() - self.started) * 1000, 3)

    def sent(self, size):
        with self.moved:
            self.under_way += size
            self.moved.wait_for(lambda: self.under_way < WINDOW or self.cancelled)
        if self.cancelled:
            raise Cancelled()

    def taken(self, size):
        with self.moved:
            self.under_way -= size
            self.moved.notify_all()

    def cancel(self):
        with self.moved:
            self.cancelled = True
            self.moved.notify_all()
        if self.task:
            self.task.get_loop().call_soon_threadsafe(self.task.cancel)
        elif self.thread:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.thread), ctypes.py_object(Cancelled))


def keep(answer):
    if len(answer) < HELD:
        return {"answer": answer}
    with tempfile.NamedTemporaryFile("w", dir=sys.argv[1], prefix="answer-", encoding="utf-8", delete=False) as file:
        file.write(answer)
    return {"answerFile": file.name}


def to_json(value):
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=plain).encode("utf-8", "replace").decode()
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused(500, f"what the function returned is not JSON: {error}") from None


def plain(value):
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    raise TypeError(f"an object of type {type(value).__name__} has no JSON form")
