"""YAML as `yamldecode` reads it: `yes`, `on` and `y` are true, as in YAML 1.1, and `017` is 17, as in 1.2.

Source: what Terraform 1.11 and 1.15 really give (go-cty-yaml).
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from statefmt.config.construct import number, object_of, text, truth, tuple_of
from statefmt.config.functions.registry import FunctionError
from statefmt.config.values import Part, Unknown, Value
from statefmt.cty import DYNAMIC, NUMBER, parse_number

if TYPE_CHECKING:
    from yaml import BaseLoader, Node, ScalarNode

# The tag of a text, and ours for what is to be found out.
_TEXT: Final = "tag:yaml.org,2002:str"
_PLAIN: Final = "plain"
_YES: Final = ("y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE")
_NO: Final = ("n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE")
_WORDS: Final = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), Value(DYNAMIC, None)),
    **dict.fromkeys(_YES, truth(True)),
    **dict.fromkeys(_NO, truth(False)),
}
# A number with zeros before it is decimal.
_NUMBER: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_HEXADECIMAL: Final = re.compile(r"0x[0-9a-fA-F]+")
_OCTAL: Final = re.compile(r"0o[0-7]+")
_NO_NUMBER: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
# Dates become times, in a form that has its own rules.
_DATE: Final = re.compile(r"\d{4}-\d\d?-\d\d?(?:[Tt ].*)?")


def decode_yaml(source: str) -> Part:
    """The value of a text. Raises FunctionError; Unknown for what is read in more than one way."""
    import yaml

    try:
        node = yaml.compose(source, Loader=_loader())
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"on line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
        raise FunctionError(f"{where}{getattr(error, 'problem', None) or error}", 0) from None
    except (ValueError, RecursionError) as error:
        raise FunctionError(str(error), 0) from None
    if node is None:
        return Value(DYNAMIC, None)
    return _value(node, ())


@cache
def _loader() -> type[BaseLoader]:
    import yaml

    base: type[BaseLoader] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

    class Loader(base):  # type: ignore[misc, valid-type]
        """Leaves open what scalars without quotes and tags are."""

        def resolve(self, kind: type[Node], value: str, implicit: tuple[bool, bool]) -> str:
            if kind is yaml.ScalarNode and implicit[0]:
                return _PLAIN
            return str(super().resolve(kind, value, implicit))

    return Loader


def _value(node: Node, above: tuple[int, ...]) -> Part:
    import yaml

    if id(node) in above:
        raise FunctionError("cannot refer to an anchor from inside of its own value", 0)
    above = (*above, id(node))
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node)
    if isinstance(node, yaml.SequenceNode):
        return tuple_of([_value(item, above) for item in node.value])
    assert isinstance(node, yaml.MappingNode)
    found: dict[str, Part] = {}
    for key, item in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise FunctionError("only string keys are allowed", 0)
        if key.value == "<<" and key.tag == _PLAIN:
            return Unknown("statetool does not evaluate the merge key << of YAML")
        if key.value in found:
            raise FunctionError(f'key "{key.value}" is there twice', 0)
        found[key.value] = _value(item, above)
    return object_of(found)


def _scalar(node: ScalarNode) -> Part:
    value: str = node.value
    if node.tag == _TEXT:
        return text(value)
    if node.tag != _PLAIN:
        return Unknown(f"statetool does not evaluate the tag {node.tag!r} of YAML")
    if value in _WORDS:
        return _WORDS[value]
    if _DATE.fullmatch(value):
        return Unknown(f"statetool does not evaluate the time {value!r} of YAML")
    if _NO_NUMBER.fullmatch(value):
        raise FunctionError("floating point infinity and NaN are not supported", 0)
    if _HEXADECIMAL.fullmatch(value):
        return number(int(value, 16))
    if _OCTAL.fullmatch(value):
        return number(int(value, 8))
    exact = parse_number(value) if _NUMBER.fullmatch(value) else None
    return text(value) if exact is None else Value(NUMBER, exact)
