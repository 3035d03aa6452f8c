"""Whether statetool says of provider configurations what OpenTofu says, at the same line and column.

    python benchmarks/provider_agreement.py REPOSITORY

REPOSITORY is OpenTofu's: a checkout, or a bare one. The fixtures of `internal/configs` that have to do with providers
are unpacked into a temporary folder and read by statetool; severity, place and summary are compared, sentences are not.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from statefmt.configuration import load
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.lint.check import check_configuration
from statefmt.model.findings import Finding

_FIXTURES: Final = "internal/configs/testdata"
_FOLDER: Final = "config-diagnostics"
# `path/main.tf:3,5-20: Summary; detail`, as a test of OpenTofu compares it with the text of a diagnostic.
_LINE: Final = re.compile(r"(?P<place>[^:]+:[\d,-]+): (?P<summary>[^;]+)")
_MARK: Final = re.compile(r"# (?P<severity>ERROR|WARNING): (?P<summary>.+)")
# Only these of the files with such marks have to do with providers.
_MARKED: Final = (
    "error-files/provider-source-prefix.tf",
    "error-files/required-providers-toplevel.tf",
    "warning-files/provider_ref.tf",
)


class Said(NamedTuple):
    """One thing said of a configuration. `place` is `main.tf:3,5-20`, or `main.tf:3` where only a line is known."""

    severity: str
    place: str
    summary: str

    def __str__(self) -> str:
        return f"{self.severity:<7}  {self.place:<24}  {self.summary}"


class Compared(NamedTuple):
    """One fixture: what both say, what only OpenTofu says, and what only statetool says."""

    name: str
    agreed: tuple[Said, ...]
    missing: tuple[Said, ...]
    more: tuple[Said, ...]


_TWICE = "Duplicate required provider"
_RESERVED = "Reserved argument name in provider block"
_RESERVED_BLOCK = "Reserved block type name in provider block"
_NAME = "Invalid provider local name"
# Fixtures whose diagnostics a test of OpenTofu counts or names without their places. The places are those that its code
# gives: `provider_validation.go`, `provider.go`, `resource.go`, `module.go`. Of two entries that are the same provider,
# OpenTofu takes one or the other; here it is the later one.
_BY_CODE: Final = {
    "provider_for_each": (
        Said("warning", "main.tf:19,14-22", "Provider configuration for_each matches resource"),
        Said("warning", "main.tf:26,14-22", "Provider configuration for_each matches module"),
        Said("error", "main.tf:34,14-19", "Invalid resource provider configuration"),
        Said("error", "main.tf:42,17-22", "Invalid module provider configuration"),
    ),
    "duplicate-local-name": (
        Said("warning", "main.tf:6,12-8,6", _TWICE),
        Said("warning", "main.tf:9,13-11,6", _TWICE),
        Said("error", "main.tf:22,25-26", "Missing name for resource"),
    ),
    "invalid-modules/multiple-required-providers": (
        Said("error", "b.tf:2,3-21", "Duplicate required providers configuration"),
    ),
    "invalid-files/provider-reserved.tf": (
        Said("warning", "main.tf:4,13-20", "Version constraints inside provider configuration blocks are deprecated"),
        Said("error", "main.tf:10,3-8", _RESERVED),
        Said("error", "main.tf:11,3-13", _RESERVED),
        Said("error", "main.tf:12,3-9", _RESERVED),
        Said("error", "main.tf:13,3-12", _RESERVED_BLOCK),
        Said("error", "main.tf:14,3-9", _RESERVED_BLOCK),
    ),
    "invalid-files/provider-localname-normalization.tf": (
        Said("error", "main.tf:9,1-16", _NAME),
        Said("error", "main.tf:19,14-18", _NAME),
    ),
    "invalid-files/data-invalid-provider-reference.tf": (Said("error", "main.tf:2,14-21", _NAME),),
    "invalid-files/resource-invalid-provider-reference.tf": (Said("error", "main.tf:2,14-21", _NAME),),
}


def compare(repository: Path) -> Iterator[Compared]:
    """Every fixture of a repository of OpenTofu that has to do with providers, with what both say of it."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        _unpack(repository, folder)
        root = folder / _FIXTURES
        for fixture in sorted(path for path in (root / _FOLDER).iterdir() if path.is_dir()):
            expected = [
                *_listed(fixture / "errors", "error", fixture.name),
                *_listed(fixture / "warnings", "warning", fixture.name),
            ]
            _make_sources_relative_to_root(fixture)
            yield _compared(f"{_FOLDER}/{fixture.name}", expected, fixture)
        for name in _MARKED:
            text = (root / name).read_text("utf-8")
            yield _compared(name, list(_marked(text)), _alone(root / name, folder))
        for name, said in _BY_CODE.items():
            path = root / name
            yield _compared(name, list(said), path if path.is_dir() else _alone(path, folder))


