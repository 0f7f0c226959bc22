"""Where in the user's program something happens: the innermost line that is not of the shim or a library."""

import os
import sys

SHIM = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
LIBRARY = os.path.dirname(os.__file__) + os.sep


def is_own(filename):
    """Whether a file is part of the user's program."""
    if filename.startswith((SHIM, LIBRARY, "<frozen")):
        return False
    return (os.sep + "site-packages" + os.sep) not in filename


def here():
    """The user's line that is being executed."""
    frame = sys._getframe(1)
    while frame is not None:
        if is_own(frame.f_code.co_filename):
            return [frame.f_code.co_filename, frame.f_lineno]
        frame = frame.f_back
    return [sys.argv[0], 0]


def end_of(script):
    return [script, 0]


def own_part(trace):
    """A traceback from the first line of the user's on."""
    while trace is not None and not is_own(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return trace


def of_error(error):
    """The innermost line of the user's that an error went through."""
    if isinstance(error, SyntaxError) and error.filename:
        return [error.filename, error.lineno or 0]
    place, trace = [sys.argv[0], 0], error.__traceback__
    while trace is not None:
        if is_own(trace.tb_frame.f_code.co_filename):
            place = [trace.tb_frame.f_code.co_filename, trace.tb_lineno]
        trace = trace.tb_next
    return place


def describe(error):
    """`ValueError: no such rank`; an assertion says only what it says."""
    text = str(error)
    if isinstance(error, AssertionError):
        return text
    name = type(error).__name__
    return "%s: %s" % (name, text) if text else name
