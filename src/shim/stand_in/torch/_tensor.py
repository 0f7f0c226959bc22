"""Tensors: a shape and strides over shared storage.

`t[0:4]`, `t.view(...)` and `t.T` share their storage with `t`; everything that computes makes a new one.
"""

import builtins
import math
import operator

from . import _types
from ._storage import Storage


def count(shape):
    return math.prod(shape)


def strides_of(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


class Size(tuple):
    """A shape."""

    def __repr__(self):
        return "torch.Size(%s)" % list(self)

    def numel(self):
        return count(self)


class Tensor:
    """See the module."""

    def __init__(self, storage, shape, strides=None, offset=0):
        self._storage_of_stand_in = storage
        self._shape = Size(shape)
        self._strides = strides_of(shape) if strides is None else tuple(strides)
        self._offset = offset
        self.requires_grad, self.grad = False, None

    # what the fabric needs

    def _indices(self):
        if self.is_contiguous():
            return range(self._offset, self._offset + self.numel())
        places = [self._offset]
        for size, stride in zip(self._shape, self._strides):
            places = [place + step * stride for place in places for step in range(size)]
        return places

    def _raw(self):
        return self._storage_of_stand_in.raw(self._indices())

    def _put_raw(self, data):
        self._storage_of_stand_in.put_raw(self._indices(), data)

    def _flies(self, handle, receives):
        self._storage_of_stand_in.flies(handle, self._indices(), receives)

    def _lands(self, handle):
        self._storage_of_stand_in.lands(handle)

    def _items(self):
        return self._storage_of_stand_in.read(self._indices())

    def _set_items(self, values):
        self._storage_of_stand_in.write(self._indices(), values)
        return self

    # what it is

    @property
    def shape(self):
        return self._shape

    @property
    def dtype(self):
        return self._storage_of_stand_in.kind

    @property
    def device(self):
        return _types.device("cpu")

    @property
    def data(self):
        return self

    @data.setter
    def data(self, other):
        self._storage_of_stand_in, self._shape = other._storage_of_stand_in, other._shape
        self._strides, self._offset = other._strides, other._offset

    @property
    def T(self):
        return Tensor(self._storage_of_stand_in, self._shape[::-1], self._strides[::-1], self._offset)

    @property
    def ndim(self):
        return len(self._shape)

    is_cuda = False

    def size(self, dim=None):
        return self._shape if dim is None else self._shape[dim]

    def dim(self):
        return len(self._shape)

    def numel(self):
        return count(self._shape)

    nelement = numel

    def element_size(self):
        return self.dtype.itemsize

    def stride(self, dim=None):
        return self._strides if dim is None else self._strides[dim]

    def is_contiguous(self):
        return self.numel() < 2 or self._strides == strides_of(self._shape)

    def is_floating_point(self):
        return self.dtype.is_floating_point

    def data_ptr(self):
        return id(self._storage_of_stand_in) + self._offset

    def __len__(self):
        if not self._shape:
            raise TypeError("a tensor without dimensions has no length")
        return self._shape[0]

    # views

    def view(self, *shape):
        shape = _shape_of(shape, self.numel())
        if not self.is_contiguous():
            raise RuntimeError("view: the tensor is not contiguous, use reshape")
        return Tensor(self._storage_of_stand_in, shape, None, self._offset)

    def reshape(self, *shape):
        return self.contiguous().view(*shape)

    def view_as(self, other):
        return self.view(other.shape)

    def flatten(self):
        return self.reshape(-1)

    def unsqueeze(self, dim):
        at = dim % (len(self._shape) + 1)
        return self.reshape(self._shape[:at] + (1,) + self._shape[at:])

    def squeeze(self, dim=None):
        keep = [size for at, size in enumerate(self._shape) if size != 1 or (dim is not None and at != dim)]
        return self.reshape(tuple(keep))

    def t(self):
        return self.T

    def transpose(self, one, other):
        order = list(range(self.ndim))
        order[one], order[other] = order[other], order[one]
        shape = [self._shape[at] for at in order]
        return Tensor(self._storage_of_stand_in, shape, [self._strides[at] for at in order], self._offset)

    def narrow(self, dim, start, length):
        return self[(slice(None),) * dim + (slice(start, start + length),)]

    def detach(self):
        return self

    def __getitem__(self, key):
        shape, strides, offset = list(self._shape), list(self._strides), self._offset
        at = 0
        for part in _key(key, len(shape)):
            if isinstance(part, slice):
                start, stop, step = part.indices(shape[at])
                offset += start * strides[at]
                shape[at] = len(range(start, stop, step))
                strides[at] *= step
                at += 1
            else:
                index = operator.index(part)
                if not -shape[at] <= index < shape[at]:
                    raise IndexError("index %d is outside of a dimension of %d" % (index, shape[at]))
                offset += index % shape[at] * strides[at]
                del shape[at], strides[at]
        return Tensor(self._storage_of_stand_in, shape, strides, offset)

    def __setitem__(self, key, value):
        self[key].copy_(value) if isinstance(value, Tensor) else self[key].fill_(value)

    def __iter__(self):
        return (self[index] for index in range(len(self)))

    # copies

    def clone(self):
        return Tensor(Storage(self.dtype, 0, self._items()), self._shape)

    def contiguous(self):
        return self if self.is_contiguous() else self.clone()

    def to(self, *args, **kwargs):
        for wanted in list(args) + [kwargs.get("dtype")]:
            if isinstance(wanted, _types.dtype) and wanted is not self.dtype:
                kind = _types.supported(wanted)
                return Tensor(Storage(kind, 0, [kind.cast(item) for item in self._items()]), self._shape)
        return self.clone() if kwargs.get("copy") else self

    def type(self, kind=None):
        return "torch.FloatTensor" if kind is None else self.to(kind)

    def float(self):
        return self.to(_types.float32)

    def double(self):
        return self.to(_types.float64)

    def long(self):
        return self.to(_types.int64)

    def int(self):
        return self.to(_types.int32)

    def bool(self):
        return self.to(_types.bool)

    def cpu(self):
        return self

    def cuda(self, *_, **__):
        raise RuntimeError("the stand-in for torch has no device cuda")

    def requires_grad_(self, flag=True):
        self.requires_grad = flag
        return self

    def new_zeros(self, *shape):
        return Tensor(Storage(self.dtype, count(_shape_of(shape, 0))), _shape_of(shape, 0))

    # values

    def item(self):
        if self.numel() != 1:
            raise RuntimeError("item: the tensor has %d elements" % self.numel())
        return self._python(self._items()[0])

    def tolist(self):
        def nest(shape, items):
            if not shape:
                return self._python(items[0])
            step = len(items) // shape[0] if shape[0] else 0
            return [nest(shape[1:], items[at * step : (at + 1) * step]) for at in range(shape[0])]

        return nest(self._shape, self._items())

    def _python(self, item):
        return builtins.bool(item) if self.dtype is _types.bool else item

    def __float__(self):
        return builtins.float(self.item())

    def __int__(self):
        return builtins.int(self.item())

    __index__ = __int__

    def __bool__(self):
        return builtins.bool(self.item())

    def __repr__(self):
        return "tensor(%s)" % self.tolist()

    def __format__(self, spec):
        return format(self.item() if spec else repr(self), spec)

    def __hash__(self):
        return id(self)

    def __reduce__(self):
        from ._make import tensor

        return (tensor, (self.tolist(), self.dtype))

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise _types.missing("Tensor." + name)


def _shape_of(shape, total):
    """A shape from the arguments of `view` and its kin, where -1 is what remains."""
    if len(shape) == 1 and not isinstance(shape[0], int):
        shape = tuple(shape[0])
    if -1 in shape:
        rest = count([size for size in shape if size != -1])
        shape = tuple(total // rest if size == -1 else size for size in shape)
    return shape


def _key(key, dimensions):
    parts = list(key) if isinstance(key, tuple) else [key]
    if Ellipsis in parts:
        at = parts.index(Ellipsis)
        parts[at : at + 1] = [slice(None)] * (dimensions - len(parts) + 1)
    for part in parts:
        if isinstance(part, (list, Tensor)) or part is None:
            raise _types.missing("indexing by a list or tensor")
    return parts


from . import _arithmetic  # noqa: E402,F401  gives tensors their operators