def _unpack(repository: Path, folder: Path) -> None:
    command = ["git", "-C", os.fspath(repository), "archive", "HEAD", _FIXTURES]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{repository} is no repository of OpenTofu: {done.stderr.decode(errors='replace').strip()}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")


def _listed(file: Path, severity: str, fixture: str) -> Iterator[Said]:
    """What a file `errors` or `warnings` lists, a diagnostic a line; other lines go on with the one before."""
    for line in file.read_text("utf-8").splitlines() if file.exists() else ():
        found = _LINE.match(line.strip())
        if found is not None:
            name, _, stretch = found["place"].rpartition(":")
            yield Said(severity, f"{name.rpartition(f'{fixture}/')[2]}:{stretch}", found["summary"])


def _marked(text: str) -> Iterator[Said]:
    for number, line in enumerate(text.splitlines(), 1):
        found = _MARK.search(line)
        if found is not None:
            yield Said(found["severity"].lower(), f"main.tf:{number}", found["summary"].strip())


def _make_sources_relative_to_root(fixture: Path) -> None:
    """Let `./child` in any module lead to the folder of the fixture: the test of OpenTofu reads these sources so."""
    folders = [path for path in fixture.rglob("*") if path.is_dir()]
    top = [path for path in folders if path.parent == fixture]
    for folder in folders:
        for target in top:
            link = folder / target.name
            if not link.exists():
                link.symlink_to(target, target_is_directory=True)


def _alone(file: Path, folder: Path) -> Path:
    """A folder in which a file is the only one, as `main.tf`."""
    place = Path(tempfile.mkdtemp(dir=folder))
    (place / "main.tf").write_bytes(file.read_bytes())
    return place


def _compared(name: str, expected: Sequence[Said], folder: Path) -> Compared:
    left = [_said(finding, folder) for finding in check_configuration(ProviderReferences(load(folder)))]
    agreed: list[Said] = []
    missing: list[Said] = []
    for said in expected:
        same = next((ours for ours in left if _same(said, ours)), None)
        (missing if same is None else agreed).append(said)
        if same is not None:
            left.remove(same)
    return Compared(name, tuple(agreed), tuple(missing), tuple(left))


def _said(finding: Finding, folder: Path) -> Said:
    place = finding.place
    assert place is not None, "everything found in a configuration has a place"
    end = str(place.end_column) if place.end_line == place.line else f"{place.end_line},{place.end_column}"
    file = os.path.relpath(os.path.realpath(place.file), os.path.realpath(folder))
    return Said(finding.severity.value, f"{file}:{place.line},{place.column}-{end}", finding.summary)


def _same(theirs: Said, ours: Said) -> bool:
    """OpenTofu's tests look for their text inside of a diagnostic's, so that a path may lack its beginning."""
    if (theirs.severity, theirs.summary) != (ours.severity, ours.summary):
        return False
    place = ours.place if "," in theirs.place else ours.place.partition(",")[0]
    return place == theirs.place or place.endswith(f"/{theirs.place}")


def main(repository: Path) -> int:
    places = agreed = 0
    for fixture in compare(repository):
        print(fixture.name)
        for what, said in (("agree", fixture.agreed), ("MISSING", fixture.missing), ("only here", fixture.more)):
            for each in said:
                print(f"  {what:<9}  {each}")
        places += len(fixture.agreed) + len(fixture.missing)
        agreed += len(fixture.agreed)
    print(f"{agreed} of {places} places agree")
    return int(agreed < places)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    sys.exit(main(Path(sys.argv[1])))
