"""`statetool edit` with small programs as editors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.editing.conftest import script
from tests.cli.encrypted import configuration, encrypted
from tests.cli.states import SAMPLES
from tests.cli.terminal import on_terminal

WEB = 'aws_instance.web["eu-west-1"]'


@pytest.fixture(autouse=True)
def _memory(memory: Path, state: Path) -> None:
    assert memory.is_dir()
    assert state.is_file()


def test_changes_only_what_was_edited(state: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    before = state.read_bytes()
    monkeypatch.setenv("EDITOR", "sed -i s/t3.small/t3.large/")
    done = statetool("edit", "--yes")
    assert done.status == 0
    assert b'instance_type: "t3.small" \xe2\x86\x92 "t3.large"' in done.out
    wanted = before.replace(b"t3.small", b"t3.large").replace(b'"serial": 58,', b'"serial": 59,')
    assert state.read_bytes() == wanted
    assert [path.read_bytes() for path in state.parent.glob("*.backup")] == [before]
    assert statetool("undo", "--yes").status == 0
    assert state.read_bytes() == before.replace(b'"serial": 58,', b'"serial": 60,')


def test_an_instance_shows_its_attributes_only(
    state: Path, folder: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state.read_bytes()
    monkeypatch.setenv("EDITOR", script(folder, f'cp "$1" {folder}/seen; sed -i s/t3.small/t3.huge/ "$1"'))
    assert statetool("edit", WEB, "--yes").status == 0
    seen = json.loads((folder / "seen").read_bytes())
    resources = json.loads(before)["resources"]
    web = next(one for one in resources if one["type"] == "aws_instance" and one["name"] == "web")
    assert seen == next(
        one["attributes"] for one in web["instances"] if one.get("index_key") == "eu-west-1" and "deposed" not in one
    )
    old, new = before.splitlines(), state.read_bytes().splitlines()
    assert len(old) == len(new)
    assert [(one.strip(), other.strip()) for one, other in zip(old, new, strict=True) if one != other] == [
        (b'"serial": 58,', b'"serial": 59,'),
        (b'"instance_type": "t3.small",', b'"instance_type": "t3.huge",'),
    ]


def test_a_state_on_one_line_is_edited_on_many(
    state: Path, folder: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (SAMPLES / "v4-compact.tfstate").read_bytes()
    state.write_bytes(before)
    serial = json.loads(before)["serial"]
    first = json.loads(before)["resources"][0]["name"]
    command = f's/"name": "{first}"/"name": "renamed"/'
    monkeypatch.setenv("EDITOR", script(folder, f'wc -l < "$1" > {folder}/lines; sed -i \'{command}\' "$1"'))
    assert statetool("edit", "--yes").status == 0
    assert int((folder / "lines").read_text()) > 20
    wanted = before.replace(f'"name":"{first}"'.encode(), b'"name":"renamed"')
    assert state.read_bytes() == wanted.replace(b'"serial":%d' % serial, b'"serial":%d' % (serial + 1))


@pytest.mark.parametrize(
    ("editor", "status", "message"),
    [
        ("true", 0, "nothing was edited; nothing was written"),
        ("false", 2, "the editor false failed with exit status 1; nothing was written"),
        ("sh -c 'kill -9 $$'", 2, "was ended by signal 9; nothing was written"),
        ("rm", 2, "the edited copy cannot be read"),
        ("no-such-editor", 2, "the editor in VISUAL was not found: 'no-such-editor'"),
        ("vi 'x", 2, "VISUAL cannot be read as a command"),
        ("sed -i s/instance_type/instance_type,/", 0, ""),
        ("sed -i 3d", 0, ""),
        ("truncate -s 0", 2, "The file is empty"),
        ("truncate -s 700", 2, "line 38, column 16"),
        ('sed -i \'s/"serial": 58/"serial": 57/\'', 2, "line 4: the edit lowers the serial from 58 to 57"),
        ('sed -i \'s/"lineage": "/&0/\'', 2, "line 5: the edit changes the lineage"),
        ('sed -i \'s/"version": 4/"version": 3/\'', 2, "line 2: the edited state has format version 3"),
        ('sed -i \'s/"mode": "managed"/"mode": "odd"/\'', 2, "line 51, column 7"),
        ("sh -c 'sed -i s/t3.small/t3.nano/ \"$1\"; kill -9 $$' -", 2, "line: was ended by signal 9"),
        ("ln -sf /etc/passwd", 2, "the edited copy cannot be read"),
    ],
)
def test_without_a_terminal(
    editor: str,
    status: int,
    message: str,
    state: Path,
    memory: Path,
    statetool: Statetool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = state.read_bytes()
    monkeypatch.setenv("VISUAL", editor)
    monkeypatch.setenv("EDITOR", "false")
    done = statetool("edit", "--yes")
    assert done.status == status, done
    assert message.removeprefix("line: ") in " ".join(done.err.split())
    assert (state.read_bytes() != before) == (not message)
    # Only refused text is kept.
    assert bool(list(memory.iterdir())) == ("the edited text is kept" in done.err)
    assert ("the edited text is kept" in done.err) == message.startswith("line")
    assert not (state.parent / ".terraform.tfstate.lock.info").exists()


def test_needs_a_terminal_or_yes_before_the_editor_starts(
    state: Path, folder: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", script(folder, f"touch {folder}/started"))
    before = state.read_bytes()
    assert statetool("edit").status == 2
    assert not (folder / "started").exists()
    assert statetool("edit", "--state", "-").status == 2
    assert state.read_bytes() == before


def test_the_copy_is_private_and_the_state_locked(
    folder: Path, memory: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (
        f'stat -c "%a" "$1" "$(dirname "$1")" "$(dirname "$(dirname "$1")")" > {folder}/modes',
        f'echo "$1" >> {folder}/modes; echo "$TMPDIR" >> {folder}/modes',
        f"cat .terraform.tfstate.lock.info > {folder}/info",
    )
    monkeypatch.setenv("EDITOR", script(folder, "\n".join(lines)))
    assert statetool("edit", "--yes").status == 0
    *modes, path, temporary = (folder / "modes").read_text().splitlines()
    assert modes == ["600", "700", "700"]
    assert Path(path).is_relative_to(memory)
    assert Path(path).parent == Path(temporary)
    assert json.loads((folder / "info").read_text())["Operation"] == "edit"
    assert not list(memory.iterdir())


def test_a_broken_edit_twice_then_a_good_one(state: Path, folder: Path, program: Program) -> None:
    """Each run of the editor goes on from the text of the one before."""
    before = state.read_bytes()
    breaking = (
        'if [ $n -le 2 ]; then sed -i "1s/.*/{ broken/" "$1"; else sed -i "1s/.*/{/; s/t3.small/t3.nano/" "$1"; fi'
    )
    editor = script(folder, f"echo >> {folder}/runs; n=$(wc -l < {folder}/runs); {breaking}")
    shown = on_terminal(program, "statetool edit", typed="e\ne\ny\n", environment={"EDITOR": editor})
    assert shown.status == 0, shown
    assert shown.text.count("What now: edit again (e)") == 2
    assert shown.text.count("line 1, column 3") >= 2
    wanted = before.replace(b"t3.small", b"t3.nano").replace(b'"serial": 58,', b'"serial": 59,')
    assert state.read_bytes() == wanted


@pytest.mark.parametrize(("editor", "typed"), [("sed -i 1d", "d\n"), ("sed -i s/t3.small/t3.nano/", "n\nd\n")])
def test_an_edit_is_discarded(editor: str, typed: str, state: Path, memory: Path, program: Program) -> None:
    before = state.read_bytes()
    shown = on_terminal(program, "statetool edit", typed=typed, environment={"EDITOR": editor})
    assert shown.status == 2, shown
    assert "nothing was written" in shown.text
    assert state.read_bytes() == before
    assert not list(memory.iterdir())


def test_a_damaged_state_is_mended(state: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not JSON before the edit; all bytes but the serial are those of the whole state."""
    whole = state.read_bytes()
    state.write_bytes(whole.replace(b'"resources": [', b'"resources": [ ,', 1))
    assert statetool("list").status == 2
    monkeypatch.setenv("EDITOR", 'sed -i \'s/"resources": \\[ ,/"resources": [/\'')
    done = statetool("edit", "--yes")
    assert done.status == 0, done
    assert "the state was damaged, so everything in it counts as added" in done.text
    assert state.read_bytes() == whole.replace(b'"serial": 58,', b'"serial": 59,')


