"""Every command on a state in a backend: the exit status, the output and the bytes are those for the same file."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from statefmt.cli.main import main
from tests.cli.conftest import Result, Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.cli.encrypted_commands import DECISIONS, LINES, MAIN_TF, PLAN, WITH_CANARY, Line
from tests.cli.states import SAMPLES
from tests.servers.http import StateServer, state_server

FILE: Final = "terraform.tfstate"
# They depend on the backend, and have tests of their own; `git-driver` is for files, and a report has its time, as the
# versions in `log` and `blame`.
_ELSEWHERE: Final = frozenset(
    {"blame", "copy", "git-driver", "history", "locks", "log", "reconcile", "report", "unlock", "versions"}
)
ALL: Final = [line for command, lines in LINES.items() if command not in _ELSEWHERE for line in lines]
# The ID of a lineage, salts and keys are new in each run.
_BACKUP: Final = re.compile(r"; the previous (?:state|file) is kept in \S+")
_HEADING: Final = re.compile(r"^State ([\w-]+): ", re.MULTILINE)
_RANDOM: Final = re.compile(
    r'[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<="encrypted_data":")[^"]+'
)


class Run(NamedTuple):
    """What a command printed, without the name of the state, and what is stored after it."""

    status: int
    out: str
    err: str
    stored: bytes | None


@pytest.fixture
def server() -> Iterator[StateServer]:
    with state_server() as running:
        yield running


@pytest.fixture(autouse=True)
def files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY", '"canary-7f3a"')
    # For `edit`.
    monkeypatch.setenv("EDITOR", "sed -i s/t3.small/t3.large/")
    monkeypatch.setenv("HOME", str(folder / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "home"))
    monkeypatch.setenv("COLUMNS", "1000")
    for name in ("TF_HTTP_USERNAME", "TF_HTTP_PASSWORD", "TF_HTTP_LOCK_ADDRESS"):
        monkeypatch.delenv(name, raising=False)


def _work(folder: Path, before: bytes, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with what the lines need beside the state."""
    folder.mkdir()
    (folder / "configuration").mkdir()
    (folder / "configuration/main.tf").write_text(MAIN_TF)
    (folder / "configuration/plan.json").write_text(PLAN)
    (folder / "configuration/decisions").write_text(DECISIONS)
    (folder / "before").write_bytes(before)
    monkeypatch.chdir(folder)
    return folder


def url(server: StateServer) -> str:
    """Return the URL of the state on the server, with its lock."""
    return f"{server.url}?lock_address={server.url}&unlock_address={server.url}"


def block(server: StateServer) -> str:
    """Return the configuration of a folder whose state is on the server."""
    arguments = "".join(f'    {name} = "{server.url}"\n' for name in ("address", "lock_address", "unlock_address"))
    return f'terraform {{\n  backend "http" {{\n{arguments}  }}\n}}\n'


def _normal(text: str, *names: str) -> str:
    for name in sorted(names, key=len, reverse=True):
        for form in (f"--state '{name}'", f"--state {name}", f"'{name}'", name):
            text = text.replace(form, "STATE")
    # The short names of states differ, and the place of a backup.
    for number, short in enumerate(dict.fromkeys(_HEADING.findall(text))):
        text = re.sub(rf"(?m)(^State |^  | (?:in|from|to) ){re.escape(short)}\b", rf"\1S{number}", text)
    text = _BACKUP.sub("", text)
    lines = [line for line in text.splitlines() if not line.startswith("statetool: connecting to ")]
    return _RANDOM.sub("ID", "\n".join(lines))


def _called(line: str, state: str, statetool: Statetool) -> Result:
    return statetool(*(word.replace("%s", state) for word in line.split()))


