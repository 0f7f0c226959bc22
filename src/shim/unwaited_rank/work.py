"""Handles. A `Work` is the only owner of its operation: when it dies, the fabric hears of it."""

import datetime

from . import cells, watch, wire


def post(kind, postings):
    """Starts operations: `postings` are pairs of what the fabric is told and the cell. Gives their handles."""
    parts = [cell for _, cell in postings]
    fields = []
    for posting, cell in postings:
        fields.append(dict(posting, bytes=cell.length(), element=cell.element()))
    reply = wire.call(kind, cells=parts, postings=fields)
    if reply["reply"] == "refused":
        raise ValueError(reply["message"])
    return reply


def do(posting, cell):
    """A blocking call."""
    reply = post("do", [(posting, cell)])
    wire.forget(reply["handles"][0])
    return reply


def begin(postings):
    """Asynchronous calls, one `Work` each."""
    reply = post("start", postings)
    works = []
    for handle, (posting, cell) in zip(reply["handles"], postings):
        works.append(Work(handle, cell, "collective" in posting["start"]))
    return works


def limit_of(timeout):
    """Nanoseconds of a time limit; none and zero mean for ever."""
    if timeout is None:
        return None
    if isinstance(timeout, datetime.timedelta):
        seconds = timeout.total_seconds()
    elif isinstance(timeout, float):
        seconds = timeout
    else:
        raise TypeError("wait(): timeout must be a timedelta or a float, not %s" % type(timeout).__name__)
    return int(seconds * 1e9) or None


class Work:
    """What an asynchronous call returns."""

    def __init__(self, handle, cell, collective):
        self._handle, self._cell, self._collective = handle, cell, collective
        self._done, self._origin, self._hooks = False, None, []
        for tensor in getattr(cell, "given", ()):
            _flies(tensor, handle, False)
        for tensor in getattr(cell, "filled", None) or ():
            _flies(tensor, handle, True)

    def wait(self, timeout=None):
        reply = wire.call("wait", handles=[self._handle], which="all", limit=limit_of(timeout))
        if reply["reply"] == "timed_out":
            raise RuntimeError("timed out waiting for an operation")
        self._finish(reply)
        return True

    def is_completed(self):
        reply = wire.call("poll", handles=[self._handle])
        if reply["handles"]:
            self._finish(reply)
        return bool(reply["handles"])

    def is_success(self):
        return self.is_completed()

    def synchronize(self):
        self.wait()

    def exception(self):
        return None

    def source_rank(self):
        return self._origin

    _source_rank = source_rank

    def result(self):
        return list(self._cell.filled or ())

    def get_future(self):
        if not self._collective:
            raise RuntimeError("get_future is not implemented for messages")
        return Future(self)

    def _finish(self, reply):
        for tensor in list(getattr(self._cell, "given", ())) + list(getattr(self._cell, "filled", None) or ()):
            _lands(tensor, self._handle)
        self._origin = (reply.get("origins") or [None])[0]
        self._done = True
        wire.forget(self._handle)

    def __del__(self):
        if not self._done:
            wire.drop(self._handle, False)


def _flies(tensor, handle, receives):
    if cells.is_stand_in(tensor):
        tensor._flies(handle, receives)
    else:
        watch.flies(tensor, handle, receives)


def _lands(tensor, handle):
    if cells.is_stand_in(tensor):
        tensor._lands(handle)
    else:
        watch.lands(handle)


class Future:
    """The result of a collective, to come."""

    def __init__(self, work, after=None):
        self._work, self._after, self._value = work, after, None

    def wait(self):
        if self._work is not None and not self._work._done:
            self._work.wait()
        if self._after is not None:
            before, callback = self._after
            before.wait()
            self._value, self._after = callback(before), None
        elif self._work is not None:
            self._value = self._work.result()
        return self._value

    def value(self):
        return self.wait()

    def done(self):
        return self._work is None or self._work.is_completed()

    def then(self, callback):
        return Future(None, (self, callback))
