"""What mpi4py sends from and receives into: objects that lend their memory, and pickles."""

import pickle
import sys

from unwaited_rank.cells import _split

ELEMENTS = {"f": "f32", "d": "f64", "b": "i8", "h": "i16", "i": "i32", "q": "i64", "l": "i64"}
ELEMENTS.update({"B": "u8", "H": "u16", "I": "u32", "Q": "u64", "L": "u64", "?": "bool", "c": "u8"})

IN_PLACE = type("InPlace", (), {"__repr__": lambda self: "MPI.IN_PLACE"})()

#: A pickle that is received by `irecv()` must fit into so many bytes.
ROOM = 32768


def owner(spec):
    """The object of `buffer`, `[buffer, TYPE]` or `[buffer, count, TYPE]`."""
    return spec[0] if isinstance(spec, (list, tuple)) else spec


def memory(spec):
    """The bytes of a buffer, where they lie."""
    view = memoryview(owner(spec))
    if not view.contiguous:
        raise ValueError("the buffer must be contiguous")
    view = view.cast("B")
    if isinstance(spec, (list, tuple)) and len(spec) == 3:
        count, kind = spec[1], spec[2]
        if not isinstance(count, int):
            raise NotImplementedError("counts and displacements are not served by `unwaited run`")
        view = view[: count * kind.size]
    return view


def element(spec):
    return ELEMENTS.get(memoryview(owner(spec)).format.lstrip("@=<>"), "bytes")


class Memory:
    """A buffer that is given and one that is filled, each in so many parts."""

    def __init__(self, give=None, fill=None, give_parts=1, fill_parts=1):
        self.give_to, self.fill_from = give, fill
        self.give_parts, self.fill_parts = give_parts, fill_parts

    def gives(self):
        return [] if self.give_to is None else _split(bytes(memory(self.give_to)), self.give_parts)

    def holds(self):
        return [] if self.fill_from is None else _split(bytes(memory(self.fill_from)), self.fill_parts)

    def fill(self, chunks):
        data = b"".join(map(bytes, chunks))
        view = memory(self.fill_from)
        view[: len(data)] = data

    def _spec(self):
        return self.fill_from if self.give_to is None else self.give_to

    def length(self):
        return 0 if self._spec() is None else len(memory(self._spec()))

    def element(self):
        return "bytes" if self._spec() is None else element(self._spec())

    def value(self):
        return None

    def is_unowned(self):
        """Whether nothing but this operation holds the buffer."""
        if self._spec() is None:
            return False
        fewest = _fewest(self._spec())
        return self._holders() <= fewest

    def _holders(self):
        """How many references there are to the buffer, or to what it is a view of."""
        held = owner(self._spec())
        base = getattr(held, "base", None)
        return sys.getrefcount(held) if base is None else sys.getrefcount(base)

    def poison(self):
        """The memory is freed, and something else moves in."""
        view = memory(self._spec())
        if not view.readonly:
            view[:] = b"\xcb" * len(view)


class _View:
    """Something that, like a numpy slice, is a view of something else."""

    def __init__(self):
        self.base = bytearray(1)


def _fewest(spec):
    """The references that a buffer has which nothing but an operation holds. Interpreters count differently."""
    held = owner(spec)
    alone = bytearray(1) if getattr(held, "base", None) is None else _View()
    cell = Memory([alone] if isinstance(spec, (list, tuple)) else alone)
    del alone
    return cell._holders()


class Pickle:
    """A pickled object on its way out, which nobody but the operation holds."""

    def __init__(self, value):
        self.data = bytearray(pickle.dumps(value))

    def gives(self):
        return [bytes(self.data)]

    def holds(self):
        return []

    def length(self):
        return len(self.data)

    def element(self):
        return "bytes"

    def value(self):
        return None

    def is_unowned(self):
        return True

    def poison(self):
        self.data[:] = b"\xcb" * len(self.data)


class Unpickle:
    """Room for a pickled object."""

    def __init__(self, room=None):
        self.room, self.data = room, None

    def gives(self):
        return []

    def holds(self):
        return []

    def fill(self, chunks):
        self.data = b"".join(map(bytes, chunks))

    def length(self):
        return self.room

    def element(self):
        return "bytes"

    def value(self):
        return None if self.data is None else pickle.loads(self.data)

    def is_unowned(self):
        return True

    def poison(self):
        pass
