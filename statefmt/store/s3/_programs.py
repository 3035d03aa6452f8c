"""Programs that print credentials run only if the user names them, or allows those of a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from statefmt.store.remote.connection import Connection
from statefmt.store.remote.trust import require_external
from statefmt.store.s3._files import aws_files
from statefmt.store.s3._settings import Given

if TYPE_CHECKING:
    from statefmt.store.s3._session import EnvironmentSession


def check_programs(session: EnvironmentSession, given: Given, connection: Connection) -> None:
    """Make sure that no program runs that only a file named by the folder names. Raises StoreError."""
    named = aws_files(given, connection.environment).named_by
    if named is None:
        return
    profiles = session.full_config.get("profiles", {})
    name, seen = given.text("profile") or "default", set[str]()
    while name not in seen:
        seen.add(name)
        profile = profiles.get(name, {})
        if program := profile.get("credential_process"):
            require_external(
                connection, str(program).split()[0], f"the profile {name!r} of {named.name} in {named.place}"
            )
        name = profile.get("source_profile", name)
