"""Blocks of a configuration file: from bodies to the model.

Sources: OpenTofu `internal/configs`, in `parser_config.go`, `named_values.go`, `provider.go`, `module_call.go`,
`provider_requirements.go`, `resource.go`, `moved.go`, `removed.go` and `import.go`.
What has nothing to do with variables, providers,
instances and addresses is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator

from statefmt import addrs
from statefmt.config.body import Block, Body
from statefmt.config.decode_reader import FileReader, keyword
from statefmt.config.expressions import Bad, Expression, Literal
from statefmt.config.model import (
    ImportBlock,
    Local,
    ModuleCall,
    MovedBlock,
    PassedProvider,
    ProviderBlock,
    RemovedBlock,
    Repetition,
    RequiredProvider,
    ResourceBlock,
    Variable,
)

_PROVIDER_META = ("alias", "version", "for_each")
_PROVIDER_RESERVED = ("count", "depends_on", "source")
_MODULE_META = frozenset(
    {"source", "version", "count", "for_each", "depends_on", "providers", "lifecycle", "locals", "_"}
)


def read_variable(reader: FileReader, block: Block) -> Variable:
    """`variable "name"`."""
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
    """Each value of `locals`."""
    for name in block.body.names():
        argument = block.body.attribute(name)
        if argument is not None:
            reader.name("Invalid local value name", name, argument.name_range)
            yield Local(name, argument.expression, argument.range)


def read_provider(reader: FileReader, block: Block, *, mock: bool = False) -> ProviderBlock:
    """`provider "name"`, or `mock_provider "name"`."""
    body = block.body
    alias = body.attribute("alias")
    for_each = body.attribute("for_each")
    alias_text = reader.text(alias)
    if alias is not None and alias_text is not None and not addrs.is_identifier(alias_text):
        detail = "An alias must be a valid name: letters, digits, underscores and dashes, not beginning with a digit."
        reader.complain("Invalid provider configuration alias", detail, alias.expression.range)
    if for_each is not None and not alias_text and not isinstance(getattr(alias, "expression", None), Bad):
        detail = "The for_each argument is allowed only for provider configurations with an alias."
        reader.complain('Alias required when using "for_each"', detail, for_each.expression.range)
    found = (body.attribute(name) for name in _PROVIDER_RESERVED)
    reserved = tuple(argument for argument in found if argument is not None)
    for argument in reserved:
        detail = f'The provider argument name "{argument.name}" is reserved for use by OpenTofu in a future version.'
        reader.complain("Reserved argument name in provider block", detail, argument.name_range)
    others = [name for name in body.names() if name not in (*_PROVIDER_META, *_PROVIDER_RESERVED)]
    return ProviderBlock(
        name=block.labels[0],
        name_range=block.label_ranges[0],
        range=block.range,
        alias=alias_text or "",
        alias_range=None if alias is None else alias.expression.range,
        for_each=for_each,
        reserved=reserved,
        arguments=() if reader.json else tuple(filter(None, map(body.attribute, others))),
        body_range=block.body_range,
        mock=mock,
    )


def read_required_providers(reader: FileReader, block: Block) -> Iterator[RequiredProvider]:
    """Each entry of `required_providers`, which may be a version only."""
    for name in block.body.names():
        argument = block.body.attribute(name)
        if argument is None:
            continue
        expression = argument.expression
        if isinstance(expression, Literal):
            yield RequiredProvider(name, expression.range)
            continue
        source: Literal | None = None
        aliases: tuple[Expression, ...] = ()
        problem = ("Invalid required_providers object", "required_providers entries must be strings or objects.")
        for item in reader.items(expression, *problem):
            word = keyword(item.key)
            if word == "source" and isinstance(item.value, Literal) and isinstance(item.value.value, str):
                source = item.value
            elif word == "source" and not isinstance(item.value, Bad):
                reader.complain("Invalid source", "Source must be specified as a string.", item.value.range)
            elif word == "configuration_aliases":
                aliases = tuple(map(reader.unquoted, reader.elements(item.value)))
        text = "" if source is None else str(source.value)
        yield RequiredProvider(name, expression.range, text, None if source is None else source.range, aliases)


def read_module_call(reader: FileReader, block: Block) -> ModuleCall:
    """`module "name"`; a block `_` in it has arguments whose names mean something else here."""
    body = block.body
    reader.name("Invalid module instance name", block.labels[0], block.label_ranges[0])
    providers = body.attribute("providers")
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
        providers=None if providers is None else tuple(read_passed(reader, providers.expression)),
        providers_range=None if providers is None else providers.range,
        arguments=arguments,
    )


def read_passed(reader: FileReader, expression: Expression) -> Iterator[PassedProvider]:
    """The entries of a `providers` map."""
    problem = ("Invalid expression", "A static map expression is required.")
    for item in reader.items(expression, *problem):
        child, parent = reader.unquoted(item.key), reader.unquoted(item.value)
        yield PassedProvider(child, parent, item.key.range.to(item.value.range))


def read_resource(reader: FileReader, block: Block, mode: addrs.ResourceMode | None) -> ResourceBlock:
    """`resource`, `data` or `ephemeral`."""
    return ResourceBlock(
        mode=mode,
        type=block.labels[0],
        name=block.labels[1],
        range=block.range,
        type_range=block.label_ranges[0],
        provider=reader.reference(block.body.attribute("provider")),
        repetition=_repetition(block.body),
    )


def _repetition(body: Body) -> Repetition:
    enabled = next((block.body.attribute("enabled") for block in body.blocks("lifecycle")), None)
    return Repetition(body.attribute("count"), body.attribute("for_each"), enabled)


def read_moved(reader: FileReader, block: Block) -> MovedBlock | None:
    """`moved`; None where one of its addresses is missing."""
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
    """`removed`; None where it has no address."""
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
    """`import`; None where it has no address."""
    target = reader.reference(block.body.attribute("to"))
    if target is None:
        return None
    body = block.body
    return ImportBlock(
        target.expression, block.range, body.attribute("for_each"), reader.reference(body.attribute("provider"))
    )
