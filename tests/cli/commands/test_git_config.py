"""Git compares states with statetool: set up, used by a real git, and taken out again."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from statefmt.cli.commands.git import with_line, without_line
from tests.cli.conftest import PROGRAM, Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.cli.states import SAMPLES, resource, state

Git = Callable[..., str]
LINE = b"*.tfstate diff=statetool merge=statetool\n"
SETTINGS = {
    "diff.statetool.command=statetool git-driver diff",
    "diff.statetool.textconv=statetool git-driver textconv",
    "merge.statetool.driver=statetool git-driver merge %O %A %B %P",
    "merge.statetool.recursive=binary",
}

# A file of attributes before, and with the line in it.
ATTRIBUTES = [
    (b"", LINE),
    (b"*.png binary\n", b"*.png binary\n" + LINE),
    (b"*.png binary", b"*.png binary\n" + LINE),
    (b"*.png binary\r\n", b"*.png binary\r\n*.tfstate diff=statetool merge=statetool\r\n"),
    (LINE + b"*.png binary\n", LINE + b"*.png binary\n"),
    (b"*.tfstate   diff=statetool  merge=statetool\n", b"*.tfstate   diff=statetool  merge=statetool\n"),
    (b"*.tfstate diff=other\n", b"*.tfstate diff=other\n" + LINE),
    (b"# \xff\n", b"# \xff\n" + LINE),
]


@pytest.mark.parametrize(("before", "after"), ATTRIBUTES)
def test_attributes(before: bytes, after: bytes) -> None:
    assert with_line(before) == after
    assert with_line(after) == after
    assert b"statetool" not in without_line(after)
    if b"statetool" not in before and before.endswith((b"\n", b"")[not before]):
        assert without_line(after) == before


@pytest.fixture
def git(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Run git in a new repository, with a home of its own and with statetool on PATH; gives what it prints."""
    home = folder / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}")
    for name in [name for name in os.environ if name.startswith(("GIT_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")

    def run(*arguments: str) -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=n", "-c", "user.email=e", *arguments], check=False, capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    (folder / "repository").mkdir()
    monkeypatch.chdir(folder / "repository")
    run("init", "--quiet", "--initial-branch=main")
    return run


def _settings(git: Git, scope: str = "--local") -> set[str]:
    return {line for line in git("config", scope, "--list").splitlines() if "statetool" in line}


def test_enable_twice_and_disable(git: Git, statetool: Statetool) -> None:
    before = Path(".git/config").read_bytes()
    for _ in range(2):
        assert statetool("git-config", "--enable").status == 0
        assert _settings(git) == SETTINGS
        assert Path(".git/info/attributes").read_bytes() == LINE
    assert git("status", "--short") == ""
    for _ in range(2):
        assert statetool("git-config", "--disable").status == 0
        assert Path(".git/config").read_bytes() == before
        assert not Path(".git/info/attributes").exists()


def test_shared(git: Git, statetool: Statetool) -> None:
    Path("below").mkdir()
    Path(".gitattributes").write_text("*.png binary\n")
    os.chdir("below")
    statetool("git-config", "--enable", "--shared")
    assert Path("../.gitattributes").read_bytes() == b"*.png binary\n" + LINE
    statetool("git-config", "--disable")
    assert Path("../.gitattributes").read_text() == "*.png binary\n"


@pytest.mark.parametrize("chosen", [None, "~/mine"])
def test_global(chosen: str | None, git: Git, statetool: Statetool) -> None:
    home = Path(os.environ["HOME"])
    if chosen:
        git("config", "--global", "core.attributesFile", chosen)
    attributes = home / ("mine" if chosen else ".config/git/attributes")
    assert statetool("git-config", "--enable", "--global").status == 0
    assert attributes.read_bytes() == LINE
    assert _settings(git, "--global") == SETTINGS
    assert _settings(git) == set()
    assert git("check-attr", "diff", "a.tfstate") == "a.tfstate: diff: statetool\n"
    statetool("git-config", "--disable", "--global")
    assert not attributes.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing option '--enable' or '--disable'"),
        (["--enable", "--global", "--shared"], "cannot be combined with --global"),
        (["--enable"], "not a git repository"),
    ],
)
def test_cannot_be_done(arguments: list[str], message: str, statetool: Statetool, tmp_path: Path) -> None:
    result = statetool("git-config", *arguments)
    assert result.status == 2
    assert message in " ".join(result.err.split())
    assert list(tmp_path.iterdir()) == []


def _state(env: str, password: str, **members: object) -> bytes:
    attributes = {"id": "vpc-1", "env": env, "password": password}
    marks = [[{"type": "get_attr", "value": "password"}]]
    return state(resource("aws_vpc", "a", {"attributes": attributes, "sensitive_attributes": marks}), **members)


