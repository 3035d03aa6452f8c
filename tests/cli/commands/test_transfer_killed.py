"""A move that is killed at any call that changes something: every state is there in full, and the next run goes on."""

from __future__ import annotations

import signal
from contextlib import chdir
from pathlib import Path
from typing import Final

import pytest

from statefmt.cli.main import main
from tests.adversary.runs import Forks
from tests.cli.states import INDENTED, LINEAGE
from tests.store.local.test_killed import CALLS
from tests.store.local.test_watched import NEEDS_STRACE

pytestmark = NEEDS_STRACE

STATE: Final = "terraform.tfstate"
BLUE: Final = INDENTED.replace(LINEAGE.encode(), b"blue")
OLDER: Final = BLUE.replace(b'"serial": 7', b'"serial": 6')
# From where to where each state is moved; the target of `blue` has an older one.
PLACES: Final = {
    INDENTED: (Path(STATE), Path("new/x")),
    BLUE: (Path("terraform.tfstate.d/blue", STATE), Path("new/w/blue", STATE)),
}
MOVE: Final = ("move-backend", "--delete-source", "--yes")


@pytest.mark.parametrize("call", [call for call in CALLS if call != "openat"])
def test_killed(call: str, tmp_path: Path, forked: Forks, capfd: pytest.CaptureFixture[str]) -> None:
    number = 0
    while True:
        number += 1
        assert number < 100
        folder = tmp_path / f"{call}{number}"
        _prepare(folder)
        injection = f"inject={call}:signal=SIGKILL:when={number}"
        done = forked(folder, *MOVE, strace=["-o", "/dev/null", "-e", injection])
        if done.status == 0:
            break
        assert done.status == -signal.SIGKILL, done.err
        for content, (source, target) in PLACES.items():
            kept = [*(folder / source.parent).glob(f"{STATE}.*.backup"), folder / source]
            there = [path for path in kept if path.exists() and path.read_bytes() == content]
            assert there, (number, source)
            if source not in [path.relative_to(folder) for path in there]:
                # Deleted only after the copy was verified.
                assert (folder / target).read_bytes() == content
        with chdir(folder):
            status = main([*MOVE])
            assert status == 0 or "no workspace has a state" in capfd.readouterr().err.replace("\n ", "")
        _assert_moved(folder)
    _assert_moved(folder)
    assert number > 1, call


def _prepare(folder: Path) -> None:
    for content, (source, target) in PLACES.items():
        for path, old in ((source, content), *([(target, OLDER)] if content == BLUE else [])):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(old)
    block = 'terraform {\n  backend "local" {\n    path = "new/x"\n    workspace_dir = "new/w"\n  }\n}\n'
    (folder / "main.tf").write_text(block)


def _assert_moved(folder: Path) -> None:
    for content, (source, target) in PLACES.items():
        assert (folder / target).read_bytes() == content
        assert not (folder / source).exists()
        assert not (folder / target.parent / f".{target.name}.statetool.journal").exists()
