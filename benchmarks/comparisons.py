"""What is compared with what, and how it is made sure that both do the same."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.measure import Process, run
from benchmarks.states import Kind, write_state

_COUNT: Final = (
    "import sys, orjson; state = orjson.loads(open(sys.argv[1], 'rb').read());"
    "print(sum(len(resource['instances']) for resource in state['resources']))"
)
_SAME_JSON: Final = "import sys, orjson; one, other = (orjson.loads(open(n, 'rb').read()) for n in sys.argv[1:]);"
_VICTIM: Final = 'module.cell["{:06}"].aws_instance.web[5]'
_MODULE_BYTES: Final = 110_000
_CHANGED: Final = 20
_SMALL: Final = 1_000_000
_DIFFERS: Final = frozenset({0, 1})


class Comparison(NamedTuple):
    """One line of the results: `times` is by how much the other's time is multiplied, `limit` what may not be exceeded.

    `verify` ends the program where the two do not do the same.
    """

    name: str
    ours: Process
    other_name: str
    other: Process
    limit: float
    memory_limit: float | None = None
    times: int = 1
    verify: Callable[[], None] = lambda: None


class Bench:
    """The comparisons of a run. States are made in `folder`, of `size` bytes where the issue is large states."""

    def __init__(self, folder: Path, size: int) -> None:
        self._folder = folder
        self._size = size
        self._statetool = shutil.which("statetool", path=str(Path(sys.executable).parent)) or "statetool"
        self._terraform = shutil.which("terraform") or shutil.which("tofu")
        self._jq = shutil.which("jq")

    @property
    def missing(self) -> list[str]:
        """The programs that are not on this machine."""
        return [name for name, path in (("terraform or tofu", self._terraform), ("jq", self._jq)) if path is None]

    def comparisons(self, *, huge: bool) -> Iterator[Comparison]:
        """All comparisons that can be made here, each with its input made when it is asked for."""
        if self._terraform:
            yield from self._against_terraform(self._terraform)
        large = self._state("large", self._size)
        yield self._list_and_checksum(large)
        count = Process([sys.executable, "-c", _COUNT, str(large)])
        yield Comparison(
            "check, all rules", self._ours("check", "--no-settings", str(large)), "one orjson.loads", count, 2.0,
            verify=lambda: self._same_count(large, count),
        )  # fmt: skip
        if self._jq:
            yield from self._against_jq(self._jq, large)
        if huge:
            tenfold = self._state("huge", 10 * self._size)
            yield Comparison(
                f"list, {_megabytes(10 * self._size)}", self._list(tenfold), "10 times that of a tenth of it",
                self._list(large), 1.3, times=10,
            )  # fmt: skip
            _remove(tenfold)
        # Last, since they take longest.
        if self._terraform:
            yield from self._edits(self._terraform)

    def _against_terraform(self, terraform: str) -> Iterator[Comparison]:
        name = Path(terraform).name
        yield Comparison("--version", self._ours("--version"), f"{name} version", Process([terraform, "version"]), 1.6)
        # Terraform drops resources that are bound to provider instances: it would have less to do.
        small = self._state("small", _SMALL, Kind(regions=False))
        plain = self._state("plain", self._size, Kind(regions=False))
        for state, limit in ((small, 1.2), (plain, 0.12)):
            other = Process([terraform, "state", "list", f"-state={state}"])
            yield Comparison(
                f"list, {_megabytes(state.stat().st_size)}", self._list(state), f"{name} state list", other, limit,
                verify=lambda ours=self._list(state), other=other: self._same_output(ours, other),
            )  # fmt: skip

    def _edits(self, terraform: str) -> Iterator[Comparison]:
        name, plain = Path(terraform).name, self._path("plain")
        # In the middle of the file.
        victim = _VICTIM.format(self._size // _MODULE_BYTES // 2)
        edited, theirs = self._folder / "edited.tfstate", self._folder / "theirs.tfstate"
        for operation, arguments in (("mv", [victim, "aws_instance.moved"]), ("rm", [victim])):
            ours = self._ours(operation, "--yes", "--state", str(edited), *arguments)
            other = Process([terraform, "state", operation, f"-state={theirs}", *arguments], _copying(plain, theirs))
            yield Comparison(
                f"{operation} of one instance, {_megabytes(self._size)}",
                ours._replace(prepare=_copying(plain, edited)),
                f"{name} state {operation}", other, 0.06, 0.15,
                verify=lambda: self._same_edit(terraform, edited, theirs),
            )  # fmt: skip
            _remove(edited)
            _remove(theirs)

    def _list_and_checksum(self, state: Path) -> Comparison:
        checksum = shutil.which("sha256sum") or "shasum"
        return Comparison(
            f"list, {_megabytes(self._size)}", self._list(state), "sha256sum", Process([checksum, str(state)]), 1.2
        )

    def _against_jq(self, jq: str, large: Path) -> Iterator[Comparison]:
        other = Process([jq, ".", str(large)])
        for name, ours in (
            ("fmt of a canonical state", self._ours("fmt", "--stdout", str(large))),
            ("fmt --check of a canonical state", self._ours("fmt", "--check", str(large))),
            ("upgrade of a canonical state", self._ours("upgrade", str(large))),
        ):
            shown = "--check" not in name
            yield Comparison(
                name, ours, "jq .", other, 0.15,
                verify=lambda ours=ours, shown=shown: self._same_json(ours, other, large) if shown else None,
            )  # fmt: skip
        new = self._state("changed", self._size, Kind(changed=_CHANGED))
        one, two = self._folder / "one.json", self._folder / "two.json"
        script = f"'{jq}' -S . '{large}' > '{one}' && '{jq}' -S . '{new}' > '{two}' && diff '{one}' '{two}'"
        ours = self._ours("diff", str(large), str(new))._replace(statuses=_DIFFERS)
        yield Comparison(
            f"diff with {_CHANGED} changes", ours, "jq -S . of both, and diff",
            Process(["sh", "-c", script], statuses=_DIFFERS), 0.08, verify=lambda: self._same_changes(large, new),
        )  # fmt: skip

    def _ours(self, *arguments: str) -> Process:
        return Process([self._statetool, *arguments])

    def _list(self, state: Path) -> Process:
        return self._ours("list", "--state", str(state))

    def _state(self, name: str, size: int, kind: Kind = Kind()) -> Path:
        path = self._path(name)
        write_state(path, size, kind)
        return path

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.tfstate"

    def _printed(self, process: Process) -> bytes:
        output = self._folder / "output"
        run(process, output)
        return output.read_bytes()

    def _same_output(self, ours: Process, other: Process) -> None:
        _require(self._printed(ours) == self._printed(other), ours, "prints something else")

    def _same_count(self, state: Path, count: Process) -> None:
        ours = self._ours("stats", str(state), "--format", "json")
        _require(
            json.loads(self._printed(ours))["total"]["objects"] == int(self._printed(count)), ours, "counts otherwise"
        )

    def _same_edit(self, terraform: str, edited: Path, theirs: Path) -> None:
        """Whether both left the same instances, as the real program says."""
        mine, other = (
            self._printed(Process([terraform, "state", "list", f"-state={path}"])) for path in (edited, theirs)
        )
        _require(mine == other and bool(mine), self._list(edited), "has other instances")

    def _same_json(self, ours: Process, other: Process, state: Path) -> None:
        """Whether ours prints the state as it is, since it is canonical, and the other the same JSON."""
        mine, theirs = self._folder / "mine", self._folder / "theirs"
        run(ours, mine)
        run(other, theirs)
        run(Process(["cmp", str(mine), str(state)]))
        run(Process([sys.executable, "-c", f"{_SAME_JSON} sys.exit(one != other)", str(mine), str(theirs)]))

    def _same_changes(self, old: Path, new: Path) -> None:
        ours = self._ours("diff", str(old), str(new), "--format", "json")._replace(statuses=_DIFFERS)
        found = json.loads(self._printed(ours))
        _require(len(found["changed"]) == _CHANGED and not found["added"], ours, "finds other changes")
        lines = self._printed(Process(["diff", str(old), str(new)], statuses=_DIFFERS)).count(b"\n> ")
        _require(lines == _CHANGED, ours, f"finds {_CHANGED} changes, and diff {lines}")


def _copying(source: Path, target: Path) -> Callable[[], None]:
    """Makes a fresh copy, which is on disk and has no backups beside it."""

    def copy() -> None:
        _remove(target)
        shutil.copyfile(source, target)
        descriptor = os.open(target, os.O_RDWR)
        os.fsync(descriptor)
        os.close(descriptor)

    return copy


def _remove(state: Path) -> None:
    """Remove a state and all that programs have put beside it."""
    for path in [*state.parent.glob(f"{state.name}*"), *state.parent.glob(f".{state.name}*")]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _require(holds: bool, process: Process, what: str) -> None:
    if not holds:
        raise SystemExit(f"{' '.join(process.command)}: {what}")


def _megabytes(size: int) -> str:
    return f"{round(size / 1e6):,} MB"