@pytest.fixture
def history(git: Git, statetool: Statetool) -> Git:
    """A repository with two versions of a state, and a third that is not committed."""
    statetool("git-config", "--enable")
    for number, env in enumerate(("prod", "test", "none")):
        Path("a.tfstate").write_bytes(_state(env, f"hunter{number}", serial=number))
        if number < 2:
            git("add", ".")
            git("commit", "--quiet", "--message", env)
    return git


CHANGED = '\n    ~ env: "test" → "none"\n    ~ password: (sensitive value)\n'


def test_git_diff(history: Git) -> None:
    out = history("diff")
    assert (
        out == f"statetool diff a.tfstate\n~ aws_vpc.a{CHANGED}\nState:\n~ serial: 1 → 2\n\n1 changed; serial 1 → 2\n\n"
    )


def test_git_log_shows_text(history: Git) -> None:
    out = history("log", "-p")
    assert [line for line in out.splitlines() if "env " in line] == [
        '-    env      = "prod"', '+    env      = "test"', '+    env      = "prod"',
    ]  # fmt: skip
    assert "hunter" not in out
    assert out.count("password = (sensitive value)") == 2


def test_files_that_come_and_go(history: Git) -> None:
    history("checkout", "--quiet", "a.tfstate")
    Path("b.tfstate").write_bytes(_state("prod", "hunter3"))
    history("add", ".")
    out = history("diff", "--cached")
    assert out.startswith('statetool diff b.tfstate (new file)\n+ aws_vpc.a (id "vpc-1")\n')
    Path("b.tfstate").unlink()
    out = history("diff")
    assert out.startswith('statetool diff b.tfstate (deleted)\n- aws_vpc.a (id "vpc-1")\n')


def test_a_path_with_spaces(history: Git) -> None:
    Path("a folder").mkdir()
    Path("a folder/$(x) 'y.tfstate").write_bytes(_state("prod", "hunter3"))
    history("add", "a folder")
    assert "statetool diff a folder/$(x) 'y.tfstate (new file)\n+ aws_vpc.a" in history("diff", "--cached")


@pytest.mark.parametrize("option", ["--enable", "--disable"])
def test_a_cache_of_earlier_releases_goes(option: str, history: Git, statetool: Statetool) -> None:
    history("log", "-p")
    assert "notes" not in history("for-each-ref")
    history("config", "diff.statetool.cachetextconv", "true")
    history("log", "-p")
    assert "refs/notes/textconv/statetool" in history("for-each-ref")
    statetool("git-config", option)
    assert "notes" not in history("for-each-ref")
    history("log", "-p")
    assert "notes" not in history("for-each-ref")


@pytest.fixture
def encrypted_history(git: Git, statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> Git:
    """A repository with two versions of an encrypted state, by other keys, and a third that is not committed."""
    monkeypatch.delenv("TF_ENCRYPTION", raising=False)
    statetool("git-config", "--enable")
    for number, (env, key) in enumerate((("prod", "old"), ("test", "new"), ("none", "new"))):
        Path("a.tfstate").write_bytes(encrypted(_state(env, f"hunter{number}", serial=number), key))
        if number < 2:
            git("add", ".")
            git("commit", "--quiet", "--message", env)
    return git


def test_encrypted_states(encrypted_history: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("new", "old")))
    out = encrypted_history("diff")
    assert (
        out == f"statetool diff a.tfstate\n~ aws_vpc.a{CHANGED}\nState:\n~ serial: 1 → 2\n\n1 changed; serial 1 → 2\n\n"
    )
    log = encrypted_history("log", "-p")
    assert [line for line in log.splitlines() if "env " in line] == [
        '-    env      = "prod"', '+    env      = "test"', '+    env      = "prod"',
    ]  # fmt: skip
    assert "hunter" not in out + log


