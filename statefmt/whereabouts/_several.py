"""Reads URLs that name several states: a bucket or a prefix in it, and a database or a schema in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, unquote, urlencode

from statefmt.store.backends.options import BackendOptions
from statefmt.store.backends.place import StatePlace
from statefmt.store.backends.remote_name import RemoteName
from statefmt.store.backends.settings import SettingSource
from statefmt.whereabouts._names import words_at_url
from statefmt.whereabouts._urls import SHORT_NAMES, found_at_url, url_parts

# An object that need not exist, in place of those that have the prefix.
_ANY: Final = "terraform.tfstate"


class SeveralStates(NamedTuple):
    """What a URL names: the states below a prefix, as `ListingClient.states_below` takes it.

    `place` is that of any state there. `query` has the arguments of the URL.
    """

    place: StatePlace
    prefix: str
    query: str

    def named(self, place: StatePlace, options: BackendOptions | None = None) -> RemoteName:
        """Return the name of one of the states. Its words name it again, also on another machine."""
        location, _, own = place.location.partition("?")
        pairs = parse_qsl(own, keep_blank_values=True)
        known = {SHORT_NAMES.get(name, name) for name, _ in pairs}
        said = parse_qsl(self.query, keep_blank_values=True)
        query = urlencode([*pairs, *(pair for pair in said if SHORT_NAMES.get(pair[0], pair[0]) not in known)])
        return RemoteName(place, None, words_at_url(f"{location}?{query}" if query else location, place, options))


def several_at_url(
    name: str, environment: Mapping[str, str], options: BackendOptions | None = None
) -> SeveralStates | None:
    """Return what a URL of several states names, None for any other name.

    `s3://BUCKET` and `s3://BUCKET/PREFIX/` name the objects below; `pg://HOST/DATABASE` all schemas, one if the URL or
    the environment names it, unless the URL has a workspace. Raises StoreError as `found_at_url`.
    """
    url = url_parts(name)
    if url is None:
        return None
    if url.backend == "s3" and (not url.path or url.path.endswith("/")):
        any_state = f"s3://{url.authority}{url.path or '/'}{_ANY}" + (f"?{url.query}" if url.query else "")
        found = found_at_url(any_state, environment, options)
        return None if found is None else SeveralStates(found.place, unquote(url.path[1:]), url.query)
    if url.backend == "pg" and "workspace" not in dict(parse_qsl(url.query, keep_blank_values=True)):
        found = found_at_url(name, environment, options)
        if found is None:
            return None
        schema = next(setting for setting in found.settings if setting.name == "schema_name")
        is_named = schema.source is not SettingSource.DEFAULT
        return SeveralStates(found.place, str(schema.value) if is_named else "", url.query)
    return None
