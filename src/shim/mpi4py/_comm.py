"""Communicators."""

from functools import reduce as fold

from unwaited_rank import wire
from unwaited_rank.cells import Nothing, Objects

from ._buffers import IN_PLACE, ROOM, Memory, Pickle, Unpickle
from ._request import begin, do

ANY_SOURCE, ANY_TAG, PROC_NULL, UNDEFINED = -1, -1, -2, -32766


class Op:
    """How a reduction combines: for buffers by its name, for objects by its function."""

    def __init__(self, name, function):
        self.name, self.function = name, function

    def __call__(self, one, other):
        return self.function(one, other)


SUM = Op("sum", lambda a, b: a + b)
PROD = Op("product", lambda a, b: a * b)
MAX, MIN = Op("max", max), Op("min", min)
LAND, LOR = Op("and", lambda a, b: a and b), Op("or", lambda a, b: a or b)
BAND, BOR, BXOR = Op("and", lambda a, b: a & b), Op("or", lambda a, b: a | b), Op("xor", lambda a, b: a ^ b)


class Comm:
    """A group of ranks; `members` are world ranks."""

    def __init__(self, identity, members, name):
        self.identity, self.members, self.name = identity, members, name
        self._made = 0

    rank = property(lambda self: self.Get_rank())
    size = property(lambda self: self.Get_size())

    def Get_rank(self):
        return self.members.index(wire.rank)

    def Get_size(self):
        return len(self.members)

    def Get_name(self):
        return self.name

    def _posting(self, api, start):
        return {"api": api, "group": self.identity, "start": start}

    def _sending(self, api, dest, tag, synchronous=False):
        if dest == PROC_NULL:
            return None
        return self._posting(api, {"send": {"to": self._world(api, dest), "tag": tag, "synchronous": synchronous}})

    def _receiving(self, api, source, tag):
        if source == PROC_NULL:
            return None
        peer = None if source == ANY_SOURCE else self._world(api, source)
        return self._posting(api, {"receive": {"from": peer, "tag": None if tag == ANY_TAG else tag}})

    def _world(self, api, rank):
        if not 0 <= rank < len(self.members):
            raise ValueError("%s: there is no rank %d in a communicator of %d" % (api, rank, len(self.members)))
        return self.members[rank]

    # messages of objects

    def send(self, obj, dest, tag=0):
        do(self._sending("send", dest, tag), Pickle(obj), self)

    def ssend(self, obj, dest, tag=0):
        do(self._sending("ssend", dest, tag, True), Pickle(obj), self)

    def recv(self, buf=None, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        return do(self._receiving("recv", source, tag), Unpickle(), self, status)

    def isend(self, obj, dest, tag=0):
        return begin(self._sending("isend", dest, tag), Pickle(obj), self)

    def issend(self, obj, dest, tag=0):
        return begin(self._sending("issend", dest, tag, True), Pickle(obj), self)

    def irecv(self, buf=None, source=ANY_SOURCE, tag=ANY_TAG):
        room = ROOM if buf is None else buf if isinstance(buf, int) else memoryview(buf).nbytes
        return begin(self._receiving("irecv", source, tag), Unpickle(room), self)

    def sendrecv(self, sendobj, dest, sendtag=0, recvbuf=None, source=ANY_SOURCE, recvtag=ANY_TAG, status=None):
        request = begin(self._sending("sendrecv", dest, sendtag), Pickle(sendobj), self)
        value = do(self._receiving("sendrecv", source, recvtag), Unpickle(), self, status)
        request.Wait()
        return value

    # messages of buffers

    def Send(self, buf, dest, tag=0):
        do(self._sending("Send", dest, tag), Memory(give=buf), self)

    def Ssend(self, buf, dest, tag=0):
        do(self._sending("Ssend", dest, tag, True), Memory(give=buf), self)

    def Recv(self, buf, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        do(self._receiving("Recv", source, tag), Memory(fill=buf), self, status)

    def Isend(self, buf, dest, tag=0):
        return begin(self._sending("Isend", dest, tag), Memory(give=buf), self)

    def Issend(self, buf, dest, tag=0):
        return begin(self._sending("Issend", dest, tag, True), Memory(give=buf), self)

    def Irecv(self, buf, source=ANY_SOURCE, tag=ANY_TAG):
        return begin(self._receiving("Irecv", source, tag), Memory(fill=buf), self)

    def Sendrecv(self, sendbuf, dest, sendtag=0, recvbuf=None, source=ANY_SOURCE, recvtag=ANY_TAG, status=None):
        request = begin(self._sending("Sendrecv", dest, sendtag), Memory(give=sendbuf), self)
        do(self._receiving("Sendrecv", source, recvtag), Memory(fill=recvbuf), self, status)
        request.Wait()

    # collectives of objects

    def _objects(self, api, kind, values):
        cell = Objects(values)
        do(self._posting(api, {"collective": kind}), _Valueless(cell), self)
        return cell.values()

    def barrier(self):
        do(self._posting("barrier", {"collective": "barrier"}), _Valueless(Nothing()), self)

    Barrier = barrier

    def bcast(self, obj=None, root=0):
        mine = self.rank == root
        values = self._objects("bcast", {"broadcast": {"root": self._world("bcast", root)}}, [obj] if mine else [])
        return obj if mine else values[0]

    def gather(self, sendobj, root=0):
        values = self._objects("gather", {"gather": {"root": self._world("gather", root)}}, [sendobj])
        return values if self.rank == root else None

    def allgather(self, sendobj):
        return self._objects("allgather", "all_gather", [sendobj])

    def scatter(self, sendobj=None, root=0):
        given = list(sendobj) if self.rank == root else []
        return self._objects("scatter", {"scatter": {"root": self._world("scatter", root)}}, given)[0]

    def alltoall(self, sendobj):
        return self._objects("alltoall", "all_to_all", list(sendobj))

    def reduce(self, sendobj, op=SUM, root=0):
        values = self._objects("reduce", {"gather": {"root": self._world("reduce", root)}}, [sendobj])
        return fold(op, values) if self.rank == root else None

    def allreduce(self, sendobj, op=SUM):
        return fold(op, self._objects("allreduce", "all_gather", [sendobj]))

    # collectives of buffers

    def _start(self, asynchronous, api, kind, cell):
        posting = self._posting(api, {"collective": kind})
        return begin(posting, cell, self) if asynchronous else do(posting, cell, self)

    def _bcast(self, asynchronous, api, buf, root):
        kind = {"broadcast": {"root": self._world(api, root)}}
        return self._start(asynchronous, api, kind, Memory(buf, buf))

    def _allreduce(self, asynchronous, api, sendbuf, recvbuf, op):
        given = recvbuf if sendbuf is IN_PLACE else sendbuf
        return self._start(asynchronous, api, {"all_reduce": {"by": op.name}}, Memory(given, recvbuf))

    def _reduce(self, asynchronous, api, sendbuf, recvbuf, op, root):
        given = recvbuf if sendbuf is IN_PLACE else sendbuf
        kind = {"reduce": {"root": self._world(api, root), "by": op.name}}
        return self._start(asynchronous, api, kind, Memory(given, recvbuf if self.rank == root else None))

    def _allgather(self, asynchronous, api, sendbuf, recvbuf):
        return self._start(asynchronous, api, "all_gather", Memory(sendbuf, recvbuf, 1, self.size))

    def _gather(self, asynchronous, api, sendbuf, recvbuf, root):
        kind = {"gather": {"root": self._world(api, root)}}
        cell = Memory(sendbuf, recvbuf if self.rank == root else None, 1, self.size)
        return self._start(asynchronous, api, kind, cell)

    def _scatter(self, asynchronous, api, sendbuf, recvbuf, root):
        kind = {"scatter": {"root": self._world(api, root)}}
        cell = Memory(sendbuf if self.rank == root else None, recvbuf, self.size, 1)
        return self._start(asynchronous, api, kind, cell)

    def _alltoall(self, asynchronous, api, sendbuf, recvbuf):
        return self._start(asynchronous, api, "all_to_all", Memory(sendbuf, recvbuf, self.size, self.size))

    def Bcast(self, buf, root=0):
        self._bcast(False, "Bcast", buf, root)

    def Ibcast(self, buf, root=0):
        return self._bcast(True, "Ibcast", buf, root)

    def Allreduce(self, sendbuf, recvbuf, op=SUM):
        self._allreduce(False, "Allreduce", sendbuf, recvbuf, op)

    def Iallreduce(self, sendbuf, recvbuf, op=SUM):
        return self._allreduce(True, "Iallreduce", sendbuf, recvbuf, op)

    def Reduce(self, sendbuf, recvbuf, op=SUM, root=0):
        self._reduce(False, "Reduce", sendbuf, recvbuf, op, root)

    def Ireduce(self, sendbuf, recvbuf, op=SUM, root=0):
        return self._reduce(True, "Ireduce", sendbuf, recvbuf, op, root)

    def Allgather(self, sendbuf, recvbuf):
        self._allgather(False, "Allgather", sendbuf, recvbuf)

    def Iallgather(self, sendbuf, recvbuf):
        return self._allgather(True, "Iallgather", sendbuf, recvbuf)

    def Gather(self, sendbuf, recvbuf, root=0):
        self._gather(False, "Gather", sendbuf, recvbuf, root)

    def Igather(self, sendbuf, recvbuf, root=0):
        return self._gather(True, "Igather", sendbuf, recvbuf, root)

    def Scatter(self, sendbuf, recvbuf, root=0):
        self._scatter(False, "Scatter", sendbuf, recvbuf, root)

    def Iscatter(self, sendbuf, recvbuf, root=0):
        return self._scatter(True, "Iscatter", sendbuf, recvbuf, root)

    def Alltoall(self, sendbuf, recvbuf):
        self._alltoall(False, "Alltoall", sendbuf, recvbuf)

    def Ialltoall(self, sendbuf, recvbuf):
        return self._alltoall(True, "Ialltoall", sendbuf, recvbuf)

    def Ibarrier(self):
        return self._start(True, "Ibarrier", "barrier", Memory())

    # other communicators

    def Dup(self):
        self._made += 1
        return self._make("%s/%d" % (self.name, self._made), self.members)

    def Split(self, color=0, key=0):
        self._made += 1
        chosen = self.allgather((color, key, wire.rank))
        if color == UNDEFINED:
            return None
        mine = sorted((key, self.members.index(rank), rank) for color_, key, rank in chosen if color_ == color)
        return self._make("%s/%d/%s" % (self.name, self._made, color), [rank for _, _, rank in mine])

    def _make(self, name, members):
        identity = wire.call("group", name=name, members=members)["group"]
        return Comm(identity, members, name)

    def Free(self):
        return None

    def Abort(self, errorcode=0):
        raise SystemExit(errorcode or 1)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError("`unwaited run` does not serve Comm.%s of mpi4py: use --on mpi" % name)


class _Valueless:
    """A cell of objects for a call whose result is taken from the cell itself."""

    def __init__(self, cell):
        self.cell = cell
        self.gives, self.holds, self.fill = cell.gives, cell.holds, cell.fill
        self.length, self.element = cell.length, cell.element

    def value(self):
        return None
