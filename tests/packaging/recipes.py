"""Recipes for the library as users write them: type checkers accept them with strict settings, and they run.

Run from a folder with `v4-regions.tfstate` and `v4-regions-later.tfstate`.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import statefmt
from statefmt import addrs
from statefmt.testing import FakeOutput, FakeResource, as_state, assert_same_state, make_state


def inventory(paths: Iterable[Path]) -> Iterator[tuple[str, str, str, str]]:
    """One row for each managed object: state, address, provider and owner."""
    for path in paths:
        for instance in statefmt.open(path).select("**", mode="managed"):
            tags: Mapping[str, str] = instance.attributes.get("tags") or {}
            yield path.name, str(instance.address), str(instance.provider), tags.get("Owner", "")


def errors(path: Path) -> list[str]:
    """The errors of a state, as lines for a log."""
    findings: list[statefmt.Finding] = statefmt.open(path).check(ignore=["SEC"])
    found = [finding for finding in findings if finding.severity is statefmt.Severity.ERROR]
    return [f"{finding.code} {finding.address}: {finding.summary}" for finding in found]


def secrets(state: statefmt.State) -> dict[str, int]:
    """How many sensitive values each instance has."""
    return {str(instance.address): len(instance.sensitive) for instance in state.select() if instance.sensitive}


def revealed(value: object) -> str:
    """A value as a string, even if it is sensitive."""
    return str(value.reveal() if isinstance(value, statefmt.Sensitive) else value)


def rebound(state: statefmt.State, old: str, new: str, *, dry_run: bool = False) -> int:
    """Bind all that one provider instance manages to another; return how many instances change."""
    with state.edit(f"bind {old} to {new}", dry_run=dry_run, lock_timeout=10.0) as edit:
        for instance in edit.select(provider=old):
            edit.rebind(instance.address, new)
    backup: Path | None = edit.backup
    assert (backup is None) is dry_run
    return len(edit.diff.rebound)


def resized(state: statefmt.State, size: str) -> statefmt.EditResult:
    """Correct an attribute; the real machines have the size already."""
    with state.edit() as edit:
        for instance in edit.select(type="aws_instance", where=["instance_type=t3.small"]):
            edit.set(instance.address, {"instance_type": size, "tags": {"Owner": "web", "Cost": None}}, force_type=True)
        edit.move("aws_vpc.main", addrs.parse_abs_resource("aws_vpc.net"))
    return edit.result


def without_data(snapshot: statefmt.Snapshot) -> statefmt.Edit:
    """An operation of one's own: drop all data sources."""
    from msgspec.structs import replace

    kept = [one for one in snapshot.resources if one.addr.resource.mode is not addrs.ResourceMode.DATA]
    return statefmt.Edit(replace(snapshot, resources=tuple(kept)), notes=("data sources dropped",))


def keys(instances: Iterable[statefmt.Instance]) -> list[int | str | None]:
    """The keys of instances as Python values."""
    return [one.key.value for one in instances]


def progress(phase: str, done: int, total: int, unit: str) -> None:
    print(f"{phase}: {done}/{total} {unit or 'bytes'}", file=sys.stderr)


def main() -> None:
    path, later = Path("v4-regions.tfstate"), statefmt.open("v4-regions-later.tfstate")
    csv.writer(sys.stdout).writerows(inventory([path]))
    state = statefmt.open(path, context=statefmt.run_context(environment={}, note=print, progress=progress))
    print(errors(path), secrets(state), keys(state.select("aws_instance.web")), state.outputs.keys())
    for name, output in state.outputs.items():
        print(name, revealed(output.value), [revealed(output.at("[0]"))] if isinstance(output.value, tuple) else [])
    for change in state.diff(later).moved:
        print(change.addr, change.is_rekeyed)
    old, new = 'aws.by_region["eu-west-1"]', 'aws.by_region["eu-north-1"]'
    print(rebound(state, old, new, dry_run=True), rebound(state, old, new), resized(state, "t3.large").serial)
    with state.edit("drop data sources") as edit:
        edit.apply(without_data)
    print(edit.notes, state.undo().written, [entry.command for entry in state.history()])
    try:
        state.select("aws_vpc.absent")
    except statefmt.SelectionError as error:
        print(error.code, error.address, error.location)
    found: statefmt.Inspection = statefmt.inspect(path.read_bytes())
    assert found.snapshot is not None and statefmt.write(found.snapshot, canonical=False) == path.read_bytes()
    made = make_state([FakeResource("a.b", {"id": "1"}, identity={"n": 1})], {"o": FakeOutput("x", sensitive=True)})
    assert_same_state(made, statefmt.read(made).snapshot)
    assert as_state(made) == as_state(made)


if __name__ == "__main__":
    main()
