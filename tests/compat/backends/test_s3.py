"""statetool and the real program take turns with a state in S3, and keep each other out of it."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

import statefmt
from statefmt.cli.run import system_context
from statefmt.locations import current_state
from tests.cli.conftest import Statetool
from tests.compat.backends.s3_folder import KEY, RESOURCES, S3Folder
from tests.compat.holding import HOLDING, program_holds
from tests.compat.program import Executable, Output, Program
from tests.servers.s3 import S3Server

_APPLY: Final = ("apply", "-input=false", "-auto-approve", "-no-color")
_PLAN: Final = ("plan", "-input=false", "-no-color")
_RECORDINGS: Final = Path(__file__).parent / "recordings"
_KINDS: Final = ("lock-file", "dynamodb", "both")
# A server that checks signatures, with a lock file.
_MORE: Final = (*_KINDS, "seaweedfs")
# Renames a to c, and keeps the lock until its standard input has a line.
_HOLDER: Final = """
import sys
import statefmt
from statefmt.cli.run import system_context
from statefmt.locations import current_state
context = system_context()
with statefmt.open(current_state(context), context=context).edit("rename", operation="mv") as edit:
    edit.move("terraform_data.a", "terraform_data.c")
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture(autouse=True)
def surroundings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Histories and backups of the tests are nobody else's, and nothing says how to reach AWS."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("home")))
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_ENDPOINT_URL", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=_KINDS)
def module(request: pytest.FixtureRequest, real: Program, folder: Path) -> S3Folder:
    """A root module that has been applied, and locks in one way."""
    kind: str = request.param
    server: S3Server = request.getfixturevalue("seaweedfs" if kind == "seaweedfs" else "moto")
    table = server.new_table() if kind in ("dynamodb", "both") else ""
    found = S3Folder(folder, server, server.new_bucket(versioned=True), kind != "dynamodb", table)
    found.configure(RESOURCES)
    _done(real.run(folder, "init", "-input=false"))
    _done(real.run(folder, *_APPLY))
    return found


@pytest.fixture
def executable(real: Program) -> Executable:
    """A real program that is a process of its own."""
    if not isinstance(real, Executable):
        pytest.skip("it is not a process of its own")
    return real


def _done(output: Output) -> Output:
    assert output.status == 0, output.err or output.out
    return output


def _words(message: str) -> str:
    return " ".join(re.sub(r"\x1b\[\d*m|[│╷╵]", " ", message).split())


def _run(statetool: Statetool, *arguments: str) -> None:
    done = statetool(*arguments)
    assert done.status == 0, done.err


def _no_changes(real: Program, module: S3Folder, resources: str) -> None:
    module.configure(resources)
    assert "No changes" in _done(real.run(module.path, *_PLAN)).out


@contextmanager
def _program_holds(real: Program, module: S3Folder) -> Iterator[None]:
    """The real program is in the middle of an apply, which ends with the context."""
    module.configure(RESOURCES + HOLDING)
    with program_holds(real, module.path):
        yield


@pytest.mark.parametrize("module", _MORE, indirect=True)
def test_plan_after_surgery(real: Program, module: S3Folder, statetool: Statetool) -> None:
    before = module.content(KEY).decode()
    _run(statetool, "mv", "terraform_data.a", "terraform_data.c")
    # As the program writes it: the same bytes but for the name and the serial, and the place of what has moved.
    expected = before.replace('"name": "a"', '"name": "c"').replace('"serial": 1,', '"serial": 2,')
    assert sorted(module.content(KEY).decode().splitlines()) == sorted(expected.splitlines())
    _no_changes(real, module, RESOURCES.replace('"a"', '"c"'))
    _run(statetool, "rm", "--yes", "terraform_data.b")
    _no_changes(real, module, RESOURCES.replace('"a"', '"c"').splitlines()[1])
    _run(statetool, "undo")
    _no_changes(real, module, RESOURCES.replace('"a"', '"c"'))
    assert (module.state()["serial"], module.names(), module.locks()) == (4, ["b", "c"], [])


def _shape(value: Any, key: str = "") -> Any:
    """A recording without what differs from run to run; lock information without its values."""
    if isinstance(value, dict):
        return {name: _shape(each, name) for name, each in value.items() if name not in ("etag", "size")}
    if isinstance(value, list):
        return [_shape(each) for each in value]
    if isinstance(value, str) and value.startswith('{"ID":'):
        info = json.loads(value)
        return ["lock", list(info), info["Path"], value == json.dumps(info, separators=(",", ":"), ensure_ascii=False)]
    if key in ("body", "checksum_sha256") or re.fullmatch("[0-9a-f]{32}", str(value)):
        return type(value).__name__
    return value