def test_what_is_no_state_is_refused(state: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "sed -i s/hello/bye/")
    for content in (b"hello\n", b'{"hello": 1}\n', (SAMPLES / "broken/backend-configuration.tfstate").read_bytes()):
        state.write_bytes(content)
        assert statetool("edit", "--yes").status == 2
        assert state.read_bytes() == content


def test_an_older_format_is_refused(statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "true")
    done = statetool("edit", "--yes", "--state", str(SAMPLES / "v3-legacy.tfstate"))
    assert done.status == 2
    assert "run statetool upgrade first" in " ".join(done.err.split())


def test_an_encrypted_state_needs_memory_or_leave(
    state: Path, folder: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("statefmt.cli.copy_places._MOUNTS", str(folder / "no-such-file"))
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("new")))
    monkeypatch.setenv("HOME", str(folder / "home"))
    monkeypatch.setenv("EDITOR", "sed -i s/t3.small/t3.large/")
    state.write_bytes(encrypted(state.read_bytes(), "new"))
    before = state.read_bytes()
    refused = statetool("edit", "--yes")
    assert refused.status == 2
    assert "--plain-file allows a copy on the disk" in " ".join(refused.err.split())
    assert state.read_bytes() == before
    assert not (folder / "home").exists()
    assert statetool("edit", "--yes", "--plain-file").status == 0
    assert state.read_bytes() != before
    assert not list((folder / "home/.local/state/statetool").iterdir())


