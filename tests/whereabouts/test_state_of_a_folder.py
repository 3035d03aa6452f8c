"""The state of a configuration folder: by workspace, and only where `init` recorded no other backend than `local`."""

from __future__ import annotations

from pathlib import Path

import pytest

from statefmt import RemoteStateError, run_context
from statefmt.locations import current_state
from tests.tables import each_row

DEV = "terraform.tfstate.d/dev/terraform.tfstate"
RECORD = ".terraform/terraform.tfstate"

# What it shows, the environment, the files that `init` and `workspace select` leave, and the state.
CASES: list[tuple[str, dict[str, str], dict[str, str], str]] = [
    ("nothing", {}, {}, "terraform.tfstate"),
    ("TF_WORKSPACE", {"TF_WORKSPACE": "dev"}, {}, DEV),
    ("TF_WORKSPACE is empty", {"TF_WORKSPACE": ""}, {".terraform/environment": "dev"}, DEV),
    ("TF_WORKSPACE is default", {"TF_WORKSPACE": "default"}, {".terraform/environment": "dev"}, "terraform.tfstate"),
    ("environment", {}, {".terraform/environment": "dev"}, DEV),
    ("environment with a newline", {}, {".terraform/environment": " dev\r\n"}, DEV),
    ("environment is empty", {}, {".terraform/environment": "\n"}, "terraform.tfstate"),
    ("environment is default", {}, {".terraform/environment": "default"}, "terraform.tfstate"),
    ("TF_DATA_DIR", {"TF_DATA_DIR": "data"}, {"data/environment": "dev", ".terraform/environment": "prod"}, DEV),
    ("TF_DATA_DIR is empty", {"TF_DATA_DIR": ""}, {".terraform/environment": "dev"}, DEV),
    ("backend local", {}, {RECORD: '{"backend":{"type":"local","config":{"path":null}}}'}, "terraform.tfstate"),
    ("no backend", {}, {RECORD: '{"version":3}'}, "terraform.tfstate"),
    ("backend is null", {}, {RECORD: '{"backend":null}'}, "terraform.tfstate"),
    ("record is empty", {}, {RECORD: ""}, "terraform.tfstate"),
    ("path", {}, {RECORD: '{"backend":{"type":"local","config":{"path":"my/own.tfstate"}}}'}, "my/own.tfstate"),
    (
        "path is for the default workspace",
        {"TF_WORKSPACE": "dev"},
        {RECORD: '{"backend":{"type":"local","config":{"path":"my/own.tfstate"}}}'},
        DEV,
    ),
    (
        "workspace_dir",
        {"TF_WORKSPACE": "dev"},
        {RECORD: '{"backend":{"type":"local","config":{"workspace_dir":"spaces"}}}'},
        "spaces/dev/terraform.tfstate",
    ),
    (
        "workspace_dir is not for the default workspace",
        {},
        {RECORD: '{"backend":{"type":"local","config":{"workspace_dir":"spaces"}}}'},
        "terraform.tfstate",
    ),
]


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")


