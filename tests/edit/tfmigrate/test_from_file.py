"""Migrations as operations files: what they become, and what is refused, with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import statefmt
from statefmt import StatetoolError
from statefmt.operations_files import ConvertedMigration, converted_migration
from tests.cli.states import resource, state

APP = state(
    resource("aws_vpc", "main", {"index_key": 0}, {"index_key": 1}),
    resource("aws_vpc", "other", {}),
    resource("aws_role", "r", {"index_key": "a b"}, {"index_key": "c"}),
    resource("aws_db", "d", {}, module='module.m["x"]'),
    resource("aws_db", "d", {}, module='module.m["y"]'),
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("TF_WORKSPACE", "TF_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name, content in (("app", APP), ("net", state())):
        Path(name).mkdir()
        Path(name, "main.tf").touch()
        Path(name, "terraform.tfstate").write_bytes(content)
    return tmp_path


def _converted(text: str, file: str = "m.hcl", root: str | None = None, **environment: str) -> ConvertedMigration:
    Path(file).write_text(text)
    context = statefmt.run_context(environment=environment)
    return converted_migration(context, file, root=root)


def _of_state(*actions: str) -> ConvertedMigration:
    return _converted(f'migration "state" "test" {{\n  dir     = "app"\n  actions = {json.dumps(actions)}\n}}\n')


def _across(*actions: str) -> ConvertedMigration:
    return _converted(
        'migration "multi_state" "test" {\n  from_dir = "app"\n  to_dir   = "net"\n  from_skip_plan = true\n'
        f"  force = true\n  actions  = {json.dumps(actions)}\n}}\n"
    )


def _blocks(converted: ConvertedMigration) -> list[str]:
    """The blocks after those of the states, each on a line."""
    blocks = converted.text().strip().split("\n\n")
    return [" ".join(block.split()) for block in blocks if not block.startswith("state ")]


STATES = 'state "app" {\n  path      = "app"\n  workspace = "default"\n}\n'


def test_the_actions_of_one_state() -> None:
    made = _of_state(
        "mv aws_vpc.main[0] 'aws_vpc.main[\"eu\"]'",
        "mv 'module.m[\"x\"]' module.n",
        "rm aws_vpc.other 'aws_role.r[\"a b\"]'",
        "replace-provider terraform.io/-/aws hashicorp/aws",
    )
    assert made.text(".").startswith(STATES)
    assert _blocks(made) == [
        'move { from = state.app.aws_vpc.main[0] to = state.app.aws_vpc.main["eu"] }',
        'move { from = state.app.module.m["x"] to = state.app.module.n }',
        'forget { of = [ state.app.aws_vpc.other, state.app.aws_role.r["a b"], ] }',
        'replace_provider { old = "terraform.io/-/aws" new = "hashicorp/aws" new_provider = true }',
    ]


def test_across_states() -> None:
    made = _across("mv aws_vpc.other aws_vpc.other", "xmv aws_vpc.main aws_vpc.b")
    assert made.text(".").startswith(STATES + '\nstate "net" {\n  path      = "net"\n')
    assert _blocks(made) == [
        "move { from = state.app.aws_vpc.other to = state.net.aws_vpc.other }",
        "move { from = state.app.aws_vpc.main to = state.net.aws_vpc.b }",
    ]


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        # All instances of a resource, of a module, and of everything.
        (["xmv aws_vpc.m* module.k.aws_vpc.x$1"],
         ["move { from = state.app.aws_vpc.main to = state.net.module.k.aws_vpc.xain }"]),
        (['xmv module.m["*"].aws_db.d aws_db.$1'],
         ['move { from = state.app.module.m["x"].aws_db.d to = state.net.aws_db.x }',
          'move { from = state.app.module.m["y"].aws_db.d to = state.net.aws_db.y }']),
        (["xmv * $1"],
         ["move { from = state.app.aws_role.r to = state.net.aws_role.r }",
          "move { from = state.app.aws_vpc.main to = state.net.aws_vpc.main }",
          "move { from = state.app.aws_vpc.other to = state.net.aws_vpc.other }",
          'move { from = state.app.module.m["x"] to = state.net.module.m["x"] }',
          'move { from = state.app.module.m["y"] to = state.net.module.m["y"] }']),
        # Some instances.
        (["xmv aws_vpc.main[1* aws_vpc.x[1$1"],
         ["move { from = state.app.aws_vpc.main[1] to = state.net.aws_vpc.x[1] }"]),
        # What the actions before left.
        (["mv aws_vpc.main aws_vpc.main", "xmv aws_vpc.* aws_vpc.y_$1"],
         ["move { from = state.app.aws_vpc.main to = state.net.aws_vpc.main }",
          "move { from = state.app.aws_vpc.other to = state.net.aws_vpc.y_other }"]),
    ],
)  # fmt: skip
def test_wildcards_match_what_is_there(actions: list[str], expected: list[str]) -> None:
    quoted = [f"xmv '{one.split()[1]}' '{one.split()[2]}'" if one.startswith("xmv") else one for one in actions]
    assert _blocks(_across(*quoted)) == expected


def test_wildcards_that_match_nothing_are_named() -> None:
    made = _across("xmv aws_nothing.* aws_x.$1")
    assert (_blocks(made), made.unmatched) == ([], ("xmv aws_nothing.* aws_x.$1",))


def test_states_are_read_for_wildcards_only() -> None:
    for name in ("app", "net"):
        Path(name, "terraform.tfstate").unlink()
    assert _blocks(_across("mv aws_a.b aws_a.b")) == ["move { from = state.app.aws_a.b to = state.net.aws_a.b }"]
    with pytest.raises(StatetoolError):
        _across("xmv * $1")


def test_json_and_the_environment() -> None:
    block = {"dir": "app", "workspace": "${env.TFMIGRATE_SPACE}", "actions": ["mv aws_a.b aws_a.c"]}
    made = _converted(json.dumps({"migration": {"state": {"test": block}}}), "m.json", TFMIGRATE_SPACE="blue")
    assert 'workspace = "blue"' in made.text()
    assert len(_blocks(made)) == 1


def test_two_workspaces_of_a_directory() -> None:
    text = MIGRATION % (
        "multi_state",
        'from_dir = "app"\nto_dir = "app"\nto_workspace = "%s"\nactions = ["mv a.b c.d"]',
    )
    made = _converted(text % "blue")
    assert [line for line in made.text().splitlines() if line.startswith("state")] == [
        'state "default" {', 'state "blue" {',
    ]  # fmt: skip
    with pytest.raises(StatetoolError, match="both states of the migration are the same"):
        _converted(text % "default")


MIGRATION = 'migration "%s" "x" {\n%s\n}\n'
DIR = 'dir = "app"\n'
REFUSED = {
    "import": (
        DIR + 'actions = ["import aws_a.b i-1"]',
        r'm.hcl:3,\d+-\d+: only the provider can import; leave .* import block .* to = aws_a.b and id = "i-1"',
    ),
    "an unknown action": (DIR + 'actions = ["push x"]', "unknown action 'push'; state has mv, xmv, rm and replace-"),
    "no action": (DIR + 'actions = [""]', "unknown action ''"),
    "no actions": (DIR + "actions = []", "there are no actions"),
    "actions missing": (DIR, "the argument actions is missing"),
    "a string of actions": (DIR + 'actions = "rm a.b"', "actions is a list of strings"),
    "a number": (DIR + "actions = [1]", "expected a string"),
    "too few": (DIR + 'actions = ["mv a.b"]', "mv has another number of arguments"),
    "wildcards in mv": (DIR + 'actions = ["mv aws_a.* aws_b.c"]', r"invalid address 'aws_a.\*'.*only xmv takes wild"),
    "a match within an address": (DIR + 'actions = ["xmv aws_db.* aws_db.x"]', "also matches aws_db.d inside module.m"),
    "a shell": (DIR + 'actions = ["rm a.b; rm c.d"]', "; has a meaning to shells"),
    "an argument": (DIR + 'colour = 1\nactions = ["rm a.b"]', "m.hcl:3,1-11: there is no argument 'colour'"),
    "a block": (DIR + 'x {}\nactions = ["rm a.b"]', "unexpected block 'x'"),
    "a secret of the environment": ('dir = env.AWS_SECRET_ACCESS_KEY\nactions = ["rm a.b"]', "start with TFMIGRATE_"),
    "a variable that is not set": ('dir = env.TFMIGRATE_X\nactions = ["rm a.b"]', "The environment has no TFMIGRATE_X"),
    "a function": ('dir = file("/etc/passwd")\nactions = ["rm a.b"]', "only strings, and the environment"),
    "above": ('dir = "../"\nactions = ["rm a.b"]', "is not below"),
    "an absolute path": ('dir = "/"\nactions = ["rm a.b"]', "/ is not below"),
    "no folder": ('dir = "nowhere"\nactions = ["rm a.b"]', "nowhere is not a folder; `root` names"),
    "a null": ('dir = "a\\u0000"\nactions = ["rm a.b"]', "is not below|null"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    body, message = REFUSED[name]
    with pytest.raises(StatetoolError, match=message):
        _converted(MIGRATION % ("state", body), AWS_SECRET_ACCESS_KEY="secret")


def test_a_link_leads_out(folder: Path) -> None:
    (folder / "below").mkdir()
    (folder / "below/link").symlink_to(folder / "app")
    text = MIGRATION % ("state", 'dir = "link"\nactions = ["rm aws_vpc.other"]')
    with pytest.raises(StatetoolError, match="link is not below below"):
        _converted(text, "below/m.hcl")
    (folder / "link").symlink_to("app")
    assert _blocks(_converted(text, "below/m.hcl", root="."))


def test_the_folder_that_tfmigrate_runs_in() -> None:
    Path("tfmigrate").mkdir()
    text = MIGRATION % ("state", DIR + 'actions = ["rm aws_vpc.other"]')
    with pytest.raises(StatetoolError, match="tfmigrate/app is not a folder"):
        _converted(text, "tfmigrate/m.hcl")
    assert 'path      = "app"' in _converted(text, "tfmigrate/m.hcl", root=".").text(".")
    Path("tfmigrate/app").mkdir()
    with pytest.raises(StatetoolError, match="a folder both below tfmigrate and below the current one"):
        _converted(text, "tfmigrate/m.hcl")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has exactly one `migration` block, and this has 0"),
        (MIGRATION % ("state", "") * 2, "has exactly one `migration` block, and this has 2"),
        (MIGRATION % ("mock", ""), "unknown type of migration 'mock'"),
        ('tfmigrate {\n}\n', "'tfmigrate' is not a part of a migration file"),
        ('migration "state" {\n}\n', "m.hcl:1,"),
        ("migration \"state\" \"x\" {", "m.hcl:"),
        ("[" * 20_000, "m.hcl"),
        (MIGRATION % ("state", "actions = " + "[" * 20_000), "m.hcl"),
        (MIGRATION % ("multi_state", 'to_dir = "net"\nactions = ["mv a.b c.d"]'), "the argument from_dir is missing"),
    ],
)  # fmt: skip
def test_invalid_files(text: str, message: str) -> None:
    with pytest.raises(StatetoolError, match=message):
        _converted(text)


def test_other_bytes() -> None:
    Path("m.hcl").write_bytes(b"\xff")
    with pytest.raises(StatetoolError, match=r"m\.hcl:1,1: this is not UTF-8"):
        converted_migration(statefmt.run_context(environment={}), "m.hcl")
