"""A small torch: the tensor operations that programs of communication need, in plain Python.

`unwaited run` puts it on the path when torch is not installed. What it lacks is an `AttributeError` that names the
operation and says that torch can be installed instead.
"""

from ._types import (  # noqa: F401
    bfloat16,
    bool,
    device,
    double,
    dtype,
    float,
    float16,
    float32,
    float64,
    half,
    int,
    int8,
    int16,
    int32,
    int64,
    long,
    short,
    uint8,
)
from ._tensor import Tensor  # noqa: F401
from ._make import (  # noqa: F401
    arange,
    as_tensor,
    cat,
    empty,
    empty_like,
    eye,
    full,
    full_like,
    linspace,
    manual_seed,
    ones,
    ones_like,
    rand,
    rand_like,
    randint,
    randn,
    randn_like,
    stack,
    tensor,
    zeros,
    zeros_like,
)
from ._functions import (  # noqa: F401
    abs,
    add,
    all,
    allclose,
    any,
    chunk,
    cos,
    div,
    dot,
    equal,
    exp,
    inference_mode,
    is_tensor,
    log,
    matmul,
    max,
    mean,
    min,
    mm,
    mul,
    no_grad,
    relu,
    set_num_threads,
    sin,
    split,
    sqrt,
    sub,
    sum,
    tanh,
    use_deterministic_algorithms,
)

__version__ = "0+unwaited.stand.in"
FloatTensor = DoubleTensor = LongTensor = IntTensor = Tensor
strided = "strided"


class cuda:
    """No device but the processor."""

    @staticmethod
    def is_available():
        return False

    @staticmethod
    def device_count():
        return 0

    @staticmethod
    def synchronize(*_):
        return None


def __getattr__(name):
    from ._types import missing

    if name.startswith("__"):
        raise AttributeError(name)
    raise missing("torch." + name)


from . import distributed, multiprocessing  # noqa: E402,F401
