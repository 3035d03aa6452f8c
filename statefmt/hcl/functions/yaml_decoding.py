"""Decodes YAML as `yamldecode` does: `yes`, `on` and `y` are true, as in YAML 1.1, and `017` is 17, as in 1.2.

Source: go-cty-yaml `decode.go`, `resolve.go`, and observed results of Terraform 1.11 and 1.15.
"""

from __future__ import annotations

import base64
import re
from functools import cache
from typing import TYPE_CHECKING, Final

from statefmt.hcl.functions.registry import FunctionError
from statefmt.hcl.functions.timestamps import format_time, loose_time
from statefmt.hcl.value import Part, Value
from statefmt.hcl.values.construct import children, number, object_of, text, truth, tuple_of
from statefmt.hcl.values.conversion import convert
from statefmt.model.cty import DYNAMIC, NUMBER, STRING, ObjectType, TupleType, parse_number

if TYPE_CHECKING:
    from yaml import BaseLoader, Node, ScalarNode

# Our tag for untagged scalars.
_PLAIN: Final = "plain"
_TAGS: Final = "tag:yaml.org,2002:"
_YES: Final = ("y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE")
_NO: Final = ("n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE")
_INFINITIES: Final = re.compile(r"([-+]?)\.(?:inf|Inf|INF)")
_WORDS: Final = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), Value(DYNAMIC, None)),
    **dict.fromkeys(_YES, truth(True)),
    **dict.fromkeys(_NO, truth(False)),
}
# A scalar that starts with one of these may be something other than a string.
_HINTS: Final = frozenset("+-0123456789yYnNtTfFoO~.")
# A number with leading zeros is decimal.
_NUMBER: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_OTHER_BASE: Final = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_ANY_BASE: Final = re.compile(r"[-+]?0(?:o[0-7]+|x[0-9a-fA-F]+|b[01]+)", re.IGNORECASE)
_OTHER_RELEASE: Final = re.compile(r"^%YAML[ \t]+(?!1\.1\b)", re.MULTILINE)


def decode_yaml(source: str) -> Part:
    """Decode a YAML document. Raises FunctionError."""
    import yaml

    if _OTHER_RELEASE.match(source):
        raise FunctionError("on line 1, column 1: found incompatible YAML document", 0)
    try:
        node = yaml.compose(source, Loader=_loader())
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"on line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
        raise FunctionError(f"{where}{getattr(error, 'problem', None) or error}", 0) from None
    except (ValueError, RecursionError) as error:
        raise FunctionError(str(error), 0) from None
    if node is None:
        raise FunctionError("on line 1, column 1: expecting value but found end of stream", 0)
    return _Reader().value(node)


@cache
def _loader() -> type[BaseLoader]:
    import yaml

    base: type[BaseLoader] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

    class Loader(base):  # type: ignore[misc, valid-type]
        """A loader that does not resolve untagged scalars."""

        def resolve(self, kind: type[Node], value: str, implicit: tuple[bool, bool]) -> str:
            return _PLAIN if kind is yaml.ScalarNode else str(super().resolve(kind, value, implicit))

    return Loader


class _Reader:
    """A converter from nodes to values. An alias is the same node as its anchor."""

    def __init__(self) -> None:
        self._under_way: set[int] = set()
        self._keys: set[int] = set()

    def value(self, node: Node) -> Part:
        import yaml

        if id(node) in self._under_way:
            raise FunctionError("cannot refer to an anchor from inside of its own definition", 0)
        if id(node) in self._keys:
            raise FunctionError("reference to undefined anchor: keys cannot have anchors", 0)
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        kind = "map" if isinstance(node, yaml.MappingNode) else "seq"
        if node.tag != f"{_TAGS}{kind}":
            raise FunctionError(f"can't interpret {'mapping' if kind == 'map' else 'sequence'} as {node.tag}", 0)
        self._under_way.add(id(node))
        try:
            return self._mapping(node) if kind == "map" else tuple_of([self.value(item) for item in node.value])
        finally:
            self._under_way.discard(id(node))

    def _mapping(self, node: Node) -> Part:
        import yaml

        found: dict[str, Part] = {}
        for key, item in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise FunctionError("only strings are allowed as mapping keys", 0)
            self._keys.add(id(key))
            if (key.tag == _PLAIN and key.value == "<<") or key.tag == f"{_TAGS}merge":
                found |= self._merged(item)
                continue
            name = convert(_scalar(key), STRING)
            if not isinstance(name, Value) or not isinstance(name.data, str):
                raise FunctionError("mapping key cannot be null", 0)
            # A repeated key silently replaces the earlier one.
            found[name.data] = self.value(item)
        return object_of(found)

    def _merged(self, node: Node) -> dict[str, Part]:
        part = self.value(node)
        found: dict[str, Part] = {}
        for each in children(part) if isinstance(part.type, TupleType) else (part,):
            if not isinstance(each.type, ObjectType):
                raise FunctionError("only mappings can be merged into a mapping", 0)
            found |= dict(zip(each.type.attributes, children(each), strict=True))
        return found


def _scalar(node: ScalarNode) -> Part:
    value: str = node.value
    tag = None if node.tag == _PLAIN else node.tag.removeprefix(_TAGS)
    if tag not in (None, "str", "bool", "int", "float", "null", "timestamp", "binary"):
        raise FunctionError(f"unsupported tag {node.tag!r}", 0)
    if tag not in ("str", "binary") and (value[:1] in _HINTS or not value):
        if node.style in ("'", '"'):
            return text(value)
        if value in _WORDS:
            return _WORDS[value]
        if infinity := _INFINITIES.fullmatch(value):
            return _number(f"{infinity[1]}Inf")
        found = _implied(value, tag)
        if found is not None:
            return found
    return text(value) if tag is None else _tagged(value, tag)


def _implied(value: str, tag: str | None) -> Part | None:
    if value in (".nan", ".NaN", ".NAN") and tag is None:
        raise FunctionError("floating point NaN is not supported", 0)
    if value[:1] == ".":
        exact = parse_number(value)
        return None if exact is None else Value(NUMBER, exact)
    if tag in (None, "timestamp") and (time := loose_time(value)) is not None:
        return text(format_time(time))
    if _NUMBER.fullmatch(value) or _OTHER_BASE.fullmatch(value):
        return _number(value)
    return None


def _number(value: str) -> Part:
    plain = value.replace("_", "")
    exact = parse_number(plain)
    if exact is not None:
        return Value(NUMBER, exact)
    if _ANY_BASE.fullmatch(plain):
        return number(int(plain, 0))
    raise FunctionError(f"cannot parse {value!r} as a number", 0)


def _tagged(value: str, tag: str) -> Part:
    if tag in ("int", "float"):
        return _number(value)
    if tag == "null":
        return Value(DYNAMIC, None)
    if tag == "binary":
        try:
            base64.b64decode(value.replace("\n", "").replace("\r", ""), validate=True)
        except ValueError:
            raise FunctionError(f"cannot parse {value!r} as !!binary: not valid base64", 0) from None
    elif tag != "str":
        raise FunctionError(f"cannot parse {value!r} as !!{tag}", 0)
    return text(value)
