"""Virtual time: `sleep` takes none of the user's, and the clocks show the rank's own.

Only the user's code sees it. Libraries, and threads that do not communicate, keep the real clock.
"""

import sys
import time

from . import places, wire

EPOCH = 1_700_000_000
_real = {}


def install():
    """Replaces the clocks of `time`."""
    for name in ("sleep", "time", "monotonic", "perf_counter", "time_ns", "monotonic_ns", "perf_counter_ns"):
        _real[name] = getattr(time, name)
        setattr(time, name, _virtual(name))


def _virtual(name):
    real, offset = _real[name], EPOCH if name.startswith("time") else 0

    def clock(*args, **kwargs):
        caller = sys._getframe(1).f_code.co_filename
        if not (wire.talks() and places.is_own(caller)):
            return real(*args, **kwargs)
        if name == "sleep":
            return compute(*args, **kwargs)
        nanos = wire.call("clock")["clock"] + offset * 1_000_000_000
        return nanos if name.endswith("_ns") else nanos / 1e9

    clock.__name__ = name
    clock.__doc__ = real.__doc__
    return clock


def compute(seconds):
    """Spends so much virtual time."""
    if seconds < 0:
        raise ValueError("sleep length must not be negative")
    wire.call("compute", nanos=int(seconds * 1e9))
