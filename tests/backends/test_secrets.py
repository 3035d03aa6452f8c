"""No edit that fails shows a secret of the configuration: in messages, requests shown, locks, histories, processes."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pytest

from tests.backends.documents import document
from tests.backends.runs import Folder, prepared
from tests.backends.spots import Kind, PgSpot, Spot
from tests.cli.conftest import Result
from tests.servers.cutting import Address, Cut, Line, Serve, proxied
from tests.servers.echoing import echoing_http, echoing_pg

# Every secret setting contains this word.
_CANARY: Final = "CanaryThatNobodyMaySee"
_EDIT: Final = ("mv", "terraform_data.a", "terraform_data.b")
# Nothing listens on this port.
_NOBODY: Final[Address] = ("127.0.0.1", 9)
_NO_HOST: Final[Address] = ("no-such-host.invalid", 80)


def _secret(spot: Spot, config: dict[str, Any]) -> dict[str, Any]:
    """The arguments, with a canary in each secret; our servers accept them."""
    match spot.backend:
        case "http":
            return {**config, "username": "user", "password": _CANARY, "headers": {"X-Token": _CANARY}}
        case "pg":
            return {**config, "conn_str": re.sub("//[^@]*@", f"//canary:{_CANARY}@", config["conn_str"])}
    return {**config, "access_key": f"AK{_CANARY}", "secret_key": _CANARY, "token": f"T{_CANARY}"}


# How the secrets may appear.
_FORMS: Final = [
    _CANARY.encode(),
    base64.b64encode(f"user:{_CANARY}".encode())[:-4],
    base64.b64encode(_CANARY.encode())[:-4],
]


def _leaks(places: Mapping[str, bytes]) -> list[str]:
    """The places where a secret is seen."""
    return [name for name, content in places.items() if any(form in content for form in _FORMS)]


class Watched:
    """A folder whose configuration has canaries, and where they are seen after a command."""

    def __init__(self, path: Path, backend: str, config: Mapping[str, Any]) -> None:
        recorded = {"version": 3, "backend": {"type": backend, "config": config, "hash": 1}}
        self._folder: Final = prepared(path, json.dumps(recorded).encode())
        self._record: Final = path / ".terraform" / "terraform.tfstate"

    def seen(self, *arguments: str, environment: Mapping[str, str] | None = None) -> tuple[Result, list[str]]:
        """Run a command; return how it ended, and where a secret was seen."""
        result = Folder(self._folder.path, environment)(*arguments)
        places = {"standard output": result.out, "standard error": result.err.encode()}
        files = (path for path in self._folder.path.rglob("*") if path.is_file() and path != self._record)
        places.update((str(path), path.read_bytes() + str(path).encode()) for path in files)
        return result, _leaks(places)


@contextmanager
def _through(spot: Spot, serve: Serve, line: Line) -> Iterator[list[Address]]:
    with proxied(spot.servers[0], serve, line) as address:
        yield [address] * len(spot.servers)


@contextmanager
def _at(spot: Spot, address: Address) -> Iterator[list[Address]]:
    yield [address] * len(spot.servers)


@contextmanager
def _held(spot: Spot) -> Iterator[list[Address]]:
    with spot.held():
        yield list(spot.servers)


_WAYS: Final[dict[str, Callable[[Spot], AbstractContextManager[list[Address]]]]] = {
    "it works": lambda spot: _through(spot, spot.serve, Line()),
    "nobody listens": lambda spot: _at(spot, _NOBODY),
    "no such host": lambda spot: _at(spot, _NO_HOST),
    "cut at once": lambda spot: _through(spot, spot.serve, Line(at=1, cut=Cut.AFTER, stays_cut=True)),
    "cut later": lambda spot: _through(spot, spot.serve, Line(at=4, cut=Cut.AFTER, stays_cut=True)),
    "echoed": lambda spot: _through(spot, echoing_pg if spot.backend == "pg" else echoing_http, Line()),
    "held": _held,
}

_EACH: Final = pytest.mark.parametrize("kind", ["http", "pg", "s3-both"], indirect=True)
_SAMPLE: Final = ("it works", "echoed")
_TRIED: Final = [way if way in _SAMPLE else pytest.param(way, marks=pytest.mark.slow) for way in _WAYS]
_DEBUG: Final = pytest.mark.parametrize(
    "debug", [pytest.param((), id="", marks=pytest.mark.slow), pytest.param(("--debug",), id="debug")]
)


@pytest.fixture
def spot(kind: Kind) -> Spot:
    """A state that is there, and can be reached with the secrets."""
    spot = kind.spot()
    spot.put(document(["a"], 7))
    if isinstance(spot, PgSpot):
        spot.add_user("canary", _CANARY)
    return spot


@_EACH
@_DEBUG
@pytest.mark.parametrize("way", _TRIED)
def test_edits(way: str, debug: tuple[str, ...], spot: Spot, tmp_path: Path) -> None:
    with _WAYS[way](spot) as addresses:
        folder = Watched(tmp_path / "folder", spot.backend, _secret(spot, spot.config(addresses)))
        result, seen = folder.seen(*_EDIT, *debug)
    assert seen == [], result.err
    assert "Traceback" not in result.err, result.err
    assert result.status == (0 if way == "it works" else 2), result.err
    assert _leaks({"the state": spot.stored() or b""}) == []


@pytest.mark.parametrize("kind", ["pg"], indirect=True)
def test_wrong_password(spot: Spot, tmp_path: Path) -> None:
    config = spot.config(spot.servers)
    wrong = {**config, "conn_str": re.sub("//[^@]*@", f"//canary:{_CANARY}Not@", config["conn_str"])}
    result, seen = Watched(tmp_path / "folder", spot.backend, wrong).seen(*_EDIT, "--debug")
    assert (result.status, seen) == (2, []), result.err
    assert "password authentication failed" in result.err


@_EACH
@_DEBUG
def test_while_locked(debug: tuple[str, ...], spot: Spot, tmp_path: Path) -> None:
    """The lock that others see, and the list of processes."""
    places: dict[str, bytes] = {}

    def look() -> None:
        places["locks"] = "".join(spot.locks()).encode()
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                places[str(path)] = path.read_bytes()

    with _through(spot, spot.serve, Line(at=5, call=look)) as addresses:
        config = spot.config(addresses)
        secrets = {name: value for name, value in _secret(spot, config).items() if config.get(name) != value}
        folder = Watched(tmp_path / "folder", spot.backend, {**config, **secrets})
        result, seen = folder.seen(*_EDIT, *debug)
    assert places, result.err
    assert (seen, _leaks(places)) == ([], [])


@_EACH
def test_given_as_an_option(spot: Spot, tmp_path: Path) -> None:
    """A command line with a secret is in the lock information and the history, without the secret."""
    config = spot.config(spot.servers)
    changed = {name: value for name, value in _secret(spot, config).items() if config.get(name) != value}
    secrets = {name: value for name, value in changed.items() if isinstance(value, str)}
    options = [f"--backend-config={name}={value}" for name, value in secrets.items()]
    # Without a record: the settings complete the block.
    block = {name: value for name, value in config.items() if value is not None and name not in secrets}
    (tmp_path / "backend.tf.json").write_text(json.dumps({"terraform": {"backend": {spot.backend: block}}}))
    places: dict[str, bytes] = {}
    for command in (_EDIT, ("history",), ("where",), ("undo", "--yes")):
        result = Folder(tmp_path)(*command, *options)
        assert result.status == 0, result.err
        places[command[0]] = result.out + result.err.encode()
    places.update((str(path), path.read_bytes()) for path in tmp_path.rglob("*") if path.is_file())
    assert _leaks(places) == []
