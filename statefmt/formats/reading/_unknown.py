"""Reports the members of a v4 document that statetool does not know."""

from __future__ import annotations

from collections.abc import Iterator

from statefmt.formats.raw_json.pointer import token
from statefmt.formats.versions.v4 import StateV4
from statefmt.model.codes import Code
from statefmt.model.findings import Finding
from statefmt.model.resources import UnknownMember


def unknown_findings(document: StateV4) -> Iterator[Finding]:
    """Yield an info finding for each unknown member, in file order."""
    yield from _findings(document.unknown, "", "")
    for name, output in (document.outputs or {}).items():
        if output and output.unknown:
            yield from _findings(output.unknown, f"output.{name}", f"/outputs/{token(name)}")
    for number, resource in enumerate(document.resources or ()):
        if resource is None:
            continue
        address = resource.address()
        yield from _findings(resource.unknown, address, f"/resources/{number}")
        for place, obj in enumerate(resource.instances or ()):
            if obj and obj.unknown:
                yield from _findings(obj.unknown, address, f"/resources/{number}/instances/{place}")
    for number, result in enumerate(document.check_results or ()):
        if result is None:
            continue
        address = result.config_addr or ""
        yield from _findings(result.unknown, address, f"/check_results/{number}")
        for place, checked in enumerate(result.objects or ()):
            if checked and checked.unknown:
                yield from _findings(checked.unknown, address, f"/check_results/{number}/objects/{place}")


def _findings(unknown: tuple[UnknownMember, ...], address: str, pointer: str) -> Iterator[Finding]:
    for name, _, _ in unknown:
        yield Code.UNKNOWN_MEMBER.notice(
            "Unknown member in state",
            f'The member "{name}" is not known to statetool {"in " + address if address else "at the top level"}; '
            "a newer release may have written it. It is kept unless --drop-unknown is given.",
            address,
            f"{pointer}/{token(name)}",
        )
