"""Where a real program keeps the state of a folder in the backend `local`, and where statetool finds it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Statetool
from tests.compat.program import Program

_RESOURCE: Final = '\nresource "terraform_data" "here" {}\n'


def _block(*arguments: str) -> str:
    return 'terraform {\n  backend "local" {\n' + "".join(f"    {line}\n" for line in arguments) + "  }\n}\n"


# What it shows, the files, the settings for init, the workspace.
CASES: Final[list[tuple[str, dict[str, str], tuple[str, ...], str]]] = [
    ("no block", {"main.tf": ""}, (), "default"),
    ("no block, a workspace", {"main.tf": ""}, (), "dev"),
    ("an empty block", {"main.tf": _block()}, (), "default"),
    ("path", {"main.tf": _block('path = "store/shop.tfstate"')}, (), "default"),
    ("path is for default", {"main.tf": _block('path = "store/shop.tfstate"')}, (), "dev"),
    ("workspace_dir", {"main.tf": _block('workspace_dir = "spaces"')}, (), "dev"),
    ("workspace_dir is for others", {"main.tf": _block('workspace_dir = "spaces"')}, (), "default"),
    ("both", {"main.tf": _block('path = "a"', 'workspace_dir = "b/c"')}, (), "a+b=1"),
    ("KEY=VALUE", {"main.tf": _block()}, ("path=given.tfstate",), "default"),
    ("KEY=VALUE wins", {"main.tf": _block('path = "written"')}, ("path=given",), "default"),
    ("a file", {"main.tf": _block(), "x.tfbackend": 'path = "from/file"\n'}, ("x.tfbackend",), "default"),
    ("JSON in a file", {"main.tf": _block(), "x.json": '{"workspace_dir": "j"}'}, ("x.json",), "dev"),
    ("the last wins", {"main.tf": _block(), "x": 'path = "one"\n'}, ("path=two", "x"), "default"),
    ("an equals sign", {"main.tf": _block()}, ("path=a=b",), "default"),
    ("JSON", {"main.tf": "", "b.tf.json": '{"terraform": {"backend": {"local": {"path": "j"}}}}'}, (), "default"),
    ("an override", {"main.tf": _block('path = "a"'), "z_override.tf": _block('path = "b"')}, (), "default"),
    (
        "an override has all of it",
        {"main.tf": _block('workspace_dir = "w"'), "override.tf": _block('path = "b"')},
        (),
        "dev",
    ),
    ("escapes", {"main.tf": _block('path = "a\\u0062 \\"c\\""')}, (), "default"),
    ("outside", {"main.tf": _block('path = "../outside/terraform.tfstate"')}, (), "default"),
]  # fmt: skip


@pytest.fixture(params=CASES, ids=lambda case: case[0])
def kept(request: pytest.FixtureRequest, real: Program, folder: Path) -> tuple[list[str], Path]:
    """What else was said to init, and the state that the program wrote in `module`."""
    _, files, settings, workspace = request.param
    module = folder / "module"
    module.mkdir()
    for name, content in files.items():
        (module / name).write_text(content + (_RESOURCE if name == "main.tf" else ""))
    done = real.run(module, "init", "-input=false", *(f"-backend-config={setting}" for setting in settings))
    assert done.status == 0, done.err
    if workspace != "default":
        assert real.run(module, "workspace", "new", workspace).status == 0
    done = real.run(module, "apply", "-auto-approve", "-input=false")
    assert done.status == 0, done.err
    written = [
        path
        for path in folder.rglob("*")
        if path.is_file() and ".terraform" not in path.parts and b'"terraform_data"' in path.read_bytes()
    ]
    (state,) = [path for path in written if path.suffix not in (".tf", ".json")]
    return [f"--backend-config={setting}" for setting in settings], state


def _where(statetool: Statetool, *arguments: str) -> Path:
    done = statetool("where", "--format", "json", *arguments)
    assert done.status == 0, done.err
    return Path(json.loads(done.out)["file"]["path"]).resolve()


def test_state(
    kept: tuple[list[str], Path], statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the record, by the block, from inside of the folder, and from elsewhere."""
    settings, state = kept
    # Of all these states, one is outside of the folder that names it.
    monkeypatch.setenv("STATETOOL_ALLOW_PATH", str(folder / "outside"))
    assert _where(statetool, "module") == state
    assert statetool("list", "--state", "module") == (0, b"terraform_data.here\n", "")
    monkeypatch.chdir(folder / "module")
    assert _where(statetool) == state
    assert statetool("list") == (0, b"terraform_data.here\n", "")
    # As if nothing had been recorded, but a workspace selected.
    (folder / "module" / ".terraform" / "terraform.tfstate").unlink(missing_ok=True)
    assert _where(statetool, *settings) == state


def test_workspaces(real: Program, statetool: Statetool, folder: Path) -> None:
    (folder / "main.tf").write_text(_block('workspace_dir = "spaces"') + _RESOURCE)
    assert real.run(folder, "init", "-input=false").status == 0
    for name in ("zoo", "Bar", "a.b", "bar"):
        assert real.run(folder, "workspace", "new", name).status == 0
    (folder / "spaces" / "file").write_bytes(b"")
    (folder / "spaces" / "link").symlink_to("zoo")
    for selected in ("bar", "default"):
        assert real.run(folder, "workspace", "select", selected).status == 0
        listed = real.run(folder, "workspace", "list").out
        assert statetool("workspaces").text.rstrip() == listed.rstrip()


@pytest.mark.parametrize("name", ["a b", "a/b", "ü", "a%b", "a;b", "a,b", "a?b", "*", "a~b", "a@b:c&d$e"])
def test_names_of_workspaces(name: str, real: Program, statetool: Statetool, folder: Path) -> None:
    """Accepted and refused alike."""
    (folder / "main.tf").write_text(_RESOURCE)
    created = real.run(folder, "workspace", "new", name).status == 0
    assert (statetool("where", "--workspace", name).status == 0) is created


@pytest.mark.parametrize(
    "arguments",
    [('nope = "a"',), ("path = var.a",), ('path = ""',), ('workspace_dir = ""',), ("path = true ? 1 : []",)],
)
def test_refused_blocks(arguments: tuple[str, ...], real: Program, statetool: Statetool, folder: Path) -> None:
    (folder / "main.tf").write_text(_block(*arguments) + _RESOURCE)
    assert real.run(folder, "init", "-input=false").status == 1
    assert statetool("list").status == 2
