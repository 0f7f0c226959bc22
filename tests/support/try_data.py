# Tries what the catalogue says of tensors and arrays: calls each name with many arguments, and compares addresses and
# contents.
#
# Reads {entries: [{as, names, gives, touches}], modules, version} as JSON and prints {tried, untried, differences}, or
# {skipped: reason}. An observation refutes an entry if it shares storage where it must not, writes where it must not, or
# depends on contents where nothing is said to be read; or if no call shares or writes where one must.
import importlib, json, os, signal, sys, tempfile, warnings

# Some of what is called writes files under the names that it is given.
os.chdir(tempfile.mkdtemp())

warnings.simplefilter("ignore")
asked = json.load(sys.stdin)

# What shares storage or writes only with special arguments, or cannot be looked into: a name, or all names of a module.
SPECIAL = {
    "BoolTensor": "of a tensor of the same type it gives another name for it",
    "FloatTensor": "of a tensor of the same type it gives another name for it",
    "LongTensor": "of a tensor of the same type it gives another name for it",
    "Tensor": "of a tensor of the same type it gives another name for it",
    "_utils": "a list of one tensor is not copied",
    "byteswap": "it writes where it is told to",
    "cartesian_prod": "of one tensor it gives that",
    "diff": "differences of order 0 are the array itself",
    "einsum": "a pattern that only moves axes gives a view",
    "index_put_": "what it writes is there already",
    "nan_to_num_": "numbers stay as they are",
    "histogram": "it gives the edges of the bins that it is given",
    "histogram_bin_edges": "it gives the edges of the bins that it is given",
    "linalg.matrix_power": "a first power is the array itself",
    "nan_to_num": "it writes where it is told to",
    "nn.functional": "with `inplace` it writes, without training it gives what it is given",
    "polyder": "a derivative of order 0 is the array itself",
    "polyint": "an integral of order 0 is the array itself",
    "utils.dlpack.to_dlpack": "a capsule cannot be looked into",
}

# A name has been tried enough after so many calls.
ENOUGH = 12


class Torch:
    def __init__(self):
        import torch

        self.torch, self.home, self.members = torch, torch, torch.Tensor
        torch.set_num_threads(1)

    def subjects(self):
        torch = self.torch
        yield torch.arange(16.0).reshape(4, 4) - 7.75
        yield torch.arange(16).reshape(4, 4) % 5
        yield torch.arange(6.0) / 8
        yield (torch.arange(16.0).reshape(4, 4) / 16 + 0.25).t()
        yield torch.tensor([[True, False], [False, True]])
        yield torch.complex(torch.arange(4.0), torch.ones(4)).reshape(2, 2)
        yield torch.rand(1, 3, 4, 4, generator=torch.Generator().manual_seed(1))

    def arguments(self, x):
        torch = self.torch
        index, mask = torch.zeros(x.shape, dtype=torch.long), torch.arange(x.numel()).reshape(x.shape) % 2 == 0
        rows = torch.zeros(1, dtype=torch.long)
        yield from [(), (0,), (1,), (2,), (0.5,), (-1,), (0, 1), (1, 0), (0, 0, 1), (0, 1, 1), (0, (1, x.shape[0])), (x.clone(),)]
        yield from [(tuple(x.shape),), (x.numel(),), (1, 1), ([1] * x.dim(),), (x.shape, x.stride()), (tuple(range(x.dim())),)]
        yield from [(x.clone(), x.clone()), (0, index), (0, rows), (0, index, x.clone()), (0, rows, x[:1].clone()), (mask,)]
        yield from [(mask, 0.5), (mask, x.clone()), (index,), ([x.shape[0]],), ((rows,), x[:1].clone()), (torch.float64,)]
        yield from [(x.dtype,), (torch.Tensor,), ("cpu",), (x[0].clone(), 0, 0), (index, mask), (0, index, x.clone(), "sum")]
        yield from [(0.25, 0.75), (x.diagonal().clone(),) if x.dim() > 1 else (), (2, 2), ([(0, 1)],), (0, rows, 1)]
        yield from [(x[:1].clone(), mask[:1]), ((x.shape[0],) + tuple(x.shape[1:]) if x.dim() > 1 else x.shape,)]
        yield from [(0, rows, x[:1].clone(), "mean"), (index, x.clone()), (x.clone(), index), (mask, x.clone(), 1)]

    def clone(self, x):
        y = self.torch.empty_strided(x.shape, x.stride(), dtype=x.dtype)
        return y.copy_(x)

    def other(self, x):
        y = self.clone(x)
        return y.logical_not_() if x.dtype == self.torch.bool else y.mul_(2).add_(1)

    def tensors(self, out):
        if isinstance(out, self.torch.Tensor):
            return [out]
        if isinstance(out, (self.torch.UntypedStorage, self.torch.TypedStorage)):
            return [self.torch.tensor([], dtype=self.torch.uint8).set_(out.untyped() if hasattr(out, "untyped") else out)]
        if hasattr(out, "__array_interface__"):
            return [self.torch.from_numpy(out)] if out.size and out.flags.writeable else []
        return [it for part in out for it in self.tensors(part)] if isinstance(out, (list, tuple)) else []

    def address(self, x):
        return (x.untyped_storage().data_ptr(), x.untyped_storage().nbytes()) if x.layout == self.torch.strided else None

    def shares(self, a, b):
        return b.numel() > 0 and self.address(a) is not None and self.address(b) is not None and self.address(a)[0] == self.address(b)[0]

    def equal(self, a, b):
        if isinstance(a, self.torch.Tensor):
            return a.shape == b.shape and bool(self.torch.allclose(a.to_dense(), b.to_dense(), equal_nan=True))
        if isinstance(a, (list, tuple)):
            return len(a) == len(b) and all(self.equal(*pair) for pair in zip(a, b))
        return a == b


