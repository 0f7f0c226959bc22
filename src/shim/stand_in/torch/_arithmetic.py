"""The operators of tensors: element by element, with broadcasting, and in place."""

import math
import operator

from . import _types
from ._storage import Storage
from ._tensor import Tensor, count


def spread(one, other):
    """The items of both over their common shape."""
    if one.shape == other.shape:
        return one.shape, one._items(), other._items()
    rank = max(one.ndim, other.ndim)
    shapes = [(1,) * (rank - tensor.ndim) + tuple(tensor.shape) for tensor in (one, other)]
    common = []
    for a, b in zip(*shapes):
        if a != b and 1 not in (a, b):
            raise RuntimeError("shapes %s and %s do not go together" % (tuple(one.shape), tuple(other.shape)))
        common.append(b if a == 1 else a)
    return tuple(common), _expand(one, shapes[0], common), _expand(other, shapes[1], common)


def _expand(tensor, shape, common):
    items, strides, step = tensor._items(), [], 1
    for size in reversed(shape):
        strides.append(0 if size == 1 else step)
        step *= size
    places = [0]
    for size, stride in zip(common, reversed(strides)):
        places = [place + at * stride for place in places for at in range(size)]
    return [items[place] for place in places]


def make(kind, items, shape):
    return Tensor(Storage(kind, 0, items), shape)


def as_tensor(value):
    if isinstance(value, Tensor):
        return value
    kind = _types.kind_of(value)
    return make(kind, [kind.cast(value)], ())


def _result_kind(one, other, divides):
    if isinstance(other, Tensor) and other.ndim:
        kind = _types.promote(one.dtype, other.dtype)
    else:
        kind = one.dtype
        if as_tensor(other).dtype.is_floating_point and not kind.is_floating_point:
            kind = _types.float32
    return _types.float32 if divides and not kind.is_floating_point else kind


def combine(one, other, by, divides=False, compares=False):
    """A new tensor of `by` on each pair of elements."""
    kind = _types.bool if compares else _result_kind(one, other, divides)
    if not isinstance(other, Tensor):
        return make(kind, [kind.cast(by(item, other)) for item in one._items()], one.shape)
    shape, mine, others = spread(one, other)
    return make(kind, [kind.cast(by(a, b)) for a, b in zip(mine, others)], shape)


def _binary(by, divides=False, compares=False):
    def method(self, other, *, alpha=1):
        if not isinstance(other, (Tensor, int, float)):
            return NotImplemented
        return combine(self, other * alpha if alpha != 1 else other, by, divides, compares)

    return method


def _reflected(by, divides=False):
    def method(self, other):
        kind = _result_kind(self, other, divides)
        return make(kind, [kind.cast(by(other, item)) for item in self._items()], self.shape)

    return method


def _in_place(by):
    def method(self, other, *, alpha=1):
        result = combine(self, other * alpha if alpha != 1 else other, by)
        kind = self.dtype
        return self._set_items([kind.cast(item) for item in result._items()])

    return method


def _unary(by, floats=False):
    def method(self):
        kind = _types.float32 if floats and not self.dtype.is_floating_point else self.dtype
        return make(kind, [kind.cast(by(item)) for item in self._items()], self.shape)

    return method


def _divide(a, b):
    if b:
        return a / b
    return math.nan if not a else math.copysign(math.inf, a)


BINARY = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "pow": operator.pow}
BINARY["div"] = BINARY["truediv"] = _divide
BINARY["floordiv"], BINARY["mod"] = operator.floordiv, operator.mod
for _name, _by in BINARY.items():
    _divides = _by is _divide
    setattr(Tensor, _name, _binary(_by, _divides))
    setattr(Tensor, "__%s__" % _name, _binary(_by, _divides))
    setattr(Tensor, "__r%s__" % _name, _reflected(_by, _divides))
    setattr(Tensor, _name + "_", _in_place(_by))
    setattr(Tensor, "__i%s__" % _name, _in_place(_by))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Tensor, _name, _binary(getattr(operator, _name), compares=True))
    setattr(Tensor, "__%s__" % _name, _binary(getattr(operator, _name), compares=True))
UNARY = {"neg": operator.neg, "abs": abs, "relu": lambda item: max(item, 0)}
for _name, _by in UNARY.items():
    setattr(Tensor, _name, _unary(_by))
    setattr(Tensor, "__%s__" % _name, _unary(_by))
