"""The options --install-completion and --show-completion."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from statefmt.cli.run import run_context

SHELLS: Final = ("bash", "zsh", "fish")
_DETECT: Final = "detect"
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


def _install(shell: str | None) -> None:
    if shell is None:
        return
    environment = run_context().environment
    if shell == _DETECT:
        shell = Path(environment.get("SHELL", "")).name
        if shell not in SHELLS:
            raise typer.BadParameter(
                f"SHELL does not name one of {', '.join(SHELLS)}: add the shell", param_hint="--install-completion"
            )
    path = place(shell, environment)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script(shell), encoding="utf-8")
    typer.echo(f"Completion for {shell} is installed in {path}. It works in new shells.")
    typer.echo(_REMARKS.get(shell, "").format(folder=path.parent), nl=False)
    raise typer.Exit


def _show(shell: str | None) -> None:
    if shell is not None:
        typer.echo(script(shell), nl=False)
        raise typer.Exit


InstallOption = Annotated[
    Literal["bash", "zsh", "fish", "detect"] | None,
    typer.Option(
        "--install-completion",
        metavar="[SHELL]",
        is_eager=True,
        callback=_install,
        help="Install completion for bash, zsh or fish; default: the shell in SHELL.",
    ),
]
ShowOption = Annotated[
    Literal["bash", "zsh", "fish"] | None,
    typer.Option(
        "--show-completion", metavar="SHELL", is_eager=True, callback=_show, help="Print the completion script."
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
