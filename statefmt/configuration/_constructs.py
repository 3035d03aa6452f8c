"""Finds what only some releases support in a configuration, and what no release does.

`constructs.json` gives the first release of each engine that supports a construct; no release has dropped one. Sources
of the names of blocks and arguments: OpenTofu (main branch of August 2026) and Terraform (1.17.0-dev)
`internal/configs`, the variables of type `hcl.BodySchema`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final

import msgspec

from statefmt.configuration._provider_blocks import FileReader
from statefmt.configuration.model import ConstructUse, Declarations
from statefmt.configuration.moves import moved_endpoint
from statefmt.formats.releases import Release, all_releases
from statefmt.hcl.source import Problem, ProblemKind, Range, error
from statefmt.hcl.syntax import Argument, AttributeAccess, Body, Traversal, attributes, references
from statefmt.model.addrs import AbsResourceInstance

# Longer names are not compared with known ones.
_LONGEST_NAME: Final = 40
# Only later releases evaluate this argument.
_LITERAL: Final = "resource.lifecycle.prevent_destroy"
_LIFECYCLE: Final = {"lifecycle": 0}
_CONDITIONS: Final = {"precondition": 0, "postcondition": 0}


class _Form(msgspec.Struct, frozen=True):
    """The arguments of a body and its blocks with their numbers of labels; in an open body, others are allowed, too."""

    arguments: frozenset[str] = frozenset()
    blocks: Mapping[str, int] = {}
    is_open: bool = False


def _form(arguments: str = "", blocks: Mapping[str, int] | None = None, *, is_open: bool = False) -> _Form:
    return _Form(frozenset(arguments.split()), blocks or {}, is_open)


# By the types of the blocks, outer ones first. Blocks that are not listed have no form that is checked here.
_FORMS: Final[Mapping[str, _Form]] = {
    "": _form(blocks={
        "terraform": 0, "language": 0, "required_providers": 0, "provider": 1, "variable": 1, "locals": 0, "output": 1,
        "module": 1, "resource": 2, "data": 2, "ephemeral": 2, "action": 2, "moved": 0, "removed": 0, "import": 0,
        "check": 1,
    }),
    "terraform": _form("required_version experiments language", {
        "backend": 1, "cloud": 0, "required_providers": 0, "provider_meta": 1, "encryption": 0, "state_store": 1,
    }),
    "language": _form("edition experiments", {"compatible_with": 0}),
    "provider": _form(is_open=True),
    "variable": _form(
        "description default type sensitive ephemeral const deprecated nullable", {"validation": 0}
    ),
    "output": _form("description value depends_on sensitive ephemeral deprecated type", _CONDITIONS),
    "module": _form(blocks=_LIFECYCLE, is_open=True),
    "module.lifecycle": _form("enabled"),
    "resource": _form(blocks=_LIFECYCLE, is_open=True),
    "resource.lifecycle": _form(
        "create_before_destroy prevent_destroy destroy ignore_changes replace_triggered_by enabled",
        {**_CONDITIONS, "action_trigger": 0},
    ),
    "resource.lifecycle.action_trigger": _form("events condition actions on_failure"),
    "action": _form("count for_each provider", {"config": 0}),
    "moved": _form("from to"),
    "removed": _form("from", {**_LIFECYCLE, "connection": 0, "provisioner": 1}),
    "removed.lifecycle": _form("destroy"),
    "import": _form("to id identity provider for_each"),
    "check": _form(blocks={"data": 2, "assert": 0}),
}  # fmt: skip
_SAME_FORM: Final = {"data": "resource", "ephemeral": "resource"}


class Construct(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of the configuration language; `opentofu` and `terraform` are the first releases with it, None if none.

    `name` is the path of a block type or argument (`removed.lifecycle`), or says what it is. `title` is for messages.
    """

    name: str
    title: str
    opentofu: str | None
    terraform: str | None
    source: str

    def is_supported(self, release: Release) -> bool:
        first = self.opentofu if release.engine == "opentofu" else self.terraform
        return first is not None and release.version >= tuple(map(int, first.split(".")))

    @property
    def support(self) -> str:
        """The releases that support it, as a sentence; empty if there is none."""
        engines = (("OpenTofu", self.opentofu), ("Terraform", self.terraform))
        first = [f"{engine} {version}" for engine, version in engines if version is not None]
        return f"Supported since {' and '.join(first)}." if first else ""


@cache
def constructs() -> Mapping[str, Construct]:
    """Return the constructs by name."""
    # Imported here, because most runs read no configuration.
    from importlib.resources import files

    content = files("statefmt.configuration").joinpath("constructs.json").read_bytes()
    table = msgspec.json.decode(content, type=dict[str, tuple[Construct, ...]])
    return {construct.name: construct for construct in table["constructs"]}


