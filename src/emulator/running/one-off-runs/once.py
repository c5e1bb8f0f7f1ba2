"""Runs a file like `python3 file arguments…`. Arguments and environment are read from stdin as JSON, because they can
exceed the limit of the system."""

import json
import os
import runpy
import sys

options = json.loads(sys.stdin.buffer.read())
os.environ.update(options["environment"])
sys.stdin = open(os.devnull)
file = options["words"][0]
sys.argv[:] = options["words"]
sys.path[0] = os.path.dirname(os.path.abspath(file))
try:
    runpy.run_path(file, run_name="__main__")
except Exception as error:
    # Only the frames of the program.
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename in (__file__, runpy.__file__, "<frozen runpy>"):
        trace = trace.tb_next
    sys.excepthook(type(error), error.with_traceback(trace), trace)
    sys.exit(1)
