"""`mpi4py.MPI`: the names that programs use, over the fabric."""

from unwaited_rank import wire as _wire

from ._buffers import IN_PLACE  # noqa: F401
from ._comm import (  # noqa: F401
    ANY_SOURCE,
    ANY_TAG,
    BAND,
    BOR,
    BXOR,
    LAND,
    LOR,
    MAX,
    MIN,
    PROC_NULL,
    PROD,
    SUM,
    UNDEFINED,
    Comm,
    Op,
)
from ._request import Request, Status  # noqa: F401

Intracomm = Comm
REQUEST_NULL = Request()


class Exception(RuntimeError):  # noqa: A001  the name is mpi4py's
    """An error of MPI."""


class Datatype:
    """The type of a buffer's elements."""

    def __init__(self, name, size):
        self.name, self.size = name, size

    def Get_size(self):
        return self.size


BYTE, CHAR, BOOL, INT8_T, UINT8_T = (Datatype(name, 1) for name in ("BYTE", "CHAR", "BOOL", "INT8_T", "UINT8_T"))
SHORT, INT16_T = Datatype("SHORT", 2), Datatype("INT16_T", 2)
INT, INT32_T, FLOAT = Datatype("INT", 4), Datatype("INT32_T", 4), Datatype("FLOAT", 4)
LONG, INT64_T, DOUBLE = Datatype("LONG", 8), Datatype("INT64_T", 8), Datatype("DOUBLE", 8)

_wire.call("backend", backend="mpi")
COMM_WORLD = Comm(0, list(range(_wire.size)), "MPI_COMM_WORLD")


def Wtime():
    return _wire.call("clock")["clock"] / 1e9


def Is_initialized():
    return True


def Is_finalized():
    return False


def Init():
    return None


def Finalize():
    return None


def Get_processor_name():
    return "rank-%d" % _wire.rank


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError("`unwaited run` does not serve MPI.%s of mpi4py: use --on mpi" % name)
