"""Errors of an app, as its log shows them."""

import builtins
from os.path import dirname
from traceback import print_exception

# The app may replace what is in it.
__builtins__ = vars(builtins).copy()

OWN_FOLDER = dirname(__file__)


def describe(error):
    try:
        text = str(error)
    except BaseException:
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def show(error, err):
    """Prints the traceback. The app may have replaced sys.stderr, and what a traceback is made with."""
    try:
        print_exception(type(error), error, app_frames(error.__traceback__), file=err)
    except BaseException:
        err.write(f"{describe(error)}\n")


def app_frames(trace):
    """The traceback without frames of the worker."""
    while trace and dirname(trace.tb_frame.f_code.co_filename) == OWN_FOLDER:
        trace = trace.tb_next
    return trace
