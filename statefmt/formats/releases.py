"""Describes the formats and members that each release of OpenTofu and Terraform reads, writes and keeps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct, field

from statefmt.formats import Layout, Style
from statefmt.model.errors import ReleaseError
from statefmt.text import pattern

FactValue: TypeAlias = bool | int | str | list[int | str] | dict[str, int | str]

# The engine of a bare version number.
_DEFAULT_ENGINE: Final = "opentofu"
_AFTER_ALL: Final = (10**9, 0)
_NAME: Final = pattern(r"(?:(?P<engine>[A-Za-z]+)-)?v?(?P<major>\d{1,9})\.(?P<minor>\d{1,9})(?:\.\d+)?", re.ASCII)
# Something like a release name: `terraform_1.5`, `Terraform v1.5.7`, `1.8.x`.
_LIKE_A_NAME: Final = pattern(
    # Matches only start at a run of letters, after a digit or at the start of the text: no quadratic search.
    r"(?:(?<![A-Za-z])(?=[A-Za-z])|(?<!\D))(?P<engine>[A-Za-z]*+)[^A-Za-z\d]*+v?(?P<major>\d{1,9})\.(?P<minor>\d{1,9})",
    re.ASCII,
)


class Written(Struct, frozen=True):
    """The layout of a state as a release writes it, and the number of newlines at the end."""

    layout: Layout
    newlines: int

    @property
    def style(self) -> Style:
        """The same as a `Style`, for the writer."""
        return Style(self.layout, self.newlines)


class Release(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A minor release of an engine; if its patch releases differ, the last one counts.

    The flags named after members of instance objects and outputs cover members that not every release keeps.
    `check_kinds` are the object kinds of `check_results` that it writes back, none if it does not know check results.
    `legacy_provider_host` is the host that provider addresses with the namespace "-" must have, `reserved_types` are
    the types that `dependencies` cannot name, `key_providers` those that encrypt states. `imports_in_modules` and
    `evaluated_sources` are about configurations: whether modules that others call may have `import` blocks, and whether
    the source of a module may be an expression. `facts_of` gives the source of each.
    """

    engine: str
    engine_name: str
    version: tuple[int, int]
    formats_read: tuple[int, ...]
    format_written: int
    local_style: Written
    remote_style: Written
    source_addresses: bool
    legacy_provider_host: str
    provider_keys: bool
    sensitive_attributes: bool
    create_before_destroy: bool
    skip_destroy: bool
    identity: bool
    identity_schema_version: bool
    depends_on: bool
    ephemeral_dependencies: bool
    reserved_types: tuple[str, ...]
    deprecated: bool
    check_kinds: tuple[str, ...]
    states_of_newer_releases: bool
    encryption: bool
    key_providers: tuple[str, ...]
    imports_in_modules: bool
    evaluated_sources: bool

    def __str__(self) -> str:
        return f"{self.engine}-{self.number}"

    @property
    def number(self) -> str:
        """The version number, such as `1.8`."""
        return f"{self.version[0]}.{self.version[1]}"

    @property
    def title(self) -> str:
        """The full name, such as `OpenTofu 1.8`."""
        return f"{self.engine_name} {self.number}"


class Fact(Struct, frozen=True, forbid_unknown_fields=True):
    """A fact about a range of releases, and its source. `first` and `last` are minor releases."""

    about: str
    engine: str
    first: str = field(name="from")
    last: str = field(name="to")
    value: FactValue
    source: str

    def covers(self, engine: str, version: tuple[int, int]) -> bool:
        """Return whether the fact is about a release."""
        return engine == self.engine and _version(self.first) <= version <= _version(self.last)


class _Engine(Struct, frozen=True, forbid_unknown_fields=True):
    engine: str
    name: str
    releases: tuple[str, ...]


class _Table(Struct, frozen=True, forbid_unknown_fields=True):
    engines: tuple[_Engine, ...]
    facts: tuple[Fact, ...]


@cache
def _table() -> _Table:
    # Imported here, and others below, because most commands do not need them.
    from importlib.resources import files

    return msgspec.json.decode(files("statefmt.formats").joinpath("releases.json").read_bytes(), type=_Table)


@cache
def all_releases() -> tuple[Release, ...]:
    """Return every release that statetool knows: OpenTofu's, then Terraform's, each from oldest to newest."""
    releases = []
    for engine in _table().engines:
        for version in map(_version, engine.releases):
            values = {about: fact.value for about, fact in _facts(engine.engine, version).items()}
            named = {"engine": engine.engine, "engine_name": engine.name, "version": version}
            releases.append(msgspec.convert({**named, **values}, type=Release))
    return tuple(releases)


def facts_of(release: Release) -> Mapping[str, Fact]:
    """Return the facts about a release by `about`, each with its source."""
    return _facts(release.engine, release.version)


def parse_release(text: str) -> Release:
    """Parse the name of a release: `opentofu-1.8`, `terraform-1.5`, `1.8` (OpenTofu) or `1.8.11`.

    Raises ReleaseError with the nearest names if the release is unknown.
    """
    match = _NAME.fullmatch(text)
    if match is not None:
        named = ((match["engine"] or _DEFAULT_ENGINE).lower(), (int(match["major"]), int(match["minor"])))
        for release in all_releases():
            if named == (release.engine, release.version):
                return release
    nearest = " or ".join(dict.fromkeys(map(str, _nearest(text))))
    raise ReleaseError(f"unknown release {text!r}; did you mean {nearest}? `statetool releases` lists all releases")


def _facts(engine: str, version: tuple[int, int]) -> Mapping[str, Fact]:
    return {fact.about: fact for fact in _table().facts if fact.covers(engine, version)}


def _version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")
    return int(major), int(minor)


def _nearest(text: str) -> Iterable[Release]:
    """Return the releases with the nearest names: of an engine with a similar name, else of all engines."""
    from difflib import get_close_matches

    match = _LIKE_A_NAME.search(text)
    engines = [engine.engine for engine in _table().engines]
    engines = get_close_matches((match["engine"] if match else text).lower(), engines, n=1, cutoff=0.4) or engines
    version = (int(match["major"]), int(match["minor"])) if match else _AFTER_ALL
    near = []
    for engine in engines:
        # The release with this version, else the last one before it, else the first one.
        own = [release for release in all_releases() if release.engine == engine]
        near.append(next((release for release in reversed(own) if release.version <= version), own[0]))
    # This engine may lack a version that the other engine has.
    is_there = any(release.version == version for release in near)
    return near if is_there else [*near, *(release for release in all_releases() if release.version == version)]
