"""Python loads this as `sitecustomize` in a server of the user's own. On the platform a server listens on every
address; here that would open it to the whole network, past the token that the emulator asks for. So it listens on the
loopback address instead.
"""

import importlib.machinery
import importlib.util
import os
import socket
import sys


def is_any(family, host):
    """Whether an address stands for every interface, in any spelling."""
    if isinstance(host, (bytes, bytearray)):
        host = host.decode("ascii", "replace")
    if host == "":
        return True
    try:
        if family == socket.AF_INET:
            return socket.inet_aton(host) == bytes(4)
        return socket.inet_pton(family, host) in (bytes(16), bytes(10) + b"\xff\xff" + bytes(4))
    except (OSError, TypeError, ValueError):
        return False


def local(opened, address):
    """The address to bind to. Port 0 stays as it is: clients use it, and must reach other machines."""
    internet = opened.family in (socket.AF_INET, socket.AF_INET6) and opened.type == socket.SOCK_STREAM
    if not internet or not isinstance(address, tuple) or len(address) < 2 or address[1] == 0:
        return address
    if not is_any(opened.family, address[0]):
        return address
    if opened.family == socket.AF_INET:
        return ("127.0.0.1", *address[1:])
    # A socket for both families is reached by IPv4, as on every address.
    alone = opened.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY)
    return ("::1" if alone else "::ffff:127.0.0.1", *address[1:])


def load_other():
    """The sitecustomize that this one hides."""
    own = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != own]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec and spec.loader:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


bind = socket.socket.bind
socket.socket.bind = lambda self, address: bind(self, local(self, address))
load_other()
