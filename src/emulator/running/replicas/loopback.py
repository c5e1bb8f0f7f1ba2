"""Makes an app's own server listen on the loopback address instead of every address, where the whole network could call
it without a token; and on the port that it was given, if its own is in use. Loaded by `sitecustomize.py`.
"""

import os
import socket

# `8000:41235`: the configured port, and the one in its place.
CONFIGURED, _, GIVEN = os.environ.get("GANTRY_PORTS", "").partition(":")


def is_wildcard(family, host):
    """Whether an address means every interface, in any notation."""
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


def bind_address(opened, address):
    """The address to bind to. Unchanged with port 0: clients use it, and must reach other machines."""
    is_tcp = opened.family in (socket.AF_INET, socket.AF_INET6) and opened.type == socket.SOCK_STREAM
    if not is_tcp or not isinstance(address, tuple) or len(address) < 2 or address[1] == 0:
        return address
    host, port, *more = address
    if str(port) == CONFIGURED:
        port = int(GIVEN)
    if is_wildcard(opened.family, host):
        host = loopback(opened)
    return (host, port, *more)


def loopback(opened):
    if opened.family == socket.AF_INET:
        return "127.0.0.1"
    # A dual-stack socket must stay reachable by IPv4.
    is_ipv6_only = opened.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY)
    return "::1" if is_ipv6_only else "::ffff:127.0.0.1"


bind = socket.socket.bind
socket.socket.bind = lambda self, address: bind(self, bind_address(self, address))
