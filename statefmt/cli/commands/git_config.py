"""`statetool git-config`: enables or disables statetool as git's diff driver for states."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Final

from typer import BadParameter, Option

from statefmt import StoreError
from statefmt.cli.exit_status import FINE
from statefmt.cli.git_attributes import edit_attributes
from statefmt.cli.options.takes import declared
from statefmt.cli.usage_error import UsageError
from statefmt.text import printable

_SETTINGS: Final = {"diff.statetool.command": "git-driver diff", "diff.statetool.textconv": "git-driver textconv"}
# With this setting, git would cache the converted text, and so write the content of encrypted states to disk.
_NEVER: Final = "diff.statetool.cachetextconv"
_CACHE: Final = "refs/notes/textconv/statetool"
# The exit status of `git config --unset-all` for a missing setting.
_NOT_SET: Final = 5


@declared(
    paged=False,
    decrypts=False,
    connects=False,
    examples=(
        ("Make git compare the states of this repository with statetool.", "statetool git-config --enable"),
        ("Do so for everyone who enables it.", "statetool git-config --enable --shared"),
        ("Go back to line-by-line comparison.", "statetool git-config --disable"),
    ),
)
def git_config_command(
    enable: Annotated[
        bool | None, Option("--enable/--disable", show_default=False, help="Enable or disable the comparison.")
    ] = None,
    is_global: Annotated[bool, Option("--global", help="Apply to all repositories of this user.")] = False,
    shared: Annotated[
        bool, Option("--shared", help="Name the driver in .gitattributes, to be committed, instead of in .git/info.")
    ] = False,
) -> int:
    """Make `git diff`, `git show` and `git log -p` compare states (*.tfstate) with statetool.

    `git diff` then prints the output of `statetool diff`; `git log -p` compares states converted to text. Neither shows
    sensitive values. Each user has to enable it.
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
    _git("config", scope, "--unset-all", _NEVER, accepted=(0, _NOT_SET))
    if not is_global:
        _git("update-ref", "-d", _CACHE)
    changed = [path for path in files if edit_attributes(path, enable=enable, links=is_global)]
    where = "for all repositories of this user" if is_global else "in this repository"
    print(f"git {'compares' if enable else 'no longer compares'} *.tfstate with statetool {where}")
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
