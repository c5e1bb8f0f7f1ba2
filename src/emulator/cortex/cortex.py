"""Serves the functions of a main.py to the emulator: calls come in on descriptor 3, what happens goes out on 4.

Both are lines of JSON. In:  {"call": id, "function": name, "body": text} or {..., "bodyFile": path},
{"taken": id, "size": n} for what was read of a stream, {"cancel": id}.
Out: {"ready": true}, {"broken": message}, {"run": id or null, "stream": name, "line": text} for what is printed,
{"call": id, "ms": ..., ...} with one of "answer" (JSON text), "answerFile" (a path, when it is long), both perhaps with
"status"; "failed" (message, "status"); "begins" (a stream); "item" (text, "size"); "ends".

The folder for long answers is the first argument.
"""

import asyncio
import inspect
import json
import os
import sys
import threading
import time
import traceback
from concurrent.futures import CancelledError as FutureCancelled

from cortex_call import ITEM_OVERHEAD, Call, Cancelled, Refused, keep, to_json
from cortex_output import Printed, Wire, current_run


class Replica:
    def __init__(self, wire, out, err):
        self.wire, self.out, self.err = wire, out, err
        self.calls = {}
        self.functions = {}
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def load(self):
        # The app's folder takes the place of ours.
        sys.path[0] = os.getcwd()
        import main

        self.functions = {
            name: value
            for name, value in vars(main).items()
            if not name.startswith("_") and callable(value) and not inspect.isclass(value)
        }

    def begin(self, message):
        call = Call(message["call"])
        self.calls[call.identity] = call
        threading.Thread(target=self.work, args=(call, message), daemon=True).start()

    def work(self, call, message):
        current_run.set(call.identity)
        call.thread = threading.get_ident()
        try:
            self.perform(call, message)
        except Cancelled:
            self.finish(call, failed="the call was cancelled", status=0)
        except Refused as refusal:
            self.finish(call, failed=str(refusal), status=refusal.status)
        except BaseException as error:
            traceback.print_exception(type(error), error, own_frames(error.__traceback__))
            self.finish(call, failed=describe(error), status=500)

    def perform(self, call, message):
        function = self.functions.get(message["function"])
        if function is None:
            known = ", ".join(sorted(self.functions)) or "none"
            raise Refused(404, f'function {message["function"]} not found; functions of this app: {known}')
        arguments = self.arguments(function, message, call)
        call.started = time.perf_counter()
        result = function(**arguments)
        if inspect.isawaitable(result):
            result = self.wait(call, result)
        if inspect.isasyncgen(result):
            result = self.step_by_step(call, result)
        if inspect.isgenerator(result):
            self.stream(call, result)
        else:
            self.answer(call, result)

    def arguments(self, function, message, call):
        if "bodyFile" in message:
            with open(message["bodyFile"], encoding="utf-8", errors="replace") as file:
                body = file.read()
        else:
            body = message["body"]
        try:
            given = json.loads(body) if body.strip() else {}
        except ValueError as error:
            raise Refused(400, f"the body is not valid JSON: {error}") from None
        if not isinstance(given, dict):
            raise Refused(400, "the body must be a JSON object: its fields are the function's parameters")
        try:
            signature = inspect.signature(function)
            if "run_id" in signature.parameters:
                given.setdefault("run_id", call.identity)
            signature.bind(**given)
        except TypeError as error:
            raise Refused(422, f'{message["function"]}: {error}') from None
        except ValueError:
            pass
        return given

    def wait(self, call, awaitable):
        async def working():
            current_run.set(call.identity)
            call.task = asyncio.current_task()
            if call.cancelled:
                raise asyncio.CancelledError()
            return await awaitable

        future = asyncio.run_coroutine_threadsafe(working(), self.loop)
        try:
            return future.result()
        except (asyncio.CancelledError, FutureCancelled):
            raise Cancelled() from None
        finally:
            call.task = None

    def step_by_step(self, call, items):
        while True:
            try:
                yield self.wait(call, items.__anext__())
            except StopAsyncIteration:
                return

    def stream(self, call, items):
        # Until the first item nothing is promised: an error is still an answer.
        begun = False
        for item in items:
            text = item if isinstance(item, str) else to_json(item)
            if not begun:
                self.wire.send(call=call.identity, begins=True)
                begun = True
            # An empty item takes memory, too.
            size = len(text) + ITEM_OVERHEAD
            self.wire.send(call=call.identity, item=text, size=size)
            call.sent(size)
        if not begun:
            self.wire.send(call=call.identity, begins=True)
        self.finish(call, ends=True)

    def answer(self, call, result):
        text = to_json(result)
        status = result.get("status_code") if isinstance(result, dict) else None
        valid = isinstance(status, int) and not isinstance(status, bool) and 200 <= status <= 599
        answer = f'{{"run_id":{json.dumps(call.identity)},"run_time_ms":{call.milliseconds},"result":{text}}}'
        self.finish(call, **keep(answer), **({"status": status} if valid else {}))

    def finish(self, call, **outcome):
        self.out.finish(call.identity)
        self.err.finish(call.identity)
        self.calls.pop(call.identity, None)
        self.wire.send(call=call.identity, ms=call.milliseconds, **outcome)


def describe(error):
    try:
        text = str(error)
    except BaseException:
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def own_frames(trace):
    """A traceback without our frames."""
    while trace and os.path.dirname(trace.tb_frame.f_code.co_filename) == os.path.dirname(__file__):
        trace = trace.tb_next
    return trace


def main():
    wire = Wire(4)
    out, err = Printed("stdout", wire), Printed("stderr", wire)
    sys.stdout, sys.stderr = out, err
    replica = Replica(wire, out, err)
    try:
        replica.load()
    except BaseException as error:
        traceback.print_exception(type(error), error, own_frames(error.__traceback__))
        wire.send(broken=describe(error))
        os._exit(1)
    for stream in (out, err):
        stream.finish(None)
    wire.send(ready=True)
    with os.fdopen(3, encoding="utf-8") as commands:
        for line in commands:
            message = json.loads(line)
            known = replica.calls.get(message.get("taken") or message.get("cancel"))
            if "call" in message:
                replica.begin(message)
            elif known and "taken" in message:
                known.taken(message["size"])
            elif known:
                known.cancel()
    # The emulator is gone.
    os._exit(0)


if __name__ == "__main__":
    main()
