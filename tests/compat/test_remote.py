"""A state in a backend: `pull`, statetool and `push`, as docs/guides/remote-states.md has it."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from statefmt.cli.run import system_context
from statefmt.store.local.transaction import open_state
from tests.cli.conftest import PROGRAM, Statetool
from tests.cli.states import ROOT, SAMPLES
from tests.compat.program import Executable, Output, Program, environment

PAGE: Final = (ROOT / "docs" / "guides" / "remote-states.md").read_text(encoding="utf-8")
LINES: Final = [
    line for block in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE) for line in block.splitlines()
]
_CONFIGURATION: Final = 'terraform {\n  backend "local" {\n    path = "store/shop.tfstate"\n  }\n}\n'
_BEFORE: Final = json.loads((SAMPLES / "v4-resource-level.tfstate").read_bytes())["serial"]


@pytest.fixture(autouse=True)
def store(real: Program, folder: Path) -> Path:
    """The file of a backend that has a state, in a folder of its own beside the configuration."""
    (folder / "main.tf").write_text(_CONFIGURATION)
    path = folder / "store" / "shop.tfstate"
    path.parent.mkdir()
    # Before there is a state: `init` would fetch the providers that it has.
    started = real.run(folder, "init", "-input=false")
    assert started.status == 0, started.err
    path.write_bytes((SAMPLES / "v4-resource-level.tfstate").read_bytes())
    return path


@pytest.fixture
def shell(real: Program, folder: Path) -> Callable[[str], Output]:
    """Run a line of sh in which `tofu` is the real program."""
    if not isinstance(real, Executable):
        pytest.skip("it is no command of a shell")
    path = real.path
    (folder / "bin").mkdir()
    (folder / "bin" / "tofu").write_text(f'#!/bin/sh\nexec "{path}" "$@"\n')
    (folder / "bin" / "tofu").chmod(0o755)

    def run(line: str) -> Output:
        found = {**environment(), "LC_ALL": "C.UTF-8"}
        found["PATH"] = f"{folder / 'bin'}:{PROGRAM.parent}:{found['PATH']}"
        done = subprocess.run(["sh", "-c", line], cwd=folder, env=found, capture_output=True, check=False, timeout=60)
        return Output(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def pushed(real: Program, folder: Path) -> Callable[[str], Output]:
    """Push a file."""
    return lambda name: real.run(folder, "state", "push", name)


@pytest.fixture
def pulled(real: Program, folder: Path) -> Callable[[str], None]:
    """Pull into a file."""

    def pull(name: str) -> None:
        done = real.run(folder, "state", "pull")
        assert done.status == 0, done.err
        (folder / name).write_text(done.out)

    return pull


def _said(path: Path) -> tuple[int, str, str]:
    """By how much the serial has risen, what the network's module is called, and which instance is tainted."""
    document = json.loads(path.read_bytes())
    modules = {resource["module"] for resource in document["resources"] if "module" in resource}
    tainted = [
        f"{resource['name']}[{instance['index_key']}]"
        for resource in document["resources"]
        for instance in resource["instances"]
        if instance.get("status") == "tainted"
    ]
    return document["serial"] - _BEFORE, " ".join(modules), " ".join(tainted)


NETWORK: Final = ("module.network", "web[1]")
NET: Final = ("module.net", "web[1]")
BOTH: Final = ("module.net", "web[0] web[1]")
# What the backend holds after each line of the page, in order.
AFTER: Final = [
    ("tofu state pull | statetool mv --state - --dry-run module.network module.net", (0, *NETWORK)),
    ("tofu state pull | statetool mv --state - module.network module.net | tofu state push -", (2, *NET)),
    (
        "tofu state pull | statetool mv --state - --expect-serial 43 module.net module.network | tofu state push -",
        (4, *NETWORK),
    ),
    ("(umask 077; tofu state pull > copy.tfstate)", (4, *NETWORK)),
    ("statetool mv --state copy.tfstate module.network module.net", (4, *NETWORK)),
    ("statetool taint --state copy.tfstate 'aws_instance.web[0]'", (4, *NETWORK)),
    ("tofu state push copy.tfstate", (7, *BOTH)),
    ("statetool undo --to 1 copy.tfstate", (7, *BOTH)),
    ("statetool set-serial --state copy.tfstate 49", (7, *BOTH)),
    ("tofu state push copy.tfstate", (9, *NETWORK)),
    ("rm -rf copy.tfstate copy.tfstate.*.backup .copy.tfstate.statetool", (9, *NETWORK)),
]


def test_the_page(shell: Callable[[str], Output], folder: Path, store: Path) -> None:
    assert [line for line, _ in AFTER] == LINES
    for line, after in AFTER:
        done = shell(line)
        assert done.status == 0, (line, done.err)
        assert _said(store) == after, line
    assert not [path.name for path in folder.iterdir() if "copy" in path.name]


