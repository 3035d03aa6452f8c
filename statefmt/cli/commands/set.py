"""`statetool set` and `unset`: set and unset attributes of instances."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

from typer import Argument, BadParameter, Option

from statefmt import SurgeryError
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.options.configuration import SchemasOption, provider_schemas
from statefmt.cli.run import command_line, run_context
from statefmt.cli.surgery import SurgeryOptions, carry_out, surgery_options
from statefmt.operations import Assignment, assignment, parse_assignment, set as set_attributes, unset


@examples(
    ("Set a string; the value is JSON.", "statetool set aws_instance.web 'tags.env=\"prod\"'"),
    ("Set a number in a list.", "statetool set aws_lb.main 'ports[0]=443'"),
    (
        "Set the schema version, if the attributes fit it.",
        "statetool set acme_user.u --schema-version 1 --schemas schemas.json",
    ),
    ("Set a secret from the environment.", "statetool set aws_db_instance.main --from-env password=DB_PASSWORD_JSON"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(options=surgery_options)
def set_command(
    selector: Annotated[str, Argument(metavar="SELECTOR", help="The instances, by address or pattern.")],
    assignments: Annotated[
        list[str] | None, Argument(metavar="[PATH=JSON]...", help="What to set: 'tags.env=\"prod\"', 'ports[0]=443'.")
    ] = None,
    from_file: Annotated[
        list[str] | None, Option("--from-file", metavar="PATH=FILE", help="Set the JSON value in FILE; for secrets.")
    ] = None,
    from_env: Annotated[
        list[str] | None,
        Option("--from-env", metavar="PATH=NAME", help="Set the JSON value in an environment variable."),
    ] = None,
    force_type: Annotated[
        bool, Option("--force-type", help="Allow a value of another type than the current one.")
    ] = False,
    schema_version: Annotated[
        int | None, Option("--schema-version", metavar="N", help="Set the schema version of all selected objects.")
    ] = None,
    schemas: SchemasOption = None,
    *,
    options: SurgeryOptions,
) -> int:
    """Set attributes of instances; everything else keeps its bytes.

    The attributes must already have a value. Sensitive ones can only be set from a file or the environment, where no
    other user sees the value. With --schemas, a value that does not fit the type of the attribute is refused.

    --schema-version is for a provider that lowered the number: no attribute changes. With --schemas, objects whose
    attributes do not fit that version are listed and refused.
    """
    shown = [parse_assignment(text) for text in assignments or ()]
    secret = [_from_file(text) for text in from_file or ()] + [_from_environment(text) for text in from_env or ()]
    if not shown and not secret and schema_version is None:
        raise BadParameter("nothing to set; give at least one, or --schema-version", param_hint="PATH=JSON")

    by_type = provider_schemas(schemas)
    operation = partial(
        set_attributes,
        chosen=selector,
        shown=shown,
        secret=secret,
        schema_version=schema_version,
        force_type=force_type,
        schemas=by_type,
    )
    hidden = {text: f"{one.path}=…" for text, one in zip(assignments or (), shown, strict=True)}
    # Nobody else may see the values, which the history would keep.
    options = options._replace(write=replace(options.write, command=command_line(hidden)))
    return carry_out("set", operation, options, asks=True, schemas=by_type)


def _from_file(text: str) -> Assignment:
    path, name = _parted(text, "--from-file")
    return assignment(path, run_context().read(str(Path(name))).decode("utf-8", "replace"))


def _from_environment(text: str) -> Assignment:
    path, name = _parted(text, "--from-env")
    environment = run_context().environment
    if name not in environment:
        raise SurgeryError(f"{path}: no such environment variable: {name}")
    return assignment(path, environment[name])


def _parted(text: str, option: str) -> tuple[str, str]:
    path, equals, name = text.rpartition("=")
    if not equals or not path or not name:
        raise BadParameter("must be PATH=NAME", param_hint=option)
    return path.strip(), name


@examples(
    ("Remove a tag.", "statetool unset aws_instance.web tags.env"),
    ("Set an attribute to null, after a look at the changes.", "statetool unset --dry-run aws_instance.web user_data"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(options=surgery_options)
def unset_command(
    selector: Annotated[str, Argument(metavar="SELECTOR", help="The instances, by address or pattern.")],
    paths: Annotated[list[str], Argument(metavar="PATH...", help="What to unset: tags.env.")],
    *,
    options: SurgeryOptions,
) -> int:
    """Unset attributes of instances: set them to null, or remove them from a map.

    Everything else keeps its bytes.
    """
    operation = partial(unset, chosen=selector, paths=paths)
    return carry_out("unset", operation, options, asks=True)
