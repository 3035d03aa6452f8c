"""Decodes provider blocks, provider requirements, and the providers passed to modules.

`FileReader` reads the arguments of all blocks that must be literals or references, and reports invalid ones.
Sources: OpenTofu `internal/configs`, in `provider.go`, `provider_requirements.go`, `module_call.go` and
`version_constraint.go`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from statefmt.configuration.model import PassedProvider, ProviderBlock, ProviderUse, RequiredProvider
from statefmt.configuration.provider_reference import ProviderReference, local_name_problem, read_provider_reference
from statefmt.golang import loads_exact
from statefmt.hcl.source import Problem, ProblemKind, Range, SourceText, error, warning
from statefmt.hcl.syntax import (
    Argument,
    AttributeAccess,
    Bad,
    Block,
    Body,
    Expression,
    ForExpression,
    Literal,
    ObjectExpression,
    ObjectItem,
    TemplateWrap,
    Traversal,
    TupleExpression,
    as_keyword,
    as_traversal,
    attributes,
    references,
)
from statefmt.hcl.syntax.native import read_expression
from statefmt.model.addrs import LocalProviderConfig
from statefmt.model.addrs.provider import parse_provider_source
from statefmt.model.addrs.traversal import is_identifier
from statefmt.model.errors import AddressError
from statefmt.model.snapshot import normalise_version

_PART: Final = re.compile(r"\s*+(?:!=|>=|<=|~>|=|>|<|)\s*+(?P<version>\S++)\s*+", re.ASCII)


_META: Final = frozenset({"alias", "version", "for_each"})
_RESERVED: Final = ("count", "depends_on", "source")
_ESCAPE: Final = "_"
_RESERVED_BLOCKS: Final = ("lifecycle", "locals")
_NOT_THE_PROVIDERS: Final = _META.union(_RESERVED, _RESERVED_BLOCKS, (_ESCAPE,))
_ALIASES: Final = "Invalid configuration_aliases value"
_VERSION: Final = "Invalid version constraint"


def read_provider(reader: FileReader, block: Block, *, mock: bool = False) -> ProviderBlock:
    """Decode a `provider "name"` or `mock_provider "name"` block."""
    body = block.body
    alias = body.attribute("alias")
    for_each = body.attribute("for_each")
    alias_text = reader.text(alias)
    if alias is not None and alias_text is not None and not is_identifier(alias_text):
        what = "mock provider" if mock else "provider"
        detail = "An alias must be a valid name: letters, digits, underscores and dashes, not beginning with a digit."
        reader.complain(f"Invalid {what} configuration alias", detail, alias.expression.range)
    if for_each is not None and not alias_text and not isinstance(getattr(alias, "expression", None), Bad):
        detail = "The for_each argument is allowed only for provider configurations with an alias."
        reader.complain(
            'Alias required when using "for_each"', detail, for_each.expression.range, ProblemKind.PROVIDER_BLOCK
        )
    found = (body.attribute(name) for name in _RESERVED)
    reserved = () if mock else tuple(argument for argument in found if argument is not None)
    for argument in reserved:
        detail = f'The provider argument name "{argument.name}" is reserved for use by OpenTofu in a future version.'
        reader.complain(
            "Reserved argument name in provider block", detail, argument.name_range, ProblemKind.PROVIDER_BLOCK
        )
    if not mock:
        _check_blocks(reader, body)
        _check_version(reader, body.attribute("version"))
    return ProviderBlock(
        name=block.labels[0],
        name_range=block.label_ranges[0],
        range=block.range,
        alias=alias_text or "",
        for_each=for_each,
        for_each_text="" if for_each is None else reader.written(for_each.expression),
        reserved=reserved,
        is_empty=_is_empty(body),
        mock=mock,
        settings=() if mock else tuple(_settings(body)),
    )


def _settings(body: Body, path: str = "") -> Iterator[tuple[str, Expression | None]]:
    """Yield the arguments for the provider with their paths; in an escaping block, these begin with `_.`."""
    skipped = frozenset() if path else _NOT_THE_PROVIDERS | {"version"}
    for name in body.names():
        argument = None if name in skipped else body.attribute(name)
        if argument is not None:
            yield f"{path}{name}", argument.expression
    for type_ in body.block_types():
        if type_ == _ESCAPE and not path:
            for block in body.blocks(type_)[:1]:
                yield from _settings(block.body, "_.")
        elif type_ == "dynamic":
            yield from _generated(body, path)
        elif type_ not in _RESERVED_BLOCKS:
            for number, block in enumerate(body.blocks(type_)):
                yield from _settings(block.body, f"{path}{type_}[{number}].")


def _generated(body: Body, path: str) -> Iterator[tuple[str, Expression | None]]:
    """Yield the arguments of `dynamic` blocks as loops, with `[*]` in their paths; None for those not read."""
    found = body.blocks("dynamic", 1)
    types = [*(block.labels[0] for block in found), *body.block_types()]
    for block in found:
        [type_] = block.labels
        each, contents = block.body.attribute("for_each"), block.body.blocks("content")
        is_plain = not path and types.count(type_) == 1 and block.body.attribute("iterator") is None
        if each is None or len(contents) != 1 or contents[0].body.block_types() or not is_plain:
            yield f"{path}dynamic", None
            continue
        for name in contents[0].body.names():
            argument = contents[0].body.attribute(name)
            if argument is not None:
                yield f"{type_}[*].{name}", _loop(each.expression, type_, argument.expression)


def _loop(collection: Expression, iterator: str, value: Expression) -> Expression:
    """Return a loop over a collection that gives a list of one value for each of its elements."""
    place = value.range
    # Names that nobody can write.
    names = {name: f"{name} of {iterator}" for name in ("key", "value")}
    item = ObjectExpression(
        tuple(
            ObjectItem(Literal(name, place), Traversal(bound, place, (), place), bare=False)
            for name, bound in names.items()
        ),
        place,
    )
    inside = ForExpression("", iterator, TupleExpression((item,), place), None, value, None, False, place)
    return ForExpression(names["key"], names["value"], collection, None, inside, None, False, place)


def _is_empty(body: Body) -> bool:
    """Return whether the block is empty apart from OpenTofu's own arguments."""
    names = {*body.names(), *body.block_types()}
    escaped = (name for block in body.blocks(_ESCAPE) for name in (*block.body.names(), *block.body.block_types()))
    return names <= _NOT_THE_PROVIDERS and "version" not in names and next(escaped, None) is None


