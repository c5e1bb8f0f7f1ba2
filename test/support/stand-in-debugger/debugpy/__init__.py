"""As much of debugpy as tests of the emulator's half need: breakpoints in files, one stop at a time, local variables."""

import _thread
import json
import os
import socket
import sys
import threading


class Adapter:
    def __init__(self):
        self.stream = None
        self.lines = {}
        mappings = json.loads(os.environ.get("PATHS_FROM_ECLIPSE_TO_PYTHON", "[]"))
        self.mappings = [dict(zip(("localRoot", "remoteRoot"), each)) for each in mappings]
        self.frame = None
        self.resume = threading.Event()
        self.configured = threading.Event()
        self.lock = threading.RLock()

    def serve(self, server):
        while True:
            connection, _ = server.accept()
            self.stream = connection.makefile("rwb")
            try:
                while message := self.read():
                    self.handle(message)
                    if message["command"] == "disconnect":
                        break
            except OSError:
                pass
            connection.close()
            self.configured.clear()
            self.stream, self.lines = None, {}
            self.resume.set()

    def read(self):
        length = 0
        while (line := self.stream.readline()).strip():
            length = int(line.split(b":")[1])
        return json.loads(self.stream.read(length)) if length else None

    def send(self, **message):
        with self.lock:
            if self.stream is None:
                return
            data = json.dumps({"seq": 1, **message}).encode()
            self.stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
            self.stream.flush()

    def event(self, name, **body):
        self.send(type="event", event=name, body=body)

    def handle(self, request):
        name, given = request["command"], request.get("arguments") or {}
        body = getattr(self, "on_" + name, lambda _: {})(given)
        self.send(type="response", request_seq=request["seq"], command=name, success=True, body=body)
        if name == "attach":
            self.event("initialized")
        if name == "continue":
            self.resume.set()

    def on_setBreakpoints(self, given):
        path, lines = given["source"]["path"], [one["line"] for one in given["breakpoints"]]
        self.lines[self.mapped(path, "localRoot", "remoteRoot")] = lines
        return {"breakpoints": [{"id": index, "verified": True, "line": line} for index, line in enumerate(lines)]}

    def on_configurationDone(self, _):
        self.configured.set()
        return {}

    def on_stackTrace(self, _):
        code = self.frame.f_code
        path = self.mapped(code.co_filename, "remoteRoot", "localRoot")
        return {"stackFrames": [{"id": 1, "name": code.co_name, "line": self.frame.f_lineno, "source": {"path": path}}]}

    def on_scopes(self, _):
        return {"scopes": [{"name": "Locals", "variablesReference": 1}]}

    def on_variables(self, _):
        return {"variables": [{"name": name, "value": repr(value)} for name, value in self.frame.f_locals.items()]}

    def mapped(self, path, source, target):
        for one in self.mappings:
            if path.startswith(one[source] + os.sep):
                return one[target] + path[len(one[source]):]
        return path

    def trace(self, frame, kind, _):
        lines = self.lines.get(frame.f_code.co_filename)
        if kind == "line" and lines and frame.f_lineno in lines:
            self.stop(frame, "breakpoint")
        return self.trace

    def stop(self, frame, reason):
        self.frame = frame
        self.resume.clear()
        self.event("stopped", reason=reason, threadId=1, hitBreakpointIds=[0])
        self.resume.wait()


adapter = Adapter()


def listen(_):
    server = socket.create_server(("127.0.0.1", 0))
    start_new_thread = _thread.start_new_thread
    start_new_thread(adapter.serve, (server,))

    def start_traced(function, args, *more):
        def traced(*args):
            sys.settrace(adapter.trace)
            function(*args)

        return start_new_thread(traced, args, *more)

    _thread.start_new_thread = start_traced
    threading.settrace(adapter.trace)
    sys.settrace(adapter.trace)
    return server.getsockname()


def is_client_connected():
    return adapter.configured.is_set()


def wait_for_client():
    canceled = threading.Event()
    wait_for_client.cancel = canceled.set
    while not (adapter.configured.wait(0.01) or canceled.is_set()):
        pass


import pydevd  # noqa: E402,F401