for _name in ("sqrt", "exp", "log", "sin", "cos", "tanh"):
    setattr(Tensor, _name, _unary(getattr(math, _name), floats=True))


def fill_(self, value):
    kind = self.dtype
    item = kind.cast(value.item() if isinstance(value, Tensor) else value)
    import array

    return self._set_items(array.array(kind.code, [item]) * self.numel())


def copy_(self, other, non_blocking=False):
    kind = self.dtype
    _, _, items = spread(self, other) if other.shape != self.shape else (None, None, other._items())
    if other.dtype is not kind:
        items = [kind.cast(item) for item in items]
    return self._set_items(items)


def clamp_(self, low=-math.inf, high=math.inf, min=None, max=None):
    low, high = low if min is None else min, high if max is None else max
    return self._set_items([self.dtype.cast(_between(item, low, high)) for item in self._items()])


def _between(item, low, high):
    return low if item < low else high if item > high else item


def resize_(self, *shape):
    wanted = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
    storage = Storage(self.dtype, count(wanted))
    kept = self._items()[: count(wanted)]
    storage.items[: len(kept)] = kept
    self._set_items(list(self._items()))
    self.data = Tensor(storage, wanted)
    return self


Tensor.fill_, Tensor.copy_, Tensor.clamp_, Tensor.resize_ = fill_, copy_, clamp_, resize_
Tensor.zero_ = lambda self: self.fill_(0)
Tensor.__matmul__ = Tensor.matmul = Tensor.mm = lambda self, other: _matmul(self, other)


def _matmul(one, other):
    if one.ndim == 1 and other.ndim == 1:
        return (one * other).sum()
    left = one if one.ndim == 2 else one.reshape(1, -1)
    right = other if other.ndim == 2 else other.reshape(-1, 1)
    if left.shape[1] != right.shape[0]:
        raise RuntimeError("matmul: shapes %s and %s do not go together" % (tuple(one.shape), tuple(other.shape)))
    rows, inner, columns = left.shape[0], left.shape[1], right.shape[1]
    a, b = left._items(), right._items()
    by_column = [b[at::columns] for at in range(columns)]
    items = [sum(map(operator.mul, a[row * inner : (row + 1) * inner], column)) for row in range(rows) for column in by_column]
    shape = [rows] * (one.ndim == 2) + [columns] * (other.ndim == 2)
    kind = _types.promote(one.dtype, other.dtype)
    return make(kind, items, tuple(shape))


def _reduced(by, kind_of):
    def method(self, dim=None, keepdim=False):
        if dim is None:
            kind = kind_of(self.dtype)
            return make(kind, [kind.cast(by(self._items()))], ())
        at = dim % self.ndim
        rest = self.shape[:at] + self.shape[at + 1 :]
        moved = self.transpose(at, self.ndim - 1) if at != self.ndim - 1 else self
        size, items, kind = self.shape[at], moved._items(), kind_of(self.dtype)
        if self.ndim > 2 and at != self.ndim - 1:
            raise _types.missing("reductions over an inner dimension of three")
        values = [kind.cast(by(items[start : start + size])) for start in range(0, len(items), size)]
        shape = self.shape[:at] + (1,) + self.shape[at + 1 :] if keepdim else rest
        return make(kind, values, shape)

    return method


def _sums(kind):
    return kind if kind.is_floating_point else _types.int64


def _floats(kind):
    return kind if kind.is_floating_point else _types.float32


Tensor.sum = _reduced(math.fsum, _sums)
Tensor.mean = _reduced(lambda items: math.fsum(items) / len(items), _floats)
Tensor.max, Tensor.min = _reduced(max, lambda kind: kind), _reduced(min, lambda kind: kind)
Tensor.all, Tensor.any = _reduced(all, lambda _: _types.bool), _reduced(any, lambda _: _types.bool)
Tensor.prod = _reduced(math.prod, _sums)
Tensor.norm = lambda self: make(_floats(self.dtype), [math.sqrt(math.fsum(item * item for item in self._items()))], ())
Tensor.argmax = lambda self: make(_types.int64, [max(range(self.numel()), key=self._items().__getitem__)], ())
