"""A call of a function: cancellation, stream flow control, and its response."""

import ctypes
import json
import tempfile
import threading
import time

# Maximum text of a stream that was sent but not read.
WINDOW = 1024 * 1024
# Added to the size of each item.
ITEM_OVERHEAD = 64
# A longer response is passed in a file.
MAX_INLINE = 1024 * 1024


class CallCanceled(BaseException):
    """Raised in a function whose call was canceled."""


class CallError(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Call:
    def __init__(self, identity):
        self.identity = identity
        self.started = time.perf_counter()
        self.thread = None
        self.task = None
        self.unread = 0
        self.canceled = False
        self.changed = threading.Condition()

    @property
    def milliseconds(self):
        return round((time.perf_counter() - self.started) * 1000, 3)

    def sent(self, size):
        with self.changed:
            self.unread += size
            self.changed.wait_for(lambda: self.unread < WINDOW or self.canceled)
        if self.canceled:
            raise CallCanceled()

    def taken(self, size):
        with self.changed:
            self.unread -= size
            self.changed.notify_all()

    def cancel(self):
        with self.changed:
            self.canceled = True
            self.changed.notify_all()
        if self.task:
            self.task.get_loop().call_soon_threadsafe(self.task.cancel)
        elif self.thread:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.thread), ctypes.py_object(CallCanceled))


def response_event(answer, folder):
    if len(answer) < MAX_INLINE:
        return {"answer": answer}
    with tempfile.NamedTemporaryFile("w", dir=folder, prefix="answer-", encoding="utf-8", delete=False) as file:
        file.write(answer)
    return {"answerFile": file.name}


def to_json(value):
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=convert).encode("utf-8", "replace").decode()
    except (TypeError, ValueError, RecursionError) as error:
        raise CallError(500, f"the function's result cannot be converted to JSON: {error}") from None


def convert(value):
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    raise TypeError(f"{type(value).__name__} is not JSON serializable")
