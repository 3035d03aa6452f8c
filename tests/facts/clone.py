"""Read the releases of a clone of OpenTofu or Terraform, and the names that the sources of each have."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from tests.facts.sources import GROUPS, names_in

Version: TypeAlias = tuple[int, int]
# A group and a name in it.
Name: TypeAlias = tuple[str, str]

_MODULES: Final = {"github.com/opentofu/opentofu": "opentofu", "github.com/hashicorp/terraform": "terraform"}
_TAG: Final = re.compile(r"v(\d+)\.(\d+)\.(\d+)(?:-(alpha|beta|rc)(\d+))?")
# The order of releases with the same number; a final release comes last.
_STAGES: Final = ("alpha", "beta", "rc", None)
# What statetool knows of each engine starts here.
_OLDEST: Final = {"opentofu": (1, 6), "terraform": (0, 12)}


class CloneError(Exception):
    """The folder is not a clone that can be read."""


class Clone:
    """A clone, bare or not. `go.mod` names the `engine`; `revisions` has the newest of each minor release."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        module = re.search(r"^module (\S+)$", self._text("go.mod"), re.MULTILINE)
        engine = _MODULES.get(module[1]) if module else None
        if engine is None:
            raise CloneError(f"{folder} is not a clone of OpenTofu or Terraform: {' or '.join(_MODULES)} in go.mod")
        self.engine = engine
        self.revisions: Mapping[Version, str] = self._revisions()
        self._names: dict[str, tuple[Name, ...]] = {}

    def names(self, version: Version) -> Mapping[Name, str]:
        """Return the names that a release has, each with the first file that has it."""
        files = {}
        for line in self._git("ls-tree", "-r", self.revisions[version]).splitlines():
            entry, path = line.split("\t", 1)
            if any(group.files.fullmatch(path) for group in GROUPS.values()):
                files[path] = entry.split()[2]
        self._read({path: blob for path, blob in files.items() if path + blob not in self._names})
        found: dict[Name, str] = {}
        for path, blob in files.items():
            for name in self._names[path + blob]:
                found.setdefault(name, path)
        return found

    def commit(self, word: str, version: Version, path: str) -> str:
        """Return the first commit since the release before that changed how often a word is in a file; "" if none.

        Some names are constants of another file in the folder.
        """
        earlier = [revision for before, revision in self.revisions.items() if before < version]
        between = f"{earlier[-1]}..{self.revisions[version]}" if earlier else self.revisions[version]
        for place in (path, path.rpartition("/")[0]):
            if found := self._git("log", "--reverse", "--format=%h", "-S", word, between, "--", place):
                return found.partition("\n")[0]
        return ""

    def _revisions(self) -> Mapping[Version, str]:
        newest: dict[Version, tuple[tuple[int, int, int], str]] = {}
        for tag in self._git("tag").split():
            match = _TAG.fullmatch(tag)
            if match is None:
                continue
            version = int(match[1]), int(match[2])
            order = int(match[3]), _STAGES.index(match[4]), int(match[5] or 0)
            newest[version] = max(newest.get(version, ((0, 0, 0), "")), (order, tag))
        revisions = {version: tag for version, (_, tag) in newest.items() if version >= _OLDEST[self.engine]}
        if not revisions:
            raise CloneError(f"{self._folder} has no tags of releases: git fetch --tags")
        # The main branch is the release that comes next.
        development = re.match(r"(\d+)\.(\d+)\.", self._text("version/VERSION"))
        coming = (int(development[1]), int(development[2])) if development else (0, 0)
        if coming >= max(revisions) and "-" in revisions.get(coming, "-"):
            revisions[coming] = "HEAD"
        return dict(sorted(revisions.items()))

    def _read(self, files: Mapping[str, str]) -> None:
        """Read the names of files, given by path and blob."""
        for (path, blob), text in zip(files.items(), self._blobs(list(files.values())), strict=True):
            self._names[path + blob] = tuple(dict.fromkeys(names_in(path, text)))

    def _blobs(self, blobs: list[str]) -> Iterator[str]:
        data = self._output("cat-file", "--batch", standard_input="\n".join(blobs).encode())
        start = 0
        for blob in blobs:
            end = data.index(b"\n", start)
            header = data[start:end].split()
            if header[-1] == b"missing":
                raise CloneError(f"{self._folder} lacks the blob {blob}: the clone is partial")
            start, size = end + 1, int(header[2])
            yield data[start : start + size].decode("utf-8", "replace")
            start += size + 1

    def _text(self, path: str) -> str:
        """Return a file of the main branch; "" if there is none."""
        try:
            return self._git("show", f"HEAD:{path}")
        except CloneError:
            return ""

    def _git(self, *arguments: str) -> str:
        return self._output(*arguments).decode("utf-8", "replace")

    def _output(self, *arguments: str, standard_input: bytes = b"") -> bytes:
        done = subprocess.run(
            ["git", "-C", str(self._folder), *arguments], input=standard_input, capture_output=True, check=False
        )
        if done.returncode:
            raise CloneError(done.stderr.decode("utf-8", "replace").strip())
        return done.stdout
