"""Normalizes host names of registries for comparison and for display.

Source: opentofu/svchost `svchost.go`. Plain ASCII names are handled here, all others by `_domain_name`.
"""

from __future__ import annotations

from typing import Final

from statefmt.golang.quote import quote
from statefmt.text.pattern import pattern

DEFAULT_PORT: Final = 443
_HIGHEST_PORT: Final = 65535
_PUNYCODE_PREFIX: Final = "xn--"
_PLAIN = pattern(r"(?!..--)[a-z0-9]+(?:-+[a-z0-9]+)*+(?:\.(?!..--)[a-z0-9]+(?:-+[a-z0-9]+)*+)*+")
_PORT = pattern(r"([+-]?)0*+([0-9]{0,19})")


class HostnameError(ValueError):
    """An invalid host name; the message is OpenTofu's."""


def hostname_for_comparison(given: str) -> str:
    """Convert a host, with or without a port, to lower case and punycode; drop the default port.

    Raises HostnameError. Source: ForComparison.
    """
    host, colon, port = given.partition(":")
    port_suffix = _port_suffix(host, port) if colon else ""
    if host.isascii() and _PLAIN.fullmatch(plain := host.lower()):
        return plain + port_suffix
    if not host:
        raise HostnameError("empty string is not a valid hostname")
    # A trailing dot is valid; a second one is missed by OpenTofu's iteration over labels.
    for label in host.removesuffix(".." if host.endswith("..") else ".").split("."):
        if not label:
            raise HostnameError("hostname contains empty label (two consecutive periods)")
        if label.startswith(_PUNYCODE_PREFIX):
            raise HostnameError(
                f"hostname label {quote(label)} specified in punycode format; service hostnames must be given in "
                "unicode"
            )
    from statefmt.model.addrs._domain_name import DomainNameError, to_ascii, to_unicode

    try:
        hostname = to_ascii(host)
        to_unicode(hostname)  # A few names have an ASCII form but no Unicode form; OpenTofu crashes on them.
        return hostname + port_suffix
    except DomainNameError as error:
        raise HostnameError(str(error)) from None


def hostname_for_display(hostname: str) -> str:
    """Decode the punycode in a result of hostname_for_comparison(). Source: Hostname.ForDisplay."""
    if _PUNYCODE_PREFIX not in hostname:
        return hostname
    from statefmt.model.addrs._domain_name import DomainNameError, decode_punycode

    host, colon, port = hostname.partition(":")
    labels = host.split(".")
    for pos, label in enumerate(labels):
        if label.startswith(_PUNYCODE_PREFIX):
            try:
                labels[pos] = decode_punycode(label)
            except DomainNameError:
                return hostname
    return ".".join(labels) + colon + port


def _port_suffix(host: str, port: str) -> str:
    """Return the port with its colon, in its shortest form; "" for the default port. Source: normalizePortPortion."""
    match = _PORT.fullmatch(port)
    if match is None or not port.lstrip("+-"):
        raise HostnameError(_url(host) or "port portion contains non-digit characters")
    number = int(match[2] or "0") * (-1 if match[1] == "-" else 1)
    if not -(2**63) <= number < 2**63:
        raise HostnameError(_url(host) or "port portion contains non-digit characters")
    if number == DEFAULT_PORT:
        return ""
    if number > _HIGHEST_PORT:
        raise HostnameError(_url(host) or "port number is greater than 65535")
    return f":{number}"


def _url(host: str) -> str:
    if host.lower() in ("http", "https"):
        return "need just a hostname and optional port number, not a full URL"
    return ""
