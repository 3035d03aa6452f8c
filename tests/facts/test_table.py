"""statetool against the names in the sources of OpenTofu and Terraform: nothing is missing, and the releases agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from statefmt.encryption import _methods, key_providers
from statefmt.formats import versions
from statefmt.formats.releases import Release, all_releases
from statefmt.hcl.functions import NEVER, NOT_YET
from statefmt.hcl.functions.registry import FUNCTIONS
from statefmt.store.backends.description import BackendArgument
from statefmt.store.backends.types import BACKENDS
from tests.facts.clone import Name
from tests.facts.table import TABLE, Recorded, recorded
from tests.tables import each_row

_ENGINES: Final = ("opentofu", "terraform")
_RECORDED: Final = {engine: recorded(TABLE, engine) for engine in _ENGINES}

_STRUCTS: Final = {
    "stateV4": versions.StateV4,
    "outputStateV4": versions.OutputV4,
    "resourceStateV4": versions.ResourceV4,
    "instanceObjectStateV4": versions.InstanceObjectV4,
    "checkResultsV4": versions.CheckResultV4,
    "checkResultsObjectV4": versions.CheckObjectV4,
}
# The facts about members, with the members.
_MEMBERS: Final = {
    "provider_keys": "instanceObjectStateV4.provider",
    "sensitive_attributes": "instanceObjectStateV4.sensitive_attributes",
    "create_before_destroy": "instanceObjectStateV4.create_before_destroy",
    "skip_destroy": "instanceObjectStateV4.skip_destroy",
    "identity": "instanceObjectStateV4.identity",
    "identity_schema_version": "instanceObjectStateV4.identity_schema_version",
    "deprecated": "outputStateV4.deprecated",
    "check_kinds": "stateV4.check_results",
}


def _names(group: str, engines: tuple[str, ...] = _ENGINES) -> set[str]:
    return {name for engine in engines for kind, name in _RECORDED[engine].spans if kind == group}


def _of(release: Release) -> Recorded:
    return _RECORDED[release.engine]


@pytest.mark.parametrize("engine", _ENGINES)
def test_all_releases_are_recorded(engine: str) -> None:
    known = [release.version for release in all_releases() if release.engine == engine]
    # The sources may have one more, which is not released.
    assert known in (list(_RECORDED[engine].releases), list(_RECORDED[engine].releases[:-1]))


def test_members_of_states() -> None:
    for name in _names("state member"):
        struct, _, member = name.partition(".")
        # The steps of sensitive paths are read elsewhere.
        if struct != "pathStep":
            assert member in _STRUCTS[struct].__struct_fields__, name


@each_row("release", all_releases(), ids=str)
def test_releases_that_keep_members(release: Release) -> None:
    kept = {about: _of(release).has(("state member", member), release.version) for about, member in _MEMBERS.items()}
    assert {about: bool(getattr(release, about)) for about in _MEMBERS} == kept


@each_row("release", all_releases(), ids=str)
def test_values_in_states(release: Release) -> None:
    def has(value: str) -> bool:
        return _of(release).has(("state value", value), release.version)

    assert release.formats_read == tuple(version for version in range(1, 9) if has(f"read: {version}"))
    kinds = {kind for kind in ("resource", "output", "check", "var") if has(f"version4: {kind}")}
    # Terraform 1.6 reads `var` and does not write it.
    assert set(release.check_kinds) == kinds - ({"var"} if str(release) == "terraform-1.6" else set())


@each_row("release", [release for release in all_releases() if release.version != (1, 9)], ids=str)
def test_reserved_types(release: Release) -> None:
    literals = {value for value in _names("address value", (release.engine,)) if value[-1].isalpha()}
    found = {value.removeprefix("parse_target: ") for value in literals if _has(release, ("address value", value))}
    assert set(release.reserved_types) == found - {"data", "ephemeral"}
    assert release.ephemeral_dependencies == ("ephemeral" in found)


def _has(release: Release, name: Name) -> bool:
    return _of(release).has(name, release.version)


# `static` and `xor` are for OpenTofu's own tests.
_TESTED: Final = {"static", "xor"}


@each_row("release", all_releases(), ids=str)
def test_key_providers(release: Release) -> None:
    types = {name for name in _names("encryption") if name.startswith("keyprovider ") and "." not in name}
    found = {name.removeprefix("keyprovider ") for name in types if _has(release, ("encryption", name))}
    assert set(release.key_providers) == found - _TESTED
    assert release.encryption == bool(found)


def test_backends() -> None:
    names = {name.removesuffix(" (removed)") for name in _names("backend")}
    # Gone before format 4 was common; statetool calls them unknown.
    removed = {"artifactory", "atlas", "azure", "etcd", "etcdv3", "manta", "swift"}
    assert set(BACKENDS) == names - removed


def _arguments(arguments: tuple[BackendArgument, ...]) -> Iterator[str]:
    for argument in arguments:
        yield argument.name
        yield from _arguments(argument.parts)


@each_row("backend", sorted(BACKENDS), ids=str)
def test_arguments_of_backends(backend: str) -> None:
    folder = {"azurerm": "azure"}.get(backend, backend)
    current = {
        name
        for engine in _ENGINES
        for kind, name in _RECORDED[engine].spans
        if kind == "backend argument" and _RECORDED[engine].has((kind, name), _RECORDED[engine].releases[-1])
    }
    wanted = {name.partition(".")[2] for name in current if name.startswith(f"{folder}.")}
    assert wanted - set(_arguments(BACKENDS[backend].arguments)) == set()


def test_functions() -> None:
    # These take more than values. `defaults` was an experiment.
    special = {"try", "can", "convert"}
    assert set(FUNCTIONS) | set(NEVER) | NOT_YET | special == _names("function") - {"defaults"}


def test_encryption() -> None:
    names = {name for name in _names("encryption") if "." not in name}
    assert (
        set(key_providers.BUILDERS)
        == {name.removeprefix("keyprovider ") for name in names if name.startswith("keyprovider ")} - _TESTED
    )
    assert set(_methods.BUILDERS) == {name.removeprefix("method ") for name in names if name.startswith("method ")}
