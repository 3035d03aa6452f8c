"""The names of states in backends, and of versions of them.

Nothing in this package opens a state or a connection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from statefmt.store.backends.settings import StatePlace


class RemoteLocation(str):
    """The location of a state in a backend, for display: not enough to read the state."""

    __slots__ = ()


class RemoteName(RemoteLocation):
    """The location of a state in a backend, for display, with its place.

    State names are strings everywhere; this string carries the settings that a URL must not show. `folder` is the
    folder of the state, None for a URL; `words` name the state in a command, such as `("--state", "infra")`.
    """

    __slots__ = ("folder", "place", "words")

    place: StatePlace
    folder: str | None
    words: tuple[str, ...]

    def __new__(cls, place: StatePlace, folder: str | None = None, words: tuple[str, ...] = ()) -> RemoteName:
        name = super().__new__(cls, place.location)
        name.place = place
        name.folder = folder
        name.words = words
        return name

    def __reduce__(self) -> tuple[object, ...]:
        """Let `pickle` keep the place: several processes check lists of states."""
        return RemoteName, (self.place, self.folder, self.words)


class VersionName(str):
    """The location of a state and the ID of one of its versions, for display.

    It is not a RemoteName: a function that takes a RemoteName would read or write the current version.
    """

    __slots__ = ("state", "version_id")

    state: RemoteName
    version_id: str

    def __new__(cls, state: RemoteName, version_id: str) -> VersionName:
        name = super().__new__(cls, f"{state} (version {version_id})")
        name.state = state
        name.version_id = version_id
        return name

    def __reduce__(self) -> tuple[object, ...]:
        return VersionName, (self.state, self.version_id)


def state_words(name: str) -> tuple[str, ...]:
    """Return the command-line words for a state: `--state`, and the options of its folder."""
    return name.words if isinstance(name, RemoteName) else ("--state", name)
