"""Every operation there and back over recorded and generated states: the same bytes, but for the serial."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import hypothesis
import msgspec
import pytest
from msgspec.structs import replace

import statefmt
from statefmt.addrs import AddressError, parse_abs_resource, parse_abs_resource_instance
from statefmt.formats.writing import canonical
from statefmt.model.addrs import AbsResource, AbsResourceInstance, IntKey, NoKey
from statefmt.model.snapshot import InstanceState, ObjectStatus, Snapshot, instances
from tests.adversary.corpus import settles, states
from tests.adversary.in_process import Finished, command
from tests.adversary.observed import Observed
from tests.adversary.scenes import same_but_for_serial, without_serial
from tests.property import strategies

_NAME: Final = "t.tfstate"
_CHUNKS: Final = 4
_IN_A_CHUNK: Final = 50
_IN_THE_SAMPLE: Final = 1
_KEYS: Final = ("--encryption", "c.hcl")
_CONFIGURATION: Final = """key_provider "pbkdf2" "one" {
  passphrase = "correct-horse-battery-staple"
  iterations = 200000
}
method "aes_gcm" "one" {
  keys = key_provider.pbkdf2.one
}
state {
  method = method.aes_gcm.one
}
"""


class Trip(NamedTuple):
    """A way there and the way back."""

    there: tuple[str, ...]
    back: tuple[str, ...]


def test_some_trips(random: Random, observed: Observed, tmp_path: Path) -> None:
    _travel(random, observed, tmp_path, _IN_THE_SAMPLE)


@pytest.mark.adversary
@pytest.mark.parametrize("chunk", range(_CHUNKS))
def test_many_trips(chunk: int, random: Random, observed: Observed, tmp_path: Path) -> None:
    _travel(random, observed, tmp_path, _IN_A_CHUNK)


def _travel(random: Random, observed: Observed, folder: Path, number: int) -> None:
    here = folder / "here"
    recorded = [case for case in states() if _snapshot(case[1]) is not None]
    chosen = random.sample(recorded, min(number, len(recorded)))
    for name, data in (*chosen, *_generated(random, number)):
        snapshot = _snapshot(data)
        if snapshot is None:
            continue
        formed = statefmt.write(snapshot)
        if _snapshot(formed) is None:
            # Addresses of providers from before 0.13 that have none today.
            continue
        for form, content in (("as it is", data), ("canonical", formed)):
            if form == "canonical" and not settles(snapshot):
                continue
            if form == "as it is" and b'"version":4' not in data.replace(b" ", b""):
                continue
            for trip in _trips(random, snapshot):
                here.mkdir()
                (here / _NAME).write_bytes(content)
                (here / "c.hcl").write_text(_CONFIGURATION)

                def case(
                    what: str = "", name: str = name, form: str = form, trip: Trip = trip, content: bytes = content
                ) -> str:
                    ways = f"{shlex.join(trip.there)}; {shlex.join(trip.back)}"
                    return f"{observed.kept(content)} ({name}, {form}): {ways} {what}"

                _there_and_back(here, content, trip, form, observed, case)
                shutil.rmtree(here)
    observed.settle()


def _there_and_back(
    here: Path, content: bytes, trip: Trip, form: str, observed: Observed, case: Callable[[str], str]
) -> None:
    state = here / _NAME
    there = command(here, *trip.there)
    if there.status != 0:
        observed.count("round trips that are refused")
        observed.expect(there.status == 2, "the exit status is 0 or 2", lambda: case(_last(there)))
        observed.expect(state.read_bytes() == content, "a command that is refused leaves the file", lambda: case(""))
        return
    observed.count("round trips")
    edited = state.read_bytes()
    if form == "canonical" and trip.there[0] not in ("fmt", "encrypt"):
        # What is renamed stays in its place, and may be out of order; but it is laid out as before.
        observed.expect(_lines(edited) == _lines(_canonical(edited)), "the layout stays canonical", lambda: case(""))
    back = command(here, *trip.back)
    if back.status == 2 and "highest" in back.err:
        # No state can follow one with the highest serial.
        return
    if back.status == 2 and "(not written)" in back.err:
        # It would add an error finding: in between, an object was no longer one of several with the same id.
        back = command(here, "undo", _NAME)
    if not observed.expect(back.status == 0, "there is a way back", lambda: case(_last(back))):
        return
    now = state.read_bytes()
    if trip.there[0] == "encrypt":
        observed.expect(now == content, "decrypt gives the bytes back", lambda: case(""))
        return
    if form == "canonical":
        same = same_but_for_serial(now, content)
    else:
        # What is not where OpenTofu puts it has no place to go back to, and neither has a member among unknown ones.
        same = _lines(without_serial(_canonical(now))) == _lines(without_serial(_canonical(content)))
    observed.expect(same, f"there and back gives the bytes back ({trip.there[0]}, {form})", lambda: case(""))
    if edited == content:
        return
    state.write_bytes(content)
    shutil.rmtree(here / f".{_NAME}.statetool", ignore_errors=True)
    assert command(here, *trip.there).status == 0
    # Not as it was: a lineage is another one each time.
    edited = state.read_bytes()
    for expected in (content, edited, content):
        undone = command(here, "undo", _NAME)
        if undone.status != 0 and "highest" in undone.err:
            return
        observed.expect(
            undone.status == 0 and same_but_for_serial(state.read_bytes(), expected),
            "undo gives the bytes back",
            lambda u=undone: case(_last(u)),  # type: ignore[misc]
        )


def _trips(random: Random, snapshot: Snapshot) -> list[Trip]:
    trips = [
        _both("set-serial", ("-y", "4711"), ("-y", str(snapshot.serial))),
        Trip(("fmt", "--style", "compact", _NAME), ("undo", _NAME)),
        Trip(("new-lineage", "-y", "--state", _NAME), ("undo", _NAME)),
    ]
    if random.random() < 0.1:
        trips.append(Trip(("encrypt", "-i", *_KEYS, _NAME), ("decrypt", "-i", *_KEYS, _NAME)))
    found = instances(snapshot)
    for one in random.sample(found, min(3, len(found))):
        trips += _moves(random, one, found)
        trips += _bindings(one)
        trips += _values(random, one, found)
    return trips


def _both(name: str, there: tuple[str, ...], back: tuple[str, ...]) -> Trip:
    return Trip((name, "--state", _NAME, *there), (name, "--state", _NAME, *back))


def _moves(random: Random, one: InstanceState, found: list[InstanceState]) -> Iterator[Trip]:
    """A resource, an instance and a module renamed; a key changed."""
    addr, resource = one.addr, one.resource.addr
    place = random.choice(("", "module.zz_new.", 'module.aa_new["k é"].', "module.mm_new[0].module.deep."))
    mode = "data." if str(resource.resource).startswith("data.") else ""
    elsewhere = f"{place}{mode}{resource.resource.type}.{random.choice(('aa_new', 'zz_new'))}"
    yield _move(resource, elsewhere)
    other = elsewhere + random.choice(('["new"]', "[99]", '["a.b $1 ${x} é"]', ""))
    yield _move(addr, other)
    if addr.module.steps:
        yield _both("mv", ("-y", str(addr.module), "module.zz_other"), ("-y", "module.zz_other", str(addr.module)))
    alone = sum(other.resource.addr == resource for other in found) == 1
    old, new = _as_mapped(addr.key), random.choice(("zz new", "77"))
    if old is not None and (alone or old):
        yield _both("rekey", (str(resource), "--map", f"{old}={new}"), (str(resource), "--map", f"{new}={old}"))


def _move(old: AbsResource | AbsResourceInstance, new: str) -> Trip:
    """A move and one back. What has no address that can be written (`aws_vpc.x[-1]`) is moved back by `undo` alone."""
    there = _both("mv", ("-y", str(old), new), ("-y", new, str(old)))
    parse = parse_abs_resource_instance if isinstance(old, AbsResourceInstance) else parse_abs_resource
    with suppress(AddressError):
        if parse(str(old)) == old:
            return there
    return Trip(there.there, ("undo", _NAME))


def _bindings(one: InstanceState) -> Iterator[Trip]:
    """Another provider, and another configuration of the same."""
    config = one.resource.provider_config
    if config is None:
        return
    source, new = str(config.provider), ("--new-provider",)
    there = ("-y", *new, source, "example.org/zz/new")
    yield _both("replace-provider", there, ("-y", *new, "example.org/zz/new", source))
    bound = {str(config.instance(obj.provider_key)) for obj in one.resource.objects}
    if len(bound) == 1:
        other = str(replace(config, alias="zz_new"))
        yield _both(
            "rebind",
            (*new, "--whole-resource", str(one.addr), other),
            (*new, "--whole-resource", str(one.addr), *bound),
        )


def _values(random: Random, one: InstanceState, found: list[InstanceState]) -> Iterator[Trip]:
    """A mark, and an attribute."""
    if one.current is None:
        return
    # An address without a key may be that of the whole resource.
    together = [other.current for other in found if other.resource.addr == one.resource.addr]
    if all(obj is None or obj.status is ObjectStatus.READY for obj in together):
        selected = ("--state", _NAME, str(one.addr))
        yield Trip(("taint", *selected), ("untaint", *selected))
    if one.current.attributes is None:
        return
    try:
        members = msgspec.json.decode(one.current.attributes, type=dict[str, msgspec.Raw])
    except msgspec.DecodeError:
        return
    simple = [name for name in members if name.isascii() and name.isidentifier()]
    if not simple:
        return
    name = random.choice(simple)
    old = bytes(members[name]).decode("utf-8", "replace")
    there = (str(one.addr), "--force-type")
    yield _both("set", (*there, f"{name}={json.dumps('new <é>')}"), (*there, f"{name}={old}"))


def _as_mapped(key: object) -> str | None:
    """A key as --map writes it; None where it has a meaning there."""
    if isinstance(key, NoKey):
        return ""
    if isinstance(key, IntKey):
        return str(key.value)
    text = str(getattr(key, "value", ""))
    return text if text and text.replace(" ", "").isalpha() else None


def _lines(data: bytes) -> list[bytes]:
    return sorted(line.rstrip(b",") for line in data.splitlines())


def _canonical(data: bytes) -> bytes:
    return canonical(statefmt.read(data).snapshot, keep_unknown=True)


def _snapshot(data: bytes) -> Snapshot | None:
    try:
        return statefmt.read(data).snapshot
    except statefmt.StateError:
        return None


def _generated(random: Random, number: int) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []

    @hypothesis.seed(random.getrandbits(32))
    @hypothesis.settings(max_examples=number, database=None, phases=[hypothesis.Phase.generate])
    @hypothesis.given(strategies.states())
    def collect(state: strategies.StateText) -> None:
        found.append((f"generated {len(found)}", state.data))

    collect()
    return found


def _last(ended: Finished) -> str:
    return " ".join(ended.err.split())[-300:]
