"""Puts the shim in place when the user's program imports torch.

With torch installed only its communication is replaced, when `torch.distributed` is imported. Without it the stand-in
is put on the path, which says so once.
"""

import importlib.abc
import importlib.util
import os
import sys

REFUSED = {
    "torch.nn.parallel.distributed": ("DistributedDataParallel",),
    "torch.distributed.fsdp": ("FullyShardedDataParallel", "fully_shard"),
    "torch.distributed.rpc": ("init_rpc",),
    "torch.multiprocessing.spawn": ("spawn", "start_processes"),
    "torch.multiprocessing": ("spawn", "start_processes"),
}


def install(shim):
    """Chooses between torch and the stand-in."""
    if importlib.util.find_spec("torch") is None:
        sys.path.insert(1, os.path.join(shim, "stand_in"))
    else:
        sys.meta_path.insert(0, Replacer())


class Replacer(importlib.abc.MetaPathFinder):
    """Lets torch's own modules be loaded, and then replaces what communicates."""

    def __init__(self):
        self.busy = set()

    def find_spec(self, name, path=None, target=None):
        if name in self.busy or not (name == "torch.distributed" or name in REFUSED):
            return None
        self.busy.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.busy.discard(name)
        if spec is not None and spec.loader is not None:
            spec.loader = Loader(spec.loader, name)
        return spec


class Loader(importlib.abc.Loader):
    def __init__(self, inner, name):
        self.inner, self.name = inner, name

    def create_module(self, spec):
        return self.inner.create_module(spec)

    def exec_module(self, module):
        self.inner.exec_module(module)
        if self.name == "torch.distributed":
            from . import dist

            dist.replace(module)
        for name in REFUSED.get(self.name, ()):
            if hasattr(module, name):
                setattr(module, name, refusal(name))

    def __getattr__(self, name):
        return getattr(self.inner, name)


def refusal(name):
    """Something that communicates behind the shim's back, or starts ranks of its own."""
    if name in ("spawn", "start_processes"):
        remedy = "the ranks are already running: call the function itself, with the rank from RANK"
    else:
        remedy = "it talks to process groups that this run does not have: use --on torch"

    class Refused:
        def __new__(cls, *args, **kwargs):
            raise RuntimeError("%s does not work under `unwaited run`: %s" % (name, remedy))

    Refused.__name__ = name
    return Refused
