"""Reads the `dependencies` and `depends_on` of objects; caches their addresses, most of which repeat many times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, Generic, NamedTuple, TypeVar

from statefmt.formats.reading._address_findings import address_findings
from statefmt.formats.reading._normalised import normalised
from statefmt.model.addrs import AbsResourceInstance, ConfigResource, parse_abs_resource, parse_abs_resource_instance
from statefmt.model.codes import Code
from statefmt.model.errors import AddressError
from statefmt.model.findings import Finding

_A = TypeVar("_A", ConfigResource, AbsResourceInstance)
# Cache sizes; all files of a run share the caches.
_KEPT: Final = 65536
_KEPT_LISTS: Final = 4096


class _Known(NamedTuple, Generic[_A]):
    """A parsed address, and its canonical form if the file has a different one (else "")."""

    addr: _A
    other_form: str


class DependencyReader:
    """A reader of dependency lists that parses each address once and appends problems to `findings`."""

    def __init__(self, findings: list[Finding]) -> None:
        self._findings = findings

    @staticmethod
    def known(texts: tuple[str | None, ...]) -> tuple[ConfigResource, ...] | None:
        """Parse `dependencies` without anything to report; return None if the caller must use `resources`."""
        return _read_plain(texts)

    def resources(self, texts: Sequence[str | None], address: str, pointer: str) -> tuple[ConfigResource, ...]:
        """Parse the `dependencies` of the object at `address` into whole resources, ignoring module keys."""
        return self._read(texts, _read_resource, address, f"{pointer}/dependencies") if texts else ()

    def instances(self, texts: Sequence[str | None], address: str, pointer: str) -> tuple[AbsResourceInstance, ...]:
        """Parse the `depends_on` of the object at `address` into instances."""
        return self._read(texts, _read_instance, address, f"{pointer}/depends_on") if texts else ()

    def _read(
        self, texts: Sequence[str | None], read: Callable[[str], _Known[_A] | AddressError], address: str, pointer: str
    ) -> tuple[_A, ...]:
        found: list[_A] = []
        for number, given in enumerate(texts):
            text = given or ""
            entry = read(text)
            if isinstance(entry, AddressError):
                place = f"{pointer}/{number}"
                self._findings += address_findings(Code.DEPENDENCY_ADDRESS_INVALID, entry, "dependency", address, place)
                continue
            if entry.other_form:
                place = f"{pointer}/{number}"
                self._findings.append(normalised(f"the dependency {text!r}", entry.other_form, address, place))
            found.append(entry.addr)
        return tuple(found)


@lru_cache(maxsize=_KEPT_LISTS)
def _read_plain(texts: tuple[str | None, ...]) -> tuple[ConfigResource, ...] | None:
    """Parse a whole list, which all instances of a resource usually share; None if there is something to report."""
    found: list[ConfigResource] = []
    for text in texts:
        entry = _read_resource(text or "")
        if isinstance(entry, AddressError) or entry.other_form:
            return None
        found.append(entry.addr)
    return tuple(found)


@lru_cache(maxsize=_KEPT)
def _read_resource(text: str) -> _Known[ConfigResource] | AddressError:
    return _known(text, lambda: parse_abs_resource(text).config())


@lru_cache(maxsize=_KEPT)
def _read_instance(text: str) -> _Known[AbsResourceInstance] | AddressError:
    return _known(text, lambda: parse_abs_resource_instance(text))


def _known(text: str, parse: Callable[[], _A]) -> _Known[_A] | AddressError:
    try:
        addr = parse()
    except AddressError as error:
        return error
    return _Known(addr, "" if str(addr) == text else str(addr))
