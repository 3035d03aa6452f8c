"""The `dependencies` and `depends_on` of an object: addresses, of which most repeat many times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from statefmt import codes
from statefmt.addrs import AbsResourceInstance, ConfigResource, parse_abs_resource, parse_abs_resource_instance
from statefmt.diagnostics import Finding
from statefmt.errors import AddressError
from statefmt.statefile.address_findings import address_findings
from statefmt.statefile.normalised import normalised

_A = TypeVar("_A", ConfigResource, AbsResourceInstance)


class DependencyReader:
    """Reads the dependency lists of one document; each address is parsed once. Problems go to `findings`."""

    def __init__(self, findings: list[Finding]) -> None:
        self._findings = findings
        self._resources: dict[str, ConfigResource | AddressError] = {}
        self._instances: dict[str, AbsResourceInstance | AddressError] = {}

    def resources(self, texts: Sequence[str | None], address: str, pointer: str) -> tuple[ConfigResource, ...]:
        """The `dependencies` of the object at `address`: whole resources, whatever module keys are given."""
        return self._read(texts, self._resources, _config_resource, address, f"{pointer}/dependencies")

    def instances(self, texts: Sequence[str | None], address: str, pointer: str) -> tuple[AbsResourceInstance, ...]:
        """The `depends_on` of the object at `address`: instances."""
        return self._read(texts, self._instances, parse_abs_resource_instance, address, f"{pointer}/depends_on")

    def _read(
        self,
        texts: Sequence[str | None],
        known: dict[str, _A | AddressError],
        parse: Callable[[str], _A],
        address: str,
        pointer: str,
    ) -> tuple[_A, ...]:
        found: list[_A] = []
        for number, given in enumerate(texts):
            text = given or ""
            addr = known.get(text)
            if addr is None:
                try:
                    addr = parse(text)
                except AddressError as error:
                    addr = error
                known[text] = addr
            if isinstance(addr, AddressError):
                self._findings += address_findings(
                    codes.DEPENDENCY_ADDRESS_INVALID, addr, "dependency", address, f"{pointer}/{number}"
                )
                continue
            if str(addr) != text:
                self._findings.append(normalised(f"the dependency {text!r}", str(addr), address, f"{pointer}/{number}"))
            found.append(addr)
        return tuple(found)


def _config_resource(text: str) -> ConfigResource:
    return parse_abs_resource(text).config()
