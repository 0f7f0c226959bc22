"""Element types and devices."""

import builtins


class dtype:
    """An element type; `code` is that of `array` and `struct`."""

    def __init__(self, name, code, size, floating):
        self.name, self.code, self.itemsize, self.is_floating_point = name, code, size, floating

    def __repr__(self):
        return "torch." + self.name

    def cast(self, value):
        """A Python number as an element of this type."""
        if self.name == "bool":
            return 1 if value else 0
        return builtins.float(value) if self.is_floating_point else _wrap(builtins.int(value), self)


def _wrap(value, kind):
    bits = 8 * kind.itemsize
    if kind.name == "uint8":
        return value & 255
    return (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


float32 = float = dtype("float32", "f", 4, True)
float64 = double = dtype("float64", "d", 8, True)
int8 = dtype("int8", "b", 1, False)
int16 = short = dtype("int16", "h", 2, False)
int32 = int = dtype("int32", "i", 4, False)
int64 = long = dtype("int64", "q", 8, False)
uint8 = dtype("uint8", "B", 1, False)
bool = dtype("bool", "B", 1, False)
float16 = half = dtype("float16", "", 2, True)
bfloat16 = dtype("bfloat16", "", 2, True)

_ORDER = [bool, uint8, int8, int16, int32, int64, float32, float64]


def promote(one, other):
    """The type that holds elements of both."""
    if {one.name, other.name} == {"uint8", "int8"}:
        return int16
    return max(one, other, key=_ORDER.index)


def kind_of(value):
    """The type of a Python number."""
    if isinstance(value, builtins.bool):
        return bool
    return int64 if isinstance(value, builtins.int) else float32


def supported(kind):
    if not kind.code:
        raise missing("torch." + kind.name)
    return kind


class device:
    """Where a tensor lies: the processor."""

    def __init__(self, name="cpu", index=None):
        self.type, _, number = str(name).partition(":")
        self.index = builtins.int(number) if number else index
        if self.type not in ("cpu", "meta"):
            raise RuntimeError("the stand-in for torch has no device %s" % name)

    def __repr__(self):
        return "device(type='%s')" % self.type

    def __eq__(self, other):
        return isinstance(other, device) and self.type == other.type

    def __hash__(self):
        return hash(self.type)


def missing(name):
    """What to say of an operation that is not here."""
    return AttributeError(
        "the stand-in for torch that `unwaited run` uses has no %s: install torch, and the same run uses it" % name
    )
