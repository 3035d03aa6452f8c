"""The pages about the format name every member and fact, and show what the recorded states show."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

import statefmt
from docs.specification import facts
from docs.specification.pages import pages
from docs.specification.schema import members
from docs.specification.texts import text
from statefmt.formats.versions import (
    CheckObjectV4,
    CheckResultV4,
    FormatObject,
    InstanceObjectV4,
    OutputV4,
    ResourceV4,
    StateV4,
)
from statefmt.formats.versions.before_v3 import InstanceV1, ModuleV1, ResourceV1, StateV1
from statefmt.formats.versions.structure import anchor, member_at
from statefmt.formats.versions.v3 import BackendV3, InstanceV3, ModuleV3, OutputV3, RemoteV1, ResourceV3, StateV3
from tests.formats.deviations import DEVIATIONS, Kind
from tests.formats.recorded import CASES, input_of, outputs_of

_ROOT: Final = Path(__file__).parents[2]
_VERSIONS: Final = (1, 2, 3, 4)
_BY_NAME: Final = {case["id"]: case for case in CASES}

# Where the objects of each format are: by the names above them, without positions in lists; "*" is a name in a map.
_OBJECTS: Final[dict[int, dict[str, type[FormatObject]]]] = {
    4: {
        "": StateV4,
        "outputs *": OutputV4,
        "resources": ResourceV4,
        "resources instances": InstanceObjectV4,
        "check_results": CheckResultV4,
        "check_results objects": CheckObjectV4,
    },
    3: {
        "": StateV3,
        "remote": RemoteV1,
        "backend": BackendV3,
        "modules": ModuleV3,
        "modules outputs *": OutputV3,
        "modules resources *": ResourceV3,
        "modules resources * primary": InstanceV3,
        "modules resources * deposed": InstanceV3,
    },
    1: {
        "": StateV1,
        "remote": RemoteV1,
        "modules": ModuleV1,
        "modules resources *": ResourceV1,
        "modules resources * primary": InstanceV1,
        "modules resources * tainted": InstanceV1,
        "modules resources * deposed": InstanceV1,
    },
}
_OBJECTS[2] = _OBJECTS[3]

# Recorded states with members that no release knows: invented ones, misspelt ones, and those of other formats.
_WITH_UNKNOWN: Final = {
    "check-results/044-unknown-members",
    "envelope/102-unknown-members",
    "envelope/107-case-duplicate-serial",
    "envelope/152-encrypted-with-version-4",
    "instances/202-instances-object",
    "outputs/153-unknown-member",
    "outputs/161-case-insensitive-members",
    "random/406-m6-rename",
    "random/442-m42-rename",
    "random/447-m47-rename",
    "random/451-m51-rename",
    "random/468-m68-rename",
    "random/470-m70-rename",
    "random/485-m85-rename",
    "random/499-m99-rename",
    "random/504-m104-rename",
    "random/528-m128-rename",
    "random/542-m142-rename",
    "random/543-m143-rename",
    "v1-upgrade/027-lineage-ignored",
    "v1-upgrade/028-tfversion-bad-ignored",
    "v3-upgrade/226-unknown-members",
    "v3-upgrade/240-sniff-4-but-modules",
}

# Members that are in no recorded state of their format: the readers of OpenTofu have them.
_NEVER_RECORDED: Final = {
    "v1 modules resources deposed attributes",
    "v1 modules resources deposed id",
    "v1 modules resources deposed meta",
    "v1 modules resources tainted attributes",
    "v1 modules resources tainted meta",
    "v2 backend",
    "v2 backend config",
    "v2 backend hash",
    "v2 state_store",
    "v3 state_store",
    "v2 backend type",
}

# Steps of paths, which the reader takes as a whole.
_STEPS: Final = {
    ("resources", "instances", "sensitive_attributes", "type"),
    ("resources", "instances", "sensitive_attributes", "value"),
}

_ROW: Final = re.compile(r"^\| (.+) \| (refuses|crashes|writes|leaves)(.*) \| `([a-z0-9-]+/\d[^`]*)` \|$", re.MULTILINE)
_SHOWN: Final = re.compile(
    r"^`([a-z0-9-]+/\d[^`]*)`:\n\n```json\n(.*?)```\n\nOpenTofu (refuses|crashes|writes|leaves)([^\n]*)"
    r"(?:\n\n```json\n(.*?)```)?",
    re.MULTILINE | re.DOTALL,
)
_STRICTER: Final = {name for name, (kind, _) in DEVIATIONS.items() if kind is Kind.REFUSED}


@cache
def _page(name: str) -> str:
    return pages()[f"{name}.md"]


def _anchors(page: str) -> set[str]:
    ids = set(re.findall(r'<a id="([^"]+)">', page))
    headings = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    return ids | {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _found_in(document: Any, where: str, objects: dict[str, type[FormatObject]]) -> Iterator[tuple[str, ...]]:
    """Every member of every object of the format in a document."""
    if isinstance(document, list):
        for item in document:
            yield from _found_in(item, where, objects)
    elif isinstance(document, dict) and where in objects:
        for name, value in document.items():
            yield (*where.replace("*", "").split(), name)
            yield from _found_in(value, f"{where} {name}".strip(), objects)
    elif isinstance(document, dict) and f"{where} *" in objects:
        for value in document.values():
            yield from _found_in(value, f"{where} *", objects)


def test_each_member_of_a_recorded_state_has_an_anchor() -> None:
    anchors = {version: _anchors(_page(f"v{version}")) for version in _VERSIONS}
    seen: set[tuple[int, tuple[str, ...]]] = set()
    missing = set()
    for case in CASES:
        document = _document(input_of(case))
        version = document.get("version") if isinstance(document, dict) else None
        if type(version) is int and version in _VERSIONS:
            found = set(_found_in(document, "", _OBJECTS[version]))
            seen |= {(version, member) for member in found}
            if any(anchor(member) not in anchors[version] for member in found):
                missing.add(case["id"])
    assert missing == _WITH_UNKNOWN
    # The recorded states show nearly all that the pages name.
    described = {
        (version, path) for version in _VERSIONS for path in members(f"state-v{version}") if path not in _STEPS
    }
    assert {f"v{version} {' '.join(path)}" for version, path in described - seen} == _NEVER_RECORDED


@pytest.mark.parametrize("version", _VERSIONS)
def test_the_schema_has_the_members_that_are_read(version: int) -> None:
    read = {
        (*where.replace("*", "").split(), name)
        for where, document in _OBJECTS[version].items()
        for name in document.__struct_fields__
        if name != "unknown"
    }
    assert read == set(members(f"state-v{version}")) - _STEPS


@pytest.mark.parametrize("page", ["v1", "v2", "v3", "v4", "encrypted"])
def test_each_member_has_one_anchor(page: str) -> None:
    schema = "encrypted-state" if page == "encrypted" else f"state-{page}"
    ids = re.findall(r'<a id="([^"]+)">', _page(page))
    assert sorted(ids) == sorted(member.anchor for member in members(schema).values())


def test_each_fact_about_releases_is_on_a_page() -> None:
    pages = "\n".join(_page(name) for name in ("README", "v4", "encrypted"))
    table = json.loads((_ROOT / "statefmt/formats/releases.json").read_bytes())
    names = {engine["engine"]: engine["name"] for engine in table["engines"]}
    for fact in table["facts"]:
        releases = f"{names[fact['engine']]} {fact['from']}" + (
            f" to {fact['to']}" if fact["to"] != fact["from"] else ""
        )
        row = re.compile(rf"^\| {re.escape(releases)} \| [^|]+ \| {re.escape(fact['source'])} \|$", re.MULTILINE)
        assert row.search(pages), fact


def test_each_release_has_an_opposite_word_for_yes_and_no() -> None:
    for about in facts.abouts():
        said = {json.dumps(fact["value"]): facts.wording(fact) for fact in facts.facts_about(about)}
        assert len(set(said.values())) == len(said), about


def test_members_are_in_the_order_of_canonical_form() -> None:
    order = {member: number for number, member in enumerate(members("state-v4"))}
    for case in CASES:
        for output in outputs_of(case) if case["outcome"] == "ok" else ():
            for names in _orders(_document(output), "", _OBJECTS[4]):
                assert names == sorted(names, key=lambda name: order[name]), case["id"]


def test_members_are_written_when_the_page_says() -> None:
    words = {
        path: re.findall(r"^- Written: (.+)\.$", _section(path, "v4"), re.MULTILINE) for path in members("state-v4")
    }
    assert {word for found in words.values() for word in found} == {"always", "if set", "never"}
    for case in CASES:
        for output in outputs_of(case) if case["outcome"] == "ok" else ():
            for names in _orders(_document(output), "", _OBJECTS[4]):
                siblings = [path for path in words if path[:-1] == names[0][:-1]]
                assert {path for path in siblings if words[path] == ["always"]} <= set(names), case["id"]
                assert not {path for path in siblings if words[path] == ["never"]} & set(names), case["id"]


@pytest.mark.parametrize("page", ["README", "v1", "v2", "v3", "v4", "encrypted"])
def test_states_shown_are_accepted_or_refused_as_the_page_says(page: str) -> None:
    rows = [(name, word, rest) for _, word, rest, name in _ROW.findall(_page(page))]
    rows += [(name, word, rest) for name, _, word, rest, _ in _SHOWN.findall(_page(page))]
    assert rows
    assert len(rows) == len(
        re.findall(r"\| `[a-z0-9-]+/\d[^`]*` \|$|^`[a-z0-9-]+/\d[^`]*`:$", _page(page), re.MULTILINE)
    )
    for name, word, rest in rows:
        case = _BY_NAME[name]
        assert {"refuses": "error", "crashes": "panic"}.get(word, "ok") == case["outcome"], name
        accepted = statefmt.inspect(input_of(case)).snapshot is not None
        assert accepted == (case["outcome"] == "ok" and name not in _STRICTER), name
        assert ("statetool refuses" in rest) == (name in _STRICTER), name
        assert all(f"*{found['summary']}*" in rest for found in case["diagnostics"] if found["severity"] != "panic"), (
            name
        )


def test_parts_shown_are_parts_of_the_states() -> None:
    shown = _SHOWN.findall(_page("v4"))
    assert len(shown) >= 6
    for name, part, _, _, written in shown:
        assert json.loads(part) in _values(_document(input_of(_BY_NAME[name]))), name
        if written:
            assert json.loads(written) in _values(_document(outputs_of(_BY_NAME[name])[0])), name


def test_samples_shown_are_canonical_states() -> None:
    shown = re.findall(r"^`(samples/[^`]+)`:\n\n```json\n(.*?)```", _page("v4"), re.MULTILINE | re.DOTALL)
    assert shown
    for name, part in shown:
        data = (_ROOT / name).read_bytes()
        assert json.loads(part) == json.loads(data)
        assert statefmt.write(statefmt.read(data).snapshot) == data


@pytest.mark.parametrize("version", [1, 2, 3])
def test_what_becomes_nothing_makes_no_difference(version: int) -> None:
    """Without such a member, a recorded state becomes what OpenTofu made of it with the member."""
    gone = {path for path, fate in text(f"v{version}").becomes.items() if fate.startswith("nothing")}
    assert gone or version == 2
    removed: set[tuple[str, ...]] = set()
    for case in CASES:
        document = _document(input_of(case))
        if case["outcome"] == "ok" and case["deterministic"] and isinstance(document, dict):
            found = set(_found_in(document, "", _OBJECTS[version])) & gone
            if document.get("version") == version and found:
                removed |= found
                data = json.dumps(_without(document, "", gone, _OBJECTS[version])).encode()
                assert statefmt.write(statefmt.read(data).snapshot) == outputs_of(case)[0], case["id"]
    assert removed == gone


@pytest.mark.parametrize("version", [1, 2, 3])
def test_each_member_has_a_fate_in_the_next_format(version: int) -> None:
    fates = text(f"v{version}").becomes
    for path, member in members(f"state-v{version}").items():
        if not member.like and path not in fates:
            assert path in members(f"state-v{version + 1}"), path


@pytest.mark.parametrize("version", _VERSIONS)
def test_texts_are_about_members(version: int) -> None:
    written = text(f"v{version}")
    assert {*written.members, *written.becomes} <= set(members(f"state-v{version}"))


def test_each_finding_of_the_failing_states_leads_to_an_anchor() -> None:
    pages = [_anchors(_page(f"v{version}")) for version in _VERSIONS]
    places = [
        finding["pointer"]
        for path in sorted((_ROOT / "tests" / "lint").glob("[A-Z]*/fail-*.expected.json"))
        for finding in json.loads(path.read_bytes())
    ]
    assert len(places) > 200
    for pointer in places:
        member = member_at(pointer)
        # Only the whole file and members that no format has are without a section.
        assert member or re.fullmatch(r"|/future", pointer), pointer
        assert not member or any(anchor(member) in anchors for anchors in pages), pointer


def test_what_is_not_stable_changes_as_the_page_says() -> None:
    """Of the states under "Canonical form that is not stable", as statetool reads what OpenTofu wrote."""

    def again(name: str) -> Any:
        (case,) = [case for case in CASES if case["id"].startswith(f"v3-upgrade/{name}-")]
        return json.loads(statefmt.write(statefmt.read(outputs_of(case)[0]).snapshot))["resources"][0]

    assert again("043")["provider"] == 'provider["registry.opentofu.org/-/aws"]'
    assert again("046")["instances"][0]["index_key"] == -9223372036854775808
    assert again("071")["provider"] == 'provider["registry.opentofu.org/-/aws"]'
    with pytest.raises(statefmt.StateError):
        again("072")


def _document(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8", "replace"))
    except ValueError:
        return None


def _orders(document: Any, where: str, objects: dict[str, type[FormatObject]]) -> Iterator[list[tuple[str, ...]]]:
    """The members of each object of the format, in the order of the file."""
    if isinstance(document, list):
        for item in document:
            yield from _orders(item, where, objects)
    elif isinstance(document, dict) and where in objects:
        yield [(*where.replace("*", "").split(), name) for name in document]
        for name, value in document.items():
            yield from _orders(value, f"{where} {name}".strip(), objects)
    elif isinstance(document, dict) and f"{where} *" in objects:
        for value in document.values():
            yield from _orders(value, f"{where} *", objects)


def _without(document: Any, where: str, gone: set[tuple[str, ...]], objects: dict[str, type[FormatObject]]) -> Any:
    """A document without some members."""
    if isinstance(document, list):
        return [_without(item, where, gone, objects) for item in document]
    if isinstance(document, dict) and where in objects:
        above = tuple(where.replace("*", "").split())
        return {
            name: _without(value, f"{where} {name}".strip(), gone, objects)
            for name, value in document.items()
            if (*above, name) not in gone
        }
    if isinstance(document, dict) and f"{where} *" in objects:
        return {name: _without(value, f"{where} *", gone, objects) for name, value in document.items()}
    return document


def _section(member: tuple[str, ...], page: str) -> str:
    return _page(page).partition(f'<a id="{anchor(member)}">')[2].partition("\n<a id=")[0].partition("\n## ")[0]


def _values(document: Any) -> list[Any]:
    """A document and everything inside it."""
    inner = document.values() if isinstance(document, dict) else document if isinstance(document, list) else ()
    return [document, *(found for value in inner for found in _values(value))]
