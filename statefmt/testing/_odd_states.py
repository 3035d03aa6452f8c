"""Generates valid but unusual states: any layout and order, unknown members, split resources."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import NamedTuple, TypeAlias

from hypothesis import strategies as st

from statefmt.model.addrs import hcl_quote


class ObjectText(NamedTuple):
    """A JSON object to write: member names (strings without escapes) and values, in order."""

    members: list[tuple[str, TextTree]]


# A str is the JSON text of a scalar, or of any value to write unchanged.
TextTree: TypeAlias = "str | list[TextTree] | ObjectText"

# Characters and escapes that writers treat differently: HTML, line separators, slashes, pairs and halves.
_PIECES = (
    "a", "Z9", " ", "é", "日本", "😀", "<", ">", "&", "\u2028", "\u2029", "/", "{", "]", ",", ":", "$", "${", "%{",
    "\x7f",
    "\\u003c", "\\u003E", "\\u0026", "\\u2028", "\\/", "\\n", "\\t", "\\b", "\\f", "\\\"", "\\\\", "\\u0000", "\\u001F",
    "\\u00e9", "\\ud83d\\ude00", "\\uD83D\\uDE00", "\\ud800", "\\udc00",
)  # fmt: skip
_NUMBERS = (
    "0", "-0", "1", "-1", "1.0", "1.50", "1e3", "1E+3", "1e-7", "0.1e-7", "-0.0", "1e400", "9007199254740993",
    "18446744073709551616", "1234567890123456789012345678901234567890", "0.1000000000000000055511151231257827",
)  # fmt: skip

# Provider addresses, which have no meaning where a state may contain any string.
_ADDRESSES = (
    '"provider[\\"registry.terraform.io/hashicorp/aws\\"]"',
    '"module.m.provider[\\"registry.opentofu.org/hashicorp/aws\\"].west[\\"a\\"]"',
    '"provider[\\"tf.example.com/a/b\\"]"',
)

strings: st.SearchStrategy[str] = st.lists(st.sampled_from(_PIECES), max_size=6).map(
    lambda parts: f'"{"".join(parts)}"'
) | st.sampled_from(_ADDRESSES)
numbers: st.SearchStrategy[str] = st.sampled_from(_NUMBERS) | st.integers().map(str)
scalars: st.SearchStrategy[str] = st.sampled_from(("null", "true", "false")) | numbers | strings
names: st.SearchStrategy[str] = st.sampled_from(("id", "tags", "b", "B", "a.b", "x y", "é", "kubernetes.io/name", ""))


def objects(values: st.SearchStrategy[TextTree], max_size: int = 4) -> st.SearchStrategy[ObjectText]:
    """Generate objects with these values; names may repeat."""
    return st.lists(st.tuples(names, values), max_size=max_size).map(ObjectText)


trees: st.SearchStrategy[TextTree] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | objects(inner), max_leaves=8
)


class WhiteSpace(NamedTuple):
    """White space: before each item and each closing bracket, around colons and commas, and at the end."""

    break_at: Callable[[int], str]
    after_colon: Callable[[], str]
    before_comma: Callable[[], str]
    end: str


def _nothing() -> str:
    return ""


def _space() -> str:
    return " "


INDENTED = WhiteSpace(lambda depth: "\n" + "  " * depth, _space, _nothing, "\n")
INDENTED_TWICE_ENDED = INDENTED._replace(end="\n\n")
COMPACT = WhiteSpace(lambda depth: "", _nothing, _nothing, "\n")
TABS = WhiteSpace(lambda depth: "\r\n" + "\t" * depth, _space, _nothing, "")
PYTHON = WhiteSpace(lambda depth: "", _space, _nothing, "")


def odd_layout(random: Random) -> WhiteSpace:
    """Return a random layout with white space in any place that JSON allows."""

    def space() -> str:
        return random.choice(("", "", "", " ", "  ", "\n", "\t", "\r\n", "\r"))

    return WhiteSpace(lambda depth: space(), space, space, space())


layouts: st.SearchStrategy[WhiteSpace] = st.sampled_from(
    (INDENTED, INDENTED_TWICE_ENDED, COMPACT, TABS, PYTHON)
) | st.integers(0, 2**32).map(lambda seed: odd_layout(Random(seed)))


def render(tree: TextTree, layout: WhiteSpace, depth: int = 0) -> str:
    """Return the text of a tree; `depth` is the number of brackets open around it."""
    if isinstance(tree, str):
        return tree
    if isinstance(tree, list):
        return _bracketed("[]", [render(item, layout, depth + 1) for item in tree], layout, depth)
    members = [
        f'"{name}"{layout.before_comma()}:{layout.after_colon()}{render(value, layout, depth + 1)}'
        for name, value in tree.members
    ]
    return _bracketed("{}", members, layout, depth)


def _bracketed(brackets: str, items: list[str], layout: WhiteSpace, depth: int) -> str:
    if not items:
        return brackets
    text = layout.break_at(depth + 1) + items[0]
    for item in items[1:]:
        text += f"{layout.before_comma()},"
        # Python's one-line form has a space after commas and colons.
        text += layout.break_at(depth + 1) or (layout.after_colon() if layout is PYTHON else "")
        text += item
    return brackets[0] + text + layout.break_at(depth) + brackets[1]


# Prefix of the names of unknown members; no other string in a generated state has it.
UNKNOWN = "zz_new_"

_AWS = 'provider["registry.opentofu.org/hashicorp/aws"]'
_PROVIDERS = (
    _AWS, f"{_AWS}.west", f"module.net.{_AWS}.by_region", 'provider["registry.terraform.io/hashicorp/random"]',
    'provider["tf.example.com:8443/acme/cloud"].a-b', 'provider["terraform.io/builtin/terraform"]',
)  # fmt: skip
_KEYS = ("a", "b.c", "é", "日本", '"', "\\", "${x}", "%{y}", "$${", "<&>", "a b", "/", "0", "", "\n")
_OUTPUTS: tuple[tuple[str, TextTree], ...] = (
    ('"string"', '"a \\u003c b"'),
    ('"number"', "1.0"),
    ('"number"', "123456789012345678901234567890"),
    ('"bool"', "true"),
    ('"dynamic"', ObjectText([("value", "[1]"), ("type", '["tuple",["number"]]')])),
    ('["list","string"]', ['"b"', '"a"']),
    ('["set","string"]', ['"b"', '"a"', '"b"']),
    ('["map","number"]', ObjectText([("z", "1e2"), ("a", "-0")])),
    ('["object",{"a":"string","b":"bool"}]', ObjectText([("b", "null"), ("a", '"x"')])),
    ('["tuple",["string",["list","bool"]]]', ['"x"', ["false"]]),
)
_PATHS = (
    '[{"type":"get_attr","value":"password"}]',
    '[{"type":"get_attr","value":"tags"},{"type":"index","value":{"value":"k","type":"string"}}]',
    '[{"type":"get_attr","value":"list"},{"type":"index","value":{"value":0,"type":"number"}}]',
)
_MODULES = ("module.net", "module.a[0].module.b", 'module.x["k"]', "module.a-1.module.é")
_STATUSES = ("pass", "fail", "error", "unknown", "zz_new_status")


class InstanceText(NamedTuple):
    """The text of one element of `instances`, and of the attributes in it ("" for none)."""

    text: str
    attributes: str


class BlockText(NamedTuple):
    """The text of one element of `resources`.

    `plain` means that its provider is at the resource level only, and that no other block has the same resource;
    `spread` that another block has the same resource.
    """

    text: str
    plain: bool
    spread: bool
    instances: tuple[InstanceText, ...]


class StateText(NamedTuple):
    """A state, its parts as written in the text, and the number of unknown members."""

    data: bytes
    blocks: tuple[BlockText, ...]
    unknown: int


def _text(value: str | int) -> str:
    return json.dumps(value, ensure_ascii=False)


class _Instance(NamedTuple):
    members: list[tuple[str, TextTree]]
    attributes: TextTree | None


class _Block(NamedTuple):
    members: list[tuple[str, TextTree]]
    instances: list[_Instance]
    plain: bool
    spread: bool


class _Writer:
    """Draws the optional variations: the order of members, and unknown members."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.random = Random(draw(st.integers(0, 2**32)))
        self.shuffles = draw(st.booleans())
        self.unknown = 0

    def maybe(self, odds: int = 2) -> bool:
        return self.random.randrange(odds) == 0

    def members(self, members: list[tuple[str, TextTree]]) -> list[tuple[str, TextTree]]:
        """Return the members of one object of the format, in some order, perhaps with an unknown one."""
        if self.maybe(6):
            self.unknown += 1
            members = [*members, (f"{UNKNOWN}{self.unknown}", self.draw(trees))]
        if self.shuffles:
            members = self.random.sample(members, len(members))
        return members


