"""The state of a configuration folder: by workspace, and only where `init` recorded no other backend than `local`."""

from __future__ import annotations

from pathlib import Path

import pytest

from statefmt import RemoteStateError, run_context
from statefmt.locations import current_state

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


@pytest.mark.parametrize(
    ("environment", "files", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_state(environment: dict[str, str], files: dict[str, str], expected: str, tmp_path: Path) -> None:
    _write(tmp_path, files)
    assert current_state(run_context(environment=environment), str(tmp_path)) == str(tmp_path / expected)


@pytest.mark.parametrize("kind", ["gcs", "azurerm", "consul", "cos", "oss", "remote", "cloud", "kubernetes"])
@pytest.mark.parametrize(
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
