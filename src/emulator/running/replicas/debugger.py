"""Makes a process of an app listen for a debugger, before its own code runs. Loaded by `sitecustomize.py` in the first
Python process of an app that is debugged. Its children find no variable, and debugpy knows of them by itself.
"""

import json
import os
import socket
import sys
import threading


def listen(port, token, id, path):
    """Starts debugpy, tells the emulator where it listens, and returns when the app's code may run."""
    # debugpy replaces it.
    without_editor = sys.breakpointhook
    debugpy = import_debugpy(path)
    _, debugger_port = debugpy.listen(("127.0.0.1", 0))
    sys.breakpointhook = breakpoint_hook(debugpy, without_editor)
    allow_other_tracing()
    # Open as long as the process lives: the emulator notices its end.
    control = socket.create_connection(("127.0.0.1", port))
    listen.control = control
    control.sendall(json.dumps({"token": token, "id": id, "port": debugger_port}).encode() + b"\n")
    wait(debugpy, json.loads(control.recv(16)))
    control.sendall(b"started\n")


def wait(debugpy, seconds):
    """Waits for an editor that has told all: at most for so many seconds, or without a limit."""
    if seconds == 0:
        return
    timer = threading.Timer(seconds or 0, lambda: debugpy.wait_for_client.cancel())
    if seconds is not None:
        timer.start()
    debugpy.wait_for_client()
    timer.cancel()


def allow_other_tracing():
    """At the terminal, breakpoint() traces the code itself: debugpy would print a warning at each."""
    tracing = getattr(sys.modules.get("pydevd_tracing"), "TracingFunctionHolder", None)
    if tracing is not None:
        tracing._warn = False


def import_debugpy(path):
    try:
        import debugpy
    except ImportError:
        # One that was installed beside the app's packages.
        sys.path.append(path)
        try:
            import debugpy
        finally:
            sys.path.remove(path)
    return debugpy


def breakpoint_hook(debugpy, without_editor):
    """`breakpoint()` stops in the editor that is attached."""

    def stop(*args, **kwargs):
        if not debugpy.is_client_connected():
            return stop.without_editor(*args, frame=sys._getframe(1), **kwargs)
        from pydevd import settrace

        settrace(suspend=True, trace_only_current_thread=True, stop_at_frame=sys._getframe(1))

    stop.without_editor = without_editor
    return stop


def start():
    given = os.environ.pop("GANTRY_DEBUGGER", None)
    if given:
        try:
            listen(**json.loads(given))
        except Exception as error:
            print(f"warning: this process cannot be debugged: {error}", file=sys.stderr)