@st.composite
def odd_states(draw: st.DrawFn) -> StateText:
    """Generate a valid state of format version 4, in any layout."""
    writer = _Writer(draw)
    layout = draw(layouts)
    blocks = [block for number in range(draw(st.integers(0, 4))) for block in _resource(writer, number)]
    if writer.shuffles:
        blocks = writer.random.sample(blocks, len(blocks))
    resources: list[TextTree] = []
    texts = []
    for block in blocks:
        # Each part is laid out once, so that the parts are substrings of the text.
        instances = []
        for instance in block.instances:
            attributes = None if instance.attributes is None else render(instance.attributes, layout, 5)
            laid_out = {} if attributes is None else {"attributes": attributes}
            text = render(ObjectText([(name, laid_out.get(name, tree)) for name, tree in instance.members]), layout, 4)
            instances.append(InstanceText(text, attributes or ""))
        elements: TextTree = [instance.text for instance in instances]
        members = [(name, elements if name == "instances" else value) for name, value in block.members]
        text = render(ObjectText(members), layout, 2)
        resources.append(text)
        texts.append(BlockText(text=text, plain=block.plain, spread=block.spread, instances=tuple(instances)))
    members = [
        ("version", "4"),
        ("terraform_version", _text(draw(st.sampled_from(("1.9.0", "1.12.0-rc1", "0.13.5", ""))))),
        ("serial", str(draw(st.integers(0, 2**64 - 1)))),
        ("lineage", draw(strings)),
        ("outputs", ObjectText(_outputs(writer))),
        ("resources", resources),
        ("check_results", _check_results(writer)),
    ]
    top = ObjectText(writer.members(members))
    text = render(top, layout) + layout.end
    return StateText(text.encode("utf-8"), tuple(texts), writer.unknown)


