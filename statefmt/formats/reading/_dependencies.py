"""The `dependencies` and `depends_on` of an object: addresses, of which most repeat many times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, Generic, NamedTuple, TypeVar

from statefmt.formats.reading._address_findings import address_findings
from statefmt.formats.reading._normalised import normalised
from statefmt.model.addrs import (
    AbsResourceInstance,
    ConfigResource,
    parse_abs_resource,
    parse_abs_resource_instance,
)
from statefmt.model.codes import Code
from statefmt.model.errors import AddressError
from statefmt.model.findings import Finding

_A = TypeVar("_A", ConfigResource, AbsResourceInstance)
# Addresses that were read, of all files of a run.
_KEPT: Final = 65536
_KEPT_LISTS: Final = 4096


class _Known(NamedTuple, Generic[_A]):
    """An address that was read, and its canonical text where the file has another one."""

    addr: _A
    other_form: str


class DependencyReader:
    """Reads dependency lists; each address is parsed once. Problems go to `findings`."""

    def __init__(self, findings: list[Finding]) -> None:
        self._findings = findings

    @staticmethod
    def known(texts: tuple[str | None, ...]) -> tuple[ConfigResource, ...] | None:
        """The `dependencies` that nothing is to be said about; None where `resources` must be asked."""
        return _read_plain(texts)

    def resources(self, texts: Sequence[str | None], address: str, pointer: str) -> tuple[ConfigResource, ...]:
        """The `dependencies` of the object at `address`: whole resources, whatever module keys are given."""
        return self._read(texts, _read_resource, address, f"{pointer}/dependencies") if texts else ()

    def instances(self, texts: Sequence[str | None], address: str, pointer: str) -> tuple[AbsResourceInstance, ...]:
        """The `depends_on` of the object at `address`: instances."""
        return self._read(texts, _read_instance, address, f"{pointer}/depends_on") if texts else ()

    def _read(
        self,
        texts: Sequence[str | None],
        read: Callable[[str], _Known[_A] | AddressError],
        address: str,
        pointer: str,
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
    """The resources of a whole list, which the instances of a resource have in common."""
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