def test_where_statetool_refuses_nothing_is_pushed(shell: Callable[[str], Output], store: Path) -> None:
    done = shell("tofu state pull | statetool mv --state - module.none module.net | tofu state push -")
    assert done.status == 1
    assert "no resource instance matches 'module.none'" in done.err
    assert "no state" in done.err
    assert "`no state`" in PAGE
    assert _said(store) == (0, *NETWORK)


def _words(message: str) -> str:
    return " ".join(re.sub(r"\x1b\[\d*m|[│╷╵]", " ", message).split())


# What others do before the push (edits of the backend, or of the copy), and what the push says; N and M are numbers.
REFUSED: Final = {
    "one edit in between": (
        ["mv --state store/shop.tfstate aws_acm_certificate.cdn aws_acm_certificate.www"],
        "cannot overwrite existing state with serial N with a different state that has the same serial",
    ),
    "two edits in between": (
        [
            "mv --state store/shop.tfstate aws_acm_certificate.cdn aws_acm_certificate.www",
            "mv --state store/shop.tfstate aws_acm_certificate.www aws_acm_certificate.cdn",
        ],
        "cannot import state with serial N over newer state with serial M",
    ),
    "an old copy": (
        ["set-serial --state copy.tfstate 1"],
        "cannot import state with serial N over newer state with serial M",
    ),
    "another lineage": (
        ["new-lineage --state copy.tfstate"],
        'cannot import state with lineage "A" over unrelated state with lineage "B"',
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(
    case: str, pulled: Callable[[str], None], pushed: Callable[[str], Output], store: Path, statetool: Statetool
) -> None:
    """What the page has in its table; the way out of it is in there, too."""
    commands, message = REFUSED[case]
    assert f"`{message}`" in PAGE
    pulled("copy.tfstate")
    for command in ("taint --state copy.tfstate aws_instance.web[0]", *commands):
        assert statetool(*command.split()).status == 0, command
    before = store.read_bytes()
    refused = pushed("copy.tfstate")
    assert refused.status == 1
    pattern = re.sub(r"\b[NM]\b", r"\\d+", re.sub(r'"[AB]"', '"[-0-9a-z]+"', message))
    assert re.search(pattern, _words(refused.err)), refused.err
    assert store.read_bytes() == before
    pulled("copy.tfstate")
    assert statetool("taint", "--state", "copy.tfstate", "aws_instance.web[0]").status == 0
    assert pushed("copy.tfstate").status == 0
    assert "web[0]" in _said(store)[2]


def test_an_old_copy_is_brought_back(
    pulled: Callable[[str], None], pushed: Callable[[str], Output], store: Path, statetool: Statetool
) -> None:
    pulled("copy.tfstate")
    for number in (0, 1):
        statetool("mv", "-y", "--state", str(store), f"aws_instance.web[{number}]", f"aws_instance.old[{number}]")
    assert pushed("copy.tfstate").status == 1
    assert statetool("set-serial", "--state", "copy.tfstate", str(_BEFORE + 3)).status == 0
    assert pushed("copy.tfstate").status == 0
    assert _said(store) == (4, *NETWORK)


def test_locked(pulled: Callable[[str], None], pushed: Callable[[str], Output], store: Path, folder: Path) -> None:
    pulled("copy.tfstate")
    with open_state(store, system_context().lock_info(store, "mv"), system_context().note):
        refused = pushed("copy.tfstate")
    assert refused.status == 1
    assert "Error acquiring the state lock" in _words(refused.err)
    assert "`Error acquiring the state lock`" in PAGE


def test_expected_serial(pulled: Callable[[str], None], store: Path, statetool: Statetool) -> None:
    """Somebody has written between the dry run and the edit."""
    statetool("mv", "--state", str(store), "aws_acm_certificate.cdn", "aws_acm_certificate.www")
    pulled("copy.tfstate")
    copy = Path("copy.tfstate").read_bytes()
    refused = statetool("taint", "--state", "copy.tfstate", "--expect-serial", str(_BEFORE), "aws_instance.web[0]")
    assert (refused.status, refused.out) == (2, b"")
    assert f"the serial is {_BEFORE + 1}, not {_BEFORE}" in _words(refused.err)
    assert Path("copy.tfstate").read_bytes() == copy


def test_without_a_copy(real: Program, folder: Path, store: Path, statetool: Statetool) -> None:
    """The file of a backend `local` needs none: it is the state of the folder."""
    assert statetool("mv", "module.network", "module.net").status == 0
    assert _said(store) == (1, "module.net", "web[1]")
    assert "module.net.aws_vpc.main" in real.run(folder, "state", "list").out
