"""Prepares every Python process of an app. Python loads this file first, from a folder in PYTHONPATH, and with it those
of the emulator's modules that are in the same folder."""

import importlib.machinery
import importlib.util
import json
import os
import sys

OWN = os.path.dirname(os.path.abspath(__file__))


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_shadowed_module():
    """Loads the sitecustomize that this one shadows."""
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != OWN]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec and spec.loader:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


def stop_at_breakpoint(*_args, frame=None, **_more):
    load("gantry_breakpoints", os.path.join(OWN, "breakpoints.py")).stop(frame or sys._getframe(1))


def prepare():
    loopback = os.path.join(OWN, "loopback.py")
    if os.path.exists(loopback):
        load("gantry_loopback", loopback)
    folders = os.path.join(OWN, "folders.json")
    if os.path.exists(folders):
        with open(folders, encoding="utf-8") as file:
            load("gantry_persistent_storage", os.path.join(OWN, "persistent_storage.py")).rewrite(json.load(file))
    if os.path.exists(os.path.join(OWN, "breakpoints.py")):
        sys.breakpointhook = stop_at_breakpoint
    if "GANTRY_DEBUGGER" in os.environ:
        load("gantry_debugger", os.path.join(OWN, "debugger.py")).start()


prepare()
load_shadowed_module()