def _check_blocks(reader: FileReader, body: Body) -> None:
    for again in body.blocks(_ESCAPE)[1:]:
        detail = 'Only one "_" block is allowed. It contains arguments that are passed to the provider.'
        reader.complain("Duplicate escaping block", detail, again.range)
    for type_ in _RESERVED_BLOCKS:
        for block in body.blocks(type_):
            detail = f'The block type name "{type_}" is reserved for use by OpenTofu in a future version.'
            reader.complain("Reserved block type name in provider block", detail, block.type_range)


def _check_version(reader: FileReader, version: Argument | None) -> None:
    if version is None:
        return
    place = version.expression.range
    detail = "A future version of OpenTofu will refuse them. Set the version in required_providers instead."
    reader.warn("Version constraints inside provider configuration blocks are deprecated", detail, place)
    _check_range_of_versions(reader, version.expression)
    for reference in references(version.expression):
        reader.complain("Variables not allowed", "A version must be a literal string.", reference.root_range)


def _check_range_of_versions(reader: FileReader, expression: Expression) -> None:
    """Complain if a literal string is not a version constraint."""
    text = expression.value if isinstance(expression, Literal) else None
    if isinstance(text, str) and not is_range_of_versions(text):
        detail = f'"{text}" is not a valid version constraint, such as `~> 5.0` or `>= 1.2, < 2.0`.'
        reader.complain(_VERSION, detail, expression.range)


def read_required_providers(reader: FileReader, block: Block) -> Iterator[RequiredProvider]:
    """Decode each entry of `required_providers`; an entry may be just a version."""
    for argument in attributes(block.body):
        name, expression = argument.name, argument.expression
        wrong = local_name_problem(name, expression.range, any_form=isinstance(expression, Literal))
        if isinstance(expression, Literal):
            _check_range_of_versions(reader, expression)
            if wrong is not None:
                reader.complain("Invalid provider name", wrong.detail, expression.range)
            yield RequiredProvider(name, expression.range)
        elif wrong is not None:
            reader.problems.append(wrong)
        else:
            yield _required(reader, name, expression)


