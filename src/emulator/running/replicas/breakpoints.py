"""What `breakpoint()` does in an app: Python's debugger at the terminal of `gantry dev`, or a line that says how to debug.
Loaded when it is called for the first time.
"""

import json
import os
import socket
import sys
from pdb import Pdb


def stop(frame, skip=(), run=None):
    """Stops in a frame. Does not step into modules that match `skip`. `run` is the call that stops."""
    place = f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
    address = os.environ.get("GANTRY_BREAKPOINTS")
    if address is None:
        print(
            f"breakpoint() in {place} does nothing here: run the app alone with `gantry dev` on a terminal, "
            "or attach an editor to `gantry dev --debug-port 5678`",
            file=sys.stderr,
            flush=True,
        )
        return
    TerminalDebugger(json.loads(address), skip, run).set_trace(frame)


def leave(run):
    """A call has ended: nobody can step in it any more."""
    for debugger in [one for one in TerminalDebugger.opened if one.run == run]:
        debugger.close()


class TerminalDebugger(Pdb):
    """A Pdb whose terminal is that of the emulator. It has the terminal from a stop until the code goes on."""

    opened = set()

    def __init__(self, address, skip, run):
        super().__init__(skip=[*skip, "gantry_*"], nosigint=True, readrc=False)
        self.use_rawinput = False
        self.address, self.skipped, self.run = address, skip, run
        self.connection = None

    def interaction(self, frame, *rest):
        self.open(frame or sys._getframe(1))
        super().interaction(frame, *rest)

    def user_return(self, frame, value):
        super().user_return(frame, value)
        caller = frame.f_back
        if caller is None or self.is_skipped_module(caller.f_globals.get("__name__")):
            self.set_continue()

    def format_stack_entry(self, *args):
        """Paths relative to the app's folder."""
        return super().format_stack_entry(*args).replace(os.getcwd() + os.sep, "")

    def set_continue(self):
        super().set_continue()
        self.close()

    def set_quit(self):
        super().set_quit()
        self.close()

    def do_EOF(self, _):
        """Ctrl-D, or the terminal has gone: the code goes on."""
        self.message("")
        return self.do_continue("")

    def open(self, frame):
        if self.connection is not None:
            return
        self.connection = socket.create_connection(("127.0.0.1", self.address["port"]))
        place = f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
        greeting = {"token": self.address["token"], "app": self.address["app"], "place": place}
        self.connection.sendall(json.dumps(greeting).encode() + b"\n")
        self.stdin = self.connection.makefile("r", encoding="utf-8", errors="replace")
        self.stdout = self.connection.makefile("w", encoding="utf-8", errors="replace")
        TerminalDebugger.opened.add(self)

    def close(self):
        connection, self.connection = self.connection, None
        if connection is None:
            return
        TerminalDebugger.opened.discard(self)
        for used in (self.stdout, self.stdin, connection):
            try:
                used.close()
            except OSError:
                pass