class Numpy:
    def __init__(self):
        import numpy

        self.np, self.home, self.members = numpy, numpy, numpy.ndarray

    def subjects(self):
        np = self.np
        yield np.arange(16.0).reshape(4, 4) + 0.25
        yield (np.arange(16.0).reshape(4, 4) + 0.25).T
        yield np.arange(6.0)[::-1].copy() / 8
        yield np.arange(16).reshape(4, 4)[::-1].copy() % 5
        yield np.arange(4, dtype=np.uint8)
        yield np.arange(4.0).reshape(2, 2) + 1j
        yield np.arange(8.0).reshape(2, 2, 2)

    def arguments(self, x):
        np = self.np
        index, mask = np.zeros(x.shape, dtype=int), np.arange(x.size).reshape(x.shape) % 2 == 0
        yield from [(), (0,), (1,), (2,), (0.5,), (0, 1), (x.copy(),), (x.shape,), (-1,), (x.dtype,), (np.float64,), (np.int8,)]
        yield from [(x.copy(), x.copy()), (mask,), (mask, x.copy()), (x.copy(), mask), ([0], [9]), (0, [9]), (0, x.copy())]
        yield from [(index,), ([True] + [False] * (x.shape[0] - 1),), (index, x.copy(), 0), (3,), ("C",), (index, 0), (0, 1, 2)]
        yield from [(lambda row: row, 0), ("<u1", 0), (0, np.uint8), (2, (2,) * x.ndim), (np.float64, -1), (1, 0)]

    def clone(self, x):
        return x.copy(order="K")

    def other(self, x):
        y = self.clone(x)
        y[...] = y * 2 + 1
        return y

    def tensors(self, out):
        if isinstance(out, memoryview) or (hasattr(out, "base") and hasattr(out, "coords")):
            return [self.np.asarray(out.obj if isinstance(out, memoryview) else out.base)]
        if isinstance(out, self.np.ndarray):
            return [out]
        return [it for part in out for it in self.tensors(part)] if isinstance(out, (list, tuple)) else []

    def address(self, x):
        return (x.__array_interface__["data"][0], x.shape)

    def shares(self, a, b):
        return self.np.may_share_memory(a, b)

    def equal(self, a, b):
        if isinstance(a, (list, tuple)):
            return len(a) == len(b) and all(self.equal(*pair) for pair in zip(a, b))
        if isinstance(a, self.np.ndarray) and a.dtype.kind in "fc":
            return a.shape == b.shape and self.np.allclose(a, b, equal_nan=True)
        return bool(self.np.all(self.np.asarray(a) == self.np.asarray(b)))


def find(kit, name):
    found, path = kit.home, kit.home.__name__
    for part in name.split("."):
        path += "." + part
        found = getattr(found, part) if hasattr(found, part) else importlib.import_module(path)
    return found