def _resource(writer: _Writer, number: int) -> list[_Block]:
    draw = writer.draw
    head: list[tuple[str, TextTree]] = [
        ("mode", draw(st.sampled_from(('"managed"', '"data"')))),
        ("type", '"aws_instance"'),
        ("name", _text(f"r{number}")),
    ]
    if writer.maybe():
        module = draw(st.sampled_from(_MODULES) | st.sampled_from(_KEYS).map(lambda key: f"module.q[{hcl_quote(key)}]"))
        head.insert(0, ("module", _text(module)))
    provider = draw(st.sampled_from(_PROVIDERS))
    keyed = provider.rpartition("]")[2] != ""
    form = draw(
        st.sampled_from(("resource", "resource", "instance", "both", "some") if keyed else ("resource", "both"))
    )
    identities = draw(_identities)
    # Without instances, only the resource level can name the provider.
    at_resource = form in ("resource", "both", "some") or not identities
    if at_resource:
        head.append(("provider", _text(provider)))
    instances = []
    for place, (key, deposed) in enumerate(identities):
        own = ""
        if form in ("instance", "both") or (form == "some" and place % 2):
            own = provider + (f"[{hcl_quote(draw(st.sampled_from(_KEYS)))}]" if keyed and writer.maybe() else "")
        instances.append(_instance(writer, key, deposed, own))
    spread = writer.maybe(8) and len(instances) > 1
    parts = [instances[:1], instances[1:]] if spread else [instances]
    plain = form == "resource" and not spread
    return [_Block(writer.members([*head, ("instances", "[]")]), part, plain, spread) for part in parts]


