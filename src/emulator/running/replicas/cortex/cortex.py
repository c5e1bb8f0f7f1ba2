"""Runs the functions of a main.py for the emulator: reads commands from file descriptor 3, writes events to 4.

Both are JSON lines. Commands: {"call": id, "function": name, "body": text},
{"taken": id, "size": n} after stream items were read, {"cancel": id}.
Events: {"ready": true}, {"broken": message}, {"run": id or null, "stream": name, "line": text} for printed lines,
{"call": id, "ms": ..., ...} with one of "answer" (JSON text), with an optional "status"; "failed" (message, "status"); "begins" (a stream); "item" (text, "size"); "ends".
"""

import ast
import builtins
import os
import sys
from _thread import allocate_lock, get_ident, start_new_thread
from inspect import isasyncgen, isawaitable, isclass, isgenerator, signature
from json import dumps, loads
from os import _exit
from os.path import dirname, join
from time import perf_counter

from cortex_call import ITEM_OVERHEAD, Call, CallCanceled, CallError, to_json
from cortex_errors import OWN_FOLDER, describe, show
from cortex_output import EventWriter, OutputStream, current_run

# The app may replace what is in modules. What a call needs is bound before the app is loaded, and of json, which calls
# its own functions by their names, the app gets another module.
__builtins__ = vars(builtins).copy()
for name in ("json", "json.decoder", "json.encoder", "json.scanner"):
    sys.modules.pop(name, None)


class Replica:
    def __init__(self, events, out, err):
        self.events, self.out, self.err = events, out, err
        self.calls = {}
        self.functions = {}
        self.loop = None
        self.loop_lock = allocate_lock()

    def load(self):
        # Imports come from the app's folder instead of this one.
        sys.path[0] = os.getcwd()
        # Processes that multiprocessing starts load the main program again: without a file, they skip this one.
        del sys.modules["__main__"].__file__
        import main

        self.functions = {
            name: value
            for name, value in vars(main).items()
            if not name.startswith("_") and callable(value) and not isclass(value)
        }

    def begin(self, message):
        call = Call(message["call"])
        self.calls[call.identity] = call
        start_new_thread(self.run, (call, message))

    def run(self, call, message):
        outcome = {"failed": "the call ended without a response", "status": 500}
        try:
            current_run.set(call.identity)
            call.thread = get_ident()
            outcome = self.call_function(call, message)
        except CallCanceled:
            outcome = {"failed": "the call was canceled", "status": 0}
        except CallError as error:
            outcome = {"failed": str(error), "status": error.status}
        except BaseException as error:
            outcome = {"failed": describe(error), "status": 500}
            show(error, self.err)
        finally:
            self.finish(call, outcome)

    def call_function(self, call, message):
        function = self.functions.get(message["function"])
        if function is None:
            known = ", ".join(sorted(self.functions.keys() - imported_names())) or "none"
            missing = f'function {message["function"]} not found' if message["function"] else "the address names no function"
            raise CallError(404, f"{missing}; available functions: {known}")
        arguments = self.parse_arguments(function, message, call)
        call.started = perf_counter()
        result = function(**arguments)
        if isawaitable(result):
            result = self.wait(call, result)
        if isasyncgen(result):
            result = self.iterate_async(call, result)
        return self.stream(call, result) if isgenerator(result) else self.response(call, result)

    def parse_arguments(self, function, message, call):
        body = message["body"]
        try:
            arguments = loads(body) if body.strip() else {}
        except ValueError as error:
            raise CallError(400, f"the body is not valid JSON: {error}") from None
        if not isinstance(arguments, dict):
            raise CallError(400, "the body must be a JSON object: its keys must match the function's parameters")
        try:
            accepted = signature(function)
            if "run_id" in accepted.parameters:
                arguments.setdefault("run_id", call.identity)
            accepted.bind(**arguments)
        except TypeError as error:
            raise CallError(422, f'{message["function"]}: {error}') from None
        except ValueError:
            pass
        return arguments

    def event_loop(self):
        # Importing it takes longer than everything else here, and many apps have no coroutines.
        import asyncio

        with self.loop_lock:
            if self.loop is None:
                self.loop = asyncio.new_event_loop()
                start_new_thread(self.loop.run_forever, ())
        return self.loop

    def wait(self, call, awaitable):
        import asyncio
        from concurrent.futures import CancelledError as FutureCancelled

        async def working():
            current_run.set(call.identity)
            call.task = asyncio.current_task()
            if call.canceled:
                raise asyncio.CancelledError()
            return await awaitable

        future = asyncio.run_coroutine_threadsafe(working(), self.event_loop())
        try:
            return future.result()
        except (asyncio.CancelledError, FutureCancelled):
            raise CallCanceled() from None
        finally:
            call.task = None

    def iterate_async(self, call, items):
        while True:
            try:
                yield self.wait(call, items.__anext__())
            except StopAsyncIteration:
                return

    def stream(self, call, items):
        # An error before the first item is still an ordinary error response.
        has_begun = False
        for item in items:
            text = item if isinstance(item, str) else to_json(item)
            if not has_begun:
                self.events.send(call=call.identity, begins=True)
                has_begun = True
            # Empty items take memory, too.
            size = len(text) + ITEM_OVERHEAD
            self.events.send(call=call.identity, item=text, size=size)
            call.sent(size)
        if not has_begun:
            self.events.send(call=call.identity, begins=True)
        return {"ends": True}

    def response(self, call, result):
        text = to_json(result)
        status = result.get("status_code") if isinstance(result, dict) else None
        valid = isinstance(status, int) and not isinstance(status, bool) and 200 <= status <= 599
        answer = f'{{"run_id":{dumps(call.identity)},"run_time_ms":{call.milliseconds},"result":{text}}}'
        return {"answer": answer, **({"status": status} if valid else {})}

    def finish(self, call, outcome):
        try:
            if breakpoints:
                breakpoints[0].leave(call.identity)
            self.out.finish(call.identity)
            self.err.finish(call.identity)
            self.calls.pop(call.identity, None)
            self.events.send(call=call.identity, ms=call.milliseconds, **outcome)
        except BaseException:
            # The app has replaced what Python itself needs. The emulator answers for a process that has ended.
            _exit(1)


