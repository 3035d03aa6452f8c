"""Mutated states through the library and through commands: refused or read, and never anything else."""

from __future__ import annotations

import re
import shutil
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Final

import pytest

import statefmt
from statefmt.formats.losses import fit, losses
from statefmt.formats.releases import all_releases
from statefmt.formats.writing import canonical
from tests.adversary.corpus import settles, states
from tests.adversary.in_process import Finished, HangError, command, guarded
from tests.adversary.mutations import CANARY, mutated
from tests.adversary.observed import Observed
from tests.adversary.scenes import same_but_for_serial

_NAME: Final = "t.tfstate"
_CHUNKS: Final = 8
_IN_A_CHUNK: Final = 600
_IN_THE_SAMPLE: Final = 75
# C0 but for the ends of lines and tabs, DEL and C1.
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")
_READING: Final = (
    "list --state {}", "list -l --state {}", "list -l --format json --state {}",
    "show --state {}", "show --format json --state {}", "show --expand --state {}", "providers {}",
    "providers --tree --resources {}", "providers --format json {}", "outputs {}", "outputs --format json {}",
    "stats {}", "stats --all --format json {}", "graph {}", "graph --format mermaid {}",
    "graph --implied --format json {}", "check --no-settings {}", "check --no-settings --format json {}",
    "check --no-settings --format sarif {}", "check --no-settings --format junit {}",
    "check --no-settings --format github {}", "check --no-settings --statistics {}",
    "check --no-settings --for 1.8 {}", "diff {} original", "diff original {} --format json",
    "diff {} original --format markdown", "diff original {} --moved-blocks", "diff original {} --stat",
    "fmt --check {}", "encryption-info {}", "encryption-info --format json {}", "history {}",
    "mv --dry-run --state {} aws_instance.web aws_instance.other", "rm -y --dry-run --state {} **",
    "list --id * --state {}", "list --tainted --deposed --state {}", "list --provider aws --state {}",
    "providers --remove aws {}", "downgrade --for 1.8 -o downgraded {}", "upgrade --registry keep -o upgraded {}",
    "fmt --style compact --check {}",
)  # fmt: skip
# They print the state itself, or what a program is to read to the byte.
_PRINTING: Final = ("fmt --stdout {}", "upgrade {}", "downgrade --for 1.6 {}", "upgrade --registry terraform {}",
                    "list -0 --state {}", "list -l --format csv --state {}", "decrypt {}")  # fmt: skip
_WRITING: Final = (
    "fmt --registry keep {}", "fmt --style compact {}", "fmt --drop-unknown {}", "upgrade -i --registry keep {}",
    "upgrade -i --registry opentofu {}", "downgrade -i --for 1.8 {}",
    "downgrade -i --for terraform-1.5 --drop-lossy {}", "set-serial 99 -y --state {}", "taint --state {} **",
    "untaint --state {} **", "rm -y --state {} **[*]", "forget-deposed -y --state {} **",
    "new-lineage -y --state {}", "replace-provider hashicorp/aws example.org/a/b --state {}",
    "replace-provider -y --new-provider hashicorp/aws opentofu/aws --state {}",
    "mv --state {} **.aws_*.* module.new.aws_$2.$3", "mv -y --state {} module.a module.b",
    "rebind --new-provider --whole-resource ** aws.other --state {}", "unset ** id --state {}",
    'set ** id="x" --state {}', "rekey ** --map a=b,0=zero --state {}", "rekey ** --by id --state {}",
)  # fmt: skip


def test_some_mutations(random: Random, observed: Observed, tmp_path: Path) -> None:
    _mutate(random, observed, tmp_path, _IN_THE_SAMPLE)


@pytest.mark.adversary
@pytest.mark.parametrize("chunk", range(_CHUNKS))
def test_many_mutations(chunk: int, random: Random, observed: Observed, tmp_path: Path) -> None:
    _mutate(random, observed, tmp_path, _IN_A_CHUNK)


def _mutate(random: Random, observed: Observed, folder: Path, number: int) -> None:
    for _ in range(number):
        name, original = random.choice(states())
        data, has_canary = mutated(random, original, states())
        (folder / "original").write_bytes(original)
        observed.count("mutated states")

        def reproduction(what: str = "", data: bytes = data, name: str = name) -> str:
            return f"{observed.kept(data)} (from {name}): {what}"

        accepted = _through_the_library(data, random, observed, reproduction)
        observed.count("mutated states that are read", int(accepted))
        for template in (*random.sample(_READING, 3), random.choice(_PRINTING), random.choice(_WRITING)):
            _through_a_command(folder, template, data, has_canary, observed, reproduction)
    observed.settle()


