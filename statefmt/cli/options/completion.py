"""The options --install-completion and --show-completion."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click

from statefmt.cli.run import run_context

SHELLS: Final = ("bash", "zsh", "fish")
_DETECT: Final = "detect"


def completion_options() -> list[click.Option]:
    """Return the two options, which take the name of a shell."""
    shells = click.Choice(SHELLS)
    return [
        click.Option(
            ["--install-completion"],
            type=click.Choice([*SHELLS, _DETECT]),
            is_flag=False,
            flag_value=_DETECT,
            metavar="[SHELL]",
            expose_value=False,
            is_eager=True,
            callback=_install,
            help="Install completion for bash, zsh or fish; default: the shell in SHELL.",
        ),
        click.Option(
            ["--show-completion"],
            type=shells,
            metavar="SHELL",
            expose_value=False,
            is_eager=True,
            callback=_show,
            help="Print the completion script.",
        ),
    ]


def script(shell: str) -> str:
    """Return the completion script of a shell."""
    return (Path(__file__).parent / "completion_scripts" / f"statetool.{shell}").read_text(encoding="utf-8")


def place(shell: str, environment: Mapping[str, str]) -> Path:
    """Return the file from which a shell loads completions of statetool by itself."""
    home = Path(environment.get("HOME") or Path.home())
    data = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share")
    if shell == "bash":
        return data / "bash-completion" / "completions" / "statetool"
    if shell == "fish":
        return Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "fish" / "completions" / "statetool.fish"
    return data / "zsh" / "site-functions" / "_statetool"


def _install(context: click.Context, _: click.Parameter, shell: str | None) -> None:
    if shell is None or context.resilient_parsing:
        return
    environment = run_context().environment
    if shell == _DETECT:
        shell = Path(environment.get("SHELL", "")).name
    if shell not in SHELLS:
        raise click.BadParameter(
            f"SHELL does not name one of {', '.join(SHELLS)}: add the shell", context, param_hint="--install-completion"
        )
    path = place(shell, environment)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script(shell), encoding="utf-8")
    click.echo(f"Completion for {shell} is installed in {path}. It works in new shells.")
    click.echo(_REMARKS.get(shell, "").format(folder=path.parent), nl=False)
    context.exit()


_REMARKS: Final = {
    "bash": (
        "It needs the package bash-completion. Without that, add this line to ~/.bashrc:\n"
        '  eval "$(statetool --show-completion bash)"\n'
    ),
    "zsh": (
        "If your ~/.zshrc does not have these lines, add them:\n"
        "  fpath=({folder} $fpath)\n  autoload -Uz compinit && compinit\n"
    ),
}


def _show(context: click.Context, _: click.Parameter, shell: str | None) -> None:
    if shell is None or context.resilient_parsing:
        return
    click.echo(script(shell), nl=False)
    context.exit()
