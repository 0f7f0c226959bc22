"""`torch.distributed` over the fabric: messages, collectives, groups.

The functions have the names, parameters and refusals of torch 2; what is not here is refused by its name.
"""

from . import cells, wire, work
from .cells import Nothing, Objects, Split, Tensors
from .work import Work, begin, do

_initialized = None
_counter = 0


class ProcessGroup:
    """A group of ranks; `members` are world ranks."""

    def __init__(self, identity, members):
        self.identity, self.members = identity, members

    def rank(self):
        return self.members.index(wire.rank) if wire.rank in self.members else -1

    def size(self):
        return len(self.members)


class group:
    WORLD = ProcessGroup(0, list(range(wire.size)))


class GroupMember:
    WORLD = group.WORLD
    NON_GROUP_MEMBER = ProcessGroup(None, [])


class Backend(str):
    """The name of a backend."""

    UNDEFINED, GLOO, NCCL, MPI = "undefined", "gloo", "nccl", "mpi"


class ReduceOp:
    """How a reduction combines."""

    SUM, PRODUCT, MIN, MAX, AVG = "sum", "product", "min", "max", "average"
    BAND, BOR, BXOR = "and", "or", "xor"


def is_available():
    return True


def is_initialized():
    return _initialized is not None


def init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, **_):
    global _initialized
    if _initialized is not None:
        raise ValueError("the default process group is initialized twice")
    for given, own, name in ((rank, wire.rank, "rank"), (world_size, wire.size, "world_size")):
        if given not in (-1, own):
            raise ValueError("init_process_group(%s=%s): `unwaited run` has given %s" % (name, given, own))
    name = str(backend or "gloo").lower()
    kind = "nccl" if name == "nccl" else "mpi" if name == "mpi" else "gloo"
    wire.call("backend", backend=kind)
    _initialized = name


def destroy_process_group(group=None):
    global _initialized
    if group is None or group is globals()["group"].WORLD:
        _initialized = None


def get_backend(group=None):
    return _initialized or "undefined"


def get_rank(group=None):
    return _group(group).rank()


def get_world_size(group=None):
    return _group(group).size()


def get_group_rank(group, global_rank):
    return group.members.index(global_rank)


def get_global_rank(group, group_rank):
    return group.members[group_rank]


def get_process_group_ranks(group):
    return list(_group(group).members)


def new_group(ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization=False, **_):
    global _counter
    members = sorted(ranks) if ranks is not None else list(range(wire.size))
    _counter += 1
    reply = wire.call("group", name="group %d" % _counter, members=members)
    if reply["reply"] == "refused":
        raise ValueError("new_group: %s" % reply["message"])
    identity = reply["group"]
    return ProcessGroup(identity, members) if wire.rank in members else GroupMember.NON_GROUP_MEMBER


def _group(given):
    if _initialized is None:
        raise ValueError("the default process group has not been initialized: call init_process_group first")
    return given if isinstance(given, ProcessGroup) else group.WORLD


def _peer(api, world, within, given):
    """A world rank from `dst`/`src` or from `group_dst`/`group_src`."""
    if within is not None:
        return _group(given).members[within]
    if world is not None and not 0 <= world < wire.size:
        raise ValueError("%s: there is no rank %s, the world has %d ranks" % (api, world, wire.size))
    return world


def _check(api, tensor):
    if not hasattr(tensor, "is_contiguous"):
        raise TypeError("%s: expected a tensor, not %s" % (api, type(tensor).__name__))
    if not tensor.is_contiguous():
        raise ValueError("%s: the tensor must be contiguous" % api)


def _posting(api, start, given):
    return {"api": api, "group": _group(given).identity, "start": start}


def _sending(api, tensor, dst, given, tag, group_dst):
    peer = _peer(api, dst, group_dst, given)
    _check(api, tensor)
    if peer == wire.rank:
        raise ValueError("%s: rank %d cannot send to itself" % (api, peer))
    return _posting(api, {"send": {"to": peer, "tag": tag}}, given), Tensors(gives=[tensor])


def _receiving(api, tensor, src, given, tag, group_src):
    peer = _peer(api, src, group_src, given)
    _check(api, tensor)
    return _posting(api, {"receive": {"from": peer, "tag": tag}}, given), Tensors(fills=[tensor])


def send(tensor, dst=None, group=None, tag=0, group_dst=None):
    do(*_sending("send", tensor, dst, group, tag, group_dst))


def recv(tensor, src=None, group=None, tag=0, group_src=None):
    return do(*_receiving("recv", tensor, src, group, tag, group_src))["origins"][0][0]


def isend(tensor, dst=None, group=None, tag=0, group_dst=None):
    return begin([_sending("isend", tensor, dst, group, tag, group_dst)])[0]


def irecv(tensor, src=None, group=None, tag=0, group_src=None):
    return begin([_receiving("irecv", tensor, src, group, tag, group_src)])[0]


class P2POp:
    """A message to be started with others by `batch_isend_irecv`."""

    def __init__(self, op, tensor, peer=None, group=None, tag=0, group_peer=None):
        if op not in (isend, irecv):
            raise ValueError("P2POp: op must be torch.distributed.isend or torch.distributed.irecv, not %s" % getattr(op, "__name__", repr(op)))
        self.op, self.tensor, self.peer, self.group, self.tag = op, tensor, peer, group, tag
        self.group_peer = group_peer


def batch_isend_irecv(p2p_op_list):
    for op in p2p_op_list:
        if not isinstance(op, P2POp):
            raise ValueError("batch_isend_irecv: expected P2POp objects, not %s" % type(op).__name__)
    if not p2p_op_list:
        raise ValueError("batch_isend_irecv: the list is empty")
    postings = []
    for op in p2p_op_list:
        sort = _sending if op.op is isend else _receiving
        postings.append(sort(op.op.__name__, op.tensor, op.peer, op.group, op.tag, op.group_peer))
    return begin(postings)