@each_row(("environment", "files", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_state(environment: dict[str, str], files: dict[str, str], expected: str, tmp_path: Path) -> None:
    _write(tmp_path, files)
    assert current_state(run_context(environment=environment), str(tmp_path)) == str(tmp_path / expected)


@each_row("kind", ["gcs", "azurerm", "consul", "cos", "oci", "oss", "remote", "cloud", "kubernetes"])
@each_row(
    ("environment", "folder"),
    [({}, ".terraform"), ({"TF_WORKSPACE": "dev"}, ".terraform"), ({"TF_DATA_DIR": "d"}, "d")],
)
def test_other_backend(kind: str, environment: dict[str, str], folder: str, tmp_path: Path) -> None:
    """Refused, whatever the workspace, and with the way to work on such a state."""
    _write(tmp_path, {f"{folder}/terraform.tfstate": f'{{"version":3,"backend":{{"type":"{kind}","config":{{}}}}}}'})
    with pytest.raises(RemoteStateError, match=f"the backend '{kind}'; statetool itself opens local, http, pg and s3"):
        current_state(run_context(environment=environment), str(tmp_path))


_BOTH = ("tofu", "terraform")


@pytest.mark.parametrize(
    ("locked", "programs"),
    [
        (None, _BOTH),
        ("", _BOTH),
        ('provider "registry.opentofu.org/hashicorp/aws" {\n}\n', ("tofu",)),
        ('# Written by init.\n\nprovider "registry.terraform.io/hashicorp/aws" {\n}\n', ("terraform",)),
        ('provider "registry.terraform.io/a/b" {}\nprovider "registry.opentofu.org/a/b" {}\n', _BOTH),
        ('provider "example.com/a/b" {}\n', _BOTH),
        ('# provider "registry.terraform.io/a/b" {}\n', _BOTH),
    ],
)
def test_program_of_the_folder(locked: str | None, programs: tuple[str, ...], tmp_path: Path) -> None:
    """The registry in the dependency lock file tells OpenTofu from Terraform."""
    _write(tmp_path, {RECORD: '{"version":3,"backend":{"type":"gcs","config":{}}}'})
    if locked is not None:
        _write(tmp_path, {".terraform.lock.hcl": locked})
    with pytest.raises(RemoteStateError) as caught:
        current_state(run_context(), str(tmp_path))
    assert caught.value.programs == programs


# What lies in the folder, the programs that open its state, and what the message names.
_DECLARED = [
    ({"main.tf": 'terraform {\n  state_store "demo_store" {\n    provider "demo" {}\n  }\n}\n'},
     ("terraform",), 'main.tf:2: the state of this folder is stored in state_store "demo_store"'),
    ({"main.tf.json": '{"terraform": {"state_store": {"demo_store": {}}}}'},
     ("terraform",), 'main.tf.json:1: the state of this folder is stored in state_store "demo_store"'),
    # The label is a name of the provider's, not of a backend.
    ({"main.tf": 'terraform {\n  state_store "local" {}\n}\n'}, ("terraform",), 'state_store "local"'),
    ({RECORD: '{"version":3,"state_store":{"type":"demo_store"}}'}, ("terraform",),
     f'{RECORD}: the state of this folder is stored in state_store "demo_store"'),
    ({RECORD: '{"version":3,"state_store":{}}'}, ("terraform",), "is stored in state_store of an unknown type"),
    ({RECORD: '{"version":3,"backend":{"type":""},"state_store":{"type":"s"}}'}, ("terraform",), 'state_store "s"'),
    ({RECORD: '{"version":3,"remote":{"type":"s3","config":{}}}'}, ("terraform",),
     'remote state (before Terraform 0.9) "s3"'),
    ({RECORD: '{"version":3,"vault":{"path":"x"}}'}, ("tofu", "terraform"),
     f'{RECORD}: statetool does not know the member "vault", which may say where the state of this folder is'),
    ({"main.tf": "terraform {\n  required_version = \">= 1\"\n  vault {}\n}\n"}, ("tofu", "terraform"),
     'main.tf:3: statetool does not know the block "vault", which may say where the state of this folder is'),
    ({"main.tf": 'terraform {\n  vault "a" "b" {}\n}\n'}, ("tofu", "terraform"), 'main.tf:2: statetool does not know'),
    ({"main.tf": 'terraform {\n  vault = "x"\n}\n'}, ("tofu", "terraform"), 'the block "vault"'),
    ({"main.tf": 'terraform { vault {} }\n'}, ("tofu", "terraform"), 'the block "vault"'),
    ({"main.tf.json": '{"terraform": {"vault": {}}}'}, ("tofu", "terraform"), 'the block "vault"'),
    ({"a.tf": 'terraform {\n  required_providers {\n    a = { source = "a/b" }\n  }\n}\nterraform {\n  vault {}\n}\n'},
     ("tofu", "terraform"), 'a.tf:7: statetool does not know the block "vault"'),
    ({"main.tf": 'terraform {\n  backend "future" {}\n}\n'}, ("tofu", "terraform"), "the backend 'future'"),
    ({RECORD: '{"version":3,"backend":{"type":"future","config":{}}}'}, ("tofu", "terraform"), "the backend 'future'"),
    ({"terragrunt.hcl": ""}, ("terragrunt",), "terragrunt.hcl: this folder is a Terragrunt unit"),
    ({"terragrunt.hcl.json": "{}"}, ("terragrunt",), "terragrunt.hcl.json: this folder is a Terragrunt unit"),
    ({"terragrunt.hcl": "", "main.tf": 'terraform {\n  backend "local" {}\n}\n'}, ("terragrunt",), "Terragrunt unit"),
    ({"terragrunt.hcl": "", RECORD: '{"backend":{"type":"local","config":{}}}'}, ("terragrunt",), "Terragrunt unit"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "programs", "said"), _DECLARED)
def test_an_unknown_declaration_is_not_none(
    files: dict[str, str], programs: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies beside it is another state, or an old one."""
    monkeypatch.chdir(tmp_path)
    _write(tmp_path, {**files, "terraform.tfstate": "{}"})
    with pytest.raises(RemoteStateError) as caught:
        current_state(run_context())
    assert said in str(caught.value)
    assert caught.value.programs == programs


_HARMLESS = [
    'terraform {\n  required_version = ">= 1.0"\n}\n',
    "terraform {\n  # vault {}\n  /* vault {} */\n  // vault {}\n  experiments = [a]\n}\n",
    'terraform {\n  required_providers {\n    vault = {\n      source = "hashicorp/vault"\n    }\n  }\n}\n',
    'terraform {\n  provider_meta "vault" {\n    x = "y"\n  }\n  encryption {\n    vault {}\n  }\n}\n',
    'terraform { required_version = "~> 1.5" }\n',
    "terraform {\n  required_version = <<EOT\n  vault {}\n  EOT\n}\n",
    "locals {\n  terraform = { vault = 1 }\n  a = terraform.workspace\n}\n",
    "terraform {}\n",
]


@pytest.mark.parametrize("content", _HARMLESS)
def test_other_blocks_name_no_place(content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _write(tmp_path, {"main.tf": content})
    assert current_state(run_context()) == "terraform.tfstate"


def test_the_backend_of_a_terragrunt_unit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What terragrunt wrote into the folder, and what init recorded there, are as good as anywhere."""
    monkeypatch.chdir(tmp_path)
    record = '{"version":3,"backend":{"type":"pg","config":{"conn_str":"postgres://h/d"}}}'
    _write(tmp_path, {"terragrunt.hcl": "", RECORD: record})
    assert current_state(run_context()).startswith("pg://h/d")


@pytest.mark.parametrize(
    ("record", "wrong"),
    [
        ('{"version":4,"terraform_version":"1.8.1","serial":1,"lineage":"l","resources":[]}', True),
        ('{"version":3,"modules":[{"path":["root"],"resources":{"a.b":{}}}]}', True),
        ('{"version":3,"modules":[{"path":["root"],"resources":{},"outputs":{}}]}', False),
        ('{"version":3}', False),
        ("", False),
        ('{"version":3,"backend":{"type":"local","config":{}}}', False),
    ],
)
def test_a_state_in_the_file_of_init(record: str, wrong: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _write(tmp_path, {RECORD: record})
    said: list[str] = []
    assert current_state(run_context(note=said.append)) == "terraform.tfstate"
    assert any(f"`statetool copy {RECORD} .`, delete the file, and run init" in one for one in said) is wrong