# The module that breakpoint() has loaded.
breakpoints = []


def stop_at_breakpoint(*_args, frame=None, **_more):
    from importlib.util import module_from_spec, spec_from_file_location

    if not breakpoints:
        spec = spec_from_file_location("gantry_breakpoints", join(dirname(OWN_FOLDER), "breakpoints.py"))
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        breakpoints.append(module)
    breakpoints[0].stop(frame or sys._getframe(1), skip=("__main__", "cortex_*"), run=current_run.get())


def imported_names():
    """Names that main.py only imports: they can be called, but are not the app's own functions."""
    try:
        with open(sys.modules["main"].__file__, "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return set()
    imports = (node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom)))
    return {(name.asname or name.name).split(".")[0] for node in imports for name in node.names}


def main():
    # Programs that read the command line find none.
    sys.argv[:] = ["main.py"]
    events = EventWriter(4)
    out, err = OutputStream("stdout", events), OutputStream("stderr", events)
    sys.stdout, sys.stderr = out, err
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: [stream.detach_from_parent() for stream in (out, err)])
    if hasattr(sys.breakpointhook, "without_editor"):
        sys.breakpointhook.without_editor = stop_at_breakpoint
    else:
        sys.breakpointhook = stop_at_breakpoint
    replica = Replica(events, out, err)
    commands = os.fdopen(3, "rb")
    try:
        replica.load()
    except BaseException as error:
        show(error, err)
        events.send(broken=describe(error))
        _exit(1)
    for stream in (out, err):
        stream.finish(None)
    events.send(ready=True)
    for line in commands:
        message = loads(line.decode())
        call = replica.calls.get(message.get("taken") or message.get("cancel"))
        if "call" in message:
            replica.begin(message)
        elif call and "taken" in message:
            call.taken(message["size"])
        elif call:
            call.cancel()
    # The emulator has ended.
    _exit(0)


if __name__ == "__main__":
    main()
