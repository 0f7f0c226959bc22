"""The connection to the fabric.

A frame is two lengths, a JSON header and bytes. A call sends one frame and then serves what the fabric asks for
(`gives`, `holds`, `fill`) until its reply arrives: buffers are read and filled while the rank waits, never behind its
back. Handles that die are noted, and told with the next call.
"""

import collections
import json
import os
import socket
import struct
import sys
import threading

from . import places

STOPPED = 86

_socket = None
_lock = threading.Lock()
_dropped = collections.deque()
_cells = {}
_talkers = set()
_forked = False
_over = False

rank = int(os.environ.get("RANK", "0"))
size = int(os.environ.get("WORLD_SIZE", "1"))


def join():
    """Connects, once for calls and once as a lifeline whose end ends this process."""
    global _socket
    port = int(os.environ.pop("UNWAITED_PORT"))
    token = os.environ.pop("UNWAITED_TOKEN")
    _socket = _connect(port, {"token": token, "rank": rank, "lifeline": False})
    lifeline = _connect(port, {"token": token, "rank": rank, "lifeline": True})
    threading.Thread(target=_hold, args=(lifeline,), daemon=True).start()
    _talkers.add(threading.get_ident())
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_leave_behind)


def _connect(port, hello):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    _send(connection, hello, [])
    return connection


def _hold(lifeline):
    try:
        lifeline.recv(1)
    except OSError:
        pass
    os._exit(STOPPED)


def _leave_behind():
    global _forked
    _forked = True


def talks():
    """Whether this thread is one that communicates, so that its time is virtual."""
    return not _forked and threading.get_ident() in _talkers


def drop(handle, freed):
    """The last reference to a handle is gone; once the run is over nobody needs to know."""
    if _over:
        return
    _dropped.append({"handle": handle, "freed": freed, "place": places.here()})


def call(kind, cells=(), **fields):
    """Asks the fabric for something and waits for the reply."""
    if _forked:
        raise RuntimeError("a forked child of a rank cannot communicate: `unwaited run` serves the rank itself")
    if not _lock.acquire(False):
        raise RuntimeError("two threads of rank %d communicate at once: `unwaited run` serves one at a time" % rank)
    try:
        _talkers.add(threading.get_ident())
        return _call(kind, cells, fields)
    finally:
        _lock.release()


def _call(kind, cells, fields):
    header = {"call": kind, "place": fields.pop("place", None) or places.here(), "dropped": []}
    while _dropped:
        header["dropped"].append(_dropped.popleft())
    header.update(fields)
    parts, header["snapshots"] = [], []
    for cell in cells:
        gives, holds = cell.gives(), cell.holds()
        header["snapshots"].append([[len(part) for part in gives], [len(part) for part in holds]])
        parts += gives + holds
    _send(_socket, header, parts)
    while True:
        message, chunks = _receive(_socket)
        if "started" in message:
            _cells.update(zip(message["started"], cells))
        elif "gives" in message:
            _send_chunks(_cells[message["gives"]].gives())
        elif "holds" in message:
            _send_chunks(_cells[message["holds"]].holds())
        elif "fill" in message:
            _cells[message["fill"]].fill(chunks)
        elif message["reply"] == "stop":
            return _stop(kind)
        else:
            return message


def forget(handle):
    """An operation is over: its buffer is not needed any more."""
    _cells.pop(handle, None)


def cell(handle):
    return _cells.get(handle)


def _stop(kind):
    """The run is over, and with it this process; one that has left by itself ends by itself."""
    global _over
    _over = True
    if kind in ("leave", "fail"):
        return {"reply": "stop"}
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(STOPPED)


def _send_chunks(parts):
    _send(_socket, {"data": True, "chunks": [len(part) for part in parts]}, parts)


def _send(connection, header, parts):
    text = json.dumps(header).encode()
    total = sum(len(part) for part in parts)
    try:
        connection.sendall(struct.pack(">II", len(text), total) + text)
        for part in parts:
            connection.sendall(part)
    except OSError:
        os._exit(STOPPED)


def _receive(connection):
    lengths = _read(connection, 8)
    text, total = struct.unpack(">II", lengths)
    message = json.loads(bytes(_read(connection, text)))
    payload = memoryview(_read(connection, total))
    chunks, at = [], 0
    for length in message.get("chunks", ()):
        chunks.append(payload[at : at + length])
        at += length
    return message, chunks


def _read(connection, count):
    data = bytearray(count)
    view, at = memoryview(data), 0
    while at < count:
        try:
            got = connection.recv_into(view[at:])
        except OSError:
            got = 0
        if got == 0:
            os._exit(STOPPED)
        at += got
    return data