def _through_the_library(data: bytes, random: Random, observed: Observed, reproduction: Callable[[str], str]) -> bool:
    step = "inspect"
    try:
        with guarded():
            inspection = statefmt.inspect(data)
            step = "read"
            try:
                snapshot = statefmt.read(data).snapshot
            except statefmt.StateError:
                # An encrypted state has no findings that are errors, and no snapshot.
                observed.expect(
                    inspection.snapshot is None or any(f.severity.value == "error" for f in inspection.findings),
                    "read raises only where inspect finds errors",
                    lambda: reproduction(step),
                )
                step = "check of what cannot be read"
                with suppress(statefmt.StateError):
                    statefmt.check(data)
                return False
            step = "check"
            statefmt.check(data)
            step = "diff with itself"
            observed.expect(not statefmt.diff(snapshot, snapshot), "diff(a, a) is empty", lambda: reproduction(""))
            step = "write"
            text = statefmt.write(snapshot)
            step = "read of what was written"
            try:
                again = statefmt.read(text).snapshot
            except statefmt.StateError as error:
                # Names of providers from before 0.13 may have an underscore, and addresses may not: `fmt` refuses it.
                codes = {finding.code for finding in error.findings if finding.severity.value == "error"}
                observed.expect(codes == {"PRV004"}, "what is written can be read", lambda: reproduction(str(codes)))
                return True
            if not settles(snapshot):
                return True
            observed.expect(
                statefmt.write(again) == text, "a second write gives the same bytes", lambda: reproduction("")
            )
            # Members that nobody knows are dropped by the canonical form alone.
            everything = statefmt.read(canonical(snapshot, keep_unknown=True)).snapshot
            observed.expect(
                not statefmt.diff(snapshot, everything), "what is written says the same", lambda: reproduction("")
            )
            step = "write as it is"
            observed.expect(
                statefmt.write(snapshot, canonical=False) == data if inspection.version == 4 else True,
                "a state that nobody changed is written with its own bytes",
                lambda: reproduction(""),
            )
            step = "downgrade"
            release = random.choice(all_releases())
            losses(snapshot, release)
            statefmt.write(fit(snapshot, release, drop_lossy=True, drop_unknown=True).snapshot)
    except HangError:
        observed.expect(False, "no hang", lambda: reproduction(step))
    except Exception as error:
        where = traceback.format_exc(limit=-2).splitlines()[1:]
        kind = type(error).__name__
        observed.expect(False, f"no {kind} in {step}", lambda: reproduction(" ".join(" ".join(where).split())))
    return True


def _through_a_command(
    folder: Path, template: str, data: bytes, has_canary: bool, observed: Observed, reproduction: Callable[[str], str]
) -> None:
    state = folder / _NAME
    state.write_bytes(data)
    ended = command(folder, *(part.format(_NAME) if part == "{}" else part for part in template.split()))
    observed.count("commands on mutated states")

    def case() -> str:
        return reproduction(f"statetool {template}: {ended.status} {' '.join(ended.err.split())[-400:]}")

    if not observed.expect(ended.status is not None, _kind_of(ended), case):
        _tidy(folder)
        return
    observed.expect(ended.status in (0, 1, 2), "the exit status is 0, 1 or 2", case)
    observed.expect("Traceback" not in ended.err, "no traceback is printed", case)
    if ended.status == 2 or template not in _WRITING:
        observed.expect(state.read_bytes() == data, "a command that fails or only looks leaves the file", case)
    elif ended.status == 0:
        _check_undo(folder, data, observed, case)
    shown = ended.err if template in _PRINTING else ended.out + ended.err
    control = _CONTROL.search(shown)
    observed.expect(
        control is None, "no raw control characters",
        lambda: f"{case()} … {control and shown[max(0, control.start() - 60) : control.end() + 20]!r}",
    )  # fmt: skip
    if has_canary:
        observed.expect(CANARY not in shown, "what is sensitive is not shown", case)
    _tidy(folder)


def _check_undo(folder: Path, data: bytes, observed: Observed, case: Callable[[], str]) -> None:
    """An edit that can be taken back gives the bytes back, but for the serial."""
    if (folder / _NAME).read_bytes() == data:
        return
    undone = command(folder, "undo", _NAME)
    observed.count("undone edits of mutated states")
    if undone.status != 0:
        observed.expect(undone.status == 2, f"undo: {_kind_of(undone)}", lambda: f"{case()}, undo: {undone.err[-300:]}")
        observed.expect("serial" in undone.err, "an edit can be undone", lambda: f"{case()}, undo: {undone.err[-300:]}")
        return
    back = (folder / _NAME).read_bytes()
    observed.expect(same_but_for_serial(back, data), "undo gives the bytes back", case)


def _kind_of(ended: Finished) -> str:
    """The exception that a command raised, and where, for failures of one cause to be counted together."""
    lines = ended.err.strip().splitlines()
    if ended.status is not None or not lines:
        return "no exception"
    where = [line.split("statefmt/")[-1].replace('"', "") for line in lines if 'File "' in line]
    return f"no {lines[-1].split(':')[0]} ({where[-1] if where else ''})"


def _tidy(folder: Path) -> None:
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != "original":
            path.unlink()
