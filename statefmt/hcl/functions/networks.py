"""Functions on IP networks. Sources: OpenTofu `internal/lang/funcs/cidr.go`, `internal/ipaddr`; `go-cidr`."""

from __future__ import annotations

import ipaddress
import re
from typing import Final, NamedTuple

from statefmt.hcl.functions.registry import FunctionError, Parameter, function, text_of, whole_of, whole_of_any_size
from statefmt.hcl.value import Part, Unknown, list_of, text, truth
from statefmt.model.cty import BOOL, NUMBER, STRING, ListType

_PREFIX: Final = Parameter("prefix", STRING)
_FEW: Final = 32
_MAPPED: Final = 0xFFFF << 32
_ZEROS: Final = re.compile(r"(?<![0-9])0+(?=[0-9])")


class _Network(NamedTuple):
    """A network: its first address, the length of its prefix, and the number of bits of an address."""

    start: int
    length: int
    bits: int

    @property
    def size(self) -> int:
        return 1 << (self.bits - self.length)

    def __str__(self) -> str:
        # Go prints the network in IPv4 form if its first address is IPv4-mapped.
        if self.bits == 128 and self.length >= 96 and self.start >> 32 == 0xFFFF:
            return f"{_address(self.start, 128)}/{self.length - 96}"
        return f"{_address(self.start, self.bits)}/{self.length}"


def _address(value: int, bits: int) -> str:
    if bits == 32 or value >> 32 == 0xFFFF:
        return str(ipaddress.IPv4Address(value & 0xFFFFFFFF))
    return str(ipaddress.IPv6Address(value))


def _parsed_address(given: str) -> tuple[int, int] | None:
    """Return an address and its bits, None if invalid. Leading zeros in IPv4 are ignored, as in old releases of Go."""
    try:
        found = ipaddress.ip_address(given if ":" in given else _ZEROS.sub("", given))
    except ValueError:
        return None
    return None if "%" in given else (int(found), found.max_prefixlen)


def _parsed_network(given: str) -> _Network | None:
    address, slash, length = given.partition("/")
    found = _parsed_address(address)
    if found is None or not slash or not re.fullmatch("[0-9]{1,3}", length) or int(length) > found[1]:
        return None
    value, bits = found
    return _Network(value >> (bits - int(length)) << (bits - int(length)), int(length), bits)


def _network(prefix: Part) -> _Network:
    found = _parsed_network(text_of(prefix))
    if found is None:
        raise FunctionError(f"invalid CIDR expression: invalid CIDR address: {text_of(prefix)}", 0)
    return found


@function(_PREFIX, Parameter("newbits", NUMBER), Parameter("netnum", NUMBER), returns=STRING)
def cidrsubnet(prefix: Part, newbits: Part, netnum: Part) -> Part:
    network, bits, place = _network(prefix), whole_of(newbits), whole_of_any_size(netnum)
    length = network.length + bits
    if length > network.bits:
        raise FunctionError(f"insufficient address space to extend prefix of {network.length} by {bits}")
    if bits < 0 or place < 0 or (place >> 64 and place >= 1 << bits):
        return Unknown("statetool does not evaluate cidrsubnet with negative numbers, or with numbers beyond 64 bits")
    if place >= 1 << bits:
        raise FunctionError(f"prefix extension of {bits} does not accommodate a subnet numbered {place}")
    return text(str(_Network(network.start | place << (network.bits - length), length, network.bits)))


@function(_PREFIX, rest=Parameter("newbits", NUMBER), returns=ListType(STRING))
def cidrsubnets(prefix: Part, *newbits: Part) -> Part:
    network = _network(prefix)
    found: list[Part] = []
    last = network.start - 1
    for place, part in enumerate(newbits, 1):
        bits = whole_of(part)
        length = network.length + bits
        if bits < 1:
            raise FunctionError("must extend prefix by at least one bit", place)
        if length > network.bits:
            raise FunctionError(f"would extend prefix to {length} bits, which is too long for the address", place)
        if bits > _FEW:
            return Unknown(f"whether cidrsubnets can extend a prefix by more than {_FEW} bits depends on the release")
        size = 1 << (network.bits - length)
        start = last // size * size + size
        # go-cidr treats a network at address 0 as a wrap-around after the last one.
        if start >= network.start + network.size or not start:
            raise FunctionError(
                f"not enough remaining address space for a subnet with a prefix of {length} bits", place
            )
        found.append(text(str(_Network(start, length, network.bits))))
        last = start + size - 1
    return list_of(STRING, found)


@function(_PREFIX, Parameter("hostnum", NUMBER), returns=STRING)
def cidrhost(prefix: Part, hostnum: Part) -> Part:
    network, place = _network(prefix), whole_of_any_size(hostnum)
    if not -network.size <= place < network.size:
        if place >> 63 not in (0, -1):
            return Unknown("statetool does not evaluate cidrhost with numbers beyond 64 bits")
        raise FunctionError(f"prefix of {network.length} does not accommodate a host numbered {place}")
    return text(_address(network.start + place % network.size, network.bits))


@function(_PREFIX, returns=STRING)
def cidrnetmask(prefix: Part) -> Part:
    network = _network(prefix)
    if network.bits == 128:
        raise FunctionError(f"IPv6 addresses cannot have a netmask: {text_of(prefix)}")
    return text(_address((1 << 32) - network.size, 32))


@function(Parameter("containing_prefix", STRING), Parameter("contained_ip_or_prefix", STRING), returns=BOOL)
def cidrcontains(containing: Part, contained: Part) -> Part:
    network, given = _network(containing), text_of(contained)
    address = _parsed_address(given)
    inside = _parsed_network(given) if address is None else _Network(address[0], address[1], address[1])
    if inside is None:
        raise FunctionError(f"invalid IP address or prefix: {given}")
    mapped = inside.bits == 128 and inside.length >= 96 and inside.start >> 32 == 0xFFFF
    if mapped:
        inside = _Network(inside.start - _MAPPED, inside.length - 96, 32)
    if inside.bits != network.bits:
        raise FunctionError(f"address family mismatch: {text_of(containing)} vs. {given}")
    first, last = network.start, network.start + network.size
    return truth(first <= inside.start and inside.start + inside.size <= last)
