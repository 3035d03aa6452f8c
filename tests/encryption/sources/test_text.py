"""Encryption configurations in HCL: what they give, and where it says that something is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from statefmt.configuration import VariableOption
from statefmt.encryption import Origin, Reference, check_configuration
from statefmt.model.cty.number import Number, parse_number
from statefmt.model.errors import ConfigurationError
from tests.encryption.sources.configured import METHOD, arguments, provider, text
from tests.tables import each_row

LONG = "correct-horse-battery-staple"


def number(digits: str) -> Number:
    found = parse_number(digits)
    assert found is not None
    return found


# What stands in the block, the environment, and the value of the argument `a`.
VALUES = {
    "a text": ('a = "b"', "b"),
    "escapes": (r'a = "\"b\\\tA${"$"}{$${%%{"', '"b\\\tA${${%{'),
    "a heredoc": ("a = <<X\n  b\nX", "  b\n"),
    "a heredoc with less indentation": ("a = <<-X\n  b\n  X", "b\n"),
    "normal form C": ('a = "e\u0301"', "\u00e9"),
    "a number": ("a = 600000", number("600000")),
    "a number with an exponent": ("a = 6e5", number("600000")),
    "arithmetic": ("a = 600 * 1000", number("600000")),
    "null": ("a = null", None),
    "true": ("a = true", True),
    "a list": ("a = [1, 2]", [number("1"), number("2")]),
    "an object": ('a = { b = "c" }', {"b": "c"}),
    "a for expression": ("a = [for i in range(2) : i]", [number("0"), number("1")]),
    "a variable": ("a = var.v", "of the environment"),
    "a template": ('a = "<${var.v}>"', "<of the environment>"),
    "a function": ("a = upper(var.v)", "OF THE ENVIRONMENT"),
    "a conditional": ('a = var.v == "" ? 1 : 2', number("2")),
    "a file": ("a = trimspace(file(pathexpand(var.file)))", "of a file"),
    "a key provider": ("a = key_provider.pbkdf2.up", Reference("key_provider", "pbkdf2", "up")),
    "a key provider in parentheses": ("a = (key_provider.pbkdf2.up)", Reference("key_provider", "pbkdf2", "up")),
    "a key provider in a template": ('a = "${key_provider.pbkdf2.up}"', Reference("key_provider", "pbkdf2", "up")),
    "a text that names a key provider": ('a = "key_provider.pbkdf2.up"', "key_provider.pbkdf2.up"),
}


@each_row("name", VALUES)
def test_values(name: str, tmp_path: Path) -> None:
    line, value = VALUES[name]
    (tmp_path / "file").write_text("of a file\n")
    found = text(provider(line), {"v": "of the environment", "file": str(tmp_path / "file")})
    assert arguments(found) == {"a": value}


# What stands in place of the passphrase, and the reason why it cannot be known, with the place.
REASONS = {
    "nothing given": ("var.p", r"var\.p has no value: set TF_VAR_p or use a variable file .* \(c.hcl:2,1-19\)"),
    "a local value": ("local.p", r"would refuse it: Reference to undeclared local value \(c.hcl:2,1-21\)"),
    "a resource": ("aws_x.y.z", r"value of this expression is unknown before a plan; a string .* \(c.hcl:2,1-23\)"),
    "a data source": ("data.x.y.z", r"value of this expression is unknown before a plan"),
    "a module": ("module.x.y", r"value of this expression is unknown before a plan"),
    "a method": ("method.aes_gcm.main", r"value of this expression is unknown before a plan"),
    "the time": ("timestamp()", r"the result of the function timestamp is not known"),
    "each": ("each.key", r"value of this expression is unknown before a plan"),
    "the workspace": ("terraform.workspace", r"the workspace is not known"),
    "no such function": ("secret()", r"would refuse it: Call to unknown function"),
    "no such file": ('file("/nonexistent/file")', r"would refuse it: Invalid function argument"),
    "an unknown part": ('"a${var.p}"', r"var\.p has no value"),
    "an unknown item": ("[var.p]", r"var\.p has no value"),
    "an unknown member": ("{ a = [var.p] }", r"var\.p has no value"),
    "a key provider in an expression": ("[key_provider.pbkdf2.up]", r"a key provider cannot be used inside"),
    "a part of a key provider": ("key_provider.pbkdf2.up.encryption_key", r"must be a key provider"),
    "an index of a key provider": ('key_provider.pbkdf2["up"]', r"must be a key provider"),
    "a method in text": ("1 == 1", r"must be a string in quotes, not a boolean \(c.hcl:2,1-20\)"),
}  # fmt: skip


@each_row("name", REASONS)
def test_what_cannot_be_known_is_refused_with_its_place(name: str) -> None:
    expression, reason = REASONS[name]
    own = text(provider(f"passphrase = {expression}"))
    with pytest.raises(ConfigurationError, match=rf"^key_provider\.pbkdf2\.main, passphrase: .*{reason}"):
        check_configuration(own)


def test_what_nobody_uses_need_not_be_known() -> None:
    unused = 'key_provider "pbkdf2" "unused" {\n  passphrase = var.nobody\n}\n'
    check_configuration(text(unused + provider(f'passphrase = "{LONG}"')))


TARGET = 'method "unencrypted" "u" {\n}\nstate {\n%s\n}\n'
# A text, and what is said of it.
REFUSED = {
    "an argument on its own": ("a = 1\n", r"a: unknown block.*\(c.hcl:1,1-6\)"),
    "the block itself": ("encryption {\n}\n", r"encryption: unknown block.*\(c.hcl\)"),
    "the block around it": ("terraform {\n  encryption {\n  }\n}\n", r"terraform: unknown block"),
    "one label": ('method "unencrypted" {\n}\n', r"c.hcl:1,22-23: Missing name for method"),
    "three labels": ('method "a" "b" "c" {\n}\n', r"c.hcl:1,16-19: Extraneous label for method"),
    "a label of a target": ('state "a" {\n}\n', r"c.hcl:1,7-10: Extraneous label for state"),
    "a name with a dot": ('method "unencrypted" "a.b" {\n}\n', r"names may contain only .* \(c.hcl:1,1-27\)"),
    "two of a name": ('method "a" "b" {\n}\nmethod "a" "b" {\n}\n', r"method.a.b: duplicate block.*\(c.hcl:3,1-15\)"),
    "two states": (TARGET % "" + "state {\n}\n", r"state: duplicate block \(c.hcl:6,1-6\)"),
    "a method in quotes": (TARGET % 'method = "method.unencrypted.u"', r"method: must name a method.*\(c.hcl:4,1-32\)"),
    "a method in parentheses": (TARGET % "method = (method.unencrypted.u)", r"method: must name a method"),
    "a method that is too long": (TARGET % "method = method.unencrypted.u.x", r"method: must name a method"),
    "a method with an index": (TARGET % 'method = method.unencrypted["u"]', r"method: must name a method"),
    "a method of a digit": (TARGET % "method = method.unencrypted.1u", r"^c.hcl:4,30-31: Invalid expression"),
    "a key provider as a method": (TARGET % "method = key_provider.a.u", r"method: must name a method"),
    "a conditional method": (TARGET % "method = true ? method.unencrypted.u : null", r"method: must name a method"),
    "enforced as a list": (TARGET % "enforced = [var.x]", r"enforced: references are not allowed here"),
    "enforced from a variable": (TARGET % "enforced = var.x", r"enforced: references are not allowed here"),
    "another argument": (TARGET % "methods = []", r"methods: unknown argument; expected method, enf"),
    "another block": (TARGET % "else {\n}", r"state: at most one fallback block and no"),
    "enforced in a fallback": (
        TARGET % "method = method.unencrypted.u\nfallback {\nenforced = true\n}", r"state.fallback, enforced: unknown"
    ),
    "an alias from a variable": (provider("encrypted_metadata_alias = var.x"), r"alias: references are not allowed"),
    "an alias from a function": (provider('encrypted_metadata_alias = upper("x")'), r"alias: references are not"),
    "a block in pbkdf2": (provider(f'passphrase = "{LONG}"', "endpoints {\n}"), r"endpoints: unknown block"),
    "a chain in quotes": (
        provider('chain = "key_provider.pbkdf2.up"') + f'key_provider "pbkdf2" "up" {{\n  passphrase = "{LONG}"\n}}\n',
        r"chain: must be a key provider",
    ),
    "an argument twice": (provider('a = "x"', 'a = "y"'), r"c.hcl:3,1-2: Attribute redefined$"),
    "a quote too few": (provider('passphrase = "x'), r"^c.hcl:4,23-24: Unterminated template string"),
    "no expression": (provider("passphrase ="), r"^c.hcl:\d+,\d+-"),
    "a comma": (provider('passphrase = "x",'), r"^c.hcl:\d+,\d+-"),
    "a control character": ("\0", r"^c.hcl:1,1-2: Invalid character$"),
    "nested deeply": ("fallback {\n" * 3000, r"^c.hcl"),
    "an expression nested deeply": (provider(f"passphrase = {'(' * 3000}1{')' * 3000}"), r"nested too deeply|c.hcl"),
}  # fmt: skip


@each_row("name", REFUSED)
def test_refuses(name: str) -> None:
    content, reason = REFUSED[name]
    with pytest.raises(ConfigurationError, match=reason):
        check_configuration(text(content))


def test_json_begins_with_a_brace() -> None:
    assert arguments(text('\n {"key_provider": {"pbkdf2": {"main": {"a": "${var.b}"}}}}', {"b": "c"})) == {"a": "c"}


def test_json_says_where_too() -> None:
    with pytest.raises(ConfigurationError, match=r"passphrase: var\.p has no value.*\(c\.hcl:2,1-25\)"):
        check_configuration(text(
            '{"key_provider": {"pbkdf2": {"main": {\n"passphrase": "${var.p}"}}},\n'
            '"method": {"aes_gcm": {"main": {"keys": "key_provider.pbkdf2.main"}}},\n'
            '"state": {"method": "method.aes_gcm.main"}}'
        ))  # fmt: skip


@pytest.mark.parametrize("content", [b"# \xff\nstate {\n}\n", b'{"state": "\xff"}'])
def test_what_is_not_utf8_would_be_another_passphrase(content: bytes) -> None:
    from statefmt.encryption.sources import read_surroundings, text_configuration

    with pytest.raises(ConfigurationError, match=r"^c\.hcl:1,\d+: this is not UTF-8$"):
        text_configuration(Origin.of_file("c.hcl"), content, read_surroundings(None, {}, ()))


def test_a_file_of_a_module_has_the_block_in_it() -> None:
    from statefmt.encryption.sources import read_surroundings, text_configuration

    surroundings = read_surroundings(None, {}, ())
    inside = provider(f'passphrase = "{LONG}"')
    around = f'variable "other" {{\n}}\nterraform {{\n  encryption {{\n{inside}\n  }}\n}}\n'
    assert arguments(text_configuration(Origin.of_file("a.tf"), around.encode(), surroundings)) == {"passphrase": LONG}
    for content in (inside, around + around):
        with pytest.raises(ConfigurationError, match=r"a\.tofu: a module file must contain one terraform block"):
            text_configuration(Origin.of_file("a.tofu"), content.encode(), surroundings)


def test_values_of_files(tmp_path: Path) -> None:
    own = provider("a = var.a", "b = var.b", "passphrase = var.c")
    (tmp_path / "one").write_text('a = "of one"\nb = ["of one"]\n')
    (tmp_path / "two.json").write_text('{"a": "of two", "c": "of two"}')
    options = [VariableOption(file=str(tmp_path / name)) for name in ("one", "two.json")]
    assert arguments(text(own, {"a": "x"}, *options)) == {"a": "of two", "b": ["of one"], "passphrase": "of two"}
    with pytest.raises(ConfigurationError, match=r"The file .*/three could not be read: No such file"):
        text(own, {}, VariableOption(file=str(tmp_path / "three")))


@pytest.mark.parametrize("argument", ["passphrase", "keys", "chain"])
def test_a_secret_is_not_taken_from_the_command_line(argument: str) -> None:
    option = VariableOption("a", LONG)
    own = text(provider("iterations = var.a", f'{argument} = "${{var.a}}"'), {"a": "of the environment"}, option)
    assert arguments(own)["iterations"] == LONG
    with pytest.raises(
        ConfigurationError, match=rf"{argument}: var\.a comes from --var, .*; set TF_VAR_a or use a variable file"
    ):
        next(iter(own.key_providers.values())).arguments.value(argument)


def test_methods_need_not_be_referred_to() -> None:
    check_configuration(text('method "aes_gcm" "1" {\n}\n' + provider(f'passphrase = "{LONG}"')))
    assert METHOD in provider()