# `make test` runs each line in one of the forms, `make slow` in the others.
@pytest.mark.parametrize(
    ("line", "form", "is_encrypted"),
    [
        pytest.param(line, *form, marks=[pytest.mark.slow] if (number + at) % 3 else [])
        for number, line in enumerate(ALL)
        for at, form in enumerate([("url", False), ("folder", False), ("folder", True)])
    ],
    ids=lambda value: value.text if isinstance(value, Line) else str(value),
)
def test_as_for_a_file(
    line: Line,
    form: str,
    is_encrypted: bool,
    server: StateServer,
    statetool: Statetool,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start, before = WITH_CANARY, WITH_CANARY.replace(b"t3.small", b"t3.large")
    if is_encrypted:
        monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("new", "old")))
        start, before = encrypted(start, "old"), encrypted(before, "old")
    _work(folder / "with-a-file", before, monkeypatch)
    Path(FILE).write_bytes(start)
    if line.before:
        assert main(line.before.replace("%s", FILE).split()) == 0
    was = Path(FILE).read_bytes()
    done = _called(line.text, FILE, statetool)
    wanted = Run(done.status, _normal(done.text, FILE), _normal(done.err, FILE), Path(FILE).read_bytes())

    _work(folder / "with-a-backend", before, monkeypatch)
    server.state = start
    name = url(server)
    if form == "folder":
        name = "infra"
        Path(name).mkdir()
        Path(name, "main.tf").write_text(block(server))
    if line.before:
        assert main(line.before.replace("%s", name).split()) == 0
    server.requests.clear()
    done = _called(line.text, name, statetool)
    assert "Traceback" not in done.err
    names = (name, server.url)
    found = Run(done.status, _normal(done.text, *names), _normal(done.err, *names), server.state)
    assert found[:3] == wanted[:3]
    assert server.holder is None
    assert found.stored is not None
    assert wanted.stored is not None
    assert _RANDOM.sub("ID", found.stored.decode()) == _RANDOM.sub("ID", wanted.stored.decode())
    assert ("POST" in server.methods) == (wanted.stored != was)
    assert server.methods.count("LOCK") == server.methods.count("UNLOCK") >= server.methods.count("POST")
    assert set(server.methods) <= {"GET", "LOCK", "POST", "UNLOCK"}


@pytest.fixture
def infra(server: StateServer, folder: Path) -> str:
    """A folder whose state is on the server."""
    (folder / "infra").mkdir()
    (folder / "infra/main.tf").write_text(block(server))
    server.state = WITH_CANARY
    return "infra"


