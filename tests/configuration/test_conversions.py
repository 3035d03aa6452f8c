"""`convert` and the functions of assumptions, with the values and errors of OpenTofu's and Terraform's own tests.

Sources: OpenTofu `internal/lang/{type_conversion,functions}_test.go`, `internal/lang/funcs/assume_test.go`; Terraform
`internal/lang/functions_test.go`; go-cty `cty/unknown_refinement.go` for lengths and prefixes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from statefmt.configuration import LoadOptions, load
from statefmt.configuration._scope import root_scope
from statefmt.hcl.evaluate import evaluate
from statefmt.hcl.value import Unknown, Value, is_sensitive_within, to_plain
from statefmt.model.cty import type_name
from statefmt.model.cty.data import CtyValue
from statefmt.model.cty.values import write_value
from tests.configuration.expression import expression
from tests.tables import each_row

# `var.untyped` is a value of which nothing is known, `local.text` a string that is not known.
_CONFIGURATION: Final = 'variable "untyped" {}\nlocals {\n  text = convert(var.untyped, string)\n}\n'

# The expression, the type of its value, and the value in JSON; None is not known.
VALUES: Final = [
    ('convert("hello", string)', "string", '"hello"'),
    ('convert("hello", any)', "string", '"hello"'),
    ('convert("true", bool)', "bool", "true"),
    ('convert("10", number)', "number", "10"),
    ("convert({}, object({ name = optional(string) }))", "object", '{"name":null}'),
    ('convert({}, object({ name = optional(string, "Jackson") }))', "object", '{"name":"Jackson"}'),
    ('convert(null, object({ name = optional(string, "Jackson") }))', "object", "null"),
    ('convert({ name = "Majida" }, object({}))', "object", "{}"),
    ('convert(var.untyped, object({ name = optional(string, "Jackson") }))', "object", None),
    ('can(convert("a", number))', "bool", "false"),
    ('try(convert("a", number), 5)', "number", "5"),
    ("convert({}, map(list(map(set(string)))))", "map of list of map of set of string", "{}"),
    ('core::convert("a", string)', "string", '"a"'),
    ('assumeequal("a", "a")', "string", '"a"'),
    ('assumeequal(local.text, "hello")', "string", '"hello"'),
    ('assumeequal("hello", local.text)', "string", None),
    ('assumeequal(var.untyped, tolist(["hello"]))', "list of string", '["hello"]'),
    ('assumeequal(["hello"], tolist(["hello"]))', "list of string", '["hello"]'),
    ('assumeequal([var.untyped], tolist(["hello"]))', "list of string", '["hello"]'),
    ('assumenotnull("hello")', "string", '"hello"'),
    ("assumenotnull(local.text)", "string", None),
    ('assumestringprefix("foo-bar", "foo-")', "string", '"foo-bar"'),
    ('assumestringprefix(true, "tru")', "string", '"true"'),
    ('assumestringprefix(tostring(null), "foo-")', "string", "null"),
    ('assumestringprefix("fo", "foo-")', "string", '"fo"'),
    ('assumestringprefix(local.text, "foo-")', "string", None),
    ('assumestringprefix("foo-123", local.text)', "string", None),
    ("assumelistlength([1, 2], 1, 2)", "list of number", "[1,2]"),
    ("assumelistlengthmax([1, 2], 3)", "list of number", "[1,2]"),
    ("assumelistlengthmin([1, 2], 1)", "list of number", "[1,2]"),
    ("assumemaplength({ a = 1, b = 2 }, 1, 2)", "map of number", '{"a":1,"b":2}'),
    ("assumemaplengthmax({ a = 1, b = 2 }, 3)", "map of number", '{"a":1,"b":2}'),
    ("assumemaplengthmin({ a = 1, b = 2 }, 1)", "map of number", '{"a":1,"b":2}'),
    ("assumesetlength([1, 2], 1, 2)", "set of number", "[1,2]"),
    ("assumesetlengthmax([1, 2], 3)", "set of number", "[1,2]"),
    ("assumesetlengthmin([1, 2], 1)", "set of number", "[1,2]"),
    ("assumelistlengthmin(var.untyped, 1)", "list of dynamic", None),
    ("assumelistlengthmin([1], length(local.text))", "list of dynamic", None),
]
_ARGUMENT: Final = 'Invalid value for "{}" parameter: '.format
_KNOWN_TYPE: Final = (
    'given value must have a known type; consider using the \\"convert\\" function to specify a type to assume.'
)
_GONE: Final = (
    'Call to function "{0}" failed: the "{0}" function was deprecated in Terraform v0.12 and is not available in '
    "OpenTofu; "
).format
# The expression, and the detail of the diagnostic.
REFUSED: Final = [
    ('convert("hello", bool)', _ARGUMENT("value") + "a bool is required."),
    ('convert("hello", number)', _ARGUMENT("value") + "a number is required."),
    ('convert("hello")', 'Function "convert" expects only 2 argument(s).'),
    ('assumeequal("howdy", "hello")', _ARGUMENT("actual_value") + "the actual value does not match the assumed value."),
    (
        'assumeequal(tolist(["hello"]), ["hello"])',
        _ARGUMENT("actual_value") + "actual value type list of string does not match assumed value type tuple.",
    ),
    (
        'assumeequal(local.text, tolist(["hello"]))',
        _ARGUMENT("actual_value") + "actual value type string does not match assumed value type list of string.",
    ),
    ("assumenotnull(tostring(null))", _ARGUMENT("value") + "assumption was not upheld."),
    ("assumenotnull(null)", _ARGUMENT("value") + _KNOWN_TYPE),
    ("assumenotnull(var.untyped)", _ARGUMENT("value") + _KNOWN_TYPE),
    ('assumestringprefix("hello", "foo-")', _ARGUMENT("value") + "assumption was not upheld."),
    ("assumelistlength([1, 2, 3], 1, 2)", _ARGUMENT("value") + "assumption was not upheld."),
    ("assumelistlength([], 1, 2)", _ARGUMENT("value") + "assumption was not upheld."),
    ("assumelistlength(var.untyped, 2, 1)", _ARGUMENT("value") + "assumption was not upheld."),
    ("assumesetlengthmin([1, 1], 2)", _ARGUMENT("value") + "assumption was not upheld."),
    ("assumemaplengthmax({ a = 1 }, -1)", _ARGUMENT("value") + "assumption was not upheld."),
    (
        "assumelistlength([1], 0.5, 2)",
        _ARGUMENT("min_length") + "must be a whole number between 0 and 9223372036854775807.",
    ),
    ("list(1)", _GONE("list") + "use tolist([ ... ]) syntax to write a literal list."),
    ('map("a", 1)', _GONE("map") + "use tomap({ ... }) syntax to write a literal map."),
]


def _evaluated(folder: Path, text: str) -> Value | Unknown:
    (folder / "main.tf").write_text(_CONFIGURATION)
    return evaluate(expression(text), root_scope(load(folder, LoadOptions())))


@each_row(("text", "of", "value"), VALUES)
def test_values(text: str, of: str, value: str | None, tmp_path: Path) -> None:
    found = _evaluated(tmp_path, text)
    assert type_name(found.type) == of
    if value is None:
        assert isinstance(found, Unknown)
        assert found.problem is None
    else:
        assert write_value(CtyValue(found.type, to_plain(found))).decode() == value


@each_row(("text", "detail"), REFUSED)
def test_refused(text: str, detail: str, tmp_path: Path) -> None:
    found = _evaluated(tmp_path, text)
    assert isinstance(found, Unknown)
    assert found.problem is not None
    assert found.problem.detail == detail


@each_row(
    ("text", "sensitive"),
    [
        ('convert({ name = sensitive("a") }, object({ name = string }))', True),
        # Only the expected value makes it sensitive.
        ('assumeequal(sensitive("hello"), "hello")', False),
        ('assumeequal("hello", sensitive("hello"))', True),
        ('assumenotnull(sensitive("a"))', True),
    ],
)
def test_sensitive(text: str, sensitive: bool, tmp_path: Path) -> None:
    assert is_sensitive_within(_evaluated(tmp_path, text)) is sensitive


@each_row("keyword", ["list", "map"])
def test_shorthands_are_for_variables(keyword: str, tmp_path: Path) -> None:
    found = _evaluated(tmp_path, f"convert([], {keyword})")
    assert isinstance(found, Unknown)
    assert found.problem is not None
    assert found.problem.summary == "Invalid type specification"