def test_an_editor_that_keeps_copies_is_refused_for_an_encrypted_state(
    state: Path, folder: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("new")))
    monkeypatch.setenv("EDITOR", script(folder, f"touch {folder}/started", name="code"))
    state.write_bytes(encrypted(state.read_bytes(), "new"))
    refused = statetool("edit", "--yes")
    assert refused.status == 2
    assert "code keeps copies of edited files" in " ".join(refused.err.split())
    assert not (folder / "started").exists()


def test_what_an_editor_prints_is_not_part_of_a_result(
    state: Path, folder: Path, memory: Path, program: Program
) -> None:
    before = state.read_bytes()
    editor = script(folder, 'echo noise; sed -i s/t3.small/t3.large/ "$1"')
    done = program("edit", "--yes", "--out", "-", environment={"EDITOR": editor})
    assert done.status == 0, done
    assert done.out == before.replace(b"t3.small", b"t3.large").replace(b'"serial": 58,', b'"serial": 59,')
    assert "noise" in done.err
    assert state.read_bytes() == before
    assert not list(memory.iterdir())


def test_a_dry_run_and_a_copy_lock_nothing(
    state: Path, folder: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state.read_bytes()
    editor = script(folder, f'test ! -e {folder}/.terraform.tfstate.lock.info && sed -i s/t3.small/t3.large/ "$1"')
    monkeypatch.setenv("EDITOR", editor)
    shown = statetool("edit", "--dry-run")
    assert shown.status == 0, shown
    assert b'instance_type: "t3.small" \xe2\x86\x92 "t3.large"' in shown.out
    assert "dry run; nothing was written" in shown.err
    assert statetool("edit", "--yes", "--out", "copy.tfstate").status == 0
    assert state.read_bytes() == before
    wanted = before.replace(b"t3.small", b"t3.large").replace(b'"serial": 58,', b'"serial": 59,')
    assert (folder / "copy.tfstate").read_bytes() == wanted


def test_an_editor_that_does_not_wait_is_noticed(statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "true")
    assert "give it an option to wait, such as `code --wait`" in " ".join(statetool("edit", "--yes").err.split())


def test_an_editor_that_replaces_the_file_and_its_layout(
    state: Path, folder: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new file with any mode, a BOM, other ends of lines, and no last newline: none of it gets into the state."""
    before = state.read_bytes()
    saving = (
        'printf \'\\357\\273\\277\' > "$1.new"; sed \'s/t3.small/t3.large/; s/$/\\r/\' "$1" >> "$1.new"',
        'truncate -s -2 "$1.new"; chmod 666 "$1.new"; mv "$1.new" "$1"; echo >> "$1.backup~"',
    )
    monkeypatch.setenv("EDITOR", script(folder, "\n".join(saving)))
    assert statetool("edit", "--yes").status == 0
    assert state.read_bytes() == before.replace(b"t3.small", b"t3.large").replace(b'"serial": 58,', b'"serial": 59,')


def test_the_editor_starts_at_the_line_that_was_refused(
    state: Path, folder: Path, memory: Path, program: Program
) -> None:
    """`nano` is known to take +LINE."""
    breaking = f'echo "$*" >> {folder}/calls; for path; do :; done; sed -i "51s/managed/odd/" "$path"'
    editor = script(folder, breaking, name="nano")
    shown = on_terminal(program, "statetool edit", typed="e\nd\n", environment={"EDITOR": f"{editor} -x 'a b'"})
    assert shown.status == 2, shown
    first, second = (folder / "calls").read_text().splitlines()
    assert first.startswith("-x a b --ignorercfiles /")
    assert second.startswith("-x a b --ignorercfiles +51 /")


@pytest.mark.parametrize(("words", "wanted"), [("", "--wait"), ("--new-window", "--new-window --wait")])
def test_known_editors_are_told_to_wait(
    words: str, wanted: str, folder: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = script(folder, f'echo "$*" > {folder}/call', name="code")
    monkeypatch.setenv("EDITOR", f"{editor} {words}")
    done = statetool("edit", "--yes")
    assert done.status == 0
    assert (folder / "call").read_text().startswith(f"{wanted} /")
    assert "code keeps copies of edited files in its own folders" in " ".join(done.err.split())


def test_an_edit_of_a_damaged_state_is_undone(
    state: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = state.read_bytes().replace(b'"mode": "managed"', b'"mode": "odd"', 1)
    state.write_bytes(damaged)
    monkeypatch.setenv("EDITOR", "sed -i s/odd/managed/")
    assert statetool("edit", "--yes").status == 0
    assert statetool("list").status == 0
    assert statetool("undo", "--yes").status == 0
    assert state.read_bytes() == damaged.replace(b'"serial": 58,', b'"serial": 60,')


@pytest.mark.parametrize("mode", [0o777, 0o1777])
def test_a_folder_in_which_others_write_is_used_if_they_cannot_rename(
    mode: int, state: Path, folder: Path, memory: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in /dev/shm: with the sticky bit, nobody else can put another folder in place of ours."""
    memory.chmod(mode)
    monkeypatch.setenv("EDITOR", script(folder, f'echo "$1" > {folder}/path'))
    assert statetool("edit", "--yes").status == 0
    assert Path((folder / "path").read_text()).is_relative_to(memory) is bool(mode & 0o1000)
