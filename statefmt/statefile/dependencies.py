"""The `dependencies` and `depends_on` of an object: addresses, of which most repeat many times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from statefmt import codes
from statefmt.addrs import AbsResourceInstance, ConfigResource, parse_abs_resource, parse_abs_resource_instance
from statefmt.diagnostics import Finding
from statefmt.errors import AddressError
from statefmt.statefile.address_findings import address_findings
from statefmt.statefile.normalised import normalised

_A = TypeVar("_A", ConfigResource, AbsResourceInstance)


class _Known(NamedTuple, Generic[_A]):
    """An address that was parsed, and its canonical text where the file has another one."""

    addr: _A
    other_form: str


class DependencyReader:
    """Reads the dependency lists of one document; each address is parsed once. Problems go to `findings`."""

    def __init__(self, findings: list[Finding]) -> None:
        self._findings = findings
        self._resources: dict[str, _Known[ConfigResource] | AddressError] = {}
        self._instances: dict[str, _Known[AbsResourceInstance] | AddressError] = {}

    def resources(self, texts: Sequence[str | None], address: str, pointer: str) -> tuple[ConfigResource, ...]:
        """The `dependencies` of the object at `address`: whole resources, whatever module keys are given."""
        if not texts:
            return ()
        return self._read(texts, self._resources, _config_resource, address, f"{pointer}/dependencies")

    def instances(self, texts: Sequence[str | None], address: str, pointer: str) -> tuple[AbsResourceInstance, ...]:
        """The `depends_on` of the object at `address`: instances."""
        if not texts:
            return ()
        return self._read(texts, self._instances, parse_abs_resource_instance, address, f"{pointer}/depends_on")

    def _read(
        self,
        texts: Sequence[str | None],
        known: dict[str, _Known[_A] | AddressError],
        parse: Callable[[str], _A],
        address: str,
        pointer: str,
    ) -> tuple[_A, ...]:
        found: list[_A] = []
        for number, given in enumerate(texts):
            text = given or ""
            entry = known.get(text)
            if entry is None:
                try:
                    addr = parse(text)
                    entry = _Known(addr, "" if str(addr) == text else str(addr))
                except AddressError as error:
                    entry = error
                known[text] = entry
            if isinstance(entry, AddressError):
                place = f"{pointer}/{number}"
                self._findings += address_findings(
                    codes.DEPENDENCY_ADDRESS_INVALID, entry, "dependency", address, place
                )
                continue
            if entry.other_form:
                place = f"{pointer}/{number}"
                self._findings.append(normalised(f"the dependency {text!r}", entry.other_form, address, place))
            found.append(entry.addr)
        return tuple(found)


def _config_resource(text: str) -> ConfigResource:
    return parse_abs_resource(text).config()
