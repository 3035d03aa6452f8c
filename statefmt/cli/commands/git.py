"""`statetool git-config` and `git-driver`: set up statetool as git's driver for states, to compare and merge them."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Final

from msgspec import structs
from typer import Argument, BadParameter, Option

import statefmt
from statefmt import EncryptedStateError, RunContext, Snapshot, State, StateError, StatetoolError, StoreError
from statefmt.cli.command import declared, examples
from statefmt.cli.options.encryption import ENVIRONMENT
from statefmt.cli.outcome import FINE, FOUND, UsageError
from statefmt.cli.run import run_context
from statefmt.cli.streams import discard_output, result_terminal, say
from statefmt.locations import STANDARD_INPUT, display_name
from statefmt.operations_files import EditOptions
from statefmt.render.terminal import one_line
from statefmt.store.files import read_bounded, write_over
from statefmt.store.reading import reason_of
from statefmt.text import printable, shell_line

_SETTINGS: Final = {
    "diff.statetool.command": "git-driver diff",
    "diff.statetool.textconv": "git-driver textconv",
    # The common ancestor, our version, their version and the path. Source: gitattributes(5).
    "merge.statetool.driver": "git-driver merge %O %A %B %P",
}
# Of several common ancestors that conflict, git takes their own ancestor as the base, instead of one of them.
_RECURSIVE: Final = ("merge.statetool.recursive", "binary")
# With this setting, git would cache the converted text, and so write the content of encrypted states to disk.
_NEVER: Final = "diff.statetool.cachetextconv"
_CACHE: Final = "refs/notes/textconv/statetool"
_LITERALLY: Final = "--literal-pathspecs"
# The exit status of `git config --unset-all` for a missing setting.
_NOT_SET: Final = 5


@examples(
    ("Make git compare and merge the states of this repository with statetool.", "statetool git-config --enable"),
    ("Do so for everyone who enables it.", "statetool git-config --enable --shared"),
    ("Go back to comparing and merging lines.", "statetool git-config --disable"),
)
@declared(paged=False, decrypts=False, connects=False)
def git_config_command(
    enable: Annotated[bool | None, Option("--enable/--disable", help="Enable or disable the drivers.")] = None,
    is_global: Annotated[bool, Option("--global", help="Apply to all repositories of this user.")] = False,
    shared: Annotated[
        bool, Option("--shared", help="Name the driver in .gitattributes, to be committed, instead of in .git/info.")
    ] = False,
) -> int:
    """Make git compare and merge states (*.tfstate) with statetool.

    `git diff` then prints the output of `statetool diff`; `git log -p` compares states converted to text. Neither shows
    sensitive values. Merges, rebases and cherry-picks merge states as `statetool merge` does. On a conflict, the state
    stays yours, without conflict markers, and `statetool merge --continue` finishes the merge. Each user has to enable
    it.
    """
    if enable is None:
        raise UsageError("Missing option '--enable' or '--disable'.")
    if is_global and shared:
        raise BadParameter("cannot be combined with --global", param_hint="--shared")
    scope = "--global" if is_global else "--local"
    if not is_global:
        # Fail before anything is changed.
        _git("rev-parse", "--git-dir")
    files = _attribute_files(is_global, shared, enable)
    for name, arguments in _SETTINGS.items():
        if enable:
            _git("config", scope, "--replace-all", name, f"{_program()} {arguments}")
        else:
            _git("config", scope, "--unset-all", name, accepted=(0, _NOT_SET))
    name, value = _RECURSIVE
    if enable:
        _git("config", scope, "--replace-all", name, value)
    else:
        _git("config", scope, "--unset-all", name, accepted=(0, _NOT_SET))
    _git("config", scope, "--unset-all", _NEVER, accepted=(0, _NOT_SET))
    if not is_global:
        _git("update-ref", "-d", _CACHE)
    changed = [path for path in files if edit_attributes(path, enable=enable, links=is_global)]
    where = "for all repositories of this user" if is_global else "in this repository"
    turn = "compares and merges" if enable else "no longer compares and merges"
    print(f"git {turn} *.tfstate with statetool {where}")
    for path in changed:
        print(f"  {'added to' if enable else 'removed from'} {printable(str(path))}")
    return FINE


def _attribute_files(is_global: bool, shared: bool, enable: bool) -> list[Path]:
    """Return the file to add the line to, or all files to remove it from."""
    if is_global:
        return [_global_attributes()]
    own = Path(_git("rev-parse", "--git-path", "info/attributes"))
    has_files = _git("rev-parse", "--is-inside-work-tree") == "true"
    if not shared and (enable or not has_files):
        return [own]
    committed = Path(_git("rev-parse", "--show-toplevel"), ".gitattributes")
    return [committed] if enable else [own, committed]


def _global_attributes() -> Path:
    """Return the attributes file for all repositories. Source: gitattributes(5)."""
    chosen = _git("config", "--global", "--type=path", "core.attributesFile", accepted=(0, 1))
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config", "git", "attributes")


def _program() -> str:
    """Return statetool for git's shell: its name if it is on PATH, else its path."""
    return "statetool" if shutil.which("statetool") else shlex.quote(str(Path(sys.argv[0]).absolute()))


