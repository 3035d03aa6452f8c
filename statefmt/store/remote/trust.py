"""What a repository must not decide: which hosts get a user's credentials, and which programs run.

The files of a folder, `.terraform/` among them, may come from anybody. So the host of each endpoint is named before the
first request, and credentials of the user go to a host that only the folder names after a question, or if an option
or a variable allows it. Metadata services are never asked for a folder, nor for a server that redirects.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from statefmt.model.errors import StoreError
from statefmt.model.wording import Wording
from statefmt.store.backends.settings import BackendSetting, SettingSource
from statefmt.store.remote.connection import Connection
from statefmt.store.remote.metadata_hosts import is_metadata_host, without_port
from statefmt.text.pattern import pattern
from statefmt.text.shell import shell_word

# A name or an address, with a port. Letters of other scripts look like these: such a name must be in its ASCII form.
_HOST: Final = pattern(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+(?:%[A-Za-z0-9._-]+)?\])(?::[0-9]{1,5})?")
# Hosts that may be sent credentials, as --allow-host names them, with commas in between.
ALLOWED_HOSTS: Final = "STATETOOL_ALLOW_HOST"
_FOLDER: Final = frozenset({SettingSource.RECORD, SettingSource.BLOCK, SettingSource.FILE})


def is_of_folder(setting: BackendSetting | None) -> bool:
    """Return whether only files give a setting its value: what `init` recorded, a block, or an operations file.

    Options, variables and defaults are the user's, as is a setting that does not exist.
    """
    return setting is not None and setting.source in _FOLDER


def user_credentials(settings: Iterable[BackendSetting], names: Iterable[str]) -> str:
    """Return the variables that set one of the arguments, as a message names them; "" if there is none."""
    wanted = frozenset(names)
    return " and ".join(
        setting.place
        for setting in settings
        if setting.name in wanted and setting.source is SettingSource.ENVIRONMENT and setting.value not in ("", None)
    )


def approach(
    connection: Connection, host: str, *, named_by: str = "", credentials: str = "", resolves: bool = False
) -> None:
    """Name a host before the first request to it, and make sure that it may have the user's credentials.

    `host` may have a port. `named_by` is the place in the folder that names the host, such as `main.tf:4`, if nothing
    of the user's does: neither an option, nor a variable, nor a default. `credentials` says which credentials of the
    user are sent, such as `TF_HTTP_PASSWORD`: those of variables and of files in the home directory, not those of the
    folder and of options. With both, the host must be allowed by an option, STATETOOL_ALLOW_HOST, or an answer. With
    `resolves`, looks at the addresses of a name: the caller connects without a Transport, which does so itself.

    Raises StoreError if the host is not valid, not allowed, or one that nobody but the user may name.
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
    """Return the error for a host that hands out credentials of the machine, and that not the user has named."""
    return StoreError(
        f"{host} is a link-local address or a metadata service, which hands out credentials of this machine; nothing "
        "was sent. If it is intended, ",
        Wording("name the state with --state URL", "pass its URL to statefmt.open()"),
    )


def require_external(connection: Connection, program: str, place: str) -> None:
    """Make sure that a program may run. `program` is how a message names it, `place` the file that names it.

    Raises StoreError unless the run allows programs that a configuration names.
    """
    if not connection.options.allow_external:
        raise StoreError(
            f"{place} needs to run the program {shell_word(program)}; nothing was run. If you trust this file, ",
            Wording("allow it with --allow-external", "set allow_external in BackendOptions"),
        )


def _is_allowed(connection: Connection, host: str) -> bool:
    """Return whether the run allows a host, or the user agreed; a host that is allowed without a port has any."""
    if connection.hosts.get(host):
        return True
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    listed = (text.strip() for text in connection.environment.get(ALLOWED_HOSTS, "").split(","))
    return any(allowed.lower() in (host, name) for allowed in (*connection.options.allowed_hosts, *listed))
