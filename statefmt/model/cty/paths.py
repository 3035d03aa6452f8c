"""Reads and writes the sensitive paths of an instance as OpenTofu does.

`PathTree` looks up paths step by step, so that a walk through a value takes linear time.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from functools import lru_cache
from typing import Generic, TypeVar

import msgspec
from msgspec import Raw, Struct

from statefmt.golang import JSONValue, Members, NumberText, encode_string, kind_name, loads_exact, quote
from statefmt.model.cty import (
    DYNAMIC,
    NUMBER,
    STRING,
    CtyEncodeError,
    CtyValueError,
    ListType,
    MapType,
    ObjectType,
    SetType,
    TupleType,
    Type,
)
from statefmt.model.cty.data import CtyValue, Data, GetAttr, Path, PathIndex, PathStep
from statefmt.model.cty.number import Number, from_int
from statefmt.model.cty.values import decode, write_value

# States repeat the same few path lists for thousands of instances; longer lists are not worth caching.
_CACHED_SIZE = 1024


class PathProblem(Struct, frozen=True):
    """OpenTofu's reason for refusing a path list, and with it the instance."""

    summary: str
    detail: str


def canonical_paths(raw: bytes) -> tuple[bytes, tuple[PathProblem, ...]]:
    """Return the path list that OpenTofu writes after reading `raw`, and all problems it reports.

    `raw` is the valid JSON of `sensitive_attributes`. If there are problems, for which OpenTofu refuses the
    instance, the bytes contain only the valid paths. The order and repetition of paths are kept.
    """
    if raw in (b"[]", b"null"):
        return b"[]", ()
    return _cached_paths(raw) if len(raw) <= _CACHED_SIZE else _canonical_paths(raw)


def decode_paths(raw: bytes) -> tuple[tuple[Path, ...], tuple[PathProblem, ...]]:
    """Parse a path list as OpenTofu's unmarshalPaths does; return the valid paths, and all problems in its order."""
    sound = _sound_paths(raw)
    if sound is not None:
        return tuple([path for path, _ in sound]), ()
    return _decode_paths(raw)


