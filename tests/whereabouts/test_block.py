"""The backend block of a configuration: the values that it can have, and what is refused instead of guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from statefmt import StoreError, run_context
from statefmt.locations import BackendOptions, found_state
from statefmt.whereabouts.find import FoundState, find_state
from tests.tables import each_row


def _found(folder: Path, *settings: str, **environment: str) -> FoundState:
    context = run_context(environment=environment)
    if settings:
        from dataclasses import replace

        context = replace(context, backend=BackendOptions(settings=settings))
    return found_state(context, str(folder))


def _write(folder: Path, **files: str) -> None:
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(content)


def _in_s3(arguments: str) -> str:
    return f'terraform {{\n  backend "s3" {{\n{arguments}\n  }}\n}}\n'


def test_variables_and_locals(tmp_path: Path) -> None:
    _write(
        tmp_path,
        main__tofu=_in_s3('bucket = local.bucket\nkey = "${terraform.workspace}/${var.name}.tfstate"'),
        vars__tofu='variable "name" {}\nvariable "team" { default = "net" }\nlocals { bucket = "b-${var.team}" }\n',
        a__auto__tfvars='team = "db"\n',
    )
    found = _found(tmp_path, TF_VAR_name="shop", STATETOOL_ALLOW_ENV="TF_VAR_name")
    assert found.location == "s3://b-db/default/shop.tfstate"


@pytest.mark.parametrize(
    ("cloud", "location"),
    [
        ('workspaces { name = "net" }', "remote://app.terraform.io/acme/net"),
        ('hostname = "tfe.example"\nworkspaces { tags = ["a"] }', "remote://tfe.example/acme/default"),
    ],
)
def test_cloud(cloud: str, location: str, tmp_path: Path) -> None:
    _write(tmp_path, main__tf=f'terraform {{\n cloud {{\n organization = "acme"\n{cloud}\n }}\n}}\n')
    found = _found(tmp_path)
    assert (found.backend.type, found.location) == ("cloud", location)


def test_places(tmp_path: Path) -> None:
    """Every setting names the line, the file, the option or the variable that it comes from."""
    (tmp_path / "s3.tfbackend").write_text('# shared\nkey = "k"\n')
    _write(tmp_path, main__tf=_in_s3('bucket = "b"'))
    found = _found(tmp_path, "encrypt=true", str(tmp_path / "s3.tfbackend"), AWS_DEFAULT_REGION="eu-west-1")
    places = {one.name: (one.value, one.place) for one in found.settings if one.source != "default"}
    assert places == {
        "bucket": ("b", f"{tmp_path}/main.tf:3"),
        "key": ("k", f"{tmp_path}/s3.tfbackend:2"),
        "encrypt": (True, "--backend-config"),
        "region": ("eu-west-1", "AWS_DEFAULT_REGION"),
    }


def test_structured_option(tmp_path: Path) -> None:
    _write(tmp_path, main__tf=_in_s3('bucket = "b"\nkey = "k"'))
    found = _found(tmp_path, 'endpoints={s3 = "https://s3.example"}')
    assert found.values["endpoints.s3"] == "https://s3.example"


def test_missing_arguments(tmp_path: Path) -> None:
    _write(tmp_path, main__tf=_in_s3('bucket = "b"'))
    found = _found(tmp_path)
    assert (found.location, found.missing) == (None, ("key",))


SECRET = "hunter2"
# The files, the options, and what the message says, which never has the secret.
REFUSED = [
    ({"main__tf": _in_s3(f'buckett = "{SECRET}"')}, (), r"main.tf:3: the backend 's3' has no argument 'buckett'"),
    ({"main__tf": _in_s3(f'endpoints = {{ s4 = "{SECRET}" }}')}, (), r"no argument 'endpoints.s4'"),
    ({"main__tf": _in_s3("")}, (f"nope={SECRET}",), r"--backend-config: the backend 's3' has no argument 'nope'"),
    ({"main__tf": _in_s3("")}, (f"encrypt={SECRET}",), r"--backend-config: encrypt must be true or false"),
    ({"main__tf": _in_s3("")}, (f"endpoints={{ {SECRET}",), r"--backend-config: endpoints: this is not a valid"),
    (
        {"main__tf": _in_s3(f'secret_key = "{SECRET}${{aws_x.y.z}}"')},
        (),
        r"main.tf:3: secret_key: the value is not known",
    ),
    ({"main__tf": _in_s3(f"secret_key = {SECRET}")}, (), r"main.tf:3: secret_key: the value is not known"),
    ({"main__tf": _in_s3("bucket = var.b") + 'variable "b" {}\n'}, (), r"main.tf:3: bucket: the value is not known"),
    (
        {"main__tf": _in_s3("") + _in_s3("")},
        (),
        r"only one backend, cloud or state_store block; found two, at .*tf:2 and .*tf:7",
    ),
    (
        {"main__tf": _in_s3(""), "b__tf": "terraform {\n cloud {}\n}\n"},
        (),
        r"only one backend, cloud or state_store block",
    ),
    ({"main__tf": f'terraform {{ {SECRET} = = "\n backend "s3" {{'}, (), r"main.tf:\d+"),
    ({"main__tf": "", "b__tf__json": '{"terraform": {"backend" '}, (), r"b.tf.json:\d+: this file cannot be read"),
    ({"main__tf": ""}, (f"key={SECRET}",), r"the configuration here has none"),
    ({"main__tf": _in_s3("")}, ("none.tfbackend",), r"--backend-config: .*none.tfbackend could not be read"),
]


@each_row(("files", "settings", "message"), REFUSED)
def test_refused(files: dict[str, str], settings: tuple[str, ...], message: str, tmp_path: Path) -> None:
    _write(tmp_path, **files)
    with pytest.raises(StoreError, match=message) as caught:
        _found(tmp_path, *settings)
    assert SECRET not in str(caught.value)


def test_a_file_that_cannot_have_a_block_is_not_read(tmp_path: Path) -> None:
    """Errors elsewhere do not keep anyone from the state."""
    _write(tmp_path, main__tf='resource "x" {{{\n')
    assert _found(tmp_path).backend.type == "local"


def test_deep_nesting(tmp_path: Path) -> None:
    _write(tmp_path, main__tf=_in_s3("bucket = " + "[" * 20_000 + "]" * 20_000))
    with pytest.raises(StoreError):
        _found(tmp_path)


def test_an_option_replaces_a_value_that_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text(_in_s3('bucket = var.b\nkey = "k"\nregion = "r"') + 'variable "b" {}\n')
    options = BackendOptions(settings=("bucket=other",))
    assert find_state(tmp_path, {}, options).location == "s3://other/k?region=r"
    with pytest.raises(StoreError, match=r"var\.b has no value in a variable file; .*allowed_env=\('TF_VAR_b',\)"):
        find_state(tmp_path, {})
