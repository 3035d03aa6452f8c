"""Addresses that only a machine itself should ask: metadata services, which hand out credentials, and link-local hosts.

Sources: the documentation of the metadata services of AWS, Azure, Google Cloud, Alibaba Cloud and Oracle Cloud.
"""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address
from typing import Final

_NAMES: Final = frozenset({"metadata.google.internal", "metadata.goog", "instance-data.ec2.internal"})
_NETWORKS: Final = tuple(
    map(IPv4Network, ("169.254.0.0/16", "168.63.129.16/32", "100.100.100.200/32", "192.0.0.192/32"))
)
_NETWORKS_V6: Final = tuple(map(IPv6Network, ("fe80::/10", "fd00:ec2::/32", "fd20:ce::/32", "fd00:c1::/32")))
# IPv6 addresses whose last bytes are one of IPv4: of NAT64, and the compatible ones of old.
_WITH_IPV4: Final = tuple(map(IPv6Network, ("64:ff9b::/96", "64:ff9b:1::/48", "::/96")))


def without_port(host: str) -> str:
    """Return the name or the address of a host that may have a port, without brackets, a zone and a final dot."""
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    return name.partition("%")[0].rstrip(".").lower()


def is_metadata_host(host: str, *, resolves: bool = False) -> bool:
    """Return whether a host, which may have a port, is such an address in any spelling, or a known name of one.

    If it `resolves` names, also any other name of one; a name that cannot be resolved is none.
    """
    name = without_port(host)
    if name in _NAMES:
        return True
    try:
        # As the system reads them: in decimal, octal or hexadecimal, and with fewer parts.
        return is_metadata_address(str(IPv4Address(socket.inet_aton(name))) if ":" not in name else name)
    except (OSError, ValueError):
        pass
    if not resolves:
        return False
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    return any(is_metadata_address(str(address[0])) for *_, address in found)


def is_metadata_address(text: str) -> bool:
    """Return whether the text of an IP address is such an address. Raises ValueError for any other text."""
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv4Address):
        return any(address in network for network in _NETWORKS)
    inner = address.ipv4_mapped or address.sixtofour
    if inner is None and any(address in network for network in _WITH_IPV4):
        inner = IPv4Address(int(address) & 0xFFFFFFFF)
    return any(address in network for network in _NETWORKS_V6) or (
        inner is not None and is_metadata_address(str(inner))
    )
