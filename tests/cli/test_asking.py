"""Which edits ask before they write, and what they show before that."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.states import SAMPLES
from tests.cli.targets import write_targets
from tests.cli.terminal import on_terminal

NO_TERMINAL = "needs confirmation, and there is no terminal to ask on; nothing was written."
US = 'module.cluster["us-east1"]'

ASKING = [
    ("forget-deposed", "aws_instance.web"),
    ("replace-provider", "hashicorp/aws", "registry.terraform.io/hashicorp/aws"),
    ("unset", "aws_iam_role.app", "name"),
    ("set", "aws_iam_role.app", "max_session_duration=7200"),
    ("rm", "aws_iam_role.app"),
]
NOT_ASKING = [
    ("mv", "aws_iam_role.app", "aws_iam_role.shop"),
    ("rekey", "aws_vpc.main", "--map", "eu-west-1=eu"),
    ("rebind", 'aws_vpc.main["eu-west-1"]', 'aws.by_region["us-west-2"]'),
    ("taint", "aws_iam_role.app"),
    ("set-serial", "100"),
    ("new-lineage",),
]


@pytest.fixture
def regions(folder: Path) -> bytes:
    data = (SAMPLES / "v4-regions.tfstate").read_bytes()
    (folder / "terraform.tfstate").write_bytes(data)
    return data


@pytest.fixture
def targets(folder: Path) -> bytes:
    write_targets(folder)
    return (folder / "terraform.tfstate").read_bytes()


# Where the state comes from, and where the result goes.
WAYS = [(), ("--out", "new"), ("--out", "-"), ("--state", "-"), ("--state", "-", "--out", "new")]


def _each_way(commands: list[tuple[str, ...]]) -> pytest.MarkDecorator:
    """Every command in two of the ways, and every way with two commands; in the others where there is time."""
    return pytest.mark.parametrize(
        ("command", "way"),
        [
            pytest.param(
                command,
                way,
                id=" ".join((command[0], *way)),
                marks=[pytest.mark.slow] if (first + second) % len(WAYS) > 1 else [],
            )
            for first, command in enumerate(commands)
            for second, way in enumerate(WAYS)
        ],
    )


@_each_way(ASKING)
def test_asks_wherever_it_writes(
    command: tuple[str, ...], way: tuple[str, ...], regions: bytes, folder: Path, program: Program
) -> None:
    refused = program(*command, *way, stdin=regions)
    assert (refused.status, refused.out) == (2, b"")
    assert NO_TERMINAL in " ".join(refused.err.split())
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"terraform.tfstate": regions}
    assert program(*command, *way, "--dry-run", stdin=regions).status == 0
    assert program(*command, *way, "--yes", stdin=regions).status == 0


@_each_way(NOT_ASKING)
def test_does_not_ask(command: tuple[str, ...], way: tuple[str, ...], regions: bytes, program: Program) -> None:
    assert program(*command, *way, stdin=regions).status == 0


def test_nothing_to_ask_about(regions: bytes, program: Program) -> None:
    done = program("rm", "--type", "aws_nosuch", "**", stdin=regions)
    same = program("replace-provider", "hashicorp/aws", "hashicorp/aws", "--out", "new")
    assert (done.status, same.status) == (2, 0)
    assert Path("new").read_bytes() == regions


@pytest.mark.parametrize(("typed", "status"), [("y\n", 0), ("n\n", 2)])
@pytest.mark.parametrize("out", ["", " --out new", " --out - | cat"])
def test_question(typed: str, status: int, out: str, regions: bytes, folder: Path, program: Program) -> None:
    shown = on_terminal(program, f"statetool rm aws_iam_role.app{out}", typed=typed)
    if "|" not in out:
        assert shown.status == status
    question = f"Write this to {'standard output' if '|' in out else 'new' if out else 'terraform.tfstate'}? [y/N]:"
    before, _, after = shown.text.partition(question)
    assert "- aws_iam_role.app" in before.replace("\x1b[31m", "").replace("\x1b[0m", "")
    assert ('"version": 4' in after) == ("|" in out and not status)
    assert "version" not in before
    assert (folder / "new").exists() == ("new" in out and not status)
    assert ((folder / "terraform.tfstate").read_bytes() == regions) == bool(out or status)


# What joins what: the target, and what is said of it.
JOINS = [
    (
        ("terraform_data.old", "terraform_data.web"),
        "terraform_data.old joins terraform_data.web, which has [0], [1], [2].",
    ),
    (("terraform_data.old", "terraform_data.web[3]"), "joins terraform_data.web, which has [0], [1], [2]."),
    ((f"{US}.google_compute_subnetwork.sub[0]", f"{US}.google_compute_subnetwork.sub[7]"), None),
    (("terraform_data.old", f"{US}.terraform_data.old"), None),
    (("terraform_data.old", "terraform_data.new"), None),
    (("terraform_data.*", "terraform_data.all[$1]"), None),
    ((US, 'module.cluster["asia"]'), None),
    ((US, "module.other"), None),
]


@pytest.mark.parametrize(("arguments", "said"), JOINS, ids=lambda case: " ".join(case or ["-"]))
def test_mv_onto_what_exists(
    arguments: tuple[str, str], said: str | None, targets: bytes, folder: Path, program: Program
) -> None:
    if arguments[1].endswith("[$1]"):
        arguments = ("terraform_data.*", 'terraform_data.all["$1"]')
        program("rm", "terraform_data.web[1]", "terraform_data.web[2]", "--yes")
        program("rekey", "terraform_data.web", "--map", "0=")
        targets = (folder / "terraform.tfstate").read_bytes()
    done = program("mv", *arguments)
    assert done.status == (0 if said is None else 2), done
    assert ((folder / "terraform.tfstate").read_bytes() == targets) == (said is not None)
    if said is not None:
        assert said in " ".join(done.err.split())
        assert NO_TERMINAL in " ".join(done.err.split())
        assert said in " ".join(program("mv", *arguments, "--dry-run").text.split())
        assert program("mv", *arguments, "--yes").status == 0
    else:
        assert " joins " not in done.text


@pytest.mark.parametrize(
    ("source", "target", "there"),
    [
        ("module.a", US, f"{US}.google_compute_network.net, {US}.google_compute_subnetwork.sub."),
        (US, "module.a", "module.a.terraform_data.old."),
        ("module.cluster[*]", 'module.b["x"].module.c[$1]', 'module.b["x"].module.c["us-east1"].terraform_data.x.'),
    ],
)
def test_mv_of_a_module_into_another(source: str, target: str, there: str, targets: bytes, program: Program) -> None:
    program("mv", "terraform_data.old", "module.a.terraform_data.old")
    program("mv", "terraform_data.web[0]", 'module.b["x"].module.c["us-east1"].terraform_data.x')
    done = program("mv", source, target)
    assert done.status == 2
    moved, joined = source.replace("*", '"us-east1"'), target.replace("$1", '"us-east1"')
    assert f"{moved} joins {joined}, which has {there}" in " ".join(done.err.split())
    assert program("mv", source, target, "--yes").status == 0


def test_added_warnings(targets: bytes, statetool: Statetool, program: Program) -> None:
    """The trial: keys of two kinds, and a dependency on itself."""
    for command in (("--dry-run",), ()):
        done = program("mv", "terraform_data.old", "terraform_data.web", *command)
        said = done.text if command else done.err
        warnings = said.partition("This edit adds 2 warnings:\n")[2]
        assert "\n  warning DEP003 terraform_data.web\n" in f"\n{warnings}"
        assert warnings.startswith("  warning ADR006 terraform_data.web\n")
    done = program.in_shell("statetool mv terraform_data.old terraform_data.web --yes 2>&1")
    assert 0 < done.text.index("DEP003") < done.text.index(": written")


# An edit, and the codes of the warnings that it adds.
ADDED: list[tuple[list[str], list[str]]] = [
    (["mv", "terraform_data.old", "terraform_data.new"], []),
    (["rekey", "terraform_data.web", "--map", "2=c"], ["ADR006"]),
    (["taint", "terraform_data.web[0]"], []),
    (["rm", "--yes", "terraform_data.old"], []),
    (["rm", "--yes", "--keep-dangling", "terraform_data.old"], ["DEP002"]),
    (["replace-provider", "--yes", "hashicorp/google", "registry.terraform.io/hashicorp/google"], []),
    (["replace-provider", "--yes", "hashicorp/google", "registry.terraform.io/hashicorp/google", US], ["PRV009"]),
    (["set-serial", "9"], []),
    (["rebind", US, 'google.geo["eu-west1"]', "--config", "."], ["CFS004"] * 3),
    (["rebind", US, 'google.geo["eu-west1"]'], []),
    (["rebind", US, "google.goe", "--new-provider", "--config", "."], ["CFS004"] * 3),
    (["mv", US, 'module.cluster["asia"]', "--config", "."], ["CFS004"] * 3),
    (["mv", "module.cluster", "module.clster"], []),
]


@pytest.mark.parametrize(("command", "codes"), ADDED, ids=" ".join)
def test_added(command: list[str], codes: list[str], targets: bytes, statetool: Statetool) -> None:
    done = statetool(*command)
    assert done.status == 0, done
    told = [line.split()[1] for line in done.text.splitlines() if line.startswith(("  warning ", "  error "))]
    assert told == codes


def test_a_warning_that_was_there_before(targets: bytes, statetool: Statetool) -> None:
    """Also under the address that it had before a move."""
    statetool("rekey", "terraform_data.web", "--map", "2=c")
    for command in (
        ["rekey", "terraform_data.web", "--map", "1=b"],
        ["mv", "terraform_data.web", "terraform_data.net"],
        ["mv", "terraform_data.net", "module.m.terraform_data.net"],
    ):
        assert "This edit adds" not in statetool(*command).text