@pytest.mark.parametrize("is_encrypted", [False, True])
@pytest.mark.parametrize("form", ["url", "folder", "default"])
def test_reconcile(
    form: str,
    is_encrypted: bool,
    server: StateServer,
    infra: str,
    statetool: Statetool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its commands name the state, and the folder whose configuration it is of."""
    errored = WITH_CANARY.replace(b'"serial": 58', b'"serial": 59').replace(b"aws_vpc", b"aws_net")
    if is_encrypted:
        monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("new")))
        errored, server.state = encrypted(errored, "new"), encrypted(WITH_CANARY, "new")
    Path(infra, "errored.tfstate").write_bytes(errored)
    named = {"url": ["--with", url(server)], "folder": ["--with", infra], "default": []}[form]
    done = statetool("reconcile", f"{infra}/errored.tfstate", *named)
    assert (done.status, "canary" in done.text) == (1, False)
    assert f"{server.url}" in done.text
    stored = shlex.quote(url(server)) if form == "url" else infra
    assert f"\n     statetool copy {stored} before-push.tfstate\n" in done.text
    push = (
        "statetool pull infra/errored.tfstate | tofu -chdir=infra state push -"
        if is_encrypted
        else "tofu -chdir=infra state push errored.tfstate"
    )
    assert f"\n     {push}\n" in done.text
    before = server.state
    assert set(server.methods) == {"GET"}
    assert statetool("copy", shlex.split(stored)[0], "before-push.tfstate").status == 0
    assert Path("before-push.tfstate").read_bytes() == server.state == before


def test_lists_have_folders_and_urls_among_files(
    server: StateServer, infra: str, statetool: Statetool, folder: Path
) -> None:
    (folder / "a.tfstate").write_bytes(WITH_CANARY)
    (folder / infra / "left.tfstate").write_bytes(WITH_CANARY)
    names = ["a.tfstate", url(server), infra]
    checked = json.loads(statetool("check", "--format", "json", *names).out)
    # The URL and the folder are one state.
    assert [one["path"] for one in checked["files"]] == ["a.tfstate", server.url, f"{infra}/left.tfstate"]
    found = statetool("grep", "--addresses", "canary", "--show-sensitive", *names).text
    assert {line.partition(": ")[0] for line in found.splitlines()} == {
        "a.tfstate",
        server.url,
        f"{infra}/left.tfstate",
    }
    assert statetool("fmt", "--check", "--style", "compact", "a.tfstate", infra).text == f"a.tfstate\n{server.url}\n"
    done = statetool("fmt", "--style", "compact", "a.tfstate", infra, "missing")
    assert done.status == 2
    assert server.state == (folder / "a.tfstate").read_bytes() != WITH_CANARY
    done = statetool("upgrade", "--in-place", "--style", "indent", "--registry", "keep", "a.tfstate", infra)
    assert server.state == (folder / "a.tfstate").read_bytes()
    assert b"\n  " in server.state
    (folder / infra / "left.tfstate").unlink()
    server.requests.clear()
    assert statetool("check", infra).status == 0
    assert server.methods == ["GET"]


def test_a_folder_that_cannot_be_opened_does_not_hide_the_files_below(statetool: Statetool, folder: Path) -> None:
    (folder / "main.tf").write_text('terraform {\n  backend "gcs" {}\n}\n')
    (folder / "a.tfstate").write_bytes(WITH_CANARY)
    done = statetool("check", ".")
    assert done.status == 0
    assert "backend 'gcs'; statetool itself opens local, http, pg and s3; only the files below are used" in done.err
    (folder / "a.tfstate").unlink()
    done = statetool("check", ".")
    assert done.status == 2
    assert "the backend 'gcs'" in done.err


def test_the_state_of_the_current_folder(
    server: StateServer, infra: str, statetool: Statetool, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.chdir(infra)
    Path("old").write_bytes(WITH_CANARY.replace(b"t3.small", b"t3.large"))
    Path("plan.json").write_text(PLAN)
    Path("providers").mkdir()
    assert statetool("list").text.startswith("data.aws_caller_identity.current\n")
    assert statetool("diff", "--stat", "old").status == 1
    assert "is the state of the current workspace itself" in statetool("diff", url(server)).err
    assert "is the state of the current workspace itself" in statetool("diff", ".").err
    assert statetool("diff", "old", ".").status == 1
    assert "there is no" not in statetool("check", "--plan", "plan.json").err
    assert "statetool outputs --state . addresses" in statetool("outputs", "addresses").err


@pytest.mark.parametrize("workspace", [[], ["--workspace", "default"]])
def test_commands_to_run_next_name_the_folder(
    workspace: list[str], server: StateServer, infra: str, statetool: Statetool
) -> None:
    """Only the folder knows how the state is locked; and no line has a secret."""
    options = [*workspace, "--backend-config", "retry_max=0", "--backend-config", "password=secret-canary"]
    done = statetool("check", "--state", infra, *options) if not workspace else statetool("check", infra, *options)
    words = " ".join(["--state", infra, *workspace, "--backend-config retry_max=0 --backend-config password=…"])
    line = f"statetool forget-deposed 'aws_instance.web[\"eu-west-1\"]' {words}"
    assert line in done.text.replace("'password=…'", "password=…")
    assert "secret-canary" not in done.text + done.err
    removal = statetool("providers", "--remove", "aws", infra)
    assert removal.status == 2 or f"--state {infra}" in removal.text
    removal = statetool("providers", "--remove", 'aws.by_region["eu-west-1"]', infra)
    assert f"statetool rm \\\n    --state {infra} \\" in removal.text


def test_sarif_and_github_name_the_url(server: StateServer, infra: str, statetool: Statetool) -> None:
    log = json.loads(statetool("check", infra, "--format", "sarif").out)
    locations = [result["locations"][0]["physicalLocation"] for result in log["runs"][0]["results"]]
    assert {place["artifactLocation"]["uri"] for place in locations} == {server.url}
    assert "::warning line=" not in statetool("check", infra, "--format", "github").text
    assert "::warning title=" in statetool("check", infra, "--format", "github").text


def test_fixes_are_edits_of_a_state_in_a_backend(server: StateServer, infra: str, statetool: Statetool) -> None:
    server.state = WITH_CANARY.replace(b'"version": 4', b'"version":  4')
    assert server.state != WITH_CANARY
    before = server.state
    assert "1 finding (1 STA007) would be fixed" in statetool("check", infra, "--diff", "--select", "STA007").text
    assert server.state == before
    done = statetool("check", infra, "--fix", "--select", "STA007")
    assert done.status == 0
    assert "1 finding (1 STA007) fixed" in done.err
    assert server.state == WITH_CANARY
    assert statetool("check", infra, "--diff", "--select", "STA007").status == 0


def test_baselines_and_settings_match_the_url(
    server: StateServer, infra: str, statetool: Statetool, folder: Path
) -> None:
    assert statetool("check", infra, "--write-baseline", "known.json").status == 0
    assert server.url in (folder / "known.json").read_text()
    assert "no findings" in statetool("check", url(server), "--baseline", "known.json").text
    (folder / "statetool.toml").write_text(f'[per-file-ignores]\n"{server.url}" = ["INS"]\n')
    assert "no findings" in statetool("check", infra).text


def test_a_bare_url_is_not_written_without_a_lock(server: StateServer, statetool: Statetool) -> None:
    server.state = WITH_CANARY
    move = ["mv", "--state", server.url, "aws_vpc.main", "aws_vpc.net"]
    done = statetool(*move)
    assert done.status == 2
    assert "add lock_address" in done.err
    assert "--no-lock writes without a lock" in " ".join(done.err.split())
    assert set(server.methods) <= {"GET"}
    assert statetool(*move, "--dry-run").status == 0
    assert server.state == WITH_CANARY
    assert statetool(*move, "--no-lock").status == 0
    assert server.state != WITH_CANARY
    assert "LOCK" not in server.methods
    server.requests.clear()
    back = ["mv", "--state", server.url, "aws_vpc.net", "aws_vpc.main"]
    settings = [f"--backend-config={name}={server.url}" for name in ("lock_address", "unlock_address")]
    assert statetool(*back, *settings).status == 0
    assert server.methods.count("LOCK") == server.methods.count("UNLOCK") == 1


def test_a_folder_says_itself_that_nothing_locks(
    server: StateServer, infra: str, statetool: Statetool, folder: Path
) -> None:
    (folder / infra / "main.tf").write_text(
        f'terraform {{\n  backend "http" {{\n    address = "{server.url}"\n  }}\n}}\n'
    )
    assert statetool("mv", "--state", infra, "aws_vpc.main", "aws_vpc.net").status == 0
    assert "lock       none: needs lock_address and unlock_address" in statetool("where", infra).text


def test_no_secret_is_recorded(
    server: StateServer, statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "secret-canary"
    server.state = WITH_CANARY
    monkeypatch.setenv("TF_HTTP_USERNAME", "me")
    monkeypatch.setenv("TF_HTTP_PASSWORD", secret)
    (folder / "more.hcl").write_text(f'headers = {{\n  Token = "{secret}"\n}}\n')
    state = f"{url(server)}&token={secret}"
    done = [
        statetool("mv", "--state", state, "aws_vpc.main", "aws_vpc.net", "--backend-config", "more.hcl", "--debug"),
        statetool("check", state, "--backend-config", f"password={secret}"),
        statetool("mv", f"--state={state}", "aws_vpc.missing", "aws_vpc.net"),
        statetool("where", state, "--backend-config", "more.hcl"),
        statetool("where", state, "--format", "json"),
        statetool("workspaces", state),
        statetool("list", "--state", f"{state}&password=x"),
        statetool("list", "--state", f"{state}&lock_address=http://u:{secret}@h/"),
    ]
    assert [one.status for one in done] == [0, 0, 2, 0, 0, 0, 2, 2]
    for one in done:
        assert secret not in one.text + one.err
    sent = [request for request in server.requests if request.method in ("LOCK", "UNLOCK")]
    assert sent
    assert all(secret.encode() not in request.body for request in sent)
    assert "token=…" in json.dumps(sent[0].json, ensure_ascii=False)
    # Only what the user gave has it.
    (folder / "more.hcl").unlink()
    kept = [path for path in folder.rglob("*") if path.is_file()]
    assert not [path for path in kept if secret.encode() in path.read_bytes() or secret in str(path)]


@pytest.mark.parametrize("command", ["encrypt", "reencrypt"])
def test_plain_copies(
    command: str, server: StateServer, infra: str, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """statetool deletes only its own copies, and says what else may be in plain text."""
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("new", "plain")))
    done = statetool(command, infra, "--in-place", "--discard-plain")
    assert done.status == 2
    assert "delete older versions there; nothing was written" in done.err
    assert server.state == WITH_CANARY
    done = statetool(command, infra, "--in-place")
    assert done.status == 0
    assert "older versions that the backend keeps" in done.err
    assert f"`statetool history --prune --older-than 0h --state {infra}`" in done.err
    assert b"canary" not in (server.state or b"")
    assert server.methods.count("LOCK") == server.methods.count("UNLOCK") == 1


def test_the_layout_that_an_engine_writes_there(server: StateServer, infra: str, statetool: Statetool) -> None:
    """OpenTofu writes local files indented or compact, by release; in backends it writes compact since 1.8."""
    assert statetool("fmt", "--style", "compact", infra).status == 0
    compact = server.state
    assert compact is not None
    assert compact.count(b"\n") == 1
    server.requests.clear()
    assert statetool("fmt", infra).status == statetool("upgrade", "--in-place", infra).status == 0
    assert server.state == compact
    assert "POST" not in server.methods
    assert statetool("taint", "--state", infra, "aws_iam_role.app").status == 0
    assert (server.state or b"").count(b"\n") == 1
    for release, lines in (("1.12", 1), ("1.11", 1), ("1.9", 1)):
        assert statetool("downgrade", "--for", release, "--in-place", infra).status == 0
        assert (server.state or b"").count(b"\n") == lines
    assert statetool("downgrade", "--for", "1.12", "--style", "indent", "--in-place", infra).status == 0
    assert (server.state or b"").count(b"\n") > 1


@pytest.mark.parametrize("option", ["--out", "--backup"])
def test_a_result_does_not_go_to_a_url(option: str, statetool: Statetool, folder: Path) -> None:
    (folder / FILE).write_bytes(WITH_CANARY)
    done = statetool("mv", "aws_vpc.main", "aws_vpc.net", option, "s3://b/k")
    assert done.status == 2
    assert "`statetool copy` writes a state to a URL" in done.err
    assert (folder / FILE).read_bytes() == WITH_CANARY


def test_a_url_among_addresses(statetool: Statetool) -> None:
    done = statetool("list", "s3://b/k?region=r")
    assert done.status == 2
    assert "use --state 's3://b/k?region=r'" in done.err


def test_the_hint_after_an_undo_names_the_folder(server: StateServer, infra: str, statetool: Statetool) -> None:
    for names in ("main net", "net web"):
        one, other = names.split()
        assert statetool("mv", "--state", infra, f"aws_vpc.{one}", f"aws_vpc.{other}").status == 0
    done = statetool("undo", infra)
    assert done.status == 0
    assert f"statetool undo --to 1 --state {infra}" in " ".join(done.err.split())


def test_a_state_that_cannot_be_read_is_repaired(server: StateServer, statetool: Statetool) -> None:
    server.state = before = (SAMPLES / "broken" / "duplicate-instance.tfstate").read_bytes()
    listed = statetool("repair", url(server))
    assert (listed.status, "keep=first" in listed.text, server.state) == (1, True, before)
    command = next(line for line in listed.text.splitlines() if "--choose" in line and "statetool" in line)
    assert shlex.split(command)[-2:] == ["--state", url(server)]
    assert statetool("repair", url(server), "--keep", "first", "--yes").status == 0
    assert server.state == before.replace(b'"serial": 5', b'"serial": 6').replace(
        before[before.index(b",\n        {", before.index(b'"logs-us-west-2"')) : before.index(b"\n      ]\n")], b""
    )
    assert (server.holder, server.methods.count("LOCK")) == (None, 1)
    assert statetool("list", "--state", url(server)).status == 0
