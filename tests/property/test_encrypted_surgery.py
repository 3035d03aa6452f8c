"""Whatever surgery the commands do to an encrypted state: inside is what they make of the plain one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest
from hypothesis import given, settings, strategies as st
from msgspec import Raw
from msgspec.structs import replace

import statefmt
from statefmt.cli.main import main
from statefmt.cli.names import SECTIONS
from statefmt.encryption import EnvelopeLayout, decrypt, parse_envelope
from statefmt.model.snapshot import InstanceState, Snapshot, instances
from tests.analysis.diff.realistic import realistic
from tests.cli.encrypted import configuration, configured, encrypted as encrypted_state

Arguments = Callable[[st.DrawFn, InstanceState], list[str]]


def _selected(*more: str) -> Arguments:
    return lambda draw, one: [draw(st.sampled_from([str(one.addr), str(one.resource.addr), "**"])), *more]


def _moved(draw: st.DrawFn, one: InstanceState) -> list[str]:
    return [str(one.resource.addr), f"module.fresh{draw(st.integers(0, 3))}.{one.resource.addr.resource}"]


def _rekeyed(draw: st.DrawFn, one: InstanceState) -> list[str]:
    return [
        str(one.resource.addr),
        draw(st.sampled_from(["--by", "--map"])),
        draw(st.sampled_from(["id", "=a", "0=b"])),
    ]


def _rebound(draw: st.DrawFn, one: InstanceState) -> list[str]:
    config = one.resource.provider_config
    alias = "west" if config is None else config.alias or "west"
    target = draw(st.sampled_from([f'aws.{alias}["ap"]', "aws.other", "aws"]))
    return ["--new-provider", str(one.resource.addr), target]


def _replaced(draw: st.DrawFn, one: InstanceState) -> list[str]:
    return ["--new-provider", "hashicorp/aws", draw(st.sampled_from(["acme/aws", "example.com/acme/aws"]))]


# The arguments of each command, for some instance of the state.
SURGERY: Final[dict[str, Arguments]] = {
    "mv": _moved,
    "rm": _selected(),
    "rekey": _rekeyed,
    "rebind": _rebound,
    "replace-provider": _replaced,
    "taint": _selected(),
    "untaint": _selected(),
    "forget-deposed": lambda draw, one: ["**"],
    "set": _selected('id="<new>"'),
    "unset": _selected("id"),
    "set-serial": lambda draw, one: [str(draw(st.integers(0, 2**53)))],
    "new-lineage": lambda draw, one: [],
    "undo": lambda draw, one: [],
}


def test_all_surgery_is_in_it() -> None:
    """But for what a person does in an editor, and what needs a configuration."""
    assert SURGERY.keys() - {"undo"} == SECTIONS["Surgery"].keys() - {"edit", "adopt"}


def _with_deposed(snapshot: Snapshot) -> Snapshot:
    """The snapshot with a deposed object beside the first one."""
    first, *rest = snapshot.resources
    attributes = Raw(b'{"id":"left over"}')
    deposed = replace(first.objects[0], deposed="1a2b3c4d", attributes=attributes, origin=None)
    return replace(snapshot, resources=(replace(first, objects=(*first.objects, deposed)), *rest))


@st.composite
def _cases(draw: st.DrawFn, command: str) -> tuple[bytes, list[list[str]]]:
    """A state, and what is done to it: the command, after one that leaves something to undo, and perhaps others."""
    snapshot = _with_deposed(realistic(draw(st.integers(0, 200))))
    some = st.sampled_from(instances(snapshot))
    commands = [*draw(st.lists(st.sampled_from(sorted(SURGERY)), max_size=2)), command]
    lines = [[name, *SURGERY[name](draw, draw(some)), "--yes"] for name in commands]
    return statefmt.write(snapshot, canonical=False), [["taint", "**", "--yes"], *lines]


@pytest.mark.parametrize("command", SURGERY)
# Each example derives keys many times.
@settings(max_examples=settings().max_examples // 12)
@given(st.data(), st.sampled_from(EnvelopeLayout))
def test_surgery(command: str, data: st.DataObject, layout: EnvelopeLayout) -> None:
    text, lines = data.draw(_cases(command))
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        plain, encrypted = Path(folder, "p"), Path(folder, "e")
        plain.write_bytes(text)
        encrypted.write_bytes(encrypted_state(text, "new", layout=layout))
        patched.setenv("TF_ENCRYPTION", json.dumps(configuration("new")))
        for line in lines:
            outcomes = [_run([*line, "--state", str(path)], path) for path in (plain, encrypted)]
            assert outcomes[0] == outcomes[1], line
            inside = decrypt(encrypted.read_bytes(), configured("new")).plain
            assert _without_lineage(inside) == _without_lineage(plain.read_bytes()), line
        envelope = parse_envelope(encrypted.read_bytes())
        assert envelope is not None
        assert envelope.layout is layout


def _run(line: list[str], path: Path) -> tuple[int, str, str]:
    """The exit status, and what was said, but for the name of the file."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(line)
    said = []
    for text in (out, err):
        one_line = re.sub(r"\s+", " ", text.getvalue().replace(str(path), "STATE"))
        said.append(_without_lineage(re.sub(r"STATE\.[0-9-]+", "STATE", one_line).encode()).decode())
    return status, said[0], said[1]


def _without_lineage(text: bytes) -> bytes:
    """A new lineage is random."""
    return re.sub(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", b"UUID", text)
