"""statetool and the real program keep each other out of a state, and each goes on with what the other has written."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from statefmt.store.local._folder import lock_info_name
from tests.cli.conftest import Program as Process
from tests.compat.holding import HOLDING, program_holds
from tests.compat.program import Executable, Program

STATE: Final = "terraform.tfstate"
OWN: Final = ("mv", "terraform_data.a", "terraform_data.b")
THEIRS: Final = ("state", "mv", "terraform_data.c", "terraform_data.d")
_PROVIDER: Final = 'provider["terraform.io/builtin/terraform"]'
# Moves a to b, and keeps the lock from the moment it has read the state until its standard input has a line.
_HOLDER: Final = """
import sys
from statefmt.model.addrs.parsing import parse_abs_resource_instance as parsed
from statefmt.cli.run import system_context
from statefmt.edit.pipeline import EditOptions, edit
from statefmt.edit.pipeline import surgical
from statefmt.store.local.store import LocalFile
from statefmt.edit.operations.mv import mv
def agreed(outcome):
    print("held", flush=True)
    return bool(sys.stdin.readline())
moved = {parsed("terraform_data.a"): parsed("terraform_data.b")}
options = EditOptions("mv", "mv terraform_data.a terraform_data.b")
context = system_context()
store = LocalFile("terraform.tfstate", context)
edit(context, store, options, surgical(lambda snapshot: mv(snapshot, moved)), agreed=agreed)
"""
_CONFIGURATION: Final = f"""
resource "terraform_data" "a" {{}}
resource "terraform_data" "c" {{}}
{HOLDING}
"""
_APPLY: Final = ("apply", "-input=false", "-auto-approve")


def _resource(name: str) -> dict[str, Any]:
    attributes = {"id": name, "input": None, "output": None, "triggers_replace": None}
    instance = {"schema_version": 0, "attributes": attributes, "sensitive_attributes": []}
    head = {"mode": "managed", "type": "terraform_data", "name": name, "provider": _PROVIDER}
    return {**head, "instances": [instance]}


@pytest.fixture(autouse=True)
def path(folder: Path) -> Path:
    """A state with the resources a and c."""
    document = {"version": 4, "terraform_version": "1.5.0", "serial": 7, "lineage": "l", "outputs": {}}
    path = folder / STATE
    path.write_text(json.dumps({**document, "resources": [_resource("a"), _resource("c")], "check_results": None}))
    return path


def _said(path: Path) -> tuple[int, list[str]]:
    """The serial of a state, and the names of its resources."""
    document = json.loads(path.read_bytes())
    return document["serial"], sorted(resource["name"] for resource in document["resources"])


def _words(message: str) -> str:
    return " ".join(re.sub(r"\x1b\[\d*m|[│╷╵]", " ", message).split())


@contextmanager
def _statetool_holds(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", _HOLDER], cwd=folder, stdin=pipe, stdout=pipe) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            yield holder
        finally:
            holder.kill()


def _go_on(holder: subprocess.Popen[bytes]) -> None:
    assert holder.stdin is not None
    holder.stdin.write(b"\n")
    holder.stdin.close()
    assert holder.wait() == 0


@contextmanager
def _program_holds(real: Program, folder: Path) -> Iterator[None]:
    """The real program is in the middle of an apply, which ends with the context."""
    (folder / "main.tf").write_text(_CONFIGURATION)
    started = real.run(folder, "init", "-input=false")
    assert started.status == 0, started.err
    with program_holds(real, folder):
        yield


def _wait_until_opened(path: Path, by: Future[Any]) -> None:
    """Wait until a second process, that of a command, has a file open. Only Linux tells."""
    if not Path("/proc/self/fd").exists():
        pytest.skip("nothing here tells who has a file open")
    while len(_openers(path)) < 2:
        assert not by.done(), by.result()
        time.sleep(0.01)


def _openers(path: Path) -> set[str]:
    found = set()
    for descriptor in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if descriptor.readlink() == path.resolve():
                found.add(descriptor.parts[2])
        except OSError:
            # The process has ended, or has closed it.
            continue
    return found


def test_statetool_keeps_the_program_out(real: Program, folder: Path, path: Path) -> None:
    before = path.read_bytes()
    with _statetool_holds(folder) as holder:
        refused = real.run(folder, *THEIRS)
        words = _words(refused.err)
        assert refused.status == 1
        assert "Error acquiring the state lock" in words
        for said in (
            r"Operation: mv Who: \S+@\S+ Version: statetool \S+ Created: 20",
            "Info: mv terraform_data.a terr",
        ):
            assert re.search(said, words), words
        assert path.read_bytes() == before
        _go_on(holder)
    assert _said(path) == (8, ["b", "c"])
    assert real.run(folder, *THEIRS).status == 0
    assert _said(path) == (9, ["b", "d"])


def test_the_program_waits_and_sees_what_statetool_wrote(real: Program, folder: Path, path: Path) -> None:
    with _statetool_holds(folder) as holder, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(real.run, folder, *THEIRS[:2], "-lock-timeout=60s", *THEIRS[2:])
        try:
            _wait_until_opened(path, waiting)
        finally:
            _go_on(holder)
        assert waiting.result().status == 0, waiting.result().err
    assert _said(path) == (9, ["b", "d"])


def test_the_program_keeps_statetool_out(real: Program, folder: Path, path: Path, program: Process) -> None:
    with _program_holds(real, folder):
        before = path.read_bytes()
        refused = program(*OWN)
        assert (refused.status, refused.out) == (2, b"")
        said = r"terraform.tfstate: locked by \S+@\S+ \(OperationTypeApply, since 20\S+Z\); nothing was written"
        assert re.search(said, _words(refused.err)), refused.err
        assert path.read_bytes() == before
    assert _said(path)[1] == ["a", "c", "holder"]


def test_the_program_keeps_a_repair_out(real: Program, folder: Path, path: Path, program: Process) -> None:
    """Terraform leaves out a resource without a provider, and applies the rest."""
    document = json.loads(path.read_bytes())
    document["resources"].append({**_resource("unbound"), "provider": None})
    path.write_text(json.dumps(document))
    if real.engine == "opentofu":
        pytest.skip("OpenTofu applies nothing to a state that can be repaired")
    with _program_holds(real, folder):
        before = path.read_bytes()
        refused = program("repair", "--choose", f"PRV002 * provider={_PROVIDER}", "--yes")
        assert (refused.status, refused.out) == (2, b"")
        assert "locked by" in _words(refused.err)
        assert path.read_bytes() == before


def test_statetool_waits_and_sees_what_the_program_wrote(
    real: Program, folder: Path, path: Path, program: Process
) -> None:
    with ThreadPoolExecutor(1) as pool:
        with _program_holds(real, folder):
            waiting = pool.submit(program, *OWN, "--lock-timeout", "60s")
            _wait_until_opened(path, waiting)
        assert waiting.result().status == 0, waiting.result().err
    serial, names = _said(path)
    assert names == ["b", "c", "holder"]
    # What statetool found, once the program was done.
    (kept,) = folder.glob(f"{STATE}.[0-9]*.backup")
    assert _said(kept) == (serial - 1, ["a", "c", "holder"])
    assert serial > 8


def test_a_statetool_that_died_keeps_nobody_out(real: Program, folder: Path, path: Path) -> None:
    with _statetool_holds(folder) as holder:
        holder.kill()
    assert (path.parent / lock_info_name(path.name)).exists()
    assert real.run(folder, *THEIRS).status == 0
    assert _said(path) == (8, ["a", "d"])


def test_a_program_that_died_keeps_nobody_out(real: Program, folder: Path, path: Path, program: Process) -> None:
    if not isinstance(real, Executable):
        pytest.skip("it is no process of its own")
    (folder / "main.tf").write_text(_CONFIGURATION)
    assert real.run(folder, "init", "-input=false").status == 0
    with real.start(folder, *_APPLY) as holder:
        while not (folder / "held").exists():
            assert holder.poll() is None
            time.sleep(0.01)
        holder.kill()
    # The shell that it started outlives it.
    (folder / "release").touch()
    assert (path.parent / lock_info_name(path.name)).exists()
    assert program(*OWN).status == 0
    assert "b" in _said(path)[1]
    assert not (path.parent / lock_info_name(path.name)).exists()
