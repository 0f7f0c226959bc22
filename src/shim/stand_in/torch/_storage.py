"""The elements that tensors share, and what is in flight over them.

Every read and every write of an element goes through here, so that a touch of a buffer in flight is told to the
fabric at the moment when it happens.
"""

import array

from unwaited_rank import wire


class Storage:
    """Elements of one type."""

    def __init__(self, kind, count, items=None):
        self.kind = kind
        if items is None:
            self.items = array.array(kind.code, bytes(count * kind.itemsize))
        else:
            self.items = array.array(kind.code, items)
        self.flights = []

    def read(self, indices):
        """The elements at these places."""
        self._touch("read", indices)
        items = self.items
        if _dense(indices):
            return items[indices.start : indices.stop]
        return [items[index] for index in indices]

    def write(self, indices, values):
        """Puts elements into these places."""
        self._touch("write", indices)
        items = self.items
        if _dense(indices):
            if not isinstance(values, array.array) or values.typecode != items.typecode:
                values = array.array(items.typecode, values)
            items[indices.start : indices.stop] = values
            return
        for index, value in zip(indices, values):
            items[index] = value

    def raw(self, indices):
        """The bytes at these places, as the fabric takes them."""
        if _dense(indices):
            return self.items[indices.start : indices.stop].tobytes()
        return array.array(self.items.typecode, [self.items[index] for index in indices]).tobytes()

    def put_raw(self, indices, data):
        """Bytes that the fabric brings."""
        size = self.items.itemsize
        count = min(len(indices), len(data) // size)
        values = array.array(self.items.typecode)
        values.frombytes(bytes(data[: count * size]))
        if _dense(indices):
            self.items[indices.start : indices.start + count] = values
            return
        for index, value in zip(indices, values):
            self.items[index] = value

    def flies(self, handle, indices, receives):
        self.flights.append((handle, indices, receives))

    def lands(self, handle):
        self.flights = [flight for flight in self.flights if flight[0] != handle]

    def _touch(self, access, indices):
        if not self.flights:
            return
        for handle, flying, receives in list(self.flights):
            if (access == "write" or receives) and _meet(flying, indices):
                reply = wire.call("touch", handle=handle, access=access)
                if reply["reply"] == "stop":
                    return
                if access == "write" and reply.get("touched") == "never":
                    self.lands(handle)


def _dense(indices):
    return isinstance(indices, range) and indices.step == 1


def _meet(one, other):
    if isinstance(one, range) and isinstance(other, range) and _dense(one) and _dense(other):
        return one.start < other.stop and other.start < one.stop
    return not set(one).isdisjoint(other)
