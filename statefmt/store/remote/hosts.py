"""Controls the contact with hosts: hosts that get credentials, programs that may run, URLs and proxies.

The files of a folder, including `.terraform/`, may come from anyone. So the host of each endpoint is announced before
the first request, and a host that only the folder names gets the user's credentials only after a question, or if an
option or a variable allows it. Metadata services are never contacted for a folder, nor for a redirect.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from statefmt.model.errors import StoreError, Wording
from statefmt.store.backends.description import without_credentials
from statefmt.store.backends.settings import BackendSetting, SettingSource
from statefmt.store.remote.client import Connection
from statefmt.text import pattern, shell_word

# A name or an address, with a port. Letters of other scripts may look alike: such a name must be in its ASCII form.
_HOST: Final = pattern(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+(?:%[A-Za-z0-9._-]+)?\])(?::[0-9]{1,5})?")
# Hosts that may receive credentials, like --allow-host, separated by commas.
ALLOWED_HOSTS: Final = "STATETOOL_ALLOW_HOST"
_FOLDER: Final = frozenset({SettingSource.RECORD, SettingSource.BLOCK, SettingSource.FILE})


def is_of_folder(setting: BackendSetting | None) -> bool:
    """Return whether a setting comes only from files: the record of `init`, a block, or an operations file.

    Options, variables, defaults and missing settings belong to the user.
    """
    return setting is not None and setting.source in _FOLDER


def user_credentials(settings: Iterable[BackendSetting], names: Iterable[str]) -> str:
    """Return the variables that set one of the arguments, for messages; "" if there are none."""
    wanted = frozenset(names)
    return " and ".join(
        setting.place
        for setting in settings
        if setting.name in wanted and setting.source is SettingSource.ENVIRONMENT and setting.value not in ("", None)
    )


def approach(
    connection: Connection, host: str, *, named_by: str = "", credentials: str = "", resolves: bool = False
) -> None:
    """Announce a host before the first request to it, and check that it may receive the user's credentials.

    `host` may have a port. `named_by` is the place in the folder that names the host, such as `main.tf:4`, if neither
    an option, nor a variable, nor a default does. `credentials` names the sent credentials of the user, such as
    `TF_HTTP_PASSWORD`: from variables and files in the home directory, not from the folder or options. With both, the
    host must be allowed by an option, STATETOOL_ALLOW_HOST, or an answer. With `resolves`, checks the addresses of a
    name, for callers without a Transport, which does so itself.

    Raises StoreError if the host is invalid, not allowed, or one that only the user may name.
    """
    if _HOST.fullmatch(host) is None:
        where = f"{named_by}: " if named_by else ""
        raise StoreError(f"{where}{shell_word(host)} is not the name of a host in ASCII")
    host = host.lower()
    if named_by:
        if is_metadata_host(host, resolves=resolves and host not in connection.hosts):
            raise metadata_refused(f"{named_by}: {host}")
        connection.foreign.add(without_port(host))
    if named_by and credentials and not _is_allowed(connection, host):
        agree = connection.options.agree
        question = f"Send {credentials} to {host}, which only {named_by} names?"
        if agree is None or not agree(question):
            raise StoreError(
                f"{credentials} would be sent to {host}, which only {named_by} names; nothing was sent. If you trust "
                "this host, ",
                Wording(
                    f"use --allow-host {host}, or {ALLOWED_HOSTS}={host} for all commands",
                    f"put {host!r} in the allowed_hosts of BackendOptions",
                ),
            )
        connection.hosts[host] = True
    if host not in connection.hosts:
        connection.hosts[host] = False
        if connection.names_hosts:
            connection.note(f"connecting to {host} …")


def metadata_refused(host: str) -> StoreError:
    """Return the error for a metadata service, which provides the machine's credentials, not named by the user."""
    return StoreError(
        f"{host} is a link-local address or a metadata service, which hands out credentials of this machine; nothing "
        "was sent. If it is intended, ",
        Wording("name the state with --state URL", "pass its URL to statefmt.open()"),
    )


def require_external(connection: Connection, program: str, place: str) -> None:
    """Check that a program may run. `program` is its name in messages, `place` the file that names it.

    Raises StoreError unless the run allows programs that a configuration names.
    """
    if not connection.options.allow_external:
        raise StoreError(
            f"{place} needs to run the program {shell_word(program)}; nothing was run. If you trust this file, ",
            Wording("allow it with --allow-external", "set allow_external in BackendOptions"),
        )


def _is_allowed(connection: Connection, host: str) -> bool:
    """Return whether the run allows a host, or the user agreed; an allowed host without a port has any port."""
    if connection.hosts.get(host):
        return True
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    listed = (text.strip() for text in connection.environment.get(ALLOWED_HOSTS, "").split(","))
    return any(allowed.lower() in (host, name) for allowed in (*connection.options.allowed_hosts, *listed))


# The port of each scheme unless a URL has another.
USUAL_PORTS: Final = {"http": 80, "https": 443}


