"""Sees the touches of real tensors in flight.

Torch lets a *dispatch mode* see every operation that reaches a kernel. While tensors are in flight, each operation's
arguments are compared with them: what the operation writes is a write, other tensors that it is given are reads, and
operations that only make views touch nothing.
"""

from . import wire

_flights = []
_mode = None


def flies(tensor, handle, receives):
    """A tensor is in flight."""
    _flights.append((handle, _extent(tensor), receives))
    _install()


def lands(handle):
    """Its operation has been waited for."""
    _flights[:] = [flight for flight in _flights if flight[0] != handle]


def _install():
    global _mode
    if _mode is not None:
        return
    try:
        from torch.utils._python_dispatch import TorchDispatchMode
    except ImportError:
        _mode = False
        return

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            if _flights and wire.talks():
                _look(func._schema, args, kwargs)
            return func(*args, **kwargs)

    _mode = Watch()
    _mode.__enter__()


def _look(schema, args, kwargs):
    aliases = [result.alias_info for result in schema.returns]
    if any(alias is not None and not alias.is_write for alias in aliases):
        return
    for place, argument in enumerate(schema.arguments):
        value = args[place] if place < len(args) else kwargs.get(argument.name)
        alias = argument.alias_info
        access = "write" if alias is not None and alias.is_write else "read"
        for tensor in value if isinstance(value, (list, tuple)) else [value]:
            if hasattr(tensor, "untyped_storage"):
                _touch(tensor, access)


def _touch(tensor, access):
    extent = _extent(tensor)
    for handle, flying, receives in list(_flights):
        if (access == "write" or receives) and _meet(extent, flying):
            reply = wire.call("touch", handle=handle, access=access)
            if access == "write" and reply.get("touched") == "never":
                lands(handle)


def _extent(tensor):
    """The bytes that a tensor lies in, as addresses."""
    if not tensor.numel():
        return (0, 0)
    start = tensor.data_ptr()
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    return (start, start + (last + 1) * tensor.element_size())


def _meet(one, other):
    return one[0] < other[1] and other[0] < one[1]
