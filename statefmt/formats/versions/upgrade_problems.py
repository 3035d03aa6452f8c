"""Finds everything in a document of versions 1 to 3 that cannot be upgraded; an upgrade stops at the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace as with_fields

from msgspec.structs import replace

from statefmt.formats.raw_json.pointer import token
from statefmt.formats.versions._legacy_address import parse_legacy_address
from statefmt.formats.versions.decode import decode_document
from statefmt.formats.versions.invalid import InvalidDocument
from statefmt.formats.versions.legacy import StateV1
from statefmt.formats.versions.legacy_v3 import StateV3
from statefmt.formats.versions.upgrade_report import UpgradeFailed, UpgradeReport
from statefmt.formats.versions.upgrade_v1 import upgrade_v1
from statefmt.formats.versions.upgrade_v2 import upgrade_v2
from statefmt.formats.versions.upgrade_v3 import upgrade_v3
from statefmt.model.addrs import AbsResourceInstance, Module
from statefmt.model.findings import Finding

_FIRST = "/modules/0"
_ROOT = ["root"]


def upgrade_problems(data: bytes, version: int) -> Iterator[Finding]:
    """Yield a finding for each part that cannot be upgraded, in file order; all members have the right types.

    Each part is upgraded alone, so that the time is linear in the bytes.
    """
    document = replace(_document(data, version), unknown=())
    yield from _problems(replace(document, modules=[]), version, 0)
    for number, module in enumerate(document.modules or ()):
        bare = None if module is None else replace(module, outputs=None, resources=None, unknown=())
        found = list(_problems(replace(document, serial=0, modules=[bare]), version, number))
        yield from found
        if found or module is None or bare is None:
            continue
        for name, output in (module.outputs or {}).items():
            part = replace(bare, outputs={name: output})
            yield from _problems(replace(document, serial=0, modules=[part]), version, number)
        for name, resource in (module.resources or {}).items():
            part = replace(bare, resources={name: resource})
            yield from _problems(replace(document, serial=0, modules=[part]), version, number)


def repeated_instances(data: bytes, version: int) -> Mapping[str, list[str]]:
    """Return the pointers of the entries of `resources` by the address of their instance, where there are several."""
    found: dict[str, list[str]] = {}
    for number, module in enumerate(_document(data, version).modules or ()):
        if module is None:
            continue
        path = Module(tuple(name or "" for name in (module.path or _ROOT)[1:])).unkeyed_instance()
        for name in module.resources or ():
            try:
                address = str(AbsResourceInstance(path, parse_legacy_address(name)))
            except ValueError:
                continue
            found.setdefault(address, []).append(f"/modules/{number}/resources/{token(name)}")
    return {address: pointers for address, pointers in found.items() if len(pointers) > 1}


def _document(data: bytes, version: int) -> StateV1 | StateV3:
    return decode_document(data, StateV1) if version == 1 else decode_document(data, StateV3)


def _problems(part: StateV1 | StateV3, version: int, module: int) -> Iterator[Finding]:
    report = UpgradeReport()
    try:
        state = upgrade_v1(part, report) if isinstance(part, StateV1) else part
        upgrade_v3(upgrade_v2(state, report) if version <= 2 else state, report)
    except UpgradeFailed as failed:
        finding = failed.finding()
    except InvalidDocument as invalid:
        finding = invalid.finding()
    else:
        return
    at = finding.pointer
    yield with_fields(finding, pointer=f"/modules/{module}{at[len(_FIRST) :]}" if at.startswith(_FIRST) else at)
