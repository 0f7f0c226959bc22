"""Starts one rank: `launch.py SCRIPT ARGS` connects to the fabric and runs the script as the main module.

Whatever happens in the script is told to the fabric: it ends well (*leave*), raises or exits with a code (*fail*).
"""

import atexit
import os
import sys

SHIM = os.path.dirname(os.path.abspath(__file__))
sys.path[0] = SHIM

from unwaited_rank import clock, hooks, places, wire  # noqa: E402


def main():
    script, sys.argv = sys.argv[1], sys.argv[1:]
    sys.path.insert(1, os.path.dirname(os.path.abspath(script)))
    hooks.install(SHIM)
    clock.install()
    wire.join()
    return run(script)


def flush():
    """Nothing that was printed may be lost when the process ends."""
    sys.stdout.flush()
    sys.stderr.flush()


def run(script):
    """Runs the script and tells how it ended; the result is the exit code of the process."""
    module = type(sys)("__main__")
    module.__file__ = script
    module.__builtins__ = __builtins__
    sys.modules["__main__"] = module
    try:
        with open(script, "rb") as file:
            code = compile(file.read(), script, "exec")
        exec(code, module.__dict__)
        finish_threads()
        # What is registered there may communicate, so it must run while the rank still can.
        atexit._run_exitfuncs()
    except SystemExit as end:
        if end.code not in (None, 0):
            return fail("exited with code %s" % (end.code,), None)
    except SyntaxError as error:
        sys.excepthook(type(error), error, None)
        return fail("SyntaxError: %s" % error.msg, error)
    except BaseException as error:  # noqa: B902  the fabric must hear of every end
        trace = places.own_part(error.__traceback__)
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        return fail(places.describe(error), error)
    flush()
    wire.call("leave", place=places.end_of(script))
    return 0


def finish_threads():
    """A script ends when its threads have ended."""
    import threading

    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


def fail(message, error):
    place = places.of_error(error) if error is not None else places.here()
    assertion = isinstance(error, AssertionError)
    flush()
    wire.call("fail", place=place, message=message, assertion=assertion)
    return 1


if __name__ == "__main__":
    sys.exit(main())