def _required(reader: FileReader, name: str, expression: Expression) -> RequiredProvider:
    source = ""
    aliases: tuple[Expression, ...] = ()
    problem = ("Invalid required_providers object", "required_providers entries must be strings or objects.")
    for item in reader.items(expression, *problem):
        word, value = keyword(item.key), item.value
        text = value.value if isinstance(value, Literal) else None
        if word == "source" and isinstance(text, str):
            source = text
            try:
                parse_provider_source(text)
            except AddressError as refused:
                reader.complain(refused.summary, refused.detail, value.range)
        elif word == "source" and not isinstance(value, Bad):
            reader.complain("Invalid source", "Source must be specified as a string.", value.range)
        elif word == "version" and not isinstance(value, Bad):
            if isinstance(text, str):
                _check_range_of_versions(reader, value)
            else:
                reader.complain(_VERSION, "Version must be specified as a string.", value.range)
        elif word == "configuration_aliases":
            elements = reader.elements(value)
            given = tuple(map(reader.unquoted, elements)) if reader.json else elements
            aliases = tuple(alias for alias in given if _is_alias(reader, name, alias, value))
        elif word not in ("source", "version"):
            detail = "A required_providers object can only contain source, version and configuration_aliases."
            reader.complain("Invalid required_providers object", detail, item.key.range)
            break
    return RequiredProvider(name, expression.range, source, aliases)


def _is_alias(reader: FileReader, name: str, expression: Expression, whole: Expression) -> bool:
    """Return whether an element of `configuration_aliases` is a valid name, such as `aws.west` in the entry `aws`."""
    traversal = as_traversal(expression)
    if traversal is None:
        if not isinstance(expression, Bad):
            detail = "A single static reference is required: the name of the provider, a period and an alias."
            reader.complain("Invalid expression", detail, expression.range)
        return False
    if traversal.steps and not isinstance(traversal.steps[0], AttributeAccess):
        detail = "Each element must be the name of the provider, a period and an alias."
    elif traversal.root != name:
        detail = f'Each element must begin with the provider name. Expected "{name}", but found "{traversal.root}".'
    else:
        return True
    reader.complain(_ALIASES, detail, whole.range)
    return False


def read_functions(reader: FileReader, body: Body) -> Iterator[ProviderUse]:
    """Yield the calls of functions of providers: `provider::aws::arn_parse(…)`, with an alias after the name.

    Source: OpenTofu `internal/addrs/provider_function.go`.
    """
    if b"provider::" not in reader.source.content:
        return
    # Encryption is set up before providers, and the text of its block may be a passphrase.
    encryption = {
        place
        for terraform in body.blocks("terraform")
        for block in terraform.body.blocks("encryption")
        for _, place in block.body.functions()
    }
    for name, place in body.functions():
        if place in encryption:
            continue
        namespace, *path = name.split("::")
        # The functions of `terraform` are part of every release.
        if namespace == "provider" and len(path) in (2, 3) and path[0] != "terraform":
            local = LocalProviderConfig(path[0], path[1] if len(path) == 3 else "")
            yield ProviderUse(name, place, local, is_function=True)


def read_passed(reader: FileReader, expression: Expression) -> Iterator[PassedProvider]:
    """Yield the entries of a `providers` map; only the first of several for the same name in the module."""
    problem = ("Invalid expression", "A static map expression is required.")
    seen: dict[str, PassedProvider] = {}
    for item in reader.items(expression, *problem):
        child, parent = reader.without_quotes(item.key), reader.without_quotes(item.value)
        pair = PassedProvider(child, parent, item.key.range.to(item.value.range))
        name = read_provider_reference(child, "providers")
        taken = isinstance(read_provider_reference(parent, "providers"), ProviderReference)
        if isinstance(name, ProviderReference) and taken:
            first = seen.setdefault(str(name.local), pair)
            if first is not pair:
                detail = f"{name.local} was already passed at {first.range}."
                reader.complain("Duplicate provider address", detail, item.value.range)
                continue
        yield pair


def is_range_of_versions(text: str) -> bool:
    """Return whether a string is a version constraint."""
    found = (_PART.fullmatch(part) for part in text.split(","))
    return all(part is not None and normalise_version(part["version"]) is not None for part in found)


_REFERENCE = re.compile(r"\s*[\w-]+\s*(?:[.\[]|$)")


