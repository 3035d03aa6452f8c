"""Which `for_each` expressions are too similar, by the definition of the RFC, rule by rule."""

from __future__ import annotations

from statefmt.lint.rules.cfg.cfg010_provider_for_each_matches import too_similar
from tests.configuration.expression import expression
from tests.tables import each_row

ALIKE = [
    ("var.regions", "var.regions"),
    ("var.regions", "(var.regions)"),
    ("((var.regions))", "var.regions"),
    ('var.regions["a"].x', 'var.regions["a"].x'),
    ("var.list[0]", "var.list[0]"),
    ("toset(var.regions)", "toset(var.regions)"),
    ('merge(var.a, { b = "c" })', 'merge(var.a, { b = "c" })'),
    ("var.on ? var.a : {}", "var.on ? var.a : {}"),
    ("var.all[var.name]", "var.all[var.name]"),
    ("[var.a, 1]", "[var.a, 1]"),
    ("{ a = var.a }", "{ a = var.a }"),
    ("{ for k, v in var.a : k => v if v.on }", "{ for k, v in var.a : k => v if v.on }"),
    ("[for v in var.a : upper(v)]", "[for v in var.a : upper(v)]"),
    ("var.a + 1", "var.a + 1"),
    ("-var.a", "-var.a"),
    ('"${var.a}-x"', '"${var.a}-x"'),
]
NOT_ALIKE = [
    ('toset(["a"])', 'toset(["a"])'),
    ('{ a = "b" }', '{ a = "b" }'),
    ("var.regions", "var.others"),
    ("var.regions", "local.regions"),
    ("var.regions.a", 'var.regions["a"]'),
    ("var.a.b", "var.a.b.c"),
    ("var.list[0]", "var.list[1]"),
    ("toset(var.a)", "tolist(var.a)"),
    ("merge(var.a)", "merge(var.a, var.b)"),
    ("var.on ? var.a : {}", "var.on ? {} : var.a"),
    ("[var.a, 1]", "[var.a]"),
    ("[var.a, 1]", '[var.a, "1"]'),
    ("{ a = var.a }", "{ b = var.a }"),
    ("{ for k, v in var.a : k => v }", "{ for k, v in var.a : k => v if v.on }"),
    ("{ for k, v in var.a : k => v }", "{ for x, v in var.a : x => v }"),
    ("{ for k, v in var.a : k => v }", "{ for k, v in var.a : k => v... }"),
    ("[for v in var.a : v]", "{ for v in var.a : v => v }"),
    ("var.a + 1", "var.a - 1"),
    ("var.a && true", "var.a && false"),
    ("-var.a", "!var.a"),
    ("var.a[*].b", "var.a[*].b"),  # a splat is no case of the definition
]


@each_row(("one", "other"), ALIKE)
def test_too_similar(one: str, other: str) -> None:
    assert too_similar(expression(one), expression(other))
    assert too_similar(expression(other), expression(one))


@each_row(("one", "other"), NOT_ALIKE)
def test_not_similar(one: str, other: str) -> None:
    assert not too_similar(expression(one), expression(other))
    assert not too_similar(expression(other), expression(one))
