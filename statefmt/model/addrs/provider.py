"""Models provider source addresses, and normalizes their host names for comparison and for display.

Plain ASCII names are handled here, all others by `_domain_name`. Sources: opentofu/registry-address `provider.go`;
opentofu/svchost `svchost.go`; OpenTofu `internal/addrs/provider.go`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import msgspec

from statefmt.golang import quote
from statefmt.model.errors import AddressError, AddressProblem
from statefmt.text import pattern

# The registry of providers whose source has no host.
DEFAULT_HOST: Final = "registry.opentofu.org"
# Terraform's registry of such providers.
TERRAFORM_HOST: Final = "registry.terraform.io"
BUILTIN_HOST: Final = "terraform.io"
BUILTIN_NAMESPACE: Final = "builtin"
DEFAULT_NAMESPACE: Final = "hashicorp"
LEGACY_NAMESPACE: Final = "-"

_BUILTIN_HOSTS: Final = frozenset({BUILTIN_HOST, "opentofu.org"})
_PLAIN_PART = pattern(r"[a-z0-9]+(?:-[a-z0-9]+)*+")
_TYPE_SUMMARY: Final = "Invalid provider type"
_NAMESPACE_SUMMARY: Final = "Invalid provider namespace"
# Invalid prefixes of types, with the words for OpenTofu's message: whose prefix, how common in repository names.
_PREFIXES: Final = (("terraform-", "a Terraform", "often"), ("opentofu-", "an OpenTofu", "sometimes"))


class Provider(msgspec.Struct, frozen=True, gc=False, cache_hash=True):
    """A provider: `registry.opentofu.org/hashicorp/aws`. `hostname` is in punycode.

    A legacy provider, known only by its type, has the namespace "-" and any identifier as its type.
    """

    hostname: str
    namespace: str
    type: str

    @classmethod
    def default(cls, name: str) -> Provider:
        """Return `name` in the default namespace of the default registry. Raises ValueError for an invalid type."""
        return cls(DEFAULT_HOST, DEFAULT_NAMESPACE, normalize_provider_part(name))

    @classmethod
    def builtin(cls, name: str) -> Provider:
        """Return the built-in provider `name`. Raises ValueError for an invalid type."""
        return cls(BUILTIN_HOST, BUILTIN_NAMESPACE, normalize_provider_part(name))

    @classmethod
    def legacy(cls, name: str) -> Provider:
        """Return the provider called `name` in states before format 4. The name is kept unchanged."""
        return cls(DEFAULT_HOST, LEGACY_NAMESPACE, name)

    def __str__(self) -> str:
        return f"{hostname_for_display(self.hostname)}/{self.namespace}/{self.type}"

    @property
    def display(self) -> str:
        """The address for display, without the default host."""
        return f"{self.namespace}/{self.type}" if self.hostname == DEFAULT_HOST else str(self)

    @property
    def is_builtin(self) -> bool:
        """Whether the provider is part of OpenTofu itself, like `terraform.io/builtin/terraform`."""
        return self.namespace == BUILTIN_NAMESPACE and self.hostname in _BUILTIN_HOSTS

    @property
    def is_legacy(self) -> bool:
        """Whether only the type of the provider is known."""
        return self.namespace == LEGACY_NAMESPACE and self.hostname == DEFAULT_HOST


def implied_provider(name: str) -> Provider:
    """Return the provider of a local name that the configuration does not declare.

    Raises ValueError for an invalid type. Source: ImpliedProviderForUnqualifiedType.
    """
    return Provider.builtin(name) if name == "terraform" else Provider.default(name)


def parse_provider_source(text: str) -> Provider:
    """Parse a provider from `[hostname/][namespace/]type`; convert to lower case and fill in defaults.

    Raises AddressError. Source: ParseProviderSourceString.
    """
    parts = text.split("/")
    if len(parts) > 3 or "" in parts:
        detail = 'The "source" attribute must be in the format "[hostname/][namespace/]name"'
        raise refusal(text, 1, "Invalid provider source string", detail)
    given = parts[-1]
    column = len(text) - len(given) + 1
    try:
        type_name = normalize_provider_part(given)
    except ValueError as error:
        detail = f'Invalid provider type {quote(given)} in source {quote(text)}: {error}"'
        raise refusal(text, column, _TYPE_SUMMARY, detail) from None
    if len(parts) == 1:
        return Provider(DEFAULT_HOST, DEFAULT_NAMESPACE, type_name)
    namespace = parts[-2]
    if namespace != LEGACY_NAMESPACE:
        try:
            namespace = normalize_provider_part(namespace)
        except ValueError as error:
            detail = f'Invalid provider namespace "" in source {quote(text)}: {error}"'
            raise refusal(text, column - len(namespace) - 1, _NAMESPACE_SUMMARY, detail) from None
    hostname = DEFAULT_HOST
    if len(parts) == 3:
        try:
            hostname = hostname_for_comparison(parts[0])
        except HostnameError as error:
            detail = f'Invalid provider source hostname namespace "" in source {quote(text)}: {error}"'
            raise refusal(text, 1, "Invalid provider source hostname", detail) from None
    if namespace == LEGACY_NAMESPACE and hostname != DEFAULT_HOST:
        detail = f'The legacy provider namespace "-" can be used only with hostname {DEFAULT_HOST}.'
        raise refusal(text, len(parts[0]) + 2, _NAMESPACE_SUMMARY, detail)
    provider = Provider(hostname, namespace, type_name)
    if "-" in type_name and (detail := _prefix_detail(provider)):
        raise refusal(text, column, _TYPE_SUMMARY, detail)
    return provider


def normalize_provider_part(given: str) -> str:
    """Normalize a namespace or type: lower case; letters of any script, digits, single dashes in between.

    Raises ValueError with OpenTofu's reason if it is invalid. Source: ParseProviderPart.
    """
    if given.isascii() and _PLAIN_PART.fullmatch(part := given.lower()):
        return part
    if not given:
        raise ValueError("must have at least one character")
    if "." in given:
        raise ValueError("dots are not allowed")
    if "--" in given:
        raise ValueError("cannot use multiple consecutive dashes")
    from statefmt.model.addrs._domain_name import DomainNameError, to_unicode

    try:
        return to_unicode(given)
    except DomainNameError:
        raise ValueError(
            "must contain only letters, digits, and dashes, and may not use leading or trailing dashes"
        ) from None


def _prefix_detail(provider: Provider) -> str:
    """Return OpenTofu's error for a type with a redundant prefix, or ""."""
    for prefix, owner, how_often in _PREFIXES:
        if not provider.type.startswith(prefix):
            continue
        user_error = f"{prefix}provider-"
        if provider.type.startswith(user_error):
            suggested = msgspec.structs.replace(provider, type=provider.type.removeprefix(user_error))
            with suppress(ValueError):
                normalize_provider_part(suggested.type)
                return (
                    f'Provider source {quote(provider.display)} has a type with the prefix "{user_error}", which '
                    f"isn't valid. Although that prefix is {how_often} used in the names of version control "
                    f"repositories for {owner.split()[1]} providers, provider source strings should not include "
                    f"it.\n\nDid you mean {quote(suggested.display)}?"
                )
        return (
            f'Provider source {quote(str(provider))} has a type with the prefix "{prefix}", which isn\'t allowed '
            f"because it would be redundant to name {owner} provider with that prefix. If you are the author of this "
            "provider, rename it to not include the prefix."
        )
    return ""


def refusal(text: str, column: int, summary: str, detail: str, earlier: Sequence[AddressProblem] = ()) -> AddressError:
    """Return the error for one problem in an address, after `earlier` ones."""
    return AddressError(text, [*earlier, AddressProblem(column, summary, detail)])


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
    is_url = host.lower() in ("http", "https")
    url = "need just a hostname and optional port number, not a full URL" if is_url else ""
    match = _PORT.fullmatch(port)
    number = int(match[1] + (match[2] or "0")) if match and port.lstrip("+-") else None
    if number is None or not -(2**63) <= number < 2**63:
        raise HostnameError(url or "port portion contains non-digit characters")
    if number == DEFAULT_PORT:
        return ""
    if number > _HIGHEST_PORT:
        raise HostnameError(url or "port number is greater than 65535")
    return f":{number}"
