"""Bodies in HCL's native syntax. Source: HCL `hclsyntax/parser.go`, `structure.go`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from statefmt.hcl.source.position import Range
from statefmt.hcl.source.problem import ProblemKind, error
from statefmt.hcl.syntax.body import Argument, Block
from statefmt.hcl.syntax.expressions import Bad
from statefmt.hcl.syntax.native._expressions import ExpressionReader
from statefmt.hcl.syntax.native._tree import parts
from statefmt.hcl.value import UnknownKind

if TYPE_CHECKING:
    from tree_sitter import Node


class NativeBody:
    """The body of a `body` node, None if empty. Expressions are read on request: most are never needed."""

    def __init__(self, reader: ExpressionReader, node: Node | None) -> None:
        self._reader = reader
        self._node = node
        self._attributes: dict[str, Node] = {}
        self._blocks: list[tuple[str, Node]] = []
        # Attributes on the line of a syntax error may be part of it.
        self._broken: set[str] = set()
        children = node.children if node is not None else []
        spoilt = {row for child in children if child.is_error for row in (child.start_point.row, child.end_point.row)}
        for child in children:
            if child.type == "attribute":
                # The first definition counts; repeated ones are reported with the syntax errors.
                name = reader.text(child.children[0])
                self._attributes.setdefault(name, child)
                if child.start_point.row in spoilt or child.end_point.row in spoilt:
                    self._broken.add(name)
            elif child.type == "block":
                self._blocks.append((reader.text(child.children[0]), child))

    def names(self) -> Sequence[str]:
        return tuple(self._attributes)

    def attribute(self, name: str, *, literal: bool = False) -> Argument | None:
        node = self._attributes.get(name)
        if node is None:
            return None
        inside = parts(node)
        broken = node.has_error or name in self._broken
        place = self._reader.range(inside[-1])
        expression = (
            Bad("there is a syntax error in it", place, UnknownKind.SYNTAX) if broken else self._reader.read(inside[-1])
        )
        return Argument(name, expression, self._reader.range(inside[0]), self._reader.range(node))

    def block_types(self) -> Sequence[str]:
        return tuple(dict.fromkeys(name for name, _ in self._blocks))

    def blocks(self, type_: str, labels: int = 0) -> Sequence[Block]:
        found = [self._block(type_, node) for name, node in self._blocks if name == type_]
        return [block for block in found if self._has_labels(block, labels)]

    def functions(self) -> Iterator[tuple[str, Range]]:
        waiting = [] if self._node is None else [self._node]
        while waiting:
            node = waiting.pop()
            if node.type == "function_call" and node.children:
                yield self._reader.text(node.children[0]), self._reader.range(node.children[0])
            waiting += reversed(node.children)

    def _block(self, type_: str, node: Node) -> Block:
        reader = self._reader
        inside = parts(node)
        label_nodes: list[Node] = []
        for child in inside[1:]:
            if child.type not in ("string_lit", "identifier"):
                break
            label_nodes.append(child)
        body = next((child for child in inside if child.type == "body"), None)
        opening = next((child for child in inside if child.type == "block_start"), inside[-1])
        header_end = (label_nodes[-1] if label_nodes else inside[0]).end_byte
        return Block(
            type=type_,
            labels=tuple(_label(reader, child) for child in label_nodes),
            type_range=reader.range(inside[0]),
            label_ranges=tuple(reader.range(child) for child in label_nodes),
            range=reader.source.range(node.start_byte, header_end),
            body_range=reader.source.range(opening.start_byte, node.end_byte),
            body=NativeBody(reader, body),
        )

    def _has_labels(self, block: Block, wanted: int) -> bool:
        count = len(block.labels)
        if count == wanted:
            return True
        place: Range
        if count > wanted:
            place = block.label_ranges[wanted]
            expected = "No labels are" if not wanted else f"Only {wanted} label{'s are' if wanted > 1 else ' is'}"
            summary = f"Extraneous label for {block.type}"
            detail = f"{expected} expected for {block.type} blocks."
        else:
            brace = block.body_range.start
            place = self._reader.source.range(brace, brace + 1)
            summary = f"Missing name for {block.type}"
            detail = f"All {block.type} blocks must have {wanted} label{'s' if wanted > 1 else ''}."
        self._reader.problems.append(error(ProblemKind.BLOCK, summary, detail, place))
        return False


def _label(reader: ExpressionReader, node: Node) -> str:
    if node.type == "identifier":
        return reader.text(node)
    value = getattr(reader.read(node), "value", None)
    return value if isinstance(value, str) else reader.text(node).strip('"')
