"""A process that has all of statetool imported, and forks a child for each command that it is asked to run.

A command starts within milliseconds this way, so that thousands of kills and errors can be injected. The injection is
strace's, which attaches to the stopped child before the command begins: Python's own start is not counted.
Requests and answers are lines of JSON on standard input and output.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import pkgutil
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import chdir
from pathlib import Path
from typing import Any, Final

import statefmt
from statefmt.cli import start
from statefmt.cli.main import main
from tests.strangers.recorder import record

_ROOT: Final = Path(__file__).resolve().parents[2]
_PR_SET_PTRACER: Final = 0x59616D61
_ANY: Final = ctypes.c_ulong(-1)
_CAPABILITY_VERSION: Final = 0x20080522
_LIBC: Final = ctypes.CDLL(None, use_errno=True)
_NAP: Final = 0.002
# Where a child writes what it does, above all descriptors that it has from its parent.
_EVENTS: Final = 64


def serve() -> None:
    """Answer requests until there are none."""
    _warm_up()
    gc.collect()
    gc.freeze()
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        print(json.dumps(_run(json.loads(line))), flush=True)


def _warm_up() -> None:
    """Import what any command imports, so that no child does."""
    for module in pkgutil.walk_packages(statefmt.__path__, "statefmt."):
        importlib.import_module(module.name)
    stdout, stderr = sys.stdout, sys.stderr
    with tempfile.TemporaryDirectory() as folder, chdir(folder), open(os.devnull, "w") as sink:  # noqa: PTH123
        Path("t").write_bytes((_ROOT / "samples" / "v4-regions.tfstate").read_bytes())
        Path("c").write_text(
            'key_provider "pbkdf2" "k" {\n passphrase = "correct-horse-battery"\n}\nmethod "aes_gcm" "m" {\n'
            " keys = key_provider.pbkdf2.k\n}\nstate {\n method = method.aes_gcm.m\n}\n"
        )
        sys.stdout = sys.stderr = sink
        try:
            for command in (
                "list --state t", "check --no-settings t", "mv --state t aws_vpc.main aws_vpc.net", "undo t", "fmt t",
                "history t", "encrypt -i --encryption c t", "list --state t --encryption c",
                "decrypt -i --encryption c t", "diff t t", "mv --state t -o new aws_vpc.main aws_vpc.net",
                "mv --state none a.b c.d", "no-such-command",
            ):  # fmt: skip
                main(command.split())
        finally:
            sys.stdout, sys.stderr = stdout, stderr


def _run(request: dict[str, Any]) -> dict[str, object]:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as events:
        child = os.fork()
        if child == 0:
            _become(request, out.fileno(), err.fileno(), events.fileno())
        tracer = None
        if request["strace"]:
            os.waitpid(child, os.WUNTRACED)
            tracer = attached(child, request["strace"])
            os.kill(child, signal.SIGCONT)
        status, timed_out = _ended(child, time.monotonic() + request["timeout"])
        if tracer is not None:
            tracer.communicate()
        for file in (out, err, events):
            file.seek(0)
        return {
            "status": os.waitstatus_to_exitcode(status),
            "timed_out": timed_out,
            "out": out.read().decode("utf-8", "surrogateescape"),
            "err": err.read().decode("utf-8", "surrogateescape"),
            "events": events.read().decode("ascii"),
        }


def stop_to_be_attached() -> None:
    """Stop this process until strace has attached to it, and another one continues it."""
    # Where only ancestors may trace a process, strace may too.
    _LIBC.prctl(_PR_SET_PTRACER, _ANY, 0, 0, 0)
    os.kill(os.getpid(), signal.SIGSTOP)


def attached(child: int, options: list[str]) -> subprocess.Popen[bytes]:
    """Start strace on a child that has stopped."""
    tracer = subprocess.Popen(["strace", "-f", *options, "-p", str(child)], stderr=subprocess.PIPE)
    assert tracer.stderr is not None
    said = tracer.stderr.readline()
    if b"attached" not in said:
        os.kill(child, signal.SIGKILL)
        raise RuntimeError(f"strace: {said!r}")
    return tracer


def _ended(child: int, until: float) -> tuple[int, bool]:
    """The status of a child, and whether it had to be killed."""
    nap = _NAP
    while time.monotonic() < until:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status, False
        time.sleep(nap)
        nap = min(nap * 1.2, 0.05)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1], True


def _become(request: dict[str, Any], out: int, err: int, events: int) -> None:
    """Be the command, in the child."""
    try:
        os.setsid()
        os.chdir(request["folder"])
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(err, 2)
        os.dup2(events, _EVENTS)
        os.closerange(3, _EVENTS)
        if request["alone"]:
            os.environ.clear()
        os.environ.update(request["environment"])
        if request["memory"]:
            limit = _memory_in_use() + request["memory"]
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if request["unprivileged"]:
            _drop_capabilities()
        sys.argv = ["statetool", *request["arguments"]]
        sys.stderr = open(2, "w", errors="backslashreplace", closefd=False, buffering=1)  # noqa: SIM115
        if request["strace"]:
            stop_to_be_attached()
        if request["recorded"]:
            record(_EVENTS)
        start.run()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(1)


def _memory_in_use() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _drop_capabilities() -> None:
    """Let the modes of files hold for root, too."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    none = (ctypes.c_uint32 * 6)()
    if _LIBC.capset(header, none) != 0:
        raise OSError(ctypes.get_errno(), "capset")


if __name__ == "__main__":
    serve()
