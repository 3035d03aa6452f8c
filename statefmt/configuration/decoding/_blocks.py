"""Decodes the blocks of a configuration file.

Arguments that do not concern variables, providers, instances or addresses are ignored. Sources: OpenTofu
`internal/configs`, in `parser_config.go`, `named_values.go`, `module_call.go`, `depends_on.go`, `resource.go`,
`moved.go`, `removed.go` and `import.go`.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from statefmt.configuration.decoding._providers import read_passed
from statefmt.configuration.decoding.reader import FileReader
from statefmt.configuration.model import (
    ImportBlock,
    Local,
    ModuleCall,
    MovedBlock,
    ProviderUse,
    RemovedBlock,
    Repetition,
    ResourceBlock,
    Variable,
)
from statefmt.hcl.syntax.body import Argument, Block, Body
from statefmt.model import addrs

_MODULE_META = frozenset(
    {"source", "version", "count", "for_each", "depends_on", "providers", "lifecycle", "locals", "provider", "_"}
)


def read_variable(reader: FileReader, block: Block) -> Variable:
    """Decode a `variable "name"` block."""
    body = block.body
    reader.name("Invalid variable name", block.labels[0], block.label_ranges[0])
    default = body.attribute("default", literal=True)
    const = body.attribute("const")
    return Variable(
        name=block.labels[0],
        range=block.range,
        type=reader.type_expression(body.attribute("type")),
        default=None if default is None else default.expression,
        sensitive=reader.truth(block, "sensitive", False),
        ephemeral=reader.truth(block, "ephemeral", False),
        nullable=reader.truth(block, "nullable", True),
        const=None if const is None else reader.truth(block, "const", False),
    )


def read_locals(reader: FileReader, block: Block) -> Iterator[Local]:
    """Decode each value of a `locals` block."""
    for name in block.body.names():
        argument = block.body.attribute(name)
        if argument is not None:
            reader.name("Invalid local value name", name, argument.name_range)
            yield Local(name, argument.expression, argument.range)


def read_module_call(reader: FileReader, block: Block) -> ModuleCall:
    """Decode a `module "name"` block; a nested `_` block escapes arguments that are named like meta-arguments."""
    body = block.body
    reader.name("Invalid module instance name", block.labels[0], block.label_ranges[0])
    providers = body.attribute("providers")
    depends_on = body.attribute("depends_on")
    for reserved in (*body.blocks("locals"), *body.blocks("provider", 1)):
        detail = f'The block type name "{reserved.type}" is reserved for use by OpenTofu in a future version.'
        reader.complain("Reserved block type name in module block", detail, reserved.type_range)
    arguments = {name: argument for name in body.names() if (argument := body.attribute(name)) is not None}
    arguments = {name: argument for name, argument in arguments.items() if name not in _MODULE_META}
    for escape in body.blocks("_"):
        names = escape.body.names()
        arguments |= {name: argument for name in names if (argument := escape.body.attribute(name)) is not None}
    return ModuleCall(
        name=block.labels[0],
        range=block.range,
        source=body.attribute("source"),
        version=body.attribute("version"),
        repetition=_repetition(body),
        depends_on=()
        if depends_on is None
        else tuple(map(reader.without_quotes, reader.elements(depends_on.expression))),
        providers=None if providers is None else tuple(read_passed(reader, providers.expression)),
        providers_range=None if providers is None else providers.range,
        arguments=arguments,
    )


def read_resource(reader: FileReader, block: Block, mode: addrs.ResourceMode) -> ResourceBlock:
    """Decode a `resource`, `data` or `ephemeral` block."""
    return ResourceBlock(
        mode=mode,
        type=block.labels[0],
        name=block.labels[1],
        range=block.range,
        type_range=block.label_ranges[0],
        provider=_provider(reader, block.body),
        repetition=_repetition(block.body),
    )


def read_use(reader: FileReader, block: Block) -> ProviderUse:
    """Decode an `action` or `list` block. Source: Terraform `internal/configs/action.go`, `query_file.go`."""
    type_, name = block.labels
    local = addrs.LocalProviderConfig(type_.partition("_")[0])
    return ProviderUse(f"{block.type}.{type_}.{name}", block.range, local, _provider(reader, block.body))


def _provider(reader: FileReader, body: Body) -> Argument | None:
    argument = body.attribute("provider")
    if argument is None:
        return None
    return msgspec.structs.replace(argument, expression=reader.without_quotes(argument.expression))


def _repetition(body: Body) -> Repetition:
    enabled = next((block.body.attribute("enabled") for block in body.blocks("lifecycle")), None)
    return Repetition(body.attribute("count"), body.attribute("for_each"), enabled)


def read_moved(reader: FileReader, block: Block) -> MovedBlock | None:
    """Decode a `moved` block; return None if one of its addresses is missing."""
    source = reader.reference(block.body.attribute("from"))
    target = reader.reference(block.body.attribute("to"))
    if source is None or target is None:
        missing = "from" if source is None else "to"
        reader.complain(
            "Missing required argument",
            f'The argument "{missing}" is required, but no definition was found.',
            block.range,
        )
        return None
    return MovedBlock(source.expression, target.expression, block.range)


def read_removed(reader: FileReader, block: Block) -> RemovedBlock | None:
    """Decode a `removed` block; return None if it has no address."""
    source = reader.reference(block.body.attribute("from"))
    if source is None:
        detail = 'The argument "from" is required, but no definition was found.'
        reader.complain("Missing required argument", detail, block.range)
        return None
    destroy: bool | None = None
    for lifecycle in block.body.blocks("lifecycle"):
        if "destroy" in lifecycle.body.names():
            destroy = reader.truth(lifecycle, "destroy", False)
    return RemovedBlock(source.expression, block.range, destroy)


def read_import(reader: FileReader, block: Block) -> ImportBlock | None:
    """Decode an `import` block; return None if it has no address."""
    target = reader.reference(block.body.attribute("to"))
    if target is None:
        return None
    body = block.body
    return ImportBlock(target.expression, block.range, body.attribute("for_each"), _provider(reader, body))
