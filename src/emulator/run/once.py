"""Runs one file as `python3 file words…` would. What it is given comes as JSON on stdin: a command line and an
environment of the system hold no 2 MiB."""

import json
import os
import runpy
import sys
import traceback

given = json.loads(sys.stdin.buffer.read())
os.environ.update(given["environment"])
sys.stdin = open(os.devnull)
file = given["words"][0]
sys.argv[:] = given["words"]
sys.path[0] = os.path.dirname(os.path.abspath(file))
try:
    runpy.run_path(file, run_name="__main__")
except Exception as error:
    # As it reads without us: the frames of the program only.
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename in (__file__, runpy.__file__, "<frozen runpy>"):
        trace = trace.tb_next
    traceback.print_exception(type(error), error, trace)
    sys.exit(1)
