"""Creating a file: whole or not at all, private, and never over another one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from statefmt.model.errors import StoreError
from statefmt.store.local.store import create_file

CONTENT = b'{"serial": 1}\n' * 1000


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_created(umask: int, tmp_path: Path) -> None:
    path = tmp_path / "new.tfstate"
    before = os.umask(umask)
    try:
        create_file(path, CONTENT)
    finally:
        os.umask(before)
    assert path.read_bytes() == CONTENT
    assert oct(path.stat().st_mode) == oct(0o100600)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("length", [1, 255])
def test_name_of_any_length(length: int, tmp_path: Path) -> None:
    path = tmp_path / ("x" * length)
    create_file(path, CONTENT)
    assert list(tmp_path.iterdir()) == [path]


def test_file_that_exists(tmp_path: Path) -> None:
    path = tmp_path / "old.tfstate"
    path.write_bytes(b"old")
    with pytest.raises(StoreError, match=r"/old\.tfstate: the file already exists"):
        create_file(path, CONTENT)
    assert {found.name: found.read_bytes() for found in tmp_path.iterdir()} == {"old.tfstate": b"old"}


def test_link_that_leads_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "link"
    path.symlink_to("nowhere")
    with pytest.raises(StoreError, match="/link: the file already exists"):
        create_file(path, CONTENT)
    assert list(tmp_path.iterdir()) == [path]


def test_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"/missing/new\.tfstate: there is no such file or folder"):
        create_file(tmp_path / "missing" / "new.tfstate", CONTENT)
    assert list(tmp_path.iterdir()) == []


def test_name_that_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="File name too long; nothing was written"):
        create_file(tmp_path / ("x" * 256), CONTENT)
    assert list(tmp_path.iterdir()) == []
