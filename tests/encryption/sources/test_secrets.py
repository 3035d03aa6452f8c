"""No message, no representation and no traceback has a passphrase in it, however broken the text around it is."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from statefmt.configuration import LoadOptions, VariableOption, load
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.encryption import check_configuration
from statefmt.lint.check import check_configuration as check_module
from statefmt.model.errors import ConfigurationError
from tests.encryption.sources.configured import METHOD, module, provider, text
from tests.tables import each_row

SECRET = "planted7f3apassphrase"
_ON_ITS_LINE = {
    "in order, and too short": f'passphrase = "{SECRET[:12]}"',
    "no quote at the end": f'passphrase = "{SECRET}',
    "no quote at the beginning": f'passphrase = {SECRET}"',
    "no quotes": f"passphrase = {SECRET}",
    "no quotes, with dashes": f"passphrase = {SECRET}-{SECRET}",
    "no quotes, with dots": f"passphrase = {SECRET}.{SECRET}",
    "no quotes, with a bracket": f"passphrase = {SECRET}[0]",
    "no quotes, with a colon": f"passphrase = {SECRET}::{SECRET}",
    "no quotes, with blanks": f"passphrase = {SECRET} {SECRET}",
    "a call": f'passphrase = {SECRET}("x")',
    "a call of a provider": f'passphrase = provider::{SECRET}::x("x")',
    "no equals sign": f'passphrase "{SECRET}"',
    "a colon": f'passphrase: "{SECRET}"',
    "single quotes": f"passphrase = '{SECRET}'",
    "two texts": f'passphrase = "{SECRET}" "{SECRET}"',
    "an unknown escape": f'passphrase = "{SECRET}\\q{SECRET}"',
    "an interpolation that does not end": f'passphrase = "{SECRET}${{{SECRET}"',
    "an interpolation of it": f'passphrase = "${{{SECRET}}}"',
    "an interpolation of an attribute": f'passphrase = "${{a.{SECRET}}}"',
    "a directive that does not end": f'passphrase = "{SECRET}%{{ if true }}{SECRET}"',
    "a heredoc that does not end": f"passphrase = <<X\n{SECRET}",
    "two arguments": f'passphrase = "{SECRET}"\npassphrase = "{SECRET}"',
    "a list of it": f'passphrase = ["{SECRET}"]',
    "a key that is not there": f'passphrase = {{ "{SECRET}" = 1 }}["x{SECRET}"]',
    "an attribute that is not there": f"passphrase = {{ a = 1 }}.{SECRET}",
    "a number": 'passphrase = tonumber("' + SECRET + '")',
    "arithmetic": f'passphrase = "{SECRET}" + 1',
    "JSON": f'passphrase = jsondecode("{SECRET}")',
    "a file": f'passphrase = file("{SECRET}")',
    "a regular expression": f'passphrase = regex("{SECRET}(", "x")',
    "a time": f'passphrase = yamldecode("a: !{SECRET} 1")',
    "a condition": f'passphrase = "{SECRET}" ? 1 : 2',
    "in another argument": f'hash_function = "{SECRET}"\npassphrase = "x"',
    "as iterations": f'iterations = "{SECRET}"\npassphrase = "x"',
    "as the chain": f'chain = "{SECRET}"',
    "as the chain and not": f'chain = "{SECRET}"\npassphrase = "{SECRET}"',
    "a local value": f"passphrase = local.{SECRET}.x",
    "of a local value": "passphrase = local.p",
}
_LOCALS = f'locals {{\n  p = {SECRET}.{SECRET}\n}}\nvariable "v" {{\n}}\n'


def _said(function: Callable[[], object]) -> str:
    """The message and the traceback."""
    with pytest.raises(ConfigurationError) as caught:
        function()
    return f"{caught.value!r}\n{''.join(traceback.format_exception(caught.value))}"


@each_row("name", _ON_ITS_LINE)
def test_in_a_text(name: str) -> None:
    said = _said(lambda: check_configuration(text(provider(_ON_ITS_LINE[name]))))
    assert SECRET[:12] not in said
    assert "c.hcl" in said


@each_row("name", _ON_ITS_LINE)
def test_in_a_module(name: str, tmp_path: Path) -> None:
    line = _ON_ITS_LINE[name]
    files = {"a.tf": f"terraform {{\n  encryption {{\n{provider(line)}  }}\n}}\n{_LOCALS}"}

    def run() -> None:
        own = module(tmp_path, files)
        assert own is not None
        assert SECRET not in repr(own)
        check_configuration(own)

    assert SECRET[:12] not in _said(run)
    # Nor do the rules of `check` say it, which look at the same files.
    for finding in check_module(_references(tmp_path)):
        assert SECRET[:12] not in repr(finding), finding


def _references(folder: Path) -> ProviderReferences:
    return ProviderReferences(load(folder, LoadOptions()))


_VALUES = {
    "no quote at the end": f'p = "{SECRET}\n',
    "no quotes": f"p = {SECRET}\n",
    "no quotes, with blanks": f"p = {SECRET} {SECRET}\n",
    "a call": f'p = {SECRET}("x")\n',
    "of another type": f'p = ["{SECRET}"]\n',
    "too short": f'p = "{SECRET[:12]}"\n',
    "twice": f'p = "{SECRET}"\np = "{SECRET}"\n',
    "JSON that is broken": f'{{"p": "{SECRET}',
    "JSON without quotes": f'{{"p": {SECRET.replace("7", "x").replace("3", "x")}}}',
}


@pytest.mark.parametrize("name", _VALUES)
def test_in_a_file_of_values(name: str, tmp_path: Path) -> None:
    (tmp_path / "values").write_text(_VALUES[name])
    option = VariableOption(file=str(tmp_path / "values"))
    files = {"a.tf": f'terraform {{\n  encryption {{\n{provider("passphrase = var.p")}  }}\n}}\nvariable "p" {{\n}}\n'}
    for run in (
        lambda: check_configuration(text(provider("passphrase = var.p"), {}, option)),
        lambda: check_configuration(module(tmp_path, files, {}, option)),  # type: ignore[arg-type] # there is one
    ):
        said = _said(run)
        assert SECRET[:12] not in said
        assert "plantedx" not in said


@pytest.mark.parametrize(
    "broken",
    [
        f'{{"key_provider": {{"pbkdf2": {{"main": {{"passphrase": "{SECRET}',
        f'{{"key_provider": {{"pbkdf2": {{"main": {{"passphrase": "{SECRET}" "{SECRET}"}}}}}}}}',
        f'{{"key_provider": {{"pbkdf2": {{"main": {{"passphrase": "{SECRET}${{{SECRET}"}}}}}}}}',
        '{"key_provider": {"pbkdf2": {"main": {"passphrase": plantedword}}}}',
        f'{{"key_provider": {{"pbkdf2": "{SECRET}"}}}}',
        f'{{"key_provider": "{SECRET}"}}',
        f'{{"state": {{"method": "{SECRET}"}}}}',
    ],
)
def test_in_json(broken: str) -> None:
    said = _said(lambda: check_configuration(text(broken)))
    assert SECRET[:12] not in said
    assert "plantedword" not in said


@pytest.mark.parametrize("value", [f'"{SECRET}"', f'{{ encryption_key = "{SECRET}" }}', f'["{SECRET}"]', SECRET])
def test_as_keys(value: str) -> None:
    own = METHOD.replace("key_provider.pbkdf2.main", value)
    assert SECRET not in _said(lambda: check_configuration(text(own)))
