"""Loads the configurations that `adopt` compares; variables that unread files may set are unknown in them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from statefmt import Finding, StoreError
from statefmt.adoption import Revision, Unrolled, folder_of_revision, unread_declarations, unread_inputs
from statefmt.cli.options.configuration import ConfigurationOptions, report_problems
from statefmt.cli.run import run_context
from statefmt.cli.streams import say
from statefmt.locations import GIT
from statefmt.rules import CONFIGURATION_NOT_KNOWN, check_configuration

if TYPE_CHECKING:
    from statefmt.providers import ProviderReferences


def known_configuration(
    configuration: ConfigurationOptions,
    found: ProviderReferences | None,
    workspace: str | None,
    made: Unrolled | None = None,
    beside: Path | None = None,
    revision: Revision | None = None,
) -> ProviderReferences:
    """Return a configuration without values of variables that files may set which were not read, and note these."""
    assert found is not None
    unread = unread_inputs(found.configuration, beside, revision)
    if not unread:
        return found
    name = next(iter(unread))
    for file, reason in unread.items():
        run_context().note(
            f"{file}: {reason}, so variables without --var or --var-file are not known"
            + (" in the old configuration" if beside is not None else "")
        )
    known = configuration.loaded(
        contents={} if made is None else made.files,
        workspace=workspace,
        unknown_inputs=f"{name} was not read; set it with --var or --var-file",
    )
    assert known is not None
    return known


@contextmanager
def old_configuration(
    configuration: ConfigurationOptions, new: ProviderReferences, name: str, *, is_needed: bool
) -> Iterator[ProviderReferences | None]:
    """Yield the old configuration, in the workspace of the new one; None if it is not known.

    Raises StoreError if it cannot be read and `is_needed`.
    """
    assert configuration.directory is not None
    beside, workspace = Path(configuration.directory), new.configuration.workspace
    environment = run_context().environment
    with ExitStack() as stack:
        revision = None
        options = configuration._replace(directory=name)
        if name.startswith(GIT):
            try:
                revision = stack.enter_context(folder_of_revision(name, configuration.directory, environment))
            except StoreError:
                if is_needed:
                    raise
                yield None
                return
            options = configuration._replace(directory=str(revision.folder))
        found = options.loaded(workspace=workspace)
        old = known_configuration(options, found, workspace, beside=beside, revision=revision)
        unread = {} if revision is None else unread_declarations(old.configuration, revision, name, environment)
        for file, reason in unread.items():
            run_context().note(f"{file}: {reason}, so the old configuration is not known")
        yield None if unread else old


def report_configuration(references: ProviderReferences, name: str) -> bool:
    """Print the problems of a configuration under its name, "" for none; return whether there are errors."""
    folder = references.configuration.directory
    found = check_configuration(references, select=CONFIGURATION_NOT_KNOWN)
    problems = [_of_revision(finding, folder, name) for finding in found]
    if problems and name:
        say(f"statetool: problems of {name}:")
    return report_problems(problems)


def _of_revision(finding: Finding, folder: str, name: str) -> Finding:
    """Return a finding that names files of a revision in place of their copies."""
    if finding.place is None or not name.startswith(GIT):
        return finding
    file = os.path.relpath(finding.place.file, folder)
    detail = finding.detail.replace(f"{folder}/", "").replace(folder, name)
    if finding.code == "CFG002":
        detail = (
            "The revision does not have this module, so its provider bindings are not known. To compare them, check "
            "the revision out, run init in it, and name its folder with --from-config."
        )
    return replace(finding, place=replace(finding.place, file=file), detail=detail)
