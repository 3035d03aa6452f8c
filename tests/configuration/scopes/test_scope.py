"""What expressions refer to, what is unknown of it and why, and where the reason stands."""

from __future__ import annotations

import pytest

from statefmt.configuration import root_scope
from statefmt.hcl.value import Part, Unknown
from tests.configuration.conftest import Write, found, shown

DECLARED = (
    'variable "secret" {\n  sensitive = true\n  default = "s"\n}\n'
    'variable "set" {\n  default = "s"\n}\nvariable "unset" {}\n'
)
CIRCLES = [
    ("locals {\n  x = local.x\n}\n", ["main.tf:2,3 Circular reference"]),
    ("locals {\n  x = local.y\n  y = [local.x]\n}\n", ["main.tf:2,3 Circular reference"]),
    ('locals {\n  x = "${local.y}"\n  y = try(local.z, 1)\n  z = local.x.a\n}\n', ["main.tf:2,3 Circular reference"]),
    ("locals {\n  x = [for local in [{ x = 1 }] : local.x]\n}\n", []),
]


@pytest.mark.parametrize(("text", "problems"), CIRCLES)
def test_circles(write: Write, text: str, problems: list[str]) -> None:
    configuration = write({"main.tf": text})
    assert found(configuration) == problems
    value = root_scope(configuration).local("x")
    assert (_first(value) if problems else shown(value)) == ("Circular reference" if problems else "[1]")


OTHER_SIDE = "its type depends on the other side of the conditional, and "
# Expression, what it is, where the reason stands.
UNKNOWN = [
    ("aws_vpc.a.id", "unknown: aws_vpc.a.id is known only in a plan or an apply", "1,14-26"),
    ("[1, aws_vpc.a.id][0]", "1", ""),
    ('"x${aws_vpc.a.id}"', "unknown: aws_vpc.a.id is known only in a plan or an apply", "1,18-30"),
    ("{ a = 1, b = data.d.n }.a", "1", ""),
    ("keys({ a = t.n.id })", '["a"]', ""),
    ("length([t.n.id, 1])", "2", ""),
    ("{ for k, v in { a = t.n.id } : k => 1 }", '{"a":1}', ""),
    ("[for x in [t.n.id] : 1]", "[1]", ""),
    ("[for x in [t.n.id] : 1 if x != null]", "unknown: t.n.id is known only in a plan or an apply", "1,25-31"),
    ("merge({ a = t.n.id }, { b = 1 }).b", "1", ""),
    ("contains([t.n.id, 1], 1)", "true", ""),
    ("contains([t.n.id, 1], 2)", "unknown: t.n.id is known only in a plan or an apply", "1,24-30"),
    (
        "var.unset == null",
        "unknown: var.unset has no value: set it with --var unset=…, --var-file or TF_VAR_unset",
        "9,1-17",
    ),
    ("try(t.n.id, 1)", "unknown: t.n.id is known only in a plan or an apply", "1,18-24"),
    ("try([t.n.id][5], 1)", "unknown: t.n.id is known only in a plan or an apply", "1,19-25"),
    ("can(t.n.id)", "unknown: t.n.id is known only in a plan or an apply", "1,18-24"),
    ('true ? "a" : t.n.id', '"a"', ""),
    ("true ? { a = 1 } : t.n.id", '{"a":1}', ""),
    ("true ? null : t.n.id", "null", ""),
    ("true ? 1 : local.nope", "1", ""),
    ("true ? 1 : t.n.id", f"unknown: {OTHER_SIDE}t.n.id is known only in a plan or an apply", "1,25-31"),
    ("false ? t.n.id : []", f"unknown: {OTHER_SIDE}t.n.id is known only in a plan or an apply", "1,22-28"),
    ("t.n.ok ? 1 : 2", "unknown: t.n.ok is known only in a plan or an apply", "1,14-20"),
    ("t.n.ok ? null : null", "null", ""),
    ("false && t.n.ok", "false", ""),
    ("t.n.ok || true", "true", ""),
    ("true && t.n.ok", "unknown: t.n.ok is known only in a plan or an apply", "1,22-28"),
    ("t.n.ids[*].x", "unknown: t.n.ids is known only in a plan or an apply", "1,14-21"),
    ("flatten([[1], [t.n.id]])", "unknown: t.n.id is known only in a plan or an apply", "1,29-35"),
    ('path.cwd == ""', "false", ""),
    ("self.id", "unknown: self.id is known only in a plan or an apply", "1,14-21"),
    ("each.key", "unknown: each.key differs between instances", "1,14-22"),
    ("terraform.applying", "unknown: terraform.applying differs between plan and apply", "1,14-32"),
    (
        "timestamp()",
        "unknown: the result of the function timestamp is not known in advance: it is the time of the run",
        "1,14-25",
    ),
    (
        "provider::aws::f(1)",
        "unknown: the function provider::aws::f belongs to a provider, and statetool does not run providers",
        "1,14-33",
    ),
    ('core::upper("a")', '"A"', ""),
    ("var", "Invalid reference", "1,14-17"),
    ("var.nope", "Reference to undeclared input variable", "1,14-22"),
    ("local.nope", "Reference to undeclared local value", "1,14-24"),
    ("try(local.nope, 1)", "Reference to undeclared local value", "1,18-28"),
    ("path.nope", 'Invalid "path" attribute', "1,14-23"),
    ("terraform.env", 'Invalid "terraform" attribute', "1,14-27"),
    ("upper()", "Not enough function arguments", "1,14-21"),
    ('upper("a", "b")', "Too many function arguments", "1,14-29"),
    ("upper(null)", "Invalid function argument", "1,20-24"),
    ("{ a.b = 1 }", "Ambiguous attribute key", "1,16-19"),
    ("null.x", "Attempt to get attribute from null value", "1,18-20"),
]


@pytest.mark.parametrize(("expression", "value", "place"), UNKNOWN)
def test_unknown(write: Write, expression: str, value: str, place: str) -> None:
    configuration = write({"main.tf": f"locals {{ x = {expression} }}\n{DECLARED}"})
    found_value = root_scope(configuration).local("x")
    inside = found_value
    if isinstance(inside, Unknown):
        assert str(inside.range) == f"main.tf:{place}"
    assert (_first(found_value) if value.startswith("unknown") else shown(found_value)) == value


def _first(part: Part) -> str:
    from statefmt.hcl.value import first_unknown

    unknown = first_unknown((part,))
    assert unknown is not None
    return shown(unknown)


SENSITIVE = [
    ("var.secret", True),
    ("var.set", False),
    ('"x${var.secret}"', True),
    ("[var.secret]", False),
    ("[var.secret][0]", True),
    ("upper(var.secret)", True),
    ("toset([var.secret])", True),
    ("keys({ a = var.secret })", False),
    ("{ (var.secret) = 1 }", True),
    ("length([var.secret])", False),
    ('var.secret == "s"', True),
    ('var.secret == "s" ? 1 : 2', True),
    ("[for x in [var.secret] : x if x != null]", True),
    ("merge({ a = var.secret }, {})", False),
    ("merge(sensitive({ a = 1 }), {})", True),
    ("nonsensitive(var.secret)", False),
    ("issensitive(var.secret)", False),
    ("jsonencode([var.secret])", True),
    ("try(var.secret, 1)", True),
]


@pytest.mark.parametrize(("expression", "sensitive"), SENSITIVE)
def test_sensitive(write: Write, expression: str, sensitive: bool) -> None:
    configuration = write({"main.tf": f"locals {{\n  x = {expression}\n}}\n{DECLARED}"})
    assert root_scope(configuration).local("x").sensitive is sensitive
