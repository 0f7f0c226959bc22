"""`torch.multiprocessing`: the ranks are already running."""

from unwaited_rank import hooks as _hooks

spawn = _hooks.refusal("spawn")
start_processes = _hooks.refusal("start_processes")
