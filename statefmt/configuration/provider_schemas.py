"""Runs `tofu` or `terraform` to get the schemas of a directory's providers, and caches the output.

`providers schema -json` starts the provider programs that `init` installed in the directory. The cache is keyed by
the content of the lock file, which holds a hash of each provider package. Source of the lock file: OpenTofu
`internal/depsfile/locks_file.go`.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from statefmt.hcl.source import Problem, SourceText
from statefmt.hcl.syntax.native import LARGEST_FILE, read_file
from statefmt.model.addrs.provider import Provider, parse_provider_source
from statefmt.model.errors import AddressError, StoreError
from statefmt.store.files import read_bounded

# The schemas of the largest providers take about 100 MB.
_MOST: Final = 1 << 30
_LARGEST_LOCK_FILE: Final = 1 << 24
_ARGUMENTS: Final = ("providers", "schema", "-json", "-no-color")
# The program to which each registry belongs.
_PROGRAMS: Final = {"registry.opentofu.org": "tofu", "registry.terraform.io": "terraform"}


@dataclass(frozen=True, slots=True)
class SchemaSource:
    """A directory whose providers have schemas; `environment` finds the program and the cache."""

    directory: Path
    environment: Mapping[str, str]

    def program(self) -> str:
        """Return the program whose registry the lock file names, else the first installed program.

        Raises StoreError if neither is installed, or the lock file cannot be read.
        """
        locked = locked_providers(self.directory / LOCK_FILE) or ()
        named = {_PROGRAMS[each.hostname] for each in locked if each.hostname in _PROGRAMS}
        candidates = sorted(named) if len(named) == 1 else ["tofu", "terraform"]
        for name in candidates:
            found = shutil.which(name, path=self.environment.get("PATH", ""))
            if found is not None:
                # The program starts in the directory, so a relative entry of PATH must not select a program there.
                return str(Path(found).absolute())
        what = "it" if len(candidates) == 1 else "one of them"
        missing = " and ".join(candidates)
        raise StoreError(f"{missing} not found on PATH; install {what}, or collect the schemas elsewhere")

    def collect(self, read: Callable[[bytes], object]) -> bytes:
        """Run the program, which runs the providers of the directory, and return and cache its output.

        `read` raises ValueError if the output is invalid.

        Raises StoreError if the program cannot be run, fails (its error output is in the message), or prints anything
        other than schemas, which is not cached.
        """
        program = self.program()
        command = f"{Path(program).name} providers schema -json"
        try:
            done = subprocess.run(
                [program, *_ARGUMENTS],
                cwd=self.directory,
                env={**self.environment, "TF_IN_AUTOMATION": "1"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
        except OSError as error:
            raise StoreError(f"{self.directory}: cannot run {command}: {error.strerror}") from error
        if done.returncode != 0:
            reason = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
            raise StoreError(f"{self.directory}: {command} failed with exit status {done.returncode}:\n{reason}")
        try:
            read(done.stdout)
        except ValueError as error:
            raise StoreError(f"{self.directory}: {command} did not print schemas: {error}") from error
        path = self._cached()
        if path is not None:
            _store(path, done.stdout)
        return done.stdout

    def cached(self) -> bytes | None:
        """Return the cached output for the same lock file; None if it is missing, or without a lock file."""
        path = self._cached()
        try:
            return None if path is None else read_bounded(path, _MOST, links=False)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror}") from error

    def _cached(self) -> Path | None:
        try:
            lock = read_bounded(self.directory / LOCK_FILE, _LARGEST_LOCK_FILE)
        except (FileNotFoundError, NotADirectoryError):
            # Without providers to install there is no lock file, and running the program is cheap.
            return None
        except OSError as error:
            raise StoreError(f"{self.directory / LOCK_FILE}: {error.strerror}") from error
        base = self._caches()
        return None if base is None else base / "statetool" / "schemas" / f"{sha256(lock).hexdigest()}.json"

    def _caches(self) -> Path | None:
        """Return the user's cache folder; None without a home. Source: XDG Base Directory Specification."""
        chosen = Path(self.environment.get("XDG_CACHE_HOME", ""))
        if chosen.is_absolute():
            return chosen
        try:
            return Path(self.environment.get("HOME") or Path.home()) / ".cache"
        except RuntimeError:
            return None


def _store(path: Path, content: bytes) -> None:
    """Write a cache file atomically. Ignores errors."""
    from tempfile import NamedTemporaryFile

    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with NamedTemporaryFile(dir=path.parent, delete=False) as file:
            written = Path(file.name)
            try:
                file.write(content)
                file.close()
                written.replace(path)
            except BaseException:
                written.unlink(missing_ok=True)
                raise
    except OSError:
        return


LOCK_FILE: Final = ".terraform.lock.hcl"


def locked_providers(path: Path) -> tuple[Provider, ...] | None:
    """Return the providers that a lock file names, in its order; None if there is no such file.

    Raises StoreError if the file cannot be read, or contains anything that is not valid in a lock file.
    """
    try:
        content = read_bounded(path, LARGEST_FILE)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error
    problems: list[Problem] = []
    source = SourceText(str(path), content)
    providers = []
    for block in read_file(source, problems).blocks("provider", 1):
        (text,) = block.labels
        try:
            provider = parse_provider_source(text)
        except AddressError as error:
            raise StoreError(f"{path}:{block.range.line}: {error.summary}: {' '.join(error.detail.split())}") from error
        if str(provider) != text:
            raise StoreError(f"{path}:{block.range.line}: the provider address {text!r} is not complete")
        providers.append(provider)
    if problems:
        first = problems[0]
        where = path if first.range is None else f"{path}:{first.range.line}"
        raise StoreError(f"{where}: {first.summary}: {first.detail}")
    return tuple(providers)
