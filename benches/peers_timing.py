"""Runs commands in turn, several rounds, and prints medians, ratios and peak memory.

Each row of the given file is a tree, a name and a command, with tabs between; the first command of a tree is what the
others are compared with. Within a round the commands of a tree follow each other, so that a slow moment of the machine
meets all of them alike. A first round that is not counted fills the page cache, and the caches of the tools.
"""

import os
import shlex
import statistics
import sys
import time


def run(command):
    """The seconds that a command takes, those that it computes, and its peak memory in MiB (at least that of this process)."""
    started = time.perf_counter()
    process = os.posix_spawnp(
        command[0],
        command,
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)],
    )
    _, status, used = os.wait4(process, 0)
    took = time.perf_counter() - started
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"failed: {' '.join(command)}")
    return took, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def measure(commands, rounds):
    taken = [[] for _ in commands]
    for turn in range(rounds + 1):
        for runs, command in zip(taken, commands):
            result = run(command)
            if turn > 0:
                runs.append(result)
    return taken


def report(tree, names, taken):
    print(f"| {tree} | median | times {names[0]} | processor time | times {names[0]} | spread | peak memory |")
    print("|---|---|---|---|---|---|---|")
    base, base_used = (statistics.median(run[which] for run in taken[0]) for which in (0, 1))
    for name, runs in zip(names, taken):
        times = sorted(run[0] for run in runs)
        middle, used = statistics.median(times), statistics.median(run[1] for run in runs)
        peak = max(run[2] for run in runs)
        spread = f"{times[0] * 1000:.0f} to {times[-1] * 1000:.0f} ms"
        print(
            f"| {name} | {middle * 1000:.1f} ms | {middle / base:.2f} | {used * 1000:.1f} ms "
            f"| {used / base_used:.2f} | {spread} | {peak:.0f} MiB |"
        )
    print(flush=True)


def main():
    rounds, path = int(sys.argv[1]), sys.argv[2]
    trees = {}
    with open(path, encoding="utf-8") as rows:
        for row in rows:
            tree, name, command = row.rstrip("\n").split("\t")
            trees.setdefault(tree, []).append((name, shlex.split(command)))
    for tree, rows in trees.items():
        repeats = rounds * 5 if tree == "one" else rounds
        report(tree, [name for name, _ in rows], measure([command for _, command in rows], repeats))


main()
