"""What is wrong with texts, where; and references that look like something else."""

from __future__ import annotations

import pytest

from statefmt.configuration import root_scope
from statefmt.hcl.source import SourceText
from statefmt.hcl.syntax import IndexExpression, Traversal, as_traversal, references
from statefmt.hcl.syntax.native import read_expression
from statefmt.hcl.value import first_unknown
from tests.configuration.conftest import Write, found, local
from tests.tables import each_row

# The places are those that HCL's parser gives.
PROBLEMS = [
    ("a = 1 b = 2\n", "main.tf:1,7 Missing newline after argument"),
    ("b {} c {}\n", "main.tf:1,6 Missing newline after block definition"),
    ("b {\n  a = 1\n  a = 2\n}\n", "main.tf:3,3 Attribute redefined"),
    ("b {\n a = { b = 1 c = 2 }\n}\n", "main.tf:2,14 Missing attribute separator"),
    ('b "${x}" {}\n', "main.tf:1,4 Invalid string literal"),
    ("{}\n", "main.tf:1,1 Argument or block definition required"),
    ('a = "x\ny"\n', "main.tf:1,7 Invalid multi-line string"),
    ('a = "é" b = 2\n', "main.tf:1,9 Missing newline after argument"),
    ('a = "e\u0301" b = 2\n', "main.tf:1,9 Missing newline after argument"),
    ("\ta = 1 b = 2\n", "main.tf:1,8 Missing newline after argument"),
    ("a = 1\r\nb = 1 c = 2\r\n", "main.tf:2,7 Missing newline after argument"),
    ("\ufeffa = 1 b = 2\n", "main.tf:1,7 Missing newline after argument"),
    ("x\0y", "main.tf:1,2 Invalid character"),
    ('locals {\n  a = "\\q"\n}\n', "main.tf:2,8 Invalid expression"),
]


@pytest.mark.parametrize(("text", "problem"), PROBLEMS)
def test_problems(write: Write, text: str, problem: str) -> None:
    assert found(write({"main.tf": text})) == [problem]


# Half of a file, binary files, files that are none.
BROKEN = [
    b'resource "a" "b" {\n  for_each = toset(["x"',
    b'resource "a" "b',
    b"\x89PNG\r\n\x1a\n\0\0",
    b"\xff\xfe\xfd = \xc3",
    b"locals {\n  a = " + b"(" * 20_000 + b"1" + b")" * 20_000 + b"\n}\n",
    b"locals {\n  a = " + b"[" * 5_000 + b"]" * 5_000 + b"\n}\n",
    b"locals {\n  a = " + b"1 + " * 20_000 + b"1\n}\n",
    b"}" * 1000,
    b"<<EOT\n",
    b"Lorem ipsum dolor sit amet.\n" * 2_000_000,
]


@pytest.mark.parametrize("content", BROKEN, ids=range(len(BROKEN)))
def test_broken(write: Write, content: bytes) -> None:
    configuration = write({"main.tf": content, "other.tf": 'resource "t" "n" {}\n', "bad.tf.json": content})
    assert "t" in [resource.type for resource in configuration.root.declarations.resources]
    assert any(place.startswith("bad.tf.json:1,") for place in found(configuration))
    assert all(problem.range is not None for problem in configuration.problems)


def test_an_error_makes_nothing_up(write: Write) -> None:
    """What stands with an error is unknown, and so is what may have been declared there; other files are read."""
    text = "locals {\n  a = 1\n  b = 2 2\n}\n"
    configuration = write({"main.tf": text, "other.tf": "locals {\n  c = 3\n  d = [local.nope]\n}\n"})
    assert configuration.root.declarations.incomplete
    assert local(configuration, "c") == "3"
    for name in "abd":
        value = first_unknown((root_scope(configuration).local(name),))
        assert value is None or value.problem is None
    assert local(configuration, "b").startswith("unknown: ")


# As a reference: its root and the number of its steps; None where it is none.
REFERENCES = [
    ("aws", ("aws", 0)),
    ("aws.a", ("aws", 1)),
    ('aws.a["k"]', ("aws", 2)),
    ("null", ("null", 0)),
    ("null.x", ("null", 1)),
    ('null.x["k"]', ("null", 2)),
    ("true.x[0]", ("true", 2)),
    ("aws[local.x]", None),
    ("aws.a[each.key]", None),
    ('"aws"', None),
    ("(aws)", None),
    ("f().x", None),
]


@each_row(("text", "expected"), REFERENCES)
def test_references(text: str, expected: tuple[str, int] | None) -> None:
    expression, problems = read_expression(SourceText("t.tf", text.encode()), 0, len(text), text, exact=True)
    assert problems == ()
    traversal = as_traversal(expression)
    assert (None if traversal is None else (traversal.root, len(traversal.steps))) == expected


def test_a_provider_called_null_with_a_key() -> None:
    text = "null.x[each.key]"
    expression, _ = read_expression(SourceText("t.tf", text.encode()), 0, len(text), text, exact=True)
    assert isinstance(expression, IndexExpression)
    collection = as_traversal(expression.collection)
    assert collection is not None
    assert (collection.root, str(collection.range)) == ("null", "t.tf:1,1-7")
    assert isinstance(expression.key, Traversal)
    assert str(expression.key.range) == "t.tf:1,8-16"


NAMES = [
    ("[for x in var.a : x.b + local.c]", ["var.a", "local.c"]),
    ('"${a.b}-${c}"', ["a.b", "c"]),
    ("{ a = b, (c) = d }", ["b", "c", "d"]),
    ("f(a, b...)", ["a", "b"]),
    ("a[b].c[*].d", ["a", "b"]),
    ("x ? y : z", ["x", "y", "z"]),
    ("<<EOT\n%{ for i in a }${i}${b}%{ endfor }\nEOT\n", ["a", "b"]),
]


@pytest.mark.parametrize(("text", "names"), NAMES)
def test_names_in_expressions(text: str, names: list[str]) -> None:
    expression, problems = read_expression(SourceText("t.tf", text.encode()), 0, len(text), text, exact=True)
    assert problems == ()
    found_names = [
        ".".join([each.root, *(getattr(step, "name", "") for step in each.steps)]) for each in references(expression)
    ]
    assert found_names == names