def _collective(api, kind, cell, given, async_op):
    """Starts a collective, and waits for it unless it is asynchronous."""
    posting = _posting(api, {"collective": kind}, given)
    if async_op:
        return begin([(posting, cell)])[0]
    do(posting, cell)
    return None


def _by(op):
    by = getattr(op, "name", op)
    known = {"sum", "product", "min", "max", "average", "and", "or", "xor"}
    aliases = {"AVG": "average", "PRODUCT": "product", "BAND": "and", "BOR": "or", "BXOR": "xor"}
    by = aliases.get(str(by), str(by).lower())
    if by not in known:
        raise ValueError("`unwaited run` has no reduction %s" % by)
    return by


def barrier(group=None, async_op=False, device_ids=None):
    return _collective("barrier", "barrier", Nothing(), group, async_op)


def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    _collective("monitored_barrier", "barrier", Nothing(), group, False)


def broadcast(tensor, src=None, group=None, async_op=False, group_src=None):
    _check("broadcast", tensor)
    root = {"broadcast": {"root": _peer("broadcast", src, group_src, group)}}
    return _collective("broadcast", root, Tensors([tensor], [tensor]), group, async_op)


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    _check("all_reduce", tensor)
    return _collective("all_reduce", {"all_reduce": {"by": _by(op)}}, Tensors([tensor], [tensor]), group, async_op)


def reduce(tensor, dst=None, op=ReduceOp.SUM, group=None, async_op=False, group_dst=None):
    _check("reduce", tensor)
    kind = {"reduce": {"root": _peer("reduce", dst, group_dst, group), "by": _by(op)}}
    return _collective("reduce", kind, Tensors([tensor], [tensor]), group, async_op)


def all_gather(tensor_list, tensor, group=None, async_op=False):
    _check("all_gather", tensor)
    return _collective("all_gather", "all_gather", Tensors([tensor], tensor_list), group, async_op)


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    cell = Split(input_tensor, output_tensor, 1, _group(group).size())
    return _collective("all_gather_into_tensor", "all_gather", cell, group, async_op)


def gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None):
    root = _peer("gather", 0 if dst is None and group_dst is None else dst, group_dst, group)
    cell = Tensors([tensor], gather_list or [])
    return _collective("gather", {"gather": {"root": root}}, cell, group, async_op)


def scatter(tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None):
    root = _peer("scatter", 0 if src is None and group_src is None else src, group_src, group)
    cell = Tensors(scatter_list or [], [tensor])
    return _collective("scatter", {"scatter": {"root": root}}, cell, group, async_op)


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op=False):
    kind = {"reduce_scatter": {"by": _by(op)}}
    return _collective("reduce_scatter", kind, Tensors(input_list, [output]), group, async_op)


def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    cell = Split(input, output, _group(group).size(), 1)
    return _collective("reduce_scatter_tensor", {"reduce_scatter": {"by": _by(op)}}, cell, group, async_op)


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    cell = Tensors(input_tensor_list, output_tensor_list)
    return _collective("all_to_all", "all_to_all", cell, group, async_op)


def all_to_all_single(
    output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False
):
    count = _group(group).size()
    cell = Split(input, output, input_split_sizes or count, output_split_sizes or count)
    return _collective("all_to_all_single", "all_to_all", cell, group, async_op)


def all_gather_object(object_list, obj, group=None):
    cell = Objects([obj])
    _collective("all_gather_object", "all_gather", cell, group, False)
    object_list[:] = cell.values()


def gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None):
    root = _peer("gather_object", 0 if dst is None and group_dst is None else dst, group_dst, group)
    cell = Objects([obj])
    _collective("gather_object", {"gather": {"root": root}}, cell, group, False)
    if root == wire.rank:
        object_gather_list[:] = cell.values()


def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None):
    root = _peer("broadcast_object_list", 0 if src is None and group_src is None else src, group_src, group)
    cell = Objects(object_list if root == wire.rank else [])
    _collective("broadcast_object_list", {"broadcast": {"root": root}}, cell, group, False)
    if root != wire.rank:
        object_list[:] = cell.values()


def scatter_object_list(output, input_list=None, src=None, group=None, group_src=None):
    root = _peer("scatter_object_list", 0 if src is None and group_src is None else src, group_src, group)
    cell = Objects(input_list if root == wire.rank else [])
    _collective("scatter_object_list", {"scatter": {"root": root}}, cell, group, False)
    output[0] = cell.values()[0]


REFUSED = (
    "all_gather_coalesced all_reduce_coalesced send_object_list recv_object_list gather_into_tensor "
    "all_gather_multigpu all_reduce_multigpu broadcast_multigpu reduce_multigpu split_group shrink_group "
    "_coalescing_manager init_device_mesh"
).split()

PRIVATE = {"_all_gather_base": all_gather_into_tensor, "_reduce_scatter_base": reduce_scatter_tensor}


def replace(module):
    """Puts these functions into torch's own module, and refusals for what has no replacement."""
    from . import hooks

    kept = NOT_TORCH | {"ProcessGroup", "Backend", "ReduceOp"}
    own = {name: value for name, value in globals().items() if not name.startswith("_") and name not in kept}
    own.update(PRIVATE)
    inner = getattr(module, "distributed_c10d", None)
    for target in (module, inner):
        if target is None:
            continue
        for name, value in own.items():
            setattr(target, name, value)
        for name in REFUSED:
            if hasattr(target, name):
                setattr(target, name, hooks.refusal(name))


NOT_TORCH = set("cells wire work begin do replace Nothing Objects Split Tensors REFUSED PRIVATE NOT_TORCH".split())
