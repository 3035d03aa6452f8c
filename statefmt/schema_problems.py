"""Validates documents against the JSON Schemas of statetool, and finds the schemas.

Loading jsonschema takes longer than most commands: import this module where a document is known to be invalid, or where
the user asks for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson
from jsonschema import Draft202012Validator, ValidationError

# The names of JSON types, and of a member of an object, in messages.
_WORDS: Final[Mapping[str, str]] = {
    "array": "an array", "boolean": "true or false", "integer": "a whole number", "member": "member", "null": "null",
    "number": "a number", "object": "an object", "string": "a string",
}  # fmt: skip
_TYPES: Final = (
    (type(None), "null"), (bool, "boolean"), (int, "integer"), (str, "string"), (Mapping, "object"), (list, "array")
)  # fmt: skip
_PARTS: Final = "$defs"


class SchemaProblem(NamedTuple):
    """A violation of a schema by a document, and its place. `message` quotes no value, which may be secret."""

    path: tuple[str | int, ...]
    message: str

    @property
    def pointer(self) -> str:
        """The JSON pointer of the place."""
        return "".join([f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in self.path])


def decoded(data: bytes) -> Any:
    """Decode JSON for a schema: a number with a point or an exponent is not a whole number, as in Go and in msgspec.

    Bytes that are not UTF-8 are replaced, as Go does. Raises ValueError for invalid JSON, and RecursionError.
    """
    return json.loads(data.decode("utf-8", "replace"), parse_float=_number, parse_int=_whole_number)


def _number(text: str) -> Decimal | float:
    try:
        return Decimal(text)
    except ArithmeticError:
        # An exponent beyond those of Decimal.
        return float(text)


def _whole_number(text: str) -> int | Decimal:
    try:
        return int(text)
    except ValueError:
        # More digits than Python converts.
        return Decimal(text)


def schema_errors(name: str, document: object, part: str = "") -> Iterator[ValidationError]:
    """Yield the errors of jsonschema about a document, by a schema or one of its parts in `$defs`."""
    schema = orjson.loads(schema_text(name))
    if part:
        schema = {"$ref": f"#/{_PARTS}/{part}", _PARTS: schema[_PARTS]}
    return Draft202012Validator(schema).iter_errors(document)


def schema_problems(
    name: str, document: object, part: str = "", words: Mapping[str, str] = _WORDS
) -> list[SchemaProblem]:
    """Return the distinct violations of a schema by a document, outer places first, then by name and number.

    Args:
        name: The schema, as in `schema_text`.
        document: The document as `decoded` returns it.
        part: The name of a part in `$defs` to validate against, instead of the whole schema.
        words: The names of JSON types, and of a `member` of an object, in messages.

    Raises RecursionError for a document that is nested too deeply.
    """
    found = {problem for error in schema_errors(name, document, part) for problem in _problems(error, words)}
    # jsonschema has no fixed order.
    return sorted(found, key=lambda one: ([(isinstance(step, str), step) for step in one.path], one.message))


def _problems(error: ValidationError, words: Mapping[str, str]) -> Iterator[SchemaProblem]:
    """Yield the problems of one error: of alternatives, only those of the alternative with the right type."""
    if error.validator not in ("anyOf", "oneOf") or not error.context:
        yield SchemaProblem(tuple(error.absolute_path), _message(error, words))
        return
    branches: dict[object, list[ValidationError]] = {}
    for inner in error.context:
        branches.setdefault(inner.schema_path[0], []).append(inner)
    fitting = [inner for inner in branches.values() if not any(_is_about_type(each, error) for each in inner)]
    if len(fitting) == 1:
        for inner in fitting[0]:
            yield from _problems(inner, words)
    elif fitting:
        yield SchemaProblem(tuple(error.absolute_path), _of_title(error) or "none of the allowed forms")
    else:
        wanted = [kind for each in error.context if _is_about_type(each, error) for kind in _as_list(each)]
        yield SchemaProblem(tuple(error.absolute_path), _expected(wanted, error.instance, words))


def _is_about_type(error: ValidationError, outer: ValidationError) -> bool:
    return error.validator == "type" and error.absolute_path == outer.absolute_path


def _as_list(error: ValidationError) -> list[str]:
    found: Any = error.validator_value
    return [found] if isinstance(found, str) else list(found)


def _message(error: ValidationError, words: Mapping[str, str]) -> str:
    """Word the message for the keyword of the schema."""
    limit: Any = error.validator_value
    instance: Any = error.instance
    schema: Any = error.schema
    match error.validator:
        case "type":
            return _expected(_as_list(error), instance, words)
        case "required":
            return _named("missing", [name for name in limit if name not in instance], words)
        case "additionalProperties":
            return _named("unknown", [name for name in instance if name not in schema["properties"]], words)
        case "enum" | "const":
            allowed = limit if error.validator == "enum" else [limit]
            return f"expected {_either([orjson.dumps(value).decode() for value in allowed])}"
        case "minLength" | "minItems" | "minProperties" if limit == 1:
            return "must not be empty"
        case "minimum" | "maximum":
            return f"must be at {'least' if error.validator == 'minimum' else 'most'} {limit}"
        case "pattern":
            return _of_title(error) or f"does not match the pattern {limit}"
        case keyword:
            return _of_title(error) or f"not allowed by {keyword!r} of the schema"


def _of_title(error: ValidationError) -> str:
    schema: Any = error.schema
    title = schema.get("title", "")
    is_word = title[1:2].islower()
    return f"invalid {title[:1].lower() if is_word else title[:1]}{title[1:]}" if title else ""


def _expected(wanted: Sequence[str], instance: object, words: Mapping[str, str]) -> str:
    given = next((kind for type_, kind in _TYPES if isinstance(instance, type_)), "number")
    return f"expected {_either([words[kind] for kind in dict.fromkeys(wanted)])}, got {words[given]}"


def _named(what: str, names: Sequence[str], words: Mapping[str, str]) -> str:
    return f"{what} {words['member']}{'' if len(names) == 1 else 's'} {', '.join(map(repr, names))}"


def _either(words: Sequence[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


_SUFFIX = ".schema.json"


def schema_names() -> tuple[str, ...]:
    """Return the names of all schemas, sorted: `state-v4` for the file `state-v4.schema.json`."""
    names = (entry.name for entry in _folder().iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)))


def schema_text(name: str) -> bytes:
    """Return the bytes of the schema file called `name`. Raises KeyError if it does not exist."""
    if name not in schema_names():
        raise KeyError(name)
    return _folder().joinpath(name + _SUFFIX).read_bytes()


def _folder() -> Traversable:
    # Building a wheel copies the project's top-level folder into the package. A checkout, and an
    # editable install of it, has only the top-level one. The package's own folder takes precedence:
    # next to an installed package, a folder called "schemas" may belong to another project.
    packaged = files("statefmt").joinpath("schemas")
    if packaged.is_dir():
        return packaged
    return Path(__file__).resolve().parents[1] / "schemas"
