"""`statetool schemas`: prints the schemas of the providers of a configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from statefmt import StoreError
from statefmt.cli.command import declared
from statefmt.cli.options.configuration import no_directory
from statefmt.cli.options.shared import CONFIGURATION
from statefmt.cli.outcome import FINE
from statefmt.cli.run import run_context
from statefmt.cli.streams import write_result


@declared(
    paged=False,
    decrypts=False,
    connects=False,
    examples=(
        ("Collect the schemas of the providers in this directory.", "statetool schemas --run > schemas.json"),
        ("Print them again later, without running anything.", "statetool schemas > schemas.json"),
        ("Check a state against them.", "statetool check --schemas schemas.json"),
    ),
)
def schemas_command(
    config: Annotated[
        str | None,
        Option(
            "--config",
            metavar="DIR",
            help="The directory whose providers are asked; by default the current one.",
            rich_help_panel=CONFIGURATION,
        ),
    ] = None,
    run: Annotated[
        bool,
        Option(
            "--run", help="Run tofu or terraform in the directory, which runs its providers, to collect the schemas."
        ),
    ] = False,
) -> int:
    """Print the schemas of a configuration's providers, as `tofu providers schema -json` does.

    Collecting schemas runs the provider programs that `init` has installed in the directory, so it needs --run. The
    result is cached by the hashes in `.terraform.lock.hcl`; without --run, the command prints what is cached.
    """
    from statefmt.provider_schemas import SchemaSource, read_provider_schemas

    directory = "." if config is None else config
    if not Path(directory).is_dir():
        raise no_directory(directory)
    source = SchemaSource(Path(directory), run_context().environment)
    found = source.collect(read_provider_schemas) if run else source.cached()
    if found is None:
        raise StoreError(
            f"{directory}: no schemas are cached for the providers of this directory; "
            "--run collects them, which runs the provider programs in it"
        )
    write_result(found)
    return FINE
