"""No edit that fails shows a secret of the configuration: not in messages, requests shown, locks, histories, processes."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final

import pytest

from tests.backends.documents import document
from tests.backends.runs import Folder, ended, prepared
from tests.backends.spots import Spot
from tests.backends.trial import NewSpot
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
    """The arguments, with a canary in each secret; the servers of the tests accept some of them."""
    match spot.backend:
        case "http":
            return {**config, "username": "user", "password": _CANARY, "headers": {"X-Token": _CANARY}}
        case "pg":
            return {**config, "conn_str": config["conn_str"].replace("pg-password", _CANARY)}
    key = base64.b64encode(_CANARY.ljust(32, "x").encode()).decode()
    keys = {"access_key": f"AK{_CANARY}", "secret_key": _CANARY, "token": f"T{_CANARY}"}
    return {**config, **keys, "sse_customer_key": key, "encrypt": True}


def _forms(spot: Spot) -> list[bytes]:
    """How the secrets may appear."""
    texts = [_CANARY, base64.b64encode(f"user:{_CANARY}".encode()).decode()[:-4]]
    if spot.backend == "s3":
        texts.append(base64.b64encode(_CANARY.ljust(32, "x").encode()).decode()[:20])
    return [text.encode() for text in texts]


class Watched:
    """A folder whose configuration has canaries, and where they were seen."""

    def __init__(self, spot: Spot, path: Path, addresses: Sequence[Address]) -> None:
        self._spot: Final = spot
        config = _secret(spot, spot.config(addresses))
        backend = {"type": spot.backend, "config": config, "hash": 1}
        self._folder: Final = prepared(path, json.dumps({"version": 3, "backend": backend}).encode())
        self._record: Final = path / ".terraform" / "terraform.tfstate"

    def seen(self, *arguments: str) -> tuple[Result, list[str]]:
        """Run a command; return how it ended, and where a secret was seen."""
        process = self._folder.start(*arguments)
        result = ended(process)
        places = {"standard output": result.out, "standard error": result.err.encode()}
        files = (path for path in self._folder.path.rglob("*") if path.is_file() and path != self._record)
        places.update((str(path), path.read_bytes() + str(path).encode()) for path in files)
        return result, [name for name, content in places.items() if any(form in content for form in _forms(self._spot))]


@contextmanager
def _through(spot: Spot, serve: Serve, line: Line) -> Iterator[list[Address]]:
    with proxied(spot.servers[0], serve, line) as address:
        yield [address] * len(spot.servers)


@contextmanager
def _at(*addresses: Address) -> Iterator[list[Address]]:
    yield list(addresses)


_WAYS: Final[dict[str, Callable[[Spot], Any]]] = {
    "it works or the password is wrong": lambda spot: _through(spot, spot.serve, Line()),
    "nobody listens": lambda spot: _at(*[_NOBODY] * len(spot.servers)),
    "no such host": lambda spot: _at(*[_NO_HOST] * len(spot.servers)),
    "cut at once": lambda spot: _through(spot, spot.serve, Line(at=1, cut=Cut.AFTER, stays_cut=True)),
    "cut later": lambda spot: _through(spot, spot.serve, Line(at=3, cut=Cut.AFTER, stays_cut=True)),
    "echoed": lambda spot: _through(spot, echoing_pg if spot.backend == "pg" else echoing_http, Line()),
}


@pytest.mark.parametrize("kinds", [("http", "pg", "s3-both")])
@pytest.mark.parametrize("way", _WAYS)
@pytest.mark.parametrize("debug", [(), ("--debug",)], ids=["", "debug"])
def test_failing_edits(way: str, debug: tuple[str, ...], new_spot: NewSpot, tmp_path: Path) -> None:
    spot = new_spot()
    spot.put(document(["a"], 7))
    with _WAYS[way](spot) as addresses:
        result, seen = Watched(spot, tmp_path / "folder", addresses).seen(*_EDIT, *debug)
    assert seen == [], result.err
    assert "Traceback" not in result.err
