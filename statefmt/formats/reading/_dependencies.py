"""Reads the `dependencies` and `depends_on` of objects; caches their addresses, most of which repeat many times."""

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
    usual_config_resource,
)
from statefmt.model.codes import Code
from statefmt.model.errors import AddressError
from statefmt.model.findings import Finding

_A = TypeVar("_A", ConfigResource, AbsResourceInstance)
# Cache size; all files of a run share the caches of addresses that need the full grammar.
_KEPT: Final = 65536


class _Known(NamedTuple, Generic[_A]):
    """A parsed address, and its canonical form if the file has a different one (else "")."""

    addr: _A
    other_form: str


class DependencyReader:
    """A reader of dependency lists that parses each address once and appends problems to `findings`."""

    def __init__(self, findings: list[Finding]) -> None:
        self._findings = findings
        self._plain = _PlainResources()
        self._last: Sequence[str | None] = ()
        self._last_found: tuple[ConfigResource, ...] = ()

    def plain(self, texts: Sequence[str | None]) -> tuple[ConfigResource, ...] | None:
        """Parse `dependencies` without anything to report; return None if the caller must use `resources`."""
        # All instances of a resource usually have the same list.
        if texts != self._last:
            try:
                self._last_found = tuple(map(self._plain.__getitem__, texts))
            except KeyError:
                return None
            self._last = texts
        return self._last_found

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


class _PlainResources(dict[str | None, ConfigResource]):
    """The addresses of one file; each is parsed when it is first asked for, and missing if it is to be reported."""

    def __missing__(self, text: str | None) -> ConfigResource:
        found = usual_config_resource(text or "")
        if found is None:
            entry = _read_resource(text or "")
            if isinstance(entry, AddressError) or entry.other_form:
                raise KeyError(text)
            found = entry.addr
        if len(self) >= _KEPT:
            self.clear()
        self[text] = found
        return found


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
