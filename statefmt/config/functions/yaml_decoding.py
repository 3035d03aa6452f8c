"""YAML as `yamldecode` reads it. Source: go-cty-yaml, which follows the core schema of YAML 1.2."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from statefmt.config.construct import number, object_of, text, truth, tuple_of
from statefmt.config.functions.registry import FunctionError
from statefmt.config.values import Part, Unknown, Value
from statefmt.cty import DYNAMIC, NUMBER, parse_number

if TYPE_CHECKING:
    from yaml import Node, ScalarNode

_WORDS: Final = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), Value(DYNAMIC, None)),
    **dict.fromkeys(("true", "True", "TRUE"), truth(True)),
    **dict.fromkeys(("false", "False", "FALSE"), truth(False)),
}
_DECIMAL: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
# Dates, and numbers as other releases of YAML write them: what they are here depends on the reader.
_DOUBTFUL: Final = re.compile(
    r"[-+]?0[0-9_]+|[-+]?0[bxo][0-9a-fA-F_]+|[-+]?[0-9][0-9_]*_[0-9_.]*|[0-9]+(?::[0-9]+)+(?:\.[0-9]*)?|\d{4}-\d\d?-\d\d?.*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)


def decode_yaml(source: str) -> Part:
    """The value of a text. Raises FunctionError; Unknown for what is read in more than one way."""
    import yaml

    try:
        node = yaml.compose(source, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"on line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
        raise FunctionError(f"{where}{getattr(error, 'problem', None) or error}", 0) from None
    except (ValueError, RecursionError) as error:
        raise FunctionError(str(error), 0) from None
    if node is None:
        return Value(DYNAMIC, None)
    return _value(node, ())


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
        if key.value == "<<" and key.style is None:
            return Unknown("statetool does not evaluate the merge key << of YAML")
        if key.value in found:
            raise FunctionError(f'key "{key.value}" is there twice', 0)
        found[key.value] = _value(item, above)
    return object_of(found)


def _scalar(node: ScalarNode) -> Part:
    value: str = node.value
    if node.style is not None or node.tag == "tag:yaml.org,2002:str":
        return text(value)
    if value in _WORDS:
        return _WORDS[value]
    if _DOUBTFUL.fullmatch(value):
        return Unknown(f"what {value!r} is in YAML depends on the reader")
    if _DECIMAL.fullmatch(value):
        return number(int(value))
    if _FLOAT.fullmatch(value):
        # As of YAML, a number of 64 bits, and not of more.
        exact = parse_number(value)
        return text(value) if exact is None else Value(NUMBER, exact)
    return text(value)
