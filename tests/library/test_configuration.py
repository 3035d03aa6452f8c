"""`State.edit(config=…)` holds an edit against a configuration, as `--config` of the commands."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, Final

import pytest

import statefmt
from statefmt import configuration, operations
from statefmt.cli.main import main
from statefmt.providers import ProviderReferences
from tests.cli.states import resource, state
from tests.cli.targets import GOOGLE, write_targets

US: Final = 'module.cluster["us-east1"]'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_targets(tmp_path)
    Path("command.tfstate").write_bytes(Path("terraform.tfstate").read_bytes())
    return tmp_path


_Method = Callable[[statefmt.Transaction], None]


def _edit(name: str, *arguments: Any, **given: Any) -> _Method:
    return lambda edit: getattr(edit, name)(*arguments, **given)


# An edit as a method and as a command, and the address that a refusal is about; None if it is made.
_EDITS: Final[dict[str, tuple[_Method, list[str], str | None]]] = {
    "a declared key": (_edit("rebind", US, 'google.geo["asia"]'), ["rebind", US, 'google.geo["asia"]'], None),
    "an undeclared key": (
        _edit("rebind", US, 'google.geo["x"]'), ["rebind", US, 'google.geo["x"]'], f'{GOOGLE}.geo["x"]'
    ),
    "an undeclared alias": (
        _edit("rebind", US, "google.plian", new_provider=False), ["rebind", US, "google.plian"], f"{GOOGLE}.plian"
    ),
    "an undeclared alias, allowed": (
        _edit("rebind", US, 'google.goe["a"]', new_provider=True),
        ["rebind", US, 'google.goe["a"]', "--new-provider"],
        None,
    ),
    "a for_each that is not known": (
        _edit("rebind", US, 'google.late["eu"]'), ["rebind", US, 'google.late["eu"]'], None
    ),
    "mapped keys": (
        _edit("rebind", "module.cluster", keys={"us-east1": "x"}),
        ["rebind", "module.cluster", "--map", "us-east1=x"],
        f'{GOOGLE}.geo["x"]',
    ),
    "a required source": (
        _edit("replace_provider", "hashicorp/google", "acme/spare"),
        ["replace-provider", "hashicorp/google", "acme/spare"],
        None,
    ),
    "a source that is not required": (
        _edit("replace_provider", "hashicorp/google", "acme/other"),
        ["replace-provider", "hashicorp/google", "acme/other"],
        "registry.opentofu.org/acme/other",
    ),
    "a declared module": (
        _edit("move", US, 'module.cluster["asia"]'), ["mv", US, 'module.cluster["asia"]'], None
    ),
    "an undeclared module": (
        _edit("move", US, 'module.clster["asia"]'),
        ["mv", US, 'module.clster["asia"]'],
        'module.clster["asia"].google_compute_network.net',
    ),
    "a declared resource": (
        _edit("move", "terraform_data.old", "terraform_data.net"),
        ["mv", "terraform_data.old", "terraform_data.net"],
        None,
    ),
    "an undeclared resource": (
        _edit("move", "terraform_data.old", "terraform_data.nt"),
        ["mv", "terraform_data.old", "terraform_data.nt"],
        "terraform_data.nt",
    ),
    "an undeclared key of an instance": (
        _edit("rekey", "terraform_data.web", keys={2: 3}),
        ["rekey", "terraform_data.web", "--map", "2=3"],
        "terraform_data.web[3]",
    ),
    "keys that swap": (
        _edit("rekey", "terraform_data.web", keys={0: 1, 1: 0}),
        ["rekey", "terraform_data.web", "--map", "0=1,1=0"],
        None,
    ),
    "keys of the configuration that are not known": (
        _edit("rekey", "terraform_data.old"), ["rekey", "terraform_data.old"], "terraform_data.old"
    ),
    "a removal": (_edit("remove", "terraform_data.old"), ["rm", "terraform_data.old"], None),
}  # fmt: skip


@pytest.mark.parametrize("case", _EDITS)
def test_as_the_commands(case: str) -> None:
    method, command, address = _EDITS[case]
    before = Path("terraform.tfstate").read_bytes()
    with redirect_stdout(StringIO()) as shown, redirect_stderr(StringIO()) as messages:
        status = main([*command, "--config", ".", "--yes", "--state", "command.tfstate"])
    error, edit = None, None
    try:
        with statefmt.open("terraform.tfstate").edit(config=".") as edit:
            method(edit)
    except statefmt.StatetoolError as refused:
        error = refused
    assert (status, None if error is None else error.address) == (0 if address is None else 2, address)
    assert Path("terraform.tfstate").read_bytes() == Path("command.tfstate").read_bytes()
    assert (Path("terraform.tfstate").read_bytes() == before) is (address is not None)
    if error is not None:
        assert "--" not in str(error)
        start = str(error).partition("If this is intended")[0]
        assert "".join(start.split()) in "".join(messages.getvalue().split())
        return
    assert edit is not None
    printed = "".join(shown.getvalue().split())
    # The reason why a value is unknown names options here, and arguments there.
    assert all("".join(note.split(": var.")[0].split()) in printed for note in edit.notes), edit.notes
    assert all(finding.code in shown.getvalue() for finding in edit.findings)


def test_findings_against_the_configuration() -> None:
    with statefmt.open("terraform.tfstate").edit(dry_run=True) as plain:
        plain.rebind(US, 'google.goe["a"]', new_provider=True)
    with statefmt.open("terraform.tfstate").edit(dry_run=True, config=".") as edit:
        edit.rebind(US, 'google.goe["a"]', new_provider=True)
    assert not [finding for finding in plain.findings if finding.code.startswith("CFS")]
    assert "CFS004" in {finding.code for finding in edit.findings}


def test_the_last_part_of_a_message() -> None:
    opened = statefmt.open("terraform.tfstate")
    with (
        pytest.raises(statefmt.SurgeryError, match=r"If this is intended, leave out config=\.$"),
        opened.edit(config=".") as edit,
    ):
        edit.move("terraform_data.old", "terraform_data.nt")
    with (
        pytest.raises(statefmt.SurgeryError, match=r"If this is intended, pass new_provider=True$"),
        opened.edit(config=".") as edit,
    ):
        edit.rebind(US, "google.plian")


def test_keys_of_the_configuration() -> None:
    Path("main.tf").write_text('resource "terraform_data" "web" { for_each = toset(["a"]) }\n', encoding="utf-8")
    Path("terraform.tfstate").write_bytes(state(resource("terraform_data", "web", {"index_key": 0})))
    opened = statefmt.open("terraform.tfstate")
    with pytest.raises(statefmt.SurgeryError, match="give either keys or by"), opened.edit() as edit:
        edit.rekey("terraform_data.web")
    with opened.edit(config=".") as edit:
        edit.rekey("terraform_data.web")
    assert [str(one) for one in opened.select()] == ['terraform_data.web["a"]']


def test_a_configuration_with_errors_has_no_keys() -> None:
    Path("main.tf").write_text('resource "terraform_data" "old" {\n', encoding="utf-8")
    with (
        pytest.raises(statefmt.SurgeryError, match=r"errors hide .*or use keys= without config="),
        statefmt.open("terraform.tfstate").edit(config=".") as edit,
    ):
        edit.rekey("terraform_data.old")


def test_keys_to_complete() -> None:
    Path("main.tf").write_text('resource "terraform_data" "web" { for_each = {a = 1, b = 2} }\n', encoding="utf-8")
    with pytest.raises(statefmt.SurgeryError) as caught, statefmt.open("terraform.tfstate").edit(config=".") as edit:
        edit.rekey("terraform_data.web")
    assert str(caught.value).endswith("Replace each ? by its new key, and pass:\n  keys='0=?,1=?,2=?'")
    assert caught.value.address == "terraform_data.web"


def test_variables(tmp_path: Path) -> None:
    main_file = Path("main.tf")
    typed = main_file.read_text(encoding="utf-8").replace('"unset" {}', '"unset" { type = list(string) }')
    main_file.write_text(typed, encoding="utf-8")
    Path("late.tfvars").write_text('unset = ["file"]\n', encoding="utf-8")
    opened = statefmt.open("terraform.tfstate")
    for given, key, other in (
        ({"variables": {"unset": '["x"]'}}, "x", "y"),
        ({"variable_files": ["late.tfvars"]}, "file", "x"),
        ({"variables": {"unset": '["x"]'}, "variable_files": [Path("late.tfvars")]}, "x", "file"),
    ):
        arguments: dict[str, Any] = {"config": tmp_path, "dry_run": True, **given}
        with opened.edit(**arguments) as edit:
            edit.rebind(US, f'google.late["{key}"]')
        assert not edit.notes
        with pytest.raises(statefmt.SurgeryError, match="has no key"), opened.edit(**arguments) as edit:
            edit.rebind(US, f'google.late["{other}"]')
    with opened.edit(config=".", dry_run=True) as edit:
        edit.rebind(US, 'google.late["x"]')
    assert "pass it in variables= or variable_files=, or TF_VAR_unset" in "".join(edit.notes)
    context = statefmt.run_context(environment={"TF_VAR_unset": '["x"]'})
    with statefmt.open("terraform.tfstate", context=context).edit(config=".", dry_run=True) as edit:
        edit.rebind(US, 'google.late["x"]')
    assert not edit.notes


def test_a_configuration_that_is_not_there() -> None:
    opened = statefmt.open("terraform.tfstate")
    with pytest.raises(statefmt.StoreError, match="not a directory"), opened.edit(config="absent"):
        pass
    with pytest.raises(statefmt.StoreError, match="need config="), opened.edit(variables={"x": "1"}):
        pass


def test_a_configuration_that_was_loaded(folder: Path) -> None:
    references = ProviderReferences(configuration.load(folder))
    opened = statefmt.open("terraform.tfstate")
    with pytest.raises(statefmt.SurgeryError) as loaded, opened.edit(config=references) as edit:
        edit.move("terraform_data.old", "terraform_data.nt")
    with pytest.raises(statefmt.SurgeryError) as named, opened.edit(config=folder) as edit:
        edit.move("terraform_data.old", "terraform_data.nt")
    assert str(loaded.value) == str(named.value)
    with (
        pytest.raises(statefmt.StoreError, match="need config= with a directory"),
        opened.edit(config=references, variables={"x": "1"}),
    ):
        pass


def test_a_custom_operation_is_checked_too() -> None:
    opened = statefmt.open("terraform.tfstate")
    with pytest.raises(statefmt.SurgeryError, match="does not declare"), opened.edit(config=".") as edit:
        edit.apply(lambda snapshot: operations.move(snapshot, "terraform_data.old", "terraform_data.nt"))


def test_of_a_module_only_the_module_must_be_declared() -> None:
    opened, target = statefmt.open("terraform.tfstate"), 'module.cluster["asia"].module.gone'

    def move(snapshot: statefmt.Snapshot) -> statefmt.Edit:
        return operations.move(snapshot, "terraform_data.old", f"{target}.terraform_data.old")

    with pytest.raises(statefmt.SurgeryError, match="does not declare"), opened.edit(config=".", dry_run=True) as edit:
        edit.apply(move)
    depth = operations.module_depth('module.cluster["asia"]')
    with opened.edit(config=".", dry_run=True) as edit:
        edit.apply(move, depth=depth)
    assert edit.diff.moves
