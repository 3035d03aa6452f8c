"""An edit of an encrypted state that is killed at any call leaves no plain byte anywhere, and the state reads back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from statefmt.encryption import decrypt
from statefmt.store.settled import read_settled

from ..encryption.recorded import configured
from ..store.test_killed import CALLS
from ..store.test_watched import NEEDS_STRACE
from .encrypted import configuration, encrypted
from .test_encryption import CANARY, WITH_CANARY
from .test_killed import STATE, _run, _watched

pytestmark = NEEDS_STRACE

_TEXT = json.dumps(configuration("new"))


def test_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setenv("TF_ENCRYPTION", _TEXT)
    own = configured(_TEXT)
    points, seen = 0, set()
    for call in CALLS:
        for number in range(1, 100):
            folder = tmp_path / f"{call}{number}"
            folder.mkdir()
            old = encrypted(WITH_CANARY, "new")
            (folder / STATE).write_bytes(old)
            status = _run(folder, ["mv", "aws_vpc.main", "aws_vpc.net"], _watched(folder), call, number)
            for path in tmp_path.rglob("*"):
                assert not path.is_file() or CANARY not in path.read_bytes(), path
            if status == 0:
                break
            points += 1
            content = read_settled(str(folder / STATE))
            assert CANARY in decrypt(content, own).plain
            seen.add(content == old)
    assert points >= 30
    assert seen == {True, False}
