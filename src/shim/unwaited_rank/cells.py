"""Cells: the buffers of an operation as the fabric sees them.

A cell *gives* bytes to others, *holds* the bytes of what it will fill, and is *filled*. Tensors are of the stand-in,
which knows its own bytes, or of torch, whose memory is read and written where it lies.
"""

import ctypes
import pickle

ELEMENTS = {
    "float32": "f32",
    "float64": "f64",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "bool": "bool",
}


def element(tensor):
    """What the fabric calls the tensor's element type."""
    return ELEMENTS.get(str(tensor.dtype).rsplit(".", 1)[-1], "bytes")


def is_stand_in(tensor):
    return hasattr(tensor, "_storage_of_stand_in")


def length(tensor):
    return tensor.numel() * tensor.element_size()


def read(tensor):
    """The tensor's bytes."""
    if is_stand_in(tensor):
        return tensor._raw()
    if tensor.is_contiguous():
        return ctypes.string_at(tensor.data_ptr(), length(tensor)) if tensor.numel() else b""
    return read(tensor.detach().contiguous())


def fill(tensor, data):
    """Puts bytes into the tensor, from its start."""
    if is_stand_in(tensor):
        tensor._put_raw(data)
    elif tensor.is_contiguous():
        ctypes.memmove(tensor.data_ptr(), bytes(data), min(len(data), length(tensor)))
    else:
        dense = tensor.detach().contiguous()
        fill(dense, data)
        tensor.detach().copy_(dense)


class Tensors:
    """Tensors that are given and tensors that are filled, each one chunk."""

    def __init__(self, gives=(), fills=()):
        self.given, self.filled = list(gives), list(fills)

    def gives(self):
        return [read(tensor) for tensor in self.given]

    def holds(self):
        return [read(tensor) for tensor in self.filled]

    def fill(self, chunks):
        for tensor, chunk in zip(self.filled, chunks):
            fill(tensor, chunk)

    def length(self):
        return sum(map(length, self.given or self.filled))

    def element(self):
        tensors = self.given or self.filled
        return element(tensors[0]) if tensors else "bytes"


class Split(Tensors):
    """One tensor that is given and one that is filled, each in so many parts."""

    def __init__(self, give, fill_, give_parts, fill_parts):
        super().__init__([give], [fill_])
        self.give_parts, self.fill_parts = give_parts, fill_parts

    def gives(self):
        return _split(read(self.given[0]), self.give_parts)

    def holds(self):
        return _split(read(self.filled[0]), self.fill_parts)

    def fill(self, chunks):
        fill(self.filled[0], b"".join(map(bytes, chunks)))


def _split(data, parts):
    """Cuts bytes into equal parts, or into parts of the given shares."""
    if isinstance(parts, int):
        parts = [1] * parts
    total, at, cut = sum(parts) or 1, 0, []
    for share in parts:
        size = len(data) * share // total
        cut.append(data[at : at + size])
        at += size
    return cut


class Objects:
    """Pickled objects; what is filled has no size of its own."""

    def __init__(self, gives=()):
        self.given = [pickle.dumps(value) for value in gives]
        self.filled = None

    def gives(self):
        return self.given

    def holds(self):
        return []

    def fill(self, chunks):
        self.filled = [bytes(chunk) for chunk in chunks]

    def values(self):
        return [pickle.loads(chunk) for chunk in self.filled or ()]

    def length(self):
        return None

    def element(self):
        return "bytes"


class Nothing(Objects):
    """A barrier's part."""