class Server(NamedTuple):
    """The server of a URL."""

    scheme: str
    host: str
    port: int

    @property
    def name(self) -> str:
        """The host as users name it, with the port unless that is the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == USUAL_PORTS[self.scheme] else f"{host}:{self.port}"


def server_of(url: str, what: str, way_out: str = "") -> Server:
    """Return the server of an HTTP URL.

    Raises StoreError, which calls the URL `what` and ends with `way_out`, if it is invalid or contains a user or a
    password.
    """
    shown = without_credentials(url)
    # urllib would drop some of these characters.
    if not url.isprintable() or " " in url or "\\" in url:
        raise StoreError(f"{what}: a URL cannot contain spaces, backslashes and control characters")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise StoreError(f"{what}: {shown} is not a valid URL") from None
    if parts.scheme not in USUAL_PORTS or not parts.hostname:
        raise StoreError(f"{what}: {shown} is not a URL that begins with http:// or https://")
    if "@" in parts.netloc:
        raise StoreError(f"{what}: {shown} has a user or a password in it, which others could see{way_out}")
    return Server(parts.scheme, parts.hostname, USUAL_PORTS[parts.scheme] if port is None else port)


_VARIABLES: Final = {"http": ("HTTP_PROXY", "http_proxy"), "https": ("HTTPS_PROXY", "https_proxy")}
_EXCEPTIONS: Final = ("NO_PROXY", "no_proxy")


def proxy_for(url: str, environment: Mapping[str, str]) -> str | None:
    """Return the URL of the proxy for a request to a URL, perhaps with credentials; None if there is none.

    Requests to this machine never use one. Raises StoreError, without credentials, for an unsupported kind of proxy.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    variable = next((name for name in _VARIABLES[parts.scheme] if environment.get(name)), None)
    # A web server sets HTTP_PROXY to the client's header Proxy.
    if variable is None or (variable == "HTTP_PROXY" and environment.get("REQUEST_METHOD")):
        return None
    address = _address(host)
    is_local = host == "localhost" if address is None else address.is_loopback
    if is_local or _is_excepted(host, parts.port or USUAL_PORTS[parts.scheme], environment):
        return None
    proxy = environment[variable]
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    try:
        found = urlsplit(proxy)
        valid = bool(found.hostname) and (found.port or 0) >= 0
    except ValueError:
        valid = False
    if not valid or found.scheme not in ("http", "https"):
        raise StoreError(f"{variable}: this is not the URL of an HTTP proxy, the only kind that is supported")
    return proxy


def _is_excepted(host: str, port: int, environment: Mapping[str, str]) -> bool:
    excepted = next((environment[name] for name in _EXCEPTIONS if environment.get(name)), "")
    if not excepted:
        return False
    # Imported late: most environments have no proxy.
    from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined] # typeshed lacks it

    names = [name.strip() for name in excepted.split(",")]
    if "*" in names or proxy_bypass_environment(f"{host}:{port}", {"no": excepted.replace("*.", ".")}):
        return True
    address = _address(host)
    return address is not None and any(address in network for network in map(_network, names) if network is not None)


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _network(text: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


# Addresses for requests from the machine itself only: metadata services, and link-local hosts. Sources: the
# documentation of the metadata services of AWS, Azure, Google Cloud, Alibaba Cloud and Oracle Cloud.
_NAMES: Final = frozenset({"metadata.google.internal", "metadata.goog", "instance-data.ec2.internal"})
_NETWORKS: Final = tuple(
    map(IPv4Network, ("169.254.0.0/16", "168.63.129.16/32", "100.100.100.200/32", "192.0.0.192/32"))
)
_NETWORKS_V6: Final = tuple(map(IPv6Network, ("fe80::/10", "fd00:ec2::/32", "fd20:ce::/32", "fd00:c1::/32")))
# IPv6 addresses that end with an IPv4 address: NAT64, and the old compatible addresses.
_WITH_IPV4: Final = tuple(map(IPv6Network, ("64:ff9b::/96", "64:ff9b:1::/48", "::/96")))


def without_port(host: str) -> str:
    """Return the host name or address without port, brackets, zone and final dot."""
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    return name.partition("%")[0].rstrip(".").lower()


def is_metadata_host(host: str, *, resolves: bool = False) -> bool:
    """Return whether a host, which may have a port, is a metadata address in any spelling, or a known name of one.

    With `resolves`, also resolves other names; an unresolvable name is not one.
    """
    name = without_port(host)
    if name in _NAMES:
        return True
    try:
        # As the system parses them: decimal, octal or hexadecimal, and with fewer parts.
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
    """Return whether an IP address is a metadata address. Raises ValueError for any other text."""
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv4Address):
        return any(address in network for network in _NETWORKS)
    inner = address.ipv4_mapped or address.sixtofour
    if inner is None and any(address in network for network in _WITH_IPV4):
        inner = IPv4Address(int(address) & 0xFFFFFFFF)
    return any(address in network for network in _NETWORKS_V6) or (
        inner is not None and is_metadata_address(str(inner))
    )