class FileReader:
    """Reads the arguments of one file, with access to its source and its list of problems.

    If `is_broken`, the file has syntax errors, so that names in it may be parts of something else.
    """

    def __init__(self, source: SourceText, problems: list[Problem], *, json: bool, is_broken: bool = False) -> None:
        self.source = source
        self.problems = problems
        self.json = json
        self.is_broken = is_broken

    def complain(self, summary: str, detail: str, place: Range | None, kind: ProblemKind = ProblemKind.BLOCK) -> None:
        self.problems.append(error(kind, summary, detail, place))

    def written(self, expression: Expression) -> str:
        """Return the source text of an expression, in native syntax."""
        text = self.source.text(expression.range.start, expression.range.stop)
        if self.json and isinstance(expression, TemplateWrap):
            # An interpolation in a JSON string. JSON objects are valid native syntax already.
            return str(loads_exact(f'"{text}"'.encode()))[2:-1].strip()
        return text

    def warn(self, summary: str, detail: str, place: Range | None) -> None:
        self.problems.append(warning(ProblemKind.BLOCK, summary, detail, place))

    def without_quotes(self, expression: Expression) -> Expression:
        """Return a reference without quotes, which JSON requires; warn about quotes in the native syntax."""
        found = self.unquoted(expression)
        if self.json or found is expression:
            return found
        if as_traversal(found) is None:
            # In a quoted reference, an instance key must be a literal.
            return expression
        detail = "Write the reference without quotes. A future version of OpenTofu will refuse quoted references."
        self.warn("Quoted references are deprecated", detail, expression.range)
        return found

    def unquoted(self, expression: Expression) -> Expression:
        """Parse a quoted reference, as in JSON and old configurations; return any other expression unchanged."""
        value = expression.value if isinstance(expression, Literal) else None
        return self._read(expression) if isinstance(value, str) and _REFERENCE.match(value) else expression

    def _read(self, expression: Expression) -> Expression:
        """Parse the content of a string as an expression; return the string itself if it is not one."""
        if not isinstance(expression, Literal) or not isinstance(expression.value, str):
            return expression
        place = expression.range
        quoted = self.source.content[place.start : place.stop]
        exact = quoted == b'"' + expression.value.encode() + b'"'
        found, problems = read_expression(
            self.source, place.start + exact, place.stop - exact, expression.value, exact=exact
        )
        return expression if problems or isinstance(found, Bad) else found

    def type_expression(self, argument: Argument | None) -> Expression | None:
        """Return a type expression, which JSON requires in quotes, and the native syntax without."""
        if argument is None or not self.json:
            return None if argument is None else argument.expression
        return self._read(argument.expression)

    def reference(self, argument: Argument | None) -> Argument | None:
        """Return an argument that is a reference, without quotes."""
        if argument is None:
            return None
        return msgspec.structs.replace(argument, expression=self.unquoted(argument.expression))

    def truth(self, block: Block, name: str, default: bool) -> bool:
        """Return the value of an argument that must be `true` or `false`."""
        argument = block.body.attribute(name)
        if argument is None:
            return default
        expression = argument.expression
        if isinstance(expression, Literal) and expression.value in (True, False, "true", "false"):
            return expression.value in (True, "true")
        detail = f'The argument "{name}" must be a literal true or false.'
        self.complain("Unsuitable value type", detail, expression.range)
        return default

    def text(self, argument: Argument | None) -> str | None:
        """Return the value of an argument that must be a string without interpolations; None if it is not."""
        if argument is None:
            return None
        expression = argument.expression
        if isinstance(expression, Literal) and isinstance(expression.value, str):
            return expression.value
        if not isinstance(expression, Bad):
            detail = f'The argument "{argument.name}" must be a literal string. References are not allowed here.'
            self.complain("Variables not allowed", detail, expression.range)
        return None

    def items(self, expression: Expression, summary: str, detail: str) -> tuple[ObjectItem, ...]:
        """Return the items of an expression that must be a literal object."""
        if isinstance(expression, ObjectExpression):
            return expression.items
        if not isinstance(expression, Bad):
            self.complain(summary, detail, expression.range)
        return ()

    def elements(self, expression: Expression) -> tuple[Expression, ...]:
        """Return the elements of an expression that must be a literal list."""
        if isinstance(expression, TupleExpression):
            return expression.items
        if not isinstance(expression, Bad):
            detail = "A static list expression is required."
            self.complain("Invalid expression", detail, expression.range)
        return ()

    def name(self, summary: str, text: str, place: Range) -> None:
        """Complain if a name is not a valid identifier."""
        if not is_identifier(text):
            detail = (
                "A name must start with a letter or underscore, followed by letters, digits, underscores, and dashes."
            )
            self.complain(summary, detail, place)


def keyword(expression: Expression) -> str | None:
    """Return the word of a bare key or keyword, such as `source` or `aws`, or of a literal string."""
    if isinstance(expression, Literal) and isinstance(expression.value, str):
        return expression.value
    return as_keyword(expression)
