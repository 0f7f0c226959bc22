"""`torch.distributed`: all of it is the fabric's."""

from unwaited_rank.dist import *  # noqa: F401,F403
from unwaited_rank.dist import _initialized  # noqa: F401
from unwaited_rank.dist import NOT_TORCH as _not_torch
from unwaited_rank.dist import REFUSED as _refused
from unwaited_rank.dist import all_gather_into_tensor as _all_gather_base  # noqa: F401
from unwaited_rank.dist import reduce_scatter_tensor as _reduce_scatter_base  # noqa: F401

for _name in _not_torch:
    globals().pop(_name, None)


def __getattr__(name):
    from unwaited_rank import hooks

    from ._types import missing

    if name in _refused:
        return hooks.refusal(name)
    raise missing("torch.distributed." + name)