def _sound_paths(raw: bytes) -> list[tuple[Path, bytes]] | None:
    """Return the paths in a list, each with its canonical text; None if the list may have a problem.

    Decodes each path on its own. That gives the same result and is faster, because lists share most of their paths.
    """
    try:
        texts = msgspec.json.decode(raw, type=list[Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    sound: list[tuple[Path, bytes]] = []
    for text in texts:
        path = (_cached_path if len(text) <= _CACHED_SIZE else _sound_path)(bytes(text))
        if path is None:
            return None
        sound.append(path)
    return sound


def _sound_path(raw: bytes) -> tuple[Path, bytes] | None:
    paths, problems = _decode_paths(b"[%b]" % raw)
    try:
        return None if problems else (paths[0], _encode_path(paths[0]))
    except CtyEncodeError:
        return None


_cached_path = lru_cache(maxsize=4096)(_sound_path)


def _decode_paths(raw: bytes) -> tuple[tuple[Path, ...], tuple[PathProblem, ...]]:
    problems: list[PathProblem] = []
    try:
        node = loads_exact(raw, replace_invalid=True)
    except ValueError as error:
        return (), (PathProblem("Error unmarshaling path steps", str(error)),)
    raw_paths = _decode_steps(node, problems)
    paths: list[Path] = []
    for raw_path in raw_paths:
        try:
            paths.append(tuple(_to_step(step) for step in raw_path))
        except _StepError as error:
            problems.append(error.problem)
    return tuple(paths), tuple(problems)


def encode_paths(paths: tuple[Path, ...]) -> bytes:
    """Encode a path list as compact JSON, as OpenTofu's marshalPaths (within encoding/json) does.

    Raises CtyEncodeError for a key that JSON cannot represent.
    """
    return b"[%b]" % b",".join(map(_encode_path, paths))


def _canonical_paths(raw: bytes) -> tuple[bytes, tuple[PathProblem, ...]]:
    sound = _sound_paths(raw)
    if sound is not None:
        return b"[%b]" % b",".join([text for _, text in sound]), ()
    paths, undecoded = _decode_paths(raw)
    problems = list(undecoded)
    encoded: list[bytes] = []
    for path in paths:
        try:
            encoded.append(_encode_path(path))
        except CtyEncodeError as error:
            detail = f"Failed to marshal index step key: {error.detail}"
            problems.append(PathProblem("Error marshaling path step", detail))
    return b"[%b]" % b",".join(encoded), tuple(problems)


_cached_paths = lru_cache(maxsize=4096)(_canonical_paths)


class _RawStep(Struct):
    """OpenTofu's pathStep; `value` is empty if the member is missing."""

    type: str = ""
    value: tuple[JSONValue, ...] = ()


class _StepError(Exception):
    def __init__(self, summary: str, detail: str) -> None:
        super().__init__(detail)
        self.problem = PathProblem(summary, detail)


def _decode_steps(node: JSONValue, problems: list[PathProblem]) -> list[list[_RawStep]]:
    """Decode [][]pathStep as encoding/json does: nulls and values of the wrong type become empty.

    Reports only the first value of the wrong type.
    """
    errors: list[str] = []
    paths: list[list[_RawStep]] = []
    for path in _go_slice(node, "[][]statefile.pathStep", errors):
        steps = _go_slice(path, "[]statefile.pathStep", errors)
        paths.append([_decode_step(step, errors) for step in steps])
    if errors:
        problems.append(PathProblem("Error unmarshaling path steps", errors[0]))
    return paths


def _go_slice(node: JSONValue, wanted: str, errors: list[str]) -> list[JSONValue]:
    if isinstance(node, list):
        return node
    if node is not None:
        errors.append(f"json: cannot unmarshal {kind_name(node)} into Go value of type {wanted}")
    return []


def _decode_step(node: JSONValue, errors: list[str]) -> _RawStep:
    step = _RawStep()
    if not isinstance(node, Members):
        if node is not None:
            errors.append(f"json: cannot unmarshal {kind_name(node)} into Go value of type statefile.pathStep")
        return step
    for name, item in node:
        # encoding/json ignores the case of member names, and the last of repeated members wins.
        field = name.lower() if name.isascii() else name
        if field == "value":
            step.value = (item,)
        elif field == "type" and item is not None:
            if isinstance(item, str) and not isinstance(item, NumberText):
                step.type = item
            else:
                kind = kind_name(item)
                errors.append(f"json: cannot unmarshal {kind} into Go struct field pathStep.type of type string")
    return step


def _to_step(step: _RawStep) -> PathStep:
    if step.type == "index":
        return PathIndex(_to_key(step.value))
    if step.type != "get_attr":
        raise _StepError("Unsupported path step", f"Unsupported path step type {quote(step.type)}")
    detail = "unexpected end of JSON input"
    if step.value:
        (name,) = step.value
        if name is None or (isinstance(name, str) and not isinstance(name, NumberText)):
            return GetAttr(name or "")
        detail = f"json: cannot unmarshal {kind_name(name)} into Go value of type string"
    raise _StepError("Error unmarshaling path step", f"Failed to unmarshal get attr step name: {detail}")


def _to_key(value: tuple[JSONValue, ...]) -> str | int | CtyValue:
    try:
        if not value:
            raise CtyValueError("EOF")
        of, data = decode(value[0], DYNAMIC)
    except (ValueError, RecursionError) as error:
        detail = str(error) if isinstance(error, ValueError) else "the key is nested too deeply"
        raise _StepError("Error unmarshaling path step", f"Failed to unmarshal index step key: {detail}") from None
    if of == STRING and isinstance(data, str):
        return data
    if of == NUMBER and isinstance(data, Number):
        whole = data.small_integer()
        if whole is not None:
            return whole
    return CtyValue(of, data)


def _encode_path(path: Path) -> bytes:
    return b"[%b]" % b",".join(map(_encode_step, path))


def _encode_step(step: PathStep) -> bytes:
    if isinstance(step, GetAttr):
        return b'{"type":"get_attr","value":%b}' % encode_string(step.name)
    key = step.key
    if isinstance(key, str):
        key = CtyValue(STRING, key)
    elif isinstance(key, int):
        key = CtyValue(NUMBER, from_int(key))
    return b'{"type":"index","value":%b}' % write_value(key, DYNAMIC)


T = TypeVar("T")


class PathTree(Generic[T]):
    """Items by path, as a tree of steps. `found` are the items at the path of this node."""

    __slots__ = ("_children", "found")

    def __init__(self, entries: Iterable[tuple[Path, T]] = ()) -> None:
        self.found: list[T] = []
        self._children: dict[Hashable, PathTree[T]] = {}
        for path, item in entries:
            node = self
            for step in path:
                node = node._children.setdefault(step_identity(step), PathTree())
            node.found.append(item)

    def child(self, step: PathStep) -> PathTree[T] | None:
        """Return the tree below a step; None if no path takes this step."""
        return self._children.get(step_identity(step)) if self._children else None

    def everything(self) -> Iterator[T]:
        """Yield the items of this path and of all paths below."""
        yield from self.found
        for below in self._children.values():
            yield from below.everything()


def index_step(key: str | int | CtyValue) -> PathIndex:
    """Return the step to a part by its key as in elements(); strings and whole numbers are keys themselves."""
    if isinstance(key, CtyValue):
        if isinstance(key.data, str):
            return PathIndex(key.data)
        whole = key.data.small_integer() if isinstance(key.data, Number) else None
        if whole is not None and key.type == NUMBER:
            return PathIndex(whole)
    return PathIndex(key)


def path_key(path: Path) -> Hashable:
    """Return a key that is equal for two paths if and only if the paths are the same."""
    return tuple(map(step_identity, path))


def step_identity(step: PathStep) -> Hashable:
    """Return a key that is equal for two steps if and only if the steps are the same."""
    if isinstance(step, GetAttr):
        return GetAttr, step.name
    key = index_step(step.key).key
    return (key.type, comparable_key(key.data, key.type)) if isinstance(key, CtyValue) else key


def comparable_key(data: Data, of: Type) -> Hashable:
    """Return a hashable key that is equal for equal data of one type without marks.

    Sets that differ only in 0 and -0 also have equal keys. Raises RecursionError for data nested too deeply.
    """
    if isinstance(data, tuple):
        if isinstance(of, TupleType):
            return tuple(map(comparable_key, data, of.elements))
        assert isinstance(of, (ListType, SetType))
        keys = [comparable_key(item, of.element) for item in data]
        return tuple(keys) if isinstance(of, ListType) else frozenset(keys)
    if isinstance(data, dict):
        if isinstance(of, ObjectType):
            return tuple(comparable_key(data[name], of.attributes[name]) for name in of.attributes)
        assert isinstance(of, MapType)
        return tuple((name, comparable_key(data[name], of.element)) for name in sorted(data))
    return data
