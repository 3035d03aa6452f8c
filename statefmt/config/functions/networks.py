"""Functions of IP networks. Source: OpenTofu `internal/lang/funcs/cidr.go`."""

from __future__ import annotations

import ipaddress
from typing import TypeAlias

from statefmt.config.construct import text
from statefmt.config.functions.registry import FunctionError, Parameter, function
from statefmt.config.functions.shapes import text_of, whole_of
from statefmt.config.values import Part
from statefmt.cty import NUMBER, STRING

_PREFIX = Parameter("prefix", STRING)
_Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


def _network(prefix: Part) -> _Network:
    given = text_of(prefix)
    if "/" not in given or not given.rsplit("/", 1)[1].isdecimal():
        raise FunctionError(f"invalid CIDR expression: invalid CIDR address: {given}", 0)
    try:
        return ipaddress.ip_network(given, strict=False)
    except ValueError:
        raise FunctionError(f"invalid CIDR expression: invalid CIDR address: {given}", 0) from None


@function(_PREFIX, Parameter("newbits", NUMBER), Parameter("netnum", NUMBER), returns=STRING)
def cidrsubnet(prefix: Part, newbits: Part, netnum: Part) -> Part:
    network, bits, place = _network(prefix), whole_of(newbits), whole_of(netnum)
    length = network.prefixlen + bits
    if bits < 0 or length > network.max_prefixlen:
        raise FunctionError(f"insufficient address space to extend prefix of {network.prefixlen} by {bits}")
    if not 0 <= place < 2**bits:
        raise FunctionError(f"prefix extension of {bits} does not accommodate a subnet numbered {place}")
    start = int(network.network_address) + (place << (network.max_prefixlen - length))
    return text(f"{type(network.network_address)(start)}/{length}")


@function(_PREFIX, Parameter("hostnum", NUMBER), returns=STRING)
def cidrhost(prefix: Part, hostnum: Part) -> Part:
    network, place = _network(prefix), whole_of(hostnum)
    size = network.num_addresses
    if not -size <= place < size:
        raise FunctionError(f"prefix of {network.prefixlen} does not accommodate a host numbered {place}")
    return text(str(type(network.network_address)(int(network.network_address) + place % size)))


@function(_PREFIX, returns=STRING)
def cidrnetmask(prefix: Part) -> Part:
    network = _network(prefix)
    if network.version != 4:
        raise FunctionError("only IPv4 networks have a netmask", 0)
    return text(str(network.netmask))
