"""An index whose run is killed, interrupted or runs out of space is whole, and the next run goes on."""

from __future__ import annotations

import os
import resource
import signal
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from statefmt import run_context
from statefmt.fleet import FleetError, IndexOptions, index_states, query
from tests.fleet.test_index import state
from tests.store.local.test_watched import NEEDS_STRACE

pytest.importorskip("duckdb")

STATES = 3
# Each is made again only by reading.
_WHOLE = (
    "SELECT (SELECT count(*) FROM states), (SELECT count(*) FROM objects), (SELECT count(*) FROM outputs), "
    "(SELECT count(*) FROM states WHERE n_objects != (SELECT count(*) FROM objects AS o WHERE o.state_id = "
    "states.state_id))"
)
# What changes files, and how often a run does so at most.
_CALLS = {"pwrite64": 40, "write": 40, "fdatasync": 30, "unlink": 12, "rename": 1}
_SOME = (
    *(("pwrite64", 2, False), ("rename", 1, False), ("write", 7, False)),
    *(("fdatasync", 8, True), ("pwrite64", 6, True), ("write", 3, True)),
)
_ALL = [
    pytest.param(call, number, exists, marks=() if (call, number, exists) in _SOME else pytest.mark.slow)
    for exists in (False, True)
    for call, most in _CALLS.items()
    for number in range(1, most + 1)
]


def command(into: Path, *sources: Path) -> list[str]:
    return [sys.executable, "-m", "statefmt", "fleet", "index", "--into", str(into), "--no-check", "--workers", "1",
            *map(str, sources)]  # fmt: skip


def index(into: Path, *sources: Path) -> int:
    """Index, and return how many states were read."""
    return index_states(run_context(), [*map(str, sources)], into, IndexOptions(checks=False, workers=1)).read


def whole(into: Path) -> tuple[int, ...]:
    return tuple(query(into, _WHOLE).rows[0])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "states"
    found.mkdir()
    for number in range(STATES):
        (found / f"{number}.tfstate").write_bytes(state(number, "a", "b"))
    return found


@NEEDS_STRACE
@pytest.mark.parametrize(("call", "number", "exists"), _ALL)
def test_killed(folder: Path, tmp_path: Path, call: str, number: int, exists: bool) -> None:
    """At a call that writes, flushes, renames or deletes a file: of the index, or of rows on their way to it."""
    into = tmp_path / "index"
    before = 0
    if exists:
        assert index(into, folder) == STATES
        (folder / "0.tfstate").write_bytes(state(10, "a"))
        (folder / "1.tfstate").unlink()
        before = STATES
    injection = f"inject={call}:signal=SIGKILL:when={number}"
    traced = ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", injection, *command(into, folder)]
    done = subprocess.run(traced, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, cwd=tmp_path)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    if into.exists():
        states, _, _, torn = whole(into)
        assert states in {before, STATES - exists}
        assert torn == 0
    else:
        assert done.returncode != 0
    index(into, folder)
    assert whole(into) == (STATES - exists, 3 if exists else 2 * STATES, 0, 0)
    assert index(into, folder) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index", "states"]
    assert stat.S_IMODE(into.stat().st_mode) == 0o600


def test_interrupted_while_it_reads(folder: Path, tmp_path: Path) -> None:
    """A pipe without an end keeps it from ending, after the states before it."""
    into = tmp_path / "index"
    index(into, folder)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    running = subprocess.Popen(command(into, folder, pipe), stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    # Opening waits until it reads.
    with running as process, pipe.open("wb"):
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode in (130, -signal.SIGINT)
    assert b"Traceback" not in errors
    assert whole(into) == (STATES, 2 * STATES, 0, 0)
    assert index(into, folder) == 0


@pytest.mark.parametrize("kilobytes", [pytest.param(100, marks=pytest.mark.slow), 700])
def test_no_space(folder: Path, tmp_path: Path, kilobytes: int) -> None:
    """A limit on the size of files fails as a full disk does."""
    for number in range(20):
        (folder / f"large{number}.tfstate").write_bytes(state(number, *(f"n{one}" for one in range(300))))
    into = tmp_path / "index"
    limit = (kilobytes * 1024, kilobytes * 1024)
    done = subprocess.run(
        command(into, folder),
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
    )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert b"cannot write this index" in done.stderr or b"cannot open this index" in done.stderr
    if into.exists():
        assert whole(into)[3] == 0
    index(into, folder)
    assert whole(into) == (STATES + 20, 2 * STATES + 20 * 300, 0, 0)


@pytest.mark.parametrize("attributes", [False, True])
def test_no_file_of_an_index_is_for_others(folder: Path, tmp_path: Path, attributes: bool) -> None:
    """Neither it nor its log, whatever the mask of the process; which is the same afterwards."""
    into = tmp_path / "index"
    seen: dict[str, int] = {}

    def look(*_: object) -> None:
        seen.update({path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir() if path.is_file()})

    mask = os.umask(0o022)
    try:
        context = replace(run_context(), progress=look)
        index_states(context, [str(folder)], into, IndexOptions(checks=False, attributes=attributes, workers=1))
        look()
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(mask)
    assert seen == {"index": 0o600, "index.wal": 0o600}


def test_another_process_uses_it(folder: Path, tmp_path: Path) -> None:
    into = tmp_path / "index"
    index(into, folder)
    program = f"import duckdb, sys; c = duckdb.connect({str(into)!r}); print(flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        for use in (lambda: index(into, folder), lambda: whole(into)):
            with pytest.raises(FleetError, match=rf"another process \({other.pid}\) uses it; try again"):
                use()
        other.communicate()
    assert index(into, folder) == 0


@pytest.mark.parametrize("version", [1, 99, None])
def test_an_index_of_another_release(folder: Path, tmp_path: Path, version: int | None) -> None:
    """Neither is it written, nor do queries fail on columns that it does not have."""
    import duckdb

    into = tmp_path / "index"
    index(into, folder)
    with duckdb.connect(str(into)) as connection:
        connection.execute("UPDATE settings SET schema_version = ?", [version])
    content = into.read_bytes()
    for use in (lambda: index(into, folder), lambda: whole(into)):
        with pytest.raises(FleetError, match="another release of statetool") as caught:
            use()
        assert "delete it and index again" in str(caught.value)
    assert into.read_bytes() == content


@pytest.mark.parametrize("name", ["nowhere/index", "states", "file/index", "/proc/index", "text", "empty", ":memory:"])
def test_what_cannot_be_an_index(folder: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Said in a line, with the file; and a name that is special for DuckDB is a file as any other."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "text").write_bytes(b"some text" * 1000)
    if name == ":memory:":
        assert index(Path(name), folder) == STATES
        assert index(Path(name), folder) == 0
        return
    with pytest.raises(FleetError) as caught:
        index(Path(name), folder)
    assert str(caught.value).startswith(f"{name}: cannot ")
    assert "\n" not in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "file", "states", "text"]