@pytest.mark.parametrize("module", ["lock-file", "dynamodb"], indirect=True)
def test_what_it_leaves_is_as_recorded(real: Program, module: S3Folder) -> None:
    """While it holds the lock, and after its edit."""
    recorded = json.loads((_RECORDINGS / f"s3-{'lockfile' if module.lock_file else 'dynamodb'}.json").read_bytes())
    context = system_context()
    with statefmt.open(current_state(context), context=context).edit("rename", lock_timeout=0) as edit:
        edit.move("terraform_data.a", "terraform_data.c")
        during = module.held()
    assert _shape(during) == _shape(recorded["2-while-locked"])
    after = module.held()
    theirs = recorded["3-after-second-apply"]
    for part in ("objects", "dynamodb_items"):
        assert _shape(after.get(part)) == _shape(theirs.get(part))
    digests = [item["Digest"]["S"] for item in after.get("dynamodb_items", []) if "Digest" in item]
    md5 = hashlib.md5(module.content(KEY), usedforsecurity=False).hexdigest()
    assert digests == ([md5] if module.table else [])
    # One lock and one unlock for each of the two edits.
    markers = [each for each in after["delete_markers"] if each["key"].endswith(".tflock")]
    locks = [each for each in after["versions"] if each["key"].endswith(".tflock")]
    assert len(markers) == len(locks) == (2 if module.lock_file else 0)


def test_statetool_keeps_the_program_out(real: Program, module: S3Folder) -> None:
    context = system_context()
    with statefmt.open(current_state(context), context=context).edit("rename", operation="mv") as edit:
        edit.move("terraform_data.a", "terraform_data.c")
        (info, *others) = module.locks()
        assert others == ([info] if module.lock_file and module.table else [])
        refused = real.run(module.path, *_PLAN)
    assert refused.status == 1
    words = _words(refused.err)
    assert "Error acquiring the state lock" in words
    assert f"ID: {info['ID']} Path: {module.bucket}/{KEY} Operation: mv Who: {info['Who']} Version: statetool" in words
    assert "Info: rename" in words
    _no_changes(real, module, RESOURCES.replace('"a"', '"c"'))


def test_the_program_keeps_statetool_out(real: Program, module: S3Folder, statetool: Statetool) -> None:
    with _program_holds(real, module):
        info = module.locks()[0]
        before = module.held()
        refused = statetool("mv", "terraform_data.a", "terraform_data.c")
        assert (refused.status, refused.out) == (2, b"")
        for said in (info["ID"], info["Who"], "OperationTypeApply"):
            assert said in _words(refused.err)
        assert module.held()["objects"] == before["objects"]
        assert statetool("list").text.split() == ["terraform_data.a", "terraform_data.b"]
    assert (module.names(), module.locks()) == (["a", "b", "holder"], [])


def test_the_program_removes_what_statetool_left(real: Program, module: S3Folder) -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", _HOLDER], cwd=module.path, stdin=pipe, stdout=pipe) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        holder.kill()
    info = module.locks()[0]
    assert info["ID"] in _words(real.run(module.path, *_PLAN).err)
    wrong = real.run(module.path, "force-unlock", "-force", "00000000-0000-0000-0000-000000000000")
    assert wrong.status == 1
    assert info["ID"] in _words(wrong.err)
    _done(real.run(module.path, "force-unlock", "-force", info["ID"]))
    assert module.locks() == []
    _no_changes(real, module, RESOURCES)


def test_statetool_removes_what_the_program_left(
    executable: Executable, module: S3Folder, statetool: Statetool
) -> None:
    module.configure(RESOURCES + HOLDING)
    with executable.start(module.path, *_APPLY) as holder:
        while not (module.path / "held").exists():
            assert holder.poll() is None
            time.sleep(0.01)
        holder.kill()
    # The shell that it started outlives it.
    (module.path / "release").touch()
    info = module.locks()[0]
    refused = statetool("mv", "terraform_data.a", "terraform_data.c")
    assert (refused.status, info["ID"] in _words(refused.err)) == (2, True)
    wrong = statetool("unlock", "00000000-0000-0000-0000-000000000000", "--yes")
    assert (wrong.status, info["ID"] in _words(wrong.err)) == (2, True)
    _run(statetool, "unlock", info["ID"], "--yes")
    assert module.locks() == []
    _run(statetool, "mv", "terraform_data.a", "terraform_data.c")
    assert "c" in module.names()
