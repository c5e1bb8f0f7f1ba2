"""Tests of apps on the emulator of gantry. The fixtures are in plugin.py."""

from .app import App, CallFailed, Response
from .platform import Clock, Delivery, Platform, Webhooks, start_platform
from .program import GantryFailed

__all__ = [
    "App",
    "CallFailed",
    "Clock",
    "Delivery",
    "GantryFailed",
    "Platform",
    "Response",
    "Webhooks",
    "start_platform",
]
