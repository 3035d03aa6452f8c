"""The table of releases: complete, sourced, and found by the names that people give."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator

from statefmt.formats import Layout, Style
from statefmt.formats.releases import Release, all_releases, facts_of, parse_release
from statefmt.model.errors import ReleaseError
from statefmt.schema_problems import schema_text
from tests.tables import each_row

_DATA: Final[dict[str, Any]] = json.loads(files("statefmt.formats").joinpath("releases.json").read_bytes())
_NOT_FACTS: Final = {"engine", "engine_name", "version"}

_NAMES: Final = [
    ("opentofu-1.8", "opentofu-1.8"),
    ("terraform-1.5", "terraform-1.5"),
    ("1.8", "opentofu-1.8"),
    ("1.8.11", "opentofu-1.8"),
    ("v1.8.11", "opentofu-1.8"),
    ("terraform-1.11.4", "terraform-1.11"),
    ("terraform-v0.12.31", "terraform-0.12"),
    ("Terraform-1.0", "terraform-1.0"),
    ("1.13", "opentofu-1.13"),
]


@pytest.mark.parametrize(("text", "name"), _NAMES)
def test_names(text: str, name: str) -> None:
    assert str(parse_release(text)) == name


# A name that no release has, and the names that come nearest.
_NEAREST: Final = [
    ("9.9", "opentofu-1.13 or terraform-1.16"),
    ("terrafrom-1.5", "terraform-1.5"),
    ("terrafrom-1.8", "terraform-1.8"),
    ("opentfu-1.8", "opentofu-1.8"),
    ("tofu-1.8", "opentofu-1.8"),
    ("tofu-1.5", "opentofu-1.6 or terraform-1.5"),
    ("terraform1.5", "terraform-1.5"),
    ("terraform_1.5", "terraform-1.5"),
    ("Terraform v1.5.7", "terraform-1.5"),
    ("terraform-1.5.7+ent", "terraform-1.5"),
    ("OpenTofu 1.8", "opentofu-1.8"),
    ("opentofu-1.13.0-rc1", "opentofu-1.13"),
    ("hcl-1.5", "opentofu-1.6 or terraform-1.5"),
    ("opentofu-1.5", "opentofu-1.6 or terraform-1.5"),
    ("opentofu-1.5.7", "opentofu-1.6 or terraform-1.5"),
    ("terraform-1.99", "terraform-1.16"),
    ("terraform-0.11", "terraform-0.12"),
    ("0.12", "opentofu-1.6 or terraform-0.12"),
    ("1.14", "opentofu-1.13 or terraform-1.14"),
    ("terraform", "terraform-1.16"),
    ("opentofu-1", "opentofu-1.13"),
    ("1", "opentofu-1.13 or terraform-1.16"),
    ("1.8.x", "opentofu-1.8 or terraform-1.8"),
    ("", "opentofu-1.13 or terraform-1.16"),
    ("1.8 ", "opentofu-1.8 or terraform-1.8"),
    ("9" * 5000 + ".1", "opentofu-1.13 or terraform-1.16"),
]


@each_row(("text", "nearest"), _NEAREST, ids=[text[:20] for text, _ in _NEAREST])
def test_nearest_names(text: str, nearest: str) -> None:
    with pytest.raises(ReleaseError) as raised:
        parse_release(text)
    message = f"unknown release {text!r}; did you mean {nearest}? `statetool releases` lists all releases"
    assert str(raised.value) == message


def test_every_name_is_its_own() -> None:
    names = [str(release) for release in all_releases()]
    assert [str(parse_release(name)) for name in names] == names
    assert len(set(names)) == len(names)


def test_valid_by_the_schema() -> None:
    validator = Draft202012Validator(json.loads(schema_text("releases")))
    assert [error.message for error in validator.iter_errors(_DATA)] == []


@each_row("release", all_releases(), ids=str)
def test_one_fact_about_everything(release: Release) -> None:
    about = [fact["about"] for fact in _DATA["facts"] if _covers(fact, release)]
    assert sorted(about) == sorted(set(Release.__struct_fields__) - _NOT_FACTS)
    assert set(facts_of(release)) == set(about)


def test_ranges_are_of_known_releases() -> None:
    numbers = {engine["engine"]: engine["releases"] for engine in _DATA["engines"]}
    for fact in _DATA["facts"]:
        known = numbers[fact["engine"]]
        assert known.index(fact["from"]) <= known.index(fact["to"])


# Releases, the name of a fact, and what the sources say of it.
_FACTS: Final = [
    ("opentofu-1.12 terraform-0.12 terraform-1.15", "formats_read", (1, 2, 3, 4)),
    ("opentofu-1.13", "formats_read", (4,)),
    ("opentofu-1.8 terraform-1.15", "provider_keys", False),
    ("opentofu-1.9 opentofu-1.13", "provider_keys", True),
    ("opentofu-1.9 opentofu-1.11 terraform-1.11", "identity", False),
    ("opentofu-1.12 terraform-1.12 terraform-1.15", "identity", True),
    ("opentofu-1.9 terraform-1.15", "deprecated", False),
    ("opentofu-1.10 opentofu-1.12", "deprecated", True),
    ("opentofu-1.11 terraform-1.15", "skip_destroy", False),
    ("opentofu-1.12", "skip_destroy", True),
    ("opentofu-1.12 terraform-0.12", "depends_on", False),
    ("opentofu-1.13", "depends_on", True),
    ("terraform-0.13", "sensitive_attributes", False),
    ("terraform-0.14 opentofu-1.6", "sensitive_attributes", True),
    ("terraform-1.2", "check_kinds", ()),
    ("terraform-1.3", "check_kinds", ("resource", "output")),
    ("terraform-1.6", "check_kinds", ("resource", "output", "check")),
    ("terraform-1.7 opentofu-1.6", "check_kinds", ("resource", "output", "check", "var")),
    ("opentofu-1.10 terraform-1.9", "ephemeral_dependencies", False),
    ("opentofu-1.11 terraform-1.10", "ephemeral_dependencies", True),
    ("terraform-0.13", "states_of_newer_releases", False),
    ("terraform-0.14 opentofu-1.6", "states_of_newer_releases", True),
    ("terraform-0.12", "source_addresses", False),
    ("terraform-0.13", "source_addresses", True),
    ("opentofu-1.13 terraform-1.15", "imports_in_modules", False),
    ("terraform-1.16", "imports_in_modules", True),
    ("opentofu-1.7 terraform-1.14", "evaluated_sources", False),
    ("opentofu-1.8 terraform-1.15", "evaluated_sources", True),
    ("terraform-1.16", "provider_keys", False),
    ("opentofu-1.6 terraform-1.16", "key_providers", ()),
    ("opentofu-1.10", "key_providers", ("pbkdf2", "aws_kms", "gcp_kms", "openbao", "external")),
]


@each_row(("names", "about", "value"), _FACTS)
def test_facts(names: str, about: str, value: object) -> None:
    assert {getattr(parse_release(name), about) for name in names.split()} == {value}


# The layouts as docs and recorded outputs have them: local files, remote states.
_INDENT, _COMPACT = Style(Layout.INDENT), Style(Layout.COMPACT)
_STYLES: Final = [
    ("terraform-1.15", _INDENT, _INDENT),
    ("opentofu-1.7", _INDENT, _INDENT),
    ("opentofu-1.8", _COMPACT, _COMPACT),
    ("opentofu-1.11", _COMPACT, _COMPACT),
    ("opentofu-1.12", Style(Layout.INDENT, 2), _COMPACT),
    ("opentofu-1.13", _INDENT, _COMPACT),
]


@pytest.mark.parametrize(("name", "local", "remote"), _STYLES)
def test_styles(name: str, local: Style, remote: Style) -> None:
    release = parse_release(name)
    assert (release.local_style.style, release.remote_style.style) == (local, remote)


def _covers(fact: dict[str, Any], release: Release) -> bool:
    first, last = (tuple(map(int, fact[end].split("."))) for end in ("from", "to"))
    return bool(fact["engine"] == release.engine and first <= release.version <= last)
