"""Reading: the bytes of a regular file, or one sentence that says what the name stands for instead."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from statefmt.model.errors import StoreError
from statefmt.store.reading import largest_stream, read_bytes


def _link_to_itself(path: Path) -> None:
    path.symlink_to(path)


def _dangling_link(path: Path) -> None:
    path.symlink_to(path.with_name("nothing"))


def _below_a_file(path: Path) -> None:
    path.parent.rmdir()
    path.parent.write_bytes(b"")


def _socket(path: Path) -> None:
    # Short enough for a socket's name, wherever the tests run.
    os.chdir(path.parent)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path.name)


CASES: list[tuple[str, Callable[[Path], object], str]] = [
    ("missing", lambda path: None, "there is no such file"),
    ("dangling link", _dangling_link, "there is no such file"),
    ("link to itself", _link_to_itself, "Too many levels of symbolic links"),
    ("below a file", _below_a_file, "Not a directory"),
    ("folder", Path.mkdir, "this is a folder, not a state file"),
    ("pipe that nobody writes to", os.mkfifo, "this is a pipe without a writer"),
    ("socket", _socket, "No such device or address"),
    ("null device", lambda path: path.symlink_to("/dev/null"), "this is a device or socket, not a state file"),
    ("endless device", lambda path: path.symlink_to("/dev/zero"), "this is a device or socket, not a state file"),
]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder" / "state"


@pytest.mark.parametrize(("make", "reason"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_refused(make: Callable[[Path], object], reason: str, path: Path) -> None:
    make(path)
    with pytest.raises(StoreError, match=rf"\A.*/folder/state: {reason}\Z"):
        read_bytes(str(path))


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\x00\r\n", bytes(range(256)) * 5000])
def test_bytes_as_they_are(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    assert read_bytes(str(path)) == content


@pytest.mark.parametrize("content", [b"", b"{}", bytes(range(256)) * 5000])
def test_named_pipe(content: bytes, path: Path) -> None:
    """More than a pipe holds at once, written a while after it was opened."""
    os.mkfifo(path)
    source = path.with_name("source")
    source.write_bytes(content)
    writer = (
        "import pathlib, sys, time; source, pipe = map(pathlib.Path, sys.argv[1:])\n"
        "with pipe.open('wb') as opened: time.sleep(0.2); opened.write(source.read_bytes())"
    )
    with subprocess.Popen([sys.executable, "-c", writer, str(source), str(path)]):
        assert read_bytes(str(path)) == content


@pytest.mark.parametrize("content", [b"", b"{}"])
def test_pipe_of_a_shell(content: bytes) -> None:
    """As `check <(command)` names it, after the command has ended."""
    reading, writing = os.pipe()
    os.write(writing, content)
    os.close(writing)
    try:
        assert read_bytes(f"/dev/fd/{reading}") == content
    finally:
        os.close(reading)


def test_through_a_link(path: Path) -> None:
    path.write_bytes(b"{}")
    path.with_name("link").symlink_to("state")
    assert read_bytes(str(path.with_name("link"))) == b"{}"


def test_folder_with_a_state_in_it(path: Path) -> None:
    (path.parent / "terraform.tfstate").write_bytes(b"{}")
    with pytest.raises(StoreError, match=r"this is a folder, not a state file; did you mean .*/terraform\.tfstate\?"):
        read_bytes(str(path.parent))


def test_empty_name() -> None:
    with pytest.raises(StoreError, match=r"\Athe name of the state is empty\Z"):
        read_bytes("")


def test_name_that_is_too_long() -> None:
    with pytest.raises(StoreError, match="File name too long"):
        read_bytes("x" * 300)


_LARGE: Final = 1 << 31


def _sparse(path: Path, start: bytes = b"", end: bytes = b"") -> None:
    with path.open("wb") as file:
        file.write(start)
        file.truncate(_LARGE)
        file.seek(0, os.SEEK_END)
        file.write(end)


def _zeros(path: Path) -> None:
    path.write_bytes(bytes(20 << 20))


def _text(path: Path) -> None:
    with path.open("wb") as file:
        for _ in range(200):
            file.write(b"x" * (1 << 20))


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        pytest.param(_sparse, r"only 0 of the 2,147,483,648 bytes of this file were ever written", id="a hole"),
        pytest.param(lambda path: _sparse(path, b"{"), r"only [0-9,]+ of the 2,147,483,648 bytes", id="after a brace"),
        pytest.param(
            lambda path: _sparse(path, b"", b"}"), r"only [0-9,]+ of the 2,147,483,649 bytes", id="before one"
        ),
        pytest.param(_zeros, "the 20,971,520 bytes of this file are NUL bytes and white space", id="zeros"),
        pytest.param(_text, "this file has 209,715,200 bytes and does not start with an opening brace", id="text"),
    ],
)
def test_a_large_file_that_is_no_state_takes_no_memory(make: Callable[[Path], None], reason: str, path: Path) -> None:
    make(path)
    tracemalloc.start()
    try:
        with pytest.raises(StoreError, match=rf"/state: {reason}"):
            read_bytes(str(path))
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def test_a_large_file_with_some_holes_is_read(path: Path) -> None:
    """A torn file, which can be salvaged."""
    with path.open("wb") as file:
        file.write(b"{" + b" " * (20 << 20))
        file.truncate(30 << 20)
    assert len(read_bytes(str(path))) == 30 << 20


def test_a_pipe_without_an_end(path: Path) -> None:
    os.mkfifo(path)
    endless = "import sys\nwith open(sys.argv[1], 'wb') as pipe:\n while True: pipe.write(b'{' * 65536)"
    with (
        subprocess.Popen([sys.executable, "-c", endless, str(path)], stderr=subprocess.DEVNULL),
        pytest.raises(StoreError, match="/state has more than 1,048,576 bytes, the limit; STATETOOL_MAX_SIZE=2GiB"),
    ):
        read_bytes(str(path), largest=1 << 20)


@pytest.mark.parametrize(
    ("text", "size"), [("", 192 << 20), ("64KiB", 1 << 16), ("64KB", 1 << 16), ("2MiB", 2 << 20), ("3GB", 3 << 30)]
)
def test_the_largest_stream(text: str, size: int) -> None:
    assert largest_stream({"STATETOOL_MAX_SIZE": text}) == size
