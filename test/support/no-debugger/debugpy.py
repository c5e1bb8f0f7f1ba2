"""Hides a debugpy of this machine."""

raise ImportError("no debugpy here")
