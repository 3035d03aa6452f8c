"""Reads the provider addresses in `.terraform.lock.hcl`, where `init` records the providers that it selected.

Source: OpenTofu `internal/depsfile/locks_file.go`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from statefmt.hcl.source.position import SourceText
from statefmt.hcl.source.problem import Problem
from statefmt.hcl.syntax.native.files import LARGEST_FILE, read_file
from statefmt.model.addrs import Provider, parse_provider_source
from statefmt.model.errors import AddressError, StoreError
from statefmt.store.files import read_bounded

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
