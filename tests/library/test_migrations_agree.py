"""Upgrades and downgrades through commands and through the library give the same bytes, or are both refused."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

import statefmt
from statefmt.cli.main import main
from statefmt.testing import make_state
from tests.formats.recorded import CASES, GROUPS, input_of
from tests.library.generated_edits import generated_state

# One of so many recorded states, unless all of them are tested.
_EACH: Final = 12
_LOCK_FILE: Final = 'provider "registry.terraform.io/hashicorp/aws" {\n  version = "1.0.0"\n}\n'


class Options(NamedTuple):
    """The options of a command, and the same as arguments; `release` is that of a downgrade."""

    line: str
    given: dict[str, Any]
    release: str = ""


_ALL: Final = (
    Options("upgrade", {}),
    Options("upgrade --registry opentofu", {"registry": "opentofu"}),
    Options("downgrade --for terraform-1.5 --registry terraform", {"registry": "terraform"}, "terraform-1.5"),
    Options("upgrade --registry terraform --style compact", {"registry": "terraform", "layout": "compact"}),
    Options("upgrade --registry keep --style keep", {"registry": "keep", "layout": "keep"}),
    Options("downgrade --for 1.8 --registry keep", {"registry": "keep"}, "1.8"),
    Options("upgrade --legacy-provider aws=acme/aws", {"sources": {"aws": "acme/aws"}}),
    Options("upgrade --registry opentofu --drop-unknown", {"registry": "opentofu", "drop_unknown": True}),
    Options("upgrade --config .", {"config": "."}),
    Options(
        "downgrade --for 1.9 --drop-lossy --drop-unknown --registry opentofu",
        {"drop_lossy": True, "drop_unknown": True, "registry": "opentofu"},
        "1.9",
    ),
    Options("downgrade --for 1.13 --style keep", {"layout": "keep"}, "1.13"),
)


@pytest.mark.parametrize("every", [_EACH, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("group", GROUPS)
def test_recorded(group: str, every: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(".terraform.lock.hcl").write_text(_LOCK_FILE)
    written = 0
    for number, case in enumerate([case for case in CASES if case["group"] == group][::every]):
        written += _agree(input_of(case), _ALL[number % len(_ALL)])
    assert written or group == "multi-error"


@pytest.mark.parametrize("seed", range(40))
def test_generated(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    state = generated_state(random.Random(seed))
    for place in range(3):
        _agree(state, _ALL[(3 * seed + place) % len(_ALL)])


@pytest.mark.parametrize("options", _ALL, ids=[options.line for options in _ALL])
def test_every_option_writes(options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert _agree(make_state({"aws_vpc.main": {"id": "vpc-1"}}), options)


def _agree(data: bytes, options: Options) -> bool:
    """Compare the four ways; return whether the state was accepted."""
    for name in ("command", "library"):
        Path(name).write_bytes(data)
    command, *line = options.line.split()
    printed = _run(command, "command", *line)
    in_memory = _attempt(lambda: _in_memory(data, options).data)
    assert in_memory == (printed.out if printed.status == 0 else None), (options.line, printed.err)
    if in_memory is not None and statefmt.inspect(data).snapshot is None:
        # New sources mend it, but without them, it cannot be opened.
        return True
    in_place = _run(command, "command", "--in-place", *line)
    made = _attempt(lambda: _in_place(Path("library"), options))
    assert (made is None) is (in_place.status != 0), (options.line, in_place.err)
    assert Path("library").read_bytes() == Path("command").read_bytes(), options.line
    assert made is None or (made.data == Path("library").read_bytes() and made.written is (made.data != data))
    return in_place.status == 0


class Result(NamedTuple):
    """The exit status of a command, and what it wrote."""

    status: int
    out: bytes
    err: str


def _run(*line: str) -> Result:
    out = BytesIO()
    with redirect_stdout(TextIOWrapper(out, write_through=True)), redirect_stderr(StringIO()) as messages:
        return Result(main(list(line)), out.getvalue(), messages.getvalue())


def _in_memory(data: bytes, options: Options) -> statefmt.Migration:
    # The command finds the lock file beside the state; bytes have no place.
    given = options.given if "registry" in options.given else {"config": "."} | options.given
    return statefmt.downgrade(data, options.release, **given) if options.release else statefmt.upgrade(data, **given)


def _in_place(path: Path, options: Options) -> statefmt.Migration:
    state = statefmt.open(path)
    return state.downgrade(options.release, **options.given) if options.release else state.upgrade(**options.given)


def _attempt(function: Callable[[], Any]) -> Any:
    """Call a function; None if it refuses."""
    try:
        return function()
    except statefmt.StatetoolError:
        return None