# Distinct (key, deposed key) pairs. A whole number may be written as a fraction.
_identities: st.SearchStrategy[list[tuple[int | str | None, str]]] = st.lists(
    st.tuples(
        st.none() | st.integers(-2, 12) | st.sampled_from(_KEYS),
        st.sampled_from(("", "", "", "7c1f00aa", "DEADBEEF", "zzzzzzzz")),
    ),
    max_size=4,
    unique=True,
)


def _instance(writer: _Writer, key: int | str | None, deposed: str, provider: str) -> _Instance:
    draw = writer.draw
    members: list[tuple[str, TextTree]] = []
    attributes: TextTree | None = None
    if key is not None:
        text = _text(key) + (".0" if isinstance(key, int) and writer.maybe(5) else "")
        members.append(("index_key", text))
    if deposed:
        members.append(("deposed", _text(deposed)))
    if writer.maybe(5):
        members.append(("status", '"tainted"'))
    if provider:
        members.append(("provider", _text(provider)))
    if not writer.maybe(6):
        members.append(("schema_version", str(draw(st.integers(0, 2**64 - 1)))))
    if not writer.maybe(4):
        attributes = draw(objects(trees)) if not writer.maybe(8) else draw(trees)
        members.append(("attributes", attributes))
    elif writer.maybe():
        flat = draw(st.dictionaries(names, strings, min_size=1, max_size=3))
        members.append(("attributes_flat", ObjectText(list(flat.items()))))
    if not writer.maybe(4):
        paths = draw(st.lists(st.sampled_from(_PATHS), max_size=2))
        members.append(("sensitive_attributes", f"[{','.join(paths)}]"))
    if writer.maybe(3):
        members.append(("private", draw(st.sampled_from(('"bnVsbA=="', '"eyJhIjoxfQ=="', '"AAAA"')))))
    if writer.maybe(3):
        members.append(("dependencies", draw(st.sampled_from(('["aws_vpc.main","module.net.data.aws_ami.os"]', "[]")))))
    if writer.maybe(8):
        members.append(("depends_on", '["aws_vpc.main[0]"]'))
    flags = [flag for flag in ("create_before_destroy", "skip_destroy") if writer.maybe(6)]
    members += [(flag, draw(st.sampled_from(("true", "false", "null")))) for flag in flags]
    if writer.maybe(5):
        members += [("identity", draw(objects(scalars))), ("identity_schema_version", "0")]
    return _Instance(writer.members(members), attributes)


def _outputs(writer: _Writer) -> list[tuple[str, TextTree]]:
    outputs: list[tuple[str, TextTree]] = []
    for number, (type_, value) in enumerate(writer.draw(st.lists(st.sampled_from(_OUTPUTS), max_size=3))):
        members: list[tuple[str, TextTree]] = [("value", value), ("type", type_)]
        if writer.maybe(3):
            members.append(("sensitive", "true"))
        if writer.maybe(5):
            members.append(("deprecated", '"use <other>"'))
        outputs.append((f"o{9 - number}", ObjectText(writer.members(members))))
    return outputs


def _check_results(writer: _Writer) -> TextTree:
    if not writer.maybe(3):
        return "null"
    status: tuple[str, TextTree] = ("status", _text(writer.draw(st.sampled_from(_STATUSES))))
    checked = writer.members([("object_addr", '"output.o"'), status, ("failure_messages", '["a > b"]')])
    named: list[tuple[str, TextTree]] = [("object_kind", '"output"'), ("config_addr", '"output.o"')]
    return [ObjectText(writer.members([*named, status, ("objects", [ObjectText(checked)])]))]
