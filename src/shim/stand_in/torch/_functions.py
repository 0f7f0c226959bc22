"""Functions that work on tensors."""

import builtins
import contextlib

from ._arithmetic import as_tensor
from ._tensor import Tensor


def _method(name):
    def function(tensor, *args, **kwargs):
        return getattr(as_tensor(tensor), name)(*args, **kwargs)

    function.__name__ = name
    return function


add, sub, mul, div, matmul, mm = map(_method, ("add", "sub", "mul", "div", "matmul", "mm"))
dot = matmul
sum, mean, all, any, relu = map(_method, ("sum", "mean", "all", "any", "relu"))
abs, sqrt, exp, log, sin, cos, tanh = map(_method, ("abs", "sqrt", "exp", "log", "sin", "cos", "tanh"))
max, min = _method("max"), _method("min")


def is_tensor(value):
    return isinstance(value, Tensor)


def equal(one, other):
    return one.shape == other.shape and one.tolist() == other.tolist()


def allclose(one, other, rtol=1e-05, atol=1e-08):
    pairs = zip(one._items(), other._items())
    near = (builtins.abs(a - b) <= atol + rtol * builtins.abs(b) for a, b in pairs)
    return one.shape == other.shape and builtins.all(near)


def split(tensor, size, dim=0):
    whole = tensor.shape[dim]
    sizes = [size] * (whole // size) + [whole % size] * builtins.bool(whole % size) if isinstance(size, int) else size
    parts, at = [], 0
    for size in sizes:
        parts.append(tensor.narrow(dim, at, size))
        at += size
    return tuple(parts)


def chunk(tensor, chunks, dim=0):
    return split(tensor, -(-tensor.shape[dim] // chunks), dim)


Tensor.split, Tensor.chunk = split, chunk
Tensor.equal, Tensor.allclose = equal, allclose


class no_grad(contextlib.ContextDecorator):
    """Nothing here has gradients."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


inference_mode = no_grad


def set_num_threads(_):
    return None


def use_deterministic_algorithms(_, **__):
    return None