def read_constructs(reader: FileReader, body: Body, path: str = "") -> Iterator[ConstructUse]:
    """Yield the constructs in the blocks and arguments of a file; report unknown ones."""
    form = _FORMS[path]
    for name in body.names():
        full, is_known = _full(path, name), name in form.arguments or form.is_open
        if name in form.blocks or (is_known and full not in constructs() and full != _LITERAL):
            continue
        argument = body.attribute(name)
        if argument is None:
            continue
        if not is_known:
            # In JSON, it may be either.
            known = {*form.arguments, *(form.blocks if reader.json else ())}
            _unknown(reader, "argument", name, argument.name_range, known)
        elif full != _LITERAL:
            yield ConstructUse(full, argument.name_range)
        elif _refers(argument):
            yield ConstructUse("prevent_destroy with references", argument.range)
    for type_, place in body.block_types().items():
        if not form.is_open and type_ not in form.blocks:
            _unknown(reader, "block type", type_, place, form.blocks)
    for type_, labels in form.blocks.items():
        for block in body.blocks(type_, labels):
            full = _full(path, type_)
            if full in constructs():
                yield ConstructUse(full, block.type_range)
            inner = _SAME_FORM.get(full, full)
            if inner in _FORMS:
                yield from read_constructs(reader, block.body, inner)
            elif inner == "terraform.backend" and any(map(_refers, attributes(block.body))):
                yield ConstructUse("backend with references", block.range)


def _full(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _refers(argument: Argument) -> bool:
    return next(references(argument.expression), None) is not None


def _unknown(reader: FileReader, what: str, name: str, place: Range, known: Iterable[str]) -> None:
    if reader.is_broken:
        return
    # Imported here, because few configurations have unknown names.
    from difflib import get_close_matches

    near = get_close_matches(name[:_LONGEST_NAME], known, n=1, cutoff=0.8)
    hint = f' Did you mean "{near[0]}"?' if near else ""
    if reader.json:
        detail = f'No argument or block type is named "{name}".{hint}'
        reader.complain("Extraneous JSON object property", detail, place)
    else:
        subject = f'Blocks of type "{name}" are' if what == "block type" else f'An argument named "{name}" is'
        reader.complain(f"Unsupported {what}", f"{subject} not expected here.{hint}", place)


def unsupported(declared: Declarations, release: Release | None, admitted: Sequence[Release]) -> Iterator[Problem]:
    """Yield the constructs of a module that `release` does not support; without it, none of the releases `admitted`."""
    for use in (*declared.constructs, *_derived(declared)):
        construct = constructs()[use.construct]
        if construct.opentofu is None and construct.terraform is None:
            why = f"statetool knows no release that supports {construct.title}."
        elif release is not None and not construct.is_supported(release):
            why = f"{release.title} does not support {construct.title}."
        elif release is None and admitted and not any(map(construct.is_supported, (*admitted, *_unlimited()))):
            why = f"No release that `required_version` admits supports {construct.title}."
        else:
            continue
        detail = f"{why} {construct.support}".rstrip()
        yield error(ProblemKind.RELEASE, "Not supported by the release", detail, use.range)


def _unlimited() -> Iterator[Release]:
    """Yield the releases of OpenTofu that ignore `required_version` in `.tf` files: 1.12 and later.

    Source: OpenTofu v1.12.0, `internal/configs/diagnostics.go` (checkVersionRequirements).
    """
    return (each for each in all_releases() if each.engine == "opentofu" and each.version >= (1, 12))


def _derived(declared: Declarations) -> Iterator[ConstructUse]:
    """Yield the constructs that no single block or argument of a file shows."""
    for use in declared.uses:
        if use.is_function:
            name = "function of a provider with an alias" if use.local.alias else "provider function"
            yield ConstructUse(name, use.range)
    constant = {name for name, variable in declared.variables.items() if variable.const}
    for call in declared.calls.values():
        for argument in filter(None, (call.source, call.version)):
            found = list(references(argument.expression))
            if any(_variable(reference) not in ("", *constant) for reference in found):
                yield ConstructUse("module source with a variable that is not const", argument.range)
            elif found:
                yield ConstructUse("module source with references", argument.range)
    for moved in declared.moved:
        ends = (moved_endpoint(moved.source), moved_endpoint(moved.target))
        if len({end.resource.resource.type for end in ends if isinstance(end, AbsResourceInstance)}) > 1:
            yield ConstructUse("move to another type", moved.range)


def _variable(reference: Traversal) -> str:
    """Return the name of the input variable that a reference names, else an empty string."""
    step = reference.steps[0] if reference.steps else None
    return step.name if reference.root == "var" and isinstance(step, AttributeAccess) else ""