def _git(*arguments: str, accepted: tuple[int, ...] = (0,)) -> str:
    """Run a git command and return its output without the newline. Raises StoreError with git's reason."""
    try:
        done = subprocess.run(
            ["git", *arguments], env={**os.environ, "LC_ALL": "C"}, capture_output=True, check=False, text=True
        )
    except FileNotFoundError as error:
        raise StoreError("git is not installed, or not on PATH") from error
    if done.returncode not in accepted:
        raise StoreError(f"git {arguments[0]}: {done.stderr.strip().removeprefix('fatal: ')}")
    return done.stdout.rstrip("\n")


LINE: Final = b"*.tfstate diff=statetool merge=statetool"
# git ignores larger files.
_LARGEST: Final = 100 * 1024 * 1024


def with_line(text: bytes) -> bytes:
    """Append the line unless the text has it; keep all other lines."""
    if any(line.split() == LINE.split() for line in text.splitlines()):
        return text
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    separator = b"" if not text or text.endswith(b"\n") else newline
    return text + separator + LINE + newline


def without_line(text: bytes) -> bytes:
    """Remove all occurrences of the line; keep all other lines."""
    return b"".join([line for line in text.splitlines(keepends=True) if line.split() != LINE.split()])


def edit_attributes(path: Path, *, enable: bool, links: bool) -> bool:
    """Add the line to a file, which need not exist, or remove it; delete an empty file.

    Without `links`, a symbolic link is refused, as git does in a work tree. Returns whether anything changed. Raises
    StoreError if the file cannot be read or written.
    """
    try:
        try:
            old = read_bounded(path, _LARGEST, links=links)
        except FileNotFoundError:
            old = b""
        new = with_line(old) if enable else without_line(old)
        if new == old:
            return False
        if new:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_over(path, new, links=links)
        else:
            path.unlink()
    except OSError as error:
        raise StoreError(f"{path}: {reason_of(error)}") from error
    return True


# git's name for a side that does not exist.
_NO_FILE: Final = "/dev/null"

_ENCRYPTED: Final = "it is encrypted; set TF_ENCRYPTION to its encryption configuration to compare it"
_AS_IT_IS: Final = "`git diff --no-ext-diff --no-textconv` shows the raw file, including any secrets"


class Role(StrEnum):
    """The request of git."""

    DIFF = "diff"
    TEXTCONV = "textconv"
    MERGE = "merge"


