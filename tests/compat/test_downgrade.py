"""What `statetool downgrade` wrote loses nothing in the real program, and what it refuses does lose what it names."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

import statefmt
from statefmt.formats.losses import losses
from statefmt.formats.releases import Release, all_releases
from tests.cli.conftest import Statetool
from tests.cli.states import SAMPLES
from tests.compat.content import content, gained, instances, lost, objects
from tests.compat.program import Output, Program
from tests.compat.states import SWEEP, Document, documents, sweep, text_of
from tests.formats.recorded import CASES, GROUPS, input_of
from tests.property.strategies import StateText, states as odd_states


@pytest.fixture
def release(real: Program) -> Release:
    """The release of the program, or the last before it that statetool knows."""
    known = [each for each in all_releases() if each.engine == real.engine and each.version <= real.minor]
    return known[-1]


class Both:
    """statetool and a real program, asked about the same states."""

    def __init__(self, statetool: Statetool, real: Program, release: Release, folder: Path) -> None:
        self.release = release
        self._statetool = statetool
        self.real = real
        self._folder = folder
        # How many states with instances came back whole from the real program, and how many it really loses some of.
        self.whole = 0
        self.refused = 0

    def written(self, data: bytes, *command: str) -> bytes | None:
        """What a command of statetool writes for a state, or nothing where it refuses."""
        (self._folder / "own.tfstate").write_bytes(data)
        result = self._statetool(*command, "own.tfstate")
        assert result.status in (0, 2), result.err
        return result.out if result.status == 0 else None

    def pulled(self, data: bytes) -> Output:
        """What the real program makes of a state: it reads it, and writes what it knows."""
        (self._folder / "terraform.tfstate").write_bytes(data)
        return self.real.run(self._folder, "state", "pull")

    def disagreement(self, data: bytes, *options: str) -> str:
        """What is wrong with what statetool says of a state, in a sentence; "" where nothing is."""
        before = self.written(data, "upgrade", "--registry", "keep")
        if before is None:
            return ""
        registry = () if "--registry" in options else ("--registry", "keep")
        after = self.written(data, "downgrade", "--for", str(self.release), *options, *registry)
        if after is None:
            return self._wrong_refusal(before, all_of_it=not options)
        rewrite = self.pulled(after)
        if rewrite.status != 0:
            return f"refuses what was written: {rewrite.err}"
        wrong = lost(content(after), content(rewrite.out)) | gained(content(after), content(rewrite.out))
        if wrong:
            return f"writes something else than statetool in {sorted(wrong)}"
        listed = self.real.run(self._folder, "state", "list").out.splitlines()
        if sorted(listed) != instances(before):
            return f"lists {listed}"
        self.whole += bool(listed)
        if options:
            kept, had = objects(content(after)), objects(content(before))
            return "" if kept == had else f"downgrade lost {sorted(had - kept)}"
        gone = lost(content(before), content(after)) | self._lost_since(data, after)
        return f"downgrade lost {sorted(gone)}" if gone else ""

    def _lost_since(self, data: bytes, after: bytes) -> set[tuple[str, str]]:
        """What the program itself sees in a state and not in what statetool made of it: no fault of reading hides here.

        Where a provider address is short or stands on two levels, OpenTofu reads another one than Terraform does: the
        provider of an object that is still there may differ.
        """
        rewrite = self.pulled(data)
        if rewrite.status != 0:
            return set()
        seen, kept = content(rewrite.out), content(after)
        rebound = {place for place in seen.keys() & kept.keys() if place[1] == "provider"}
        assumed = seen.keys() - kept.keys() - gained(kept, seen)
        return lost(seen, kept) - rebound - assumed

    def _wrong_refusal(self, before: bytes, *, all_of_it: bool) -> str:
        named = {(loss.at, loss.field) for loss in losses(statefmt.read(before).snapshot, self.release)}
        rewrite = self.pulled(before)
        if rewrite.status != 0:
            self.refused += 1
            return "" if named else "refused without a reason"
        gone = lost(content(before), content(rewrite.out))
        # An object that is lost with its provider takes its members with it.
        named = {place for place in named if place[1] == "provider" or (place[0], "provider") not in named}
        if not all_of_it:
            named, gone = ({place for place in places if place[1] == "provider"} for places in (named, gone))
        self.refused += bool(gone)
        return "" if named == gone else f"named {sorted(named - gone)} for nothing, and not {sorted(gone - named)}"


@pytest.fixture
def both(statetool: Statetool, real: Program, release: Release, folder: Path) -> Both:
    return Both(statetool, real, release, folder)


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.glob("v*.tfstate")))
def test_samples(name: str, both: Both) -> None:
    assert both.disagreement((SAMPLES / name).read_bytes()) == ""


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.glob("v*.tfstate")))
def test_samples_for_the_registry_of_the_program(name: str, both: Both) -> None:
    """The addresses of providers are rewritten for it, and those from before 0.13 completed."""
    data = (SAMPLES / name).read_bytes()
    assert both.disagreement(data, "--drop-lossy", "--drop-unknown", "--registry", both.release.engine) == ""


def test_round_trips(both: Both) -> None:
    """Every state that has only what a release of Terraform can hold is written, and comes back whole."""

    def holds(document: Document) -> None:
        assert both.disagreement(text_of(document)) == ""

    number = sweep(both.real, documents(portable=True), holds)
    # A state may be tried once more after all.
    assert both.whole >= number >= SWEEP // both.real.share
    assert both.refused == 0


def test_generated(both: Both) -> None:
    """Also states that have more than that: some are written, some refused."""

    def holds(document: Document) -> None:
        assert both.disagreement(text_of(document)) == ""

    number = sweep(both.real, documents(), holds)
    assert both.whole + both.refused >= number
    # A small share of them may happen to be of one kind.
    assert (both.whole and both.refused) or both.real.share > 1


def test_generated_without_what_only_informs(both: Both) -> None:
    def holds(document: Document) -> None:
        assert both.disagreement(text_of(document), "--drop-lossy", "--registry", both.release.engine) == ""

    sweep(both.real, documents(), holds)
    assert both.whole or both.real.share > 1


def test_generated_oddities(both: Both) -> None:
    """What only carries information, and what nobody knows, is dropped; nothing else may be."""

    def holds(state: StateText) -> None:
        assert both.disagreement(state.data, "--drop-lossy", "--drop-unknown") == ""

    sweep(both.real, odd_states(), holds)
    assert both.whole or both.real.share > 1


# Recorded states on which the two do not agree, with the reason.
DISAGREE: Final = {
    "check-results/044-unknown-members": "statetool names the unknown member in `objects`, and not all of `objects`",
    "v3-upgrade/046-addr-aws_instance_web_9223372036854775807": "the key is too large, and is named as it is read",
}


# One half of the cases in `make test`, the other in `make slow`.
_HALVES: Final = [0, pytest.param(1, marks=pytest.mark.slow)]


@pytest.mark.parametrize("half", _HALVES)
@pytest.mark.parametrize("group", GROUPS)
def test_recorded(group: str, half: int, both: Both) -> None:
    cases = [case for case in CASES if case["group"] == group][half :: 2 * both.real.share]
    why = {case["id"]: both.disagreement(input_of(case)) for case in cases}
    assert {name: reason for name, reason in why.items() if reason and name not in DISAGREE} == {}
    assert all(why[name] for name in why.keys() & DISAGREE.keys())
