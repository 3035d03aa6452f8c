"""The archive of a plan file: what is refused, and that nothing unpacks without bounds."""

from __future__ import annotations

import io
import random
import zipfile

import pytest

from statefmt.lifecycle.plan import NotAPlanError, PlanError
from statefmt.lifecycle.plan_files.archive import open_archive
from statefmt.lifecycle.read_plan import read_plan
from tests.lifecycle.plan_files.made import made, members_of, packed
from tests.lifecycle.plan_files.recorded import recorded_files


def _zip(*members: tuple[str, bytes], **options: int) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", **options) as archive:  # type: ignore[call-overload]
        for name, data in members:
            archive.writestr(name, data)
    return content.getvalue()


def test_another_zip() -> None:
    with pytest.raises(NotAPlanError, match="a zip archive, but not a plan file: it has no member tfplan"):
        open_archive(_zip(("word/document.xml", b"<x/>")))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_twice() -> None:
    with pytest.raises(PlanError, match="the member 'tfstate' more than once"):
        open_archive(_zip(("tfplan", b""), ("tfstate", b"{}"), ("tfstate", b"[]")))


def test_a_bomb() -> None:
    """Padding that does not compress allows little more."""
    padding = random.Random(1).randbytes(4000)
    bomb = _zip(("tfplan", padding), ("tfstate", bytes(65 << 20)), compression=zipfile.ZIP_DEFLATED)
    assert len(bomb) < 100_000
    with pytest.raises(PlanError, match="unpacks to 68,161,440 bytes"):
        open_archive(bomb)


def test_members_that_are_no_part_of_a_plan() -> None:
    """They are not unpacked, so that neither their size nor their compression matters."""
    found = open_archive(_zip(("tfplan", b"x"), ("x", bytes(65 << 20)), compression=zipfile.ZIP_DEFLATED))
    assert dict(found.members) == {"tfplan": b"x"}


def test_a_member_that_is_longer_than_listed() -> None:
    members = _zip(("tfplan", bytes(1000)), compression=zipfile.ZIP_DEFLATED)
    # The sizes in both headers.
    with pytest.raises(PlanError, match="the plan file is damaged"):
        open_archive(members.replace((1000).to_bytes(4, "little"), (10).to_bytes(4, "little")))


def test_too_many_members() -> None:
    many = _zip(("tfplan", b""), *((f"tfconfig/m-/{number}.tf", b"") for number in range(50_000)))
    with pytest.raises(PlanError, match="has 50,001 members; the limit is 50,000"):
        open_archive(many)


def test_other_compression() -> None:
    with pytest.raises(PlanError, match="'tfplan' of the plan file is not stored as plan files store members"):
        open_archive(_zip(("tfplan", b"x" * 100), compression=zipfile.ZIP_BZIP2))


@pytest.mark.parametrize("missing", ["tfstate", "tfconfig/modules.json"])
def test_a_missing_member(missing: str) -> None:
    members = members_of()
    del members[missing]
    with pytest.raises(PlanError, match=missing):
        read_plan(packed(members))


@pytest.mark.parametrize("directory", ["/etc", "../" * 40 + "x", "C:\\x", "a\0b"])
def test_a_module_elsewhere(directory: str) -> None:
    escaped = directory.replace("\\", "\\\\").replace("\0", "\\u0000")
    manifest = f'[{{"Key": "", "Dir": "."}}, {{"Key": "m", "Dir": "{escaped}"}}]'
    with pytest.raises(PlanError, match="the module 'm' in the invalid directory"):
        read_plan(packed({**members_of(), "tfconfig/modules.json": manifest.encode()}))


def test_another_format_version() -> None:
    def later(message: object) -> None:
        message.version, message.terraform_version = 4, "1.30.0"  # type: ignore[attr-defined]

    with pytest.raises(PlanError, match=r"has format version 4, written by release 1\.30\.0; only version 3"):
        read_plan(made(later))


def test_unknown_fields_are_listed() -> None:
    members = members_of()
    # Field 99 of the message, a number.
    members["tfplan"] += b"\x98\x06\x01"
    assert b'"field 99 of the plan file":true' in read_plan(packed(members)).source


def _mutated(data: bytes, source: random.Random) -> bytes:
    found = bytearray(data)
    for _ in range(source.choice((1, 1, 2, 5))):
        place = source.randrange(len(found) + 1)
        match source.randrange(4):
            case 0:
                found[place : place + 1] = source.randbytes(1)
            case 1:
                del found[place : place + source.randrange(1, 20)]
            case 2:
                found[place:place] = source.randbytes(source.randrange(1, 8))
            case _:
                found[place:place] = found[place : place + source.randrange(1, 40)]
    return bytes(found)


def test_damaged_files() -> None:
    """Each is read, or refused as a plan: nothing else happens."""
    source, plans = random.Random(1), recorded_files()
    refused = 0
    for _ in range(600):
        name = source.choice(list(plans))
        members = members_of(name)
        damaged = source.choice(["", "tfplan", "tfplan", "tfstate", "tfconfig/modules.json", "tfconfig/m-/main.tf"])
        if damaged not in members:
            data = _mutated(plans[name].file, source)
        else:
            data = packed({**members, damaged: _mutated(members[damaged], source)})
        try:
            read_plan(data)
        except PlanError:
            refused += 1
    assert refused > 200