@examples(
    ("Set up git to run this command.", "statetool git-config --enable"),
    ("Print a state as `git log -p` compares it.", "statetool git-driver textconv prod.tfstate"),
)
@declared(paged=False, decrypts=True, connects=False)
def git_driver_command(
    role: Annotated[Role, Argument(metavar="ROLE", help="diff, for `git diff`, textconv, for `git log -p`, or merge.")],
    arguments: Annotated[
        list[str],
        Argument(
            metavar="ARGUMENT...",
            help="The arguments from git: a file, a path and two versions, or three versions and a path.",
        ),
    ],
) -> int:
    """Compare or merge versions of a state for git, or convert one to text; `statetool git-config` sets this up.

    Sensitive values are never shown. Encrypted states are opened as by every command. A file that is not a state is
    reported, but never printed: it may be a damaged state with secrets. The exit status of a comparison is 0 even then,
    so that git continues with the next file.

    A merge writes the second version. If it has conflicts, or a version cannot be read, the second version stays as it
    is, and the exit status is 1: git leaves the path unmerged.
    """
    if role is Role.MERGE:
        return _merge(arguments)
    try:
        if role is Role.TEXTCONV:
            _textconv(arguments[0])
        else:
            _diff(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader closed the pipe. On any other exit status, git would report a crashed driver.
        discard_output()
    return FINE


def _textconv(name: str) -> None:
    from statefmt.render.show import state_text

    context = run_context()
    if _is_kept_by_git():
        # git caches plain text, and would keep showing text cached before the key was available.
        environment = {name: value for name, value in context.environment.items() if name != ENVIRONMENT}
        context = replace(context, encryption=None, environment=environment)
    try:
        snapshot, _ = _read(context, name)
    except StatetoolError as error:
        print(_unreadable(error, name))
        return
    for text in state_text(snapshot):
        sys.stdout.write(text)


def _diff(arguments: list[str]) -> None:
    """Print the differences. git passes a path, and the file, hash and mode of the old and of the new version.

    A new name may follow. For a file with conflicts, git passes only the path. Source: git(1), GIT_EXTERNAL_DIFF.
    """
    from statefmt.differences import diff
    from statefmt.render.diff import Manner, diff_text

    terminal = result_terminal()
    path = arguments[0]
    title = printable(f"{path} → {arguments[7]}" if len(arguments) > 7 else path)
    if _NO_FILE in arguments[1:5]:
        title += " (new file)" if arguments[1] == _NO_FILE else " (deleted)"
    print(terminal.paint(f"statetool diff {title}", "bold"))
    if len(arguments) < 7:
        print("has conflicts")
        return
    sides: list[tuple[Snapshot, int]] = []
    for which, name in (("the old version", arguments[1]), ("the new version", arguments[4])):
        try:
            sides.append(_read(run_context(), name))
        except StatetoolError as error:
            print(f"{which}: {_unreadable(error, name)}")
            print(_AS_IT_IS)
            return
    (old, old_version), (new, new_version) = sides
    versions = old_version or new_version or 4, new_version or old_version or 4
    for piece in diff_text(diff(old, new, versions=versions), Manner(), terminal):
        print(piece)
    print()


def _merge(arguments: list[str]) -> int:
    """Merge three versions of a state into the second one, and return the exit status."""
    # Imported late: git compares more often than it merges.
    from statefmt.merging import MergeConflictError, merged
    from statefmt.render.merging import conflicts_text

    if len(arguments) != 4:
        raise UsageError("git-driver merge takes the base, ours, theirs, and the path.")
    old, mine, other, path = arguments
    content: list[bytes] = []
    context = replace(run_context(), write_output=content.append)
    shown = printable(path)
    try:
        base, theirs = (_read(context, name)[0] for name in (old, other))
        ours = statefmt.open(mine, context=context)
        if os.path.getsize(other):  # noqa: PTH202
            refuse_plain_result(ours, statefmt.open(other, context=context))
        if base == Snapshot():
            # Both sides added the file.
            base = structs.replace(base, lineage=ours.lineage)
        with ours.edit(options=EditOptions(operation="merge", out=STANDARD_INPUT)) as edit:
            edit.apply(partial(merged, base=base, theirs=theirs))
        write_over(Path(mine), b"".join(content), links=False)
    except MergeConflictError as error:
        print(conflicts_text(error.conflicts, result_terminal()))
        say(
            f"statetool: {shown}: the state stays as it is on your side. To decide the conflicts, at the top of the "
            f"repository: {_finish(path)}"
        )
        return FOUND
    except (StatetoolError, OSError) as error:
        if isinstance(error, StateError):
            reason = _unreadable(error, mine)
        else:
            reason = error.on_command_line if isinstance(error, StatetoolError) else reason_of(error)
        say(f"statetool: {shown}: not merged, and the state stays as it is on your side: {reason}")
        return FOUND
    return FINE


def unmerged_versions(path: str) -> tuple[str | None, str, str]:
    """Return the names of base, ours and theirs of a path that git left unmerged; without a base, both sides added it.

    Ours is the file itself. Raises StoreError if it is no longer as on our side, or if a side deleted it.
    """
    path = os.path.relpath(path)
    # The object and the stage of each version.
    lines = [line.split() for line in _git(_LITERALLY, "ls-files", "--unmerged", "--", path).splitlines()]
    stages = {words[2]: words[1] for words in lines}
    if "2" not in stages or "3" not in stages:
        raise StoreError(f"{path}: git has no unmerged versions of both sides of this path; see `git status`")
    if _git("hash-object", "--path", path, "--", path) != stages["2"]:
        command = shell_line(["git", "checkout", "--ours", "--", path])
        raise StoreError(f"{path}: the file is not the version of our side; `{command}` restores that")
    return f"git::1:./{path}" if "1" in stages else None, path, f"git::3:./{path}"


def stage(path: str) -> None:
    """Stage a merged file, which ends its conflict. Raises StoreError."""
    _git(_LITERALLY, "add", "--", path)


def refuse_plain_result(ours: State, theirs: State) -> None:
    """Raise StoreError if only their side is encrypted: the merge would be stored as ours is."""
    if theirs.is_encrypted and not ours.is_encrypted:
        raise StoreError("their side is encrypted and ours is not: encrypt ours first, with `statetool encrypt`")


def _finish(path: str) -> str:
    return f"`{shell_line(['statetool', 'merge', '--continue', path, '--theirs', 'SELECTOR'])}`"


def _read(context: RunContext, name: str) -> tuple[Snapshot, int]:
    """Read a snapshot and its format version; an empty snapshot and 0 for a side that does not exist."""
    if name == _NO_FILE or (os.path.isfile(name) and os.path.getsize(name) == 0):  # noqa: PTH113, PTH202
        return Snapshot(), 0
    state = statefmt.open(name, context=context)
    return state.snapshot, state.version


def _is_kept_by_git() -> bool:
    """Return whether git is configured to cache converted text, which `statetool git-config` never does."""
    try:
        return _git("config", "--type=bool", "--get", _NEVER, accepted=(0, 1)) == "true"
    except StoreError:
        return False


def _unreadable(error: StatetoolError, name: str) -> str:
    # Drop the name of git's temporary file.
    reason = error.on_command_line.removeprefix(f"{display_name(name)}: ")
    if isinstance(error, StateError) and error.reasons:
        # Omit the details: they may quote the file.
        first = error.reasons[0]
        reason = _ENCRYPTED if isinstance(error, EncryptedStateError) else first.summary
    return f"(not a readable state: {one_line(reason)})"