REFUSED = {
    "without a configuration": (None, "it is encrypted; set TF_ENCRYPTION to its encryption"),
    "with another key": (["old"], "no method of the configuration can read this state: method.aes_gcm.old: the key"),
    "with no configuration at all": ([], "TF_ENCRYPTION:"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_encrypted_states_that_cannot_be_opened(
    case: str, encrypted_history: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, reason = REFUSED[case]
    if names is not None:
        monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration(*names)) if names else "hunter2 {")
    out = encrypted_history("diff")
    assert out.startswith(f"statetool diff a.tfstate\nthe old version: (not a readable state: {reason}")
    log = encrypted_history("log", "-p")
    assert f"+(not a readable state: {reason}" in log
    assert "hunter" not in out + log


def test_git_keeps_no_text_of_an_encrypted_state(encrypted_history: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where somebody has configured git to cache it."""
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("new", "old")))
    encrypted_history("config", "diff.statetool.cachetextconv", "true")
    log = encrypted_history("log", "-p")
    assert "refs/notes/textconv/statetool" in encrypted_history("for-each-ref")
    assert "+(not a readable state: it is encrypted" in log
    assert "vpc-1" not in log


def test_other_files_follow_one_that_is_no_state(history: Git) -> None:
    Path("a.tfstate").write_bytes((SAMPLES / "encrypted.tfstate").read_bytes())
    Path("b.tfstate").write_bytes(_state("prod", "hunter3"))
    history("add", ".")
    assert history("diff", "--cached").startswith(
        "statetool diff a.tfstate\nthe new version: (not a readable state: it is encrypted; set TF_ENCRYPTION to "
        "its encryption configuration to compare it)\n"
        "`git diff --no-ext-diff --no-textconv` shows the raw file, including any secrets\n"
        "statetool diff b.tfstate (new file)\n"
    )


def test_whoever_reads_may_stop(history: Git) -> None:
    """Git would say of a driver that fails that it died."""
    many = [resource("aws_vpc", f"n{number}", {"attributes": {"id": str(number)}}) for number in range(5000)]
    Path("a.tfstate").write_bytes(state(*many))
    done = subprocess.run("git diff | head -1", shell=True, check=True, capture_output=True)
    assert (done.stdout, done.stderr) == (b"statetool diff a.tfstate\n", b"")


def test_a_repository_without_files(git: Git, statetool: Statetool) -> None:
    git("init", "--quiet", "--bare", "bare")
    os.chdir("bare")
    assert statetool("git-config", "--enable").status == 0
    assert Path("info/attributes").read_bytes() == LINE
    assert statetool("git-config", "--disable").status == 0
    assert not Path("info/attributes").exists()


@pytest.mark.parametrize(
    "content", [b"hunter4", b'{"version": 4, "password": "hunter4"', b'{"version": 99, "x": "hunter4"}']
)
def test_what_is_no_state_is_not_shown(content: bytes, history: Git) -> None:
    Path("a.tfstate").write_bytes(content)
    out = history("diff")
    assert out.startswith("statetool diff a.tfstate\nthe new version: (not a readable state: ")
    history("commit", "--quiet", "--all", "--message", "broken")
    out += history("log", "-p")
    assert "+(not a readable state: " in out
    assert "hunter" not in out


def test_an_empty_file_is_an_empty_state(history: Git) -> None:
    Path("a.tfstate").write_bytes(b"")
    assert history("diff").startswith('statetool diff a.tfstate\n- aws_vpc.a (id "vpc-1")\n')


def test_conflicts(history: Git, statetool: Statetool) -> None:
    history("checkout", "--quiet", "a.tfstate")
    for branch, env in (("one", "eu"), ("two", "us")):
        history("checkout", "--quiet", "-b", branch, "main")
        Path("a.tfstate").write_bytes(_state(env, "hunter5"))
        history("commit", "--quiet", "--all", "--message", env)
    # A clone without the merge driver: git merges the text.
    Path(".git/info/attributes").write_text("*.tfstate diff=statetool\n")
    subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", "merge", "one"], check=False, capture_output=True)
    out = history("diff", "a.tfstate")
    assert "++(not a readable state: " in out
    assert "hunter" not in out
    # What git gives for a path with conflicts where it does not combine the versions itself.
    assert statetool("git-driver", "diff", "a.tfstate").text == "statetool diff a.tfstate\nhas conflicts\n"


def test_renamed(history: Git) -> None:
    history("checkout", "--quiet", "a.tfstate")
    history("mv", "a.tfstate", "b.tfstate")
    Path("b.tfstate").write_bytes(_state("test", "hunter1", serial=7))
    history("add", ".")
    out = history("diff", "--cached", "--find-renames=10%")
    assert out.startswith("statetool diff a.tfstate → b.tfstate\n\nState:\n~ serial: 1 → 7\n")


@pytest.mark.parametrize("turn", ["--enable", "--disable"])
def test_attributes_of_a_clone_that_are_a_link(turn: str, git: Git, folder: Path, statetool: Statetool) -> None:
    (folder / "precious").write_bytes(LINE)
    top = Path(git("rev-parse", "--show-toplevel").strip())
    (top / ".gitattributes").symlink_to(folder / "precious")
    result = statetool("git-config", turn, "--shared")
    assert result.status == 2
    assert "symbolic link" in " ".join(result.err.split())
    assert (folder / "precious").read_bytes() == LINE


def test_global_attributes_may_be_a_link(git: Git, folder: Path, statetool: Statetool) -> None:
    attributes = folder / "home/.config/git/attributes"
    attributes.parent.mkdir(parents=True)
    (folder / "dotfile").write_bytes(b"*.png binary\n")
    attributes.symlink_to(folder / "dotfile")
    assert statetool("git-config", "--enable", "--global").status == 0
    assert (folder / "dotfile").read_bytes() == b"*.png binary\n" + LINE