def calls(kit, form, name):
    if form == "attribute":
        yield lambda x, rest: getattr(x, name)
    elif form == "method":
        yield lambda x, rest: getattr(x, name)(*rest)
    else:
        function = find(kit, name)
        yield lambda x, rest: function(x, *rest)
        yield lambda x, rest: function([x, kit.clone(x)], *rest)
        yield lambda x, rest: function("ij,ij->ij" if x.ndim == 2 else "i,i->i", x, *rest)
        yield lambda x, rest: function([x], *rest)


def seeded(kit, call, x, rest):
    if hasattr(kit, "torch"):
        kit.torch.manual_seed(0)
    else:
        kit.np.random.seed(0)
    return call(x, tuple(kit.clone(it) if isinstance(it, kit.members) else it for it in rest))


def strides(x):
    return x.strides if hasattr(x, "strides") else x.stride()


def observe(kit, call, subject, rest, seen):
    x = kit.clone(subject)
    before, address = kit.clone(x), kit.address(x)
    signal.alarm(5)
    try:
        out = seeded(kit, call, x, rest)
        seen["calls"] += 1
        seen["shares"] += out is x or any(kit.shares(x, it) for it in kit.tensors(out))
        moved = x.shape != before.shape or strides(x) != strides(before) or kit.address(x) != address
        seen["frees"] += kit.address(x) != address
        seen["writes"] += not moved and not kit.equal(x, before)
        again = seeded(kit, call, kit.clone(subject), rest)
        seen["depends"] += not kit.equal(again, seeded(kit, call, kit.other(subject), rest))
    except Exception:
        pass
    finally:
        signal.alarm(0)


def sets(kit, name, seen):
    for subject in kit.subjects():
        x = kit.clone(subject)
        before, address = kit.clone(x), kit.address(x)
        try:
            setattr(x, name, kit.other(subject).data if name == "data" else 7)
        except Exception:
            continue
        seen["frees"] += kit.address(x) != address
        seen["writes"] += kit.address(x) == address and not kit.equal(x, before)


def refutations(entry, name, seen):
    gives, touches = entry["gives"], entry["touches"]
    if any(name == it or name.startswith(it + ".") for it in SPECIAL):
        return
    if gives in ("nothing", "copy", "new") and seen["shares"]:
        yield f"shares storage in {seen['shares']} of {seen['calls']} calls"
    if gives in ("itself", "view", "strided", "part", "parts") and not seen["shares"]:
        yield "never shares storage"
    if touches not in ("write", "free") and seen["writes"]:
        yield f"writes in {seen['writes']} of {seen['calls']} calls"
    if touches == "write" and not seen["writes"]:
        yield "never writes"
    if touches != "free" and seen["frees"]:
        yield "moves the storage"
    if touches == "nothing" and name.endswith(("ones_like", "zeros_like", "new_ones", "new_zeros")) and seen["depends"]:
        yield "depends on what it is given"


def try_name(kit, entry, name, seen):
    for call in calls(kit, entry["as"], name):
        for subject in kit.subjects():
            of_subject = 0
            for rest in [()] if entry["as"] == "attribute" else kit.arguments(subject):
                held = seen["calls"]
                observe(kit, call, subject, rest, seen)
                of_subject += seen["calls"] - held
                if of_subject == ENOUGH // 4:
                    break
        if seen["calls"]:
            break


def attempt(kit):
    differences, tried, untried = [], 0, []
    for entry in asked["entries"]:
        for name in entry["names"]:
            seen = dict.fromkeys(("calls", "shares", "writes", "frees", "depends"), 0)
            try_name(kit, entry, name, seen)
            if entry["as"] == "attribute" and entry["touches"] != "nothing":
                sets(kit, name, seen)
            if not seen["calls"]:
                untried.append(name)
                continue
            tried += 1
            differences += [f"{entry['as']} {name}: {it}" for it in refutations(entry, name, seen)]
    return {"tried": tried, "untried": untried, "differences": differences}


def give_up(*_):
    raise RuntimeError("too slow")


signal.signal(signal.SIGALRM, give_up)
try:
    kit = {"torch": Torch, "numpy": Numpy}[asked["modules"][0]]()
    version = kit.home.__version__
    right = version.startswith(asked["version"])
    answer = attempt(kit) if right else {"skipped": f"version {version} is installed, not {asked['version']}"}
except (ImportError, KeyError) as error:
    answer = {"skipped": str(error)}
print()
print(json.dumps(answer))
