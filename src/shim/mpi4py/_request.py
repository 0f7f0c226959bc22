"""Requests and statuses."""

from unwaited_rank import wire
from unwaited_rank.work import post


class Status:
    """Where a message came from."""

    def __init__(self):
        self.source, self.tag, self.count, self.error = -1, -1, 0, 0

    def _set(self, origin, comm):
        if origin:
            source, self.tag, self.count = origin
            self.source = comm.members.index(source) if comm is not None else source

    def Get_source(self):
        return self.source

    def Get_tag(self):
        return self.tag

    def Get_count(self, datatype=None):
        return (self.count or 0) // (datatype.size if datatype is not None else 1)

    def Get_error(self):
        return self.error


class Request:
    """What a nonblocking call returns. MPI goes on without it when it dies, in memory that may be freed."""

    def __init__(self, handle=None, cell=None, comm=None):
        self._handle, self._cell, self._comm = handle, cell, comm
        self._done = handle is None
        self._value, self._taken = None, False

    def __bool__(self):
        return not self._done

    def _finish(self, origin, status):
        if status is not None:
            status._set(origin, self._comm)
        if not self._done:
            self._done = True
            self._value = self._cell
            wire.forget(self._handle)

    def _message(self):
        """The received object; it is there once."""
        cell, self._value = self._value, None
        return cell.value() if cell is not None else None

    def Wait(self, status=None):
        if not self._done:
            reply = wire.call("wait", handles=[self._handle], which="all", limit=None)
            self._finish((reply.get("origins") or [None])[0], status)
        return True

    def wait(self, status=None):
        self.Wait(status)
        return self._message()

    def Test(self, status=None):
        if self._done:
            return True
        reply = wire.call("poll", handles=[self._handle])
        if reply["handles"]:
            self._finish(reply["origins"][0], status)
        return self._done

    def test(self, status=None):
        flag = self.Test(status)
        return (flag, self._message() if flag else None)

    def Cancel(self):
        raise NotImplementedError("Cancel is not served by `unwaited run`")

    cancel = Cancel

    def Free(self):
        self.__del__()
        self._done = True

    @classmethod
    def Waitall(cls, requests, statuses=None):
        pending = [request for request in requests if not request._done]
        if pending:
            handles = [request._handle for request in pending]
            reply = wire.call("wait", handles=handles, which="all", limit=None)
            origins = dict(zip(reply["handles"], reply["origins"]))
            for request in pending:
                request._finish(origins.get(request._handle), None)
        return True

    @classmethod
    def waitall(cls, requests, statuses=None):
        cls.Waitall(requests, statuses)
        return [request._message() for request in requests]

    @classmethod
    def Waitany(cls, requests, status=None):
        pending = [request for request in requests if not request._done]
        if not pending:
            return -32766
        reply = wire.call("wait", handles=[request._handle for request in pending], which="any", limit=None)
        return cls._first(requests, reply, status)

    @classmethod
    def _first(cls, requests, reply, status):
        for index, request in enumerate(requests):
            if request._handle == reply["handles"][0]:
                request._finish(reply["origins"][0], status)
                return index
        raise AssertionError("a wait returned a request that it was not given")

    @classmethod
    def waitany(cls, requests, status=None):
        index = cls.Waitany(requests, status)
        return (index, requests[index]._message() if index >= 0 else None)

    @classmethod
    def Waitsome(cls, requests, statuses=None):
        index = cls.Waitany(requests)
        return [index] + [at for at, request in enumerate(requests) if at != index and request.Test()]

    @classmethod
    def Testall(cls, requests, statuses=None):
        return all([request.Test() for request in requests])

    @classmethod
    def testall(cls, requests, statuses=None):
        flag = cls.Testall(requests)
        return (flag, [request._message() for request in requests] if flag else None)

    @classmethod
    def Testany(cls, requests, status=None):
        for index, request in enumerate(requests):
            if not request._done and request.Test(status):
                return (index, True)
        return (-32766, False)

    def __del__(self):
        if self._done or self._handle is None:
            return
        freed = self._cell.is_unowned()
        if freed:
            self._cell.poison()
        wire.drop(self._handle, freed)


def do(posting, cell, comm, status=None):
    """A blocking call; one with nobody does nothing."""
    if posting is None:
        return None
    reply = post("do", [(posting, cell)])
    wire.forget(reply["handles"][0])
    if status is not None:
        status._set(reply["origins"][0], comm)
    return cell.value()


def begin(posting, cell, comm):
    """A nonblocking call; one with nobody is complete at once."""
    if posting is None:
        return Request()
    reply = post("start", [(posting, cell)])
    return Request(reply["handles"][0], cell, comm)
