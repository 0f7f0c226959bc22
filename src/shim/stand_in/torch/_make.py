"""Functions that make tensors."""

import random

from . import _types
from ._storage import Storage
from ._tensor import Tensor, _shape_of, count

_random = random.Random(0)


def _kind(kind, default=_types.float32):
    return _types.supported(default if kind is None else kind)


def _blank(shape, kind, value, like=None):
    shape = _shape_of(shape, 0)
    tensor = Tensor(Storage(_kind(kind, like or _types.float32), count(shape)), shape)
    return tensor.fill_(value) if value else tensor


def zeros(*shape, dtype=None, **_):
    return _blank(shape, dtype, 0)


def empty(*shape, dtype=None, **_):
    return _blank(shape, dtype, 0)


def ones(*shape, dtype=None, **_):
    return _blank(shape, dtype, 1)


def full(size, fill_value, dtype=None, **_):
    return _blank((size,), dtype or _types.kind_of(fill_value), fill_value)


def zeros_like(other, dtype=None, **_):
    return _blank(tuple(other.shape), dtype or other.dtype, 0)


def empty_like(other, dtype=None, **_):
    return zeros_like(other, dtype)


def ones_like(other, dtype=None, **_):
    return _blank(tuple(other.shape), dtype or other.dtype, 1)


def full_like(other, fill_value, dtype=None, **_):
    return _blank(tuple(other.shape), dtype or other.dtype, fill_value)


def tensor(data, dtype=None, **_):
    if isinstance(data, Tensor):
        return data.clone() if dtype is None else data.clone().to(dtype)
    items, shape = [], []
    _flatten(data, items, shape, 0)
    if dtype is None:
        dtype = _types.float32 if any(isinstance(item, float) for item in items) or not items else _types.kind_of(items[0])
    kind = _types.supported(dtype)
    return Tensor(Storage(kind, 0, [kind.cast(item) for item in items]), tuple(shape))


def _flatten(data, items, shape, depth):
    if isinstance(data, Tensor):
        data = data.tolist()
    if not isinstance(data, (list, tuple, range)):
        items.append(data)
        return
    if depth == len(shape):
        shape.append(len(data))
    elif shape[depth] != len(data):
        raise ValueError("the rows of a tensor must have one length")
    for part in data:
        _flatten(part, items, shape, depth + 1)


def as_tensor(data, dtype=None, **_):
    return data if isinstance(data, Tensor) and dtype is None else tensor(data, dtype)


def arange(start, end=None, step=1, dtype=None, **_):
    start, end = (0, start) if end is None else (start, end)
    values = []
    while start < end if step > 0 else start > end:
        values.append(start)
        start += step
    whole = all(isinstance(value, int) for value in values)
    return tensor(values, dtype or (_types.int64 if whole else _types.float32))


def linspace(start, end, steps, dtype=None, **_):
    span = (end - start) / max(steps - 1, 1)
    return tensor([start + at * span for at in range(steps)], dtype or _types.float32)


def eye(size, dtype=None, **_):
    made = zeros(size, size, dtype=dtype)
    for at in range(size):
        made[at, at] = 1
    return made


def manual_seed(seed):
    _random.seed(seed)


def rand(*shape, dtype=None, **_):
    return _drawn(_shape_of(shape, 0), dtype, _random.random)


def randn(*shape, dtype=None, **_):
    return _drawn(_shape_of(shape, 0), dtype, lambda: _random.gauss(0, 1))


def rand_like(other, **_):
    return rand(*other.shape, dtype=other.dtype)


def randn_like(other, **_):
    return randn(*other.shape, dtype=other.dtype)


def randint(low, high=None, size=None, dtype=None, **_):
    if size is None:
        low, high, size = 0, low, high
    return _drawn(tuple(size), dtype or _types.int64, lambda: _random.randrange(low, high))


def _drawn(shape, kind, draw):
    kind = _kind(kind)
    return Tensor(Storage(kind, 0, [draw() for _ in range(count(shape))]), shape)


def cat(tensors, dim=0):
    tensors = list(tensors)
    if dim % tensors[0].ndim:
        return cat([part.T.contiguous() for part in tensors]).T.contiguous()
    items = [item for part in tensors for item in part._items()]
    shape = (sum(part.shape[0] for part in tensors),) + tuple(tensors[0].shape[1:])
    return Tensor(Storage(tensors[0].dtype, 0, items), shape)


def stack(tensors, dim=0):
    return cat([part.unsqueeze(dim) for part in tensors], dim)
