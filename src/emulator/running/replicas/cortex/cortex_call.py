"""A call of a function: cancellation, stream flow control, and its response."""

import builtins
from _queue import SimpleQueue
from _thread import allocate_lock
from ctypes import c_ulong, py_object, pythonapi
from json import dumps
from time import perf_counter

# The app may replace what is in it.
__builtins__ = vars(builtins).copy()

# Maximum text of a stream that was sent but not read.
WINDOW = 1024 * 1024
# Added to the size of each item.
ITEM_OVERHEAD = 64


class CallCanceled(BaseException):
    """Raised in a function whose call was canceled."""


class CallError(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Call:
    def __init__(self, identity):
        self.identity = identity
        self.started = perf_counter()
        self.thread = None
        self.task = None
        self.unread = 0
        self.canceled = False
        self.lock = allocate_lock()
        self.changes = SimpleQueue()

    @property
    def milliseconds(self):
        return round((perf_counter() - self.started) * 1000, 3)

    def sent(self, size):
        self.count(size)
        while self.unread >= WINDOW and not self.canceled:
            self.changes.get()
        if self.canceled:
            raise CallCanceled()

    def taken(self, size):
        self.count(-size)
        self.changes.put(None)

    def count(self, size):
        with self.lock:
            self.unread += size

    def cancel(self):
        self.canceled = True
        self.changes.put(None)
        if self.task:
            self.task.get_loop().call_soon_threadsafe(self.task.cancel)
        elif self.thread:
            interrupt(c_ulong(self.thread), py_object(CallCanceled))


interrupt = pythonapi.PyThreadState_SetAsyncExc


def to_json(value):
    try:
        return dumps(value, ensure_ascii=False, allow_nan=False, default=convert).encode("utf-8", "replace").decode()
    except (TypeError, ValueError, RecursionError) as error:
        raise CallError(500, f"the function's result cannot be converted to JSON: {error}") from None


def convert(value):
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    # Of numpy: numbers and arrays.
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")
