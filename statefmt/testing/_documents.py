"""Generates states as Terraform and OpenTofu write them, small enough to read."""

from __future__ import annotations

import base64
import json
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st

from statefmt.model.addrs.quoting import hcl_quote

Document: TypeAlias = dict[str, Any]

MODULES: Final = (
    "",
    "",
    "module.net",
    "module.net.module.sub",
    "module.net-1",
    "module.app[2]",
    "module.app[10]",
    'module.app["eu"].module.db[0]',
    'module.app["a.b c"].module.db["$${x}"]',
    'module.größe["%%{y}"]',
)
TYPES: Final = ("aws_instance", "aws_vpc", "google_dns_record_set", "random_id", "terraform_data")
NAMES: Final = ("main", "web", "web-2", "Web", "_x", "größe", "data", "a1")
PROVIDERS: Final = (
    'provider["registry.opentofu.org/hashicorp/aws"]',
    'provider["registry.opentofu.org/hashicorp/aws"].west',
    'provider["registry.terraform.io/hashicorp/google"]',
    'module.net.provider["registry.terraform.io/hashicorp/aws"].by_region',
    'provider["tf.example.com:8443/acme/cloud"].a-b',
    'provider["terraform.io/builtin/terraform"]',
)
_COUNT: Final = (0, 1, 2, 9, 10, 11, 100)
_FOR_EACH: Final = (
    "a",
    "B",
    "10",
    "9",
    "eu-west-1",
    "a.b",
    "é",
    "日本",
    "<&>",
    'say "hi"',
    "\\",
    "${x}",
    "%{y}",
    "",
    "\n",
)
_DEPOSED: Final = ("00000001", "7c1f00aa", "deadbeef")
_OUTPUTS: Final[tuple[tuple[Any, Any], ...]] = (
    ("string", "a <b> & c\u2028"),
    ("number", 1.0),
    ("number", 1e300),
    ("number", 123456789012345678901234567890),
    ("bool", False),
    (["list", "string"], ["b", "a"]),
    (["set", "string"], ["b", "a", "b"]),
    (["map", "number"], {"z": 100.0, "a": -3}),
    (["object", {"a": "string", "b": ["list", "bool"]}], {"b": [True], "a": None}),
    (["tuple", ["string", "number"]], ["x", 0.5]),
    ("dynamic", {"value": {"k": [1]}, "type": ["object", {"k": ["tuple", ["number"]]}]}),
)
_VALUES: Final[st.SearchStrategy[Any]] = st.sampled_from(
    (None, True, "", "text", "<tag> & \u2028", "é日本", 0, -1, 1.0, 0.1, 1e300, 2**64, 10**39 + 7, [], {}, ["a", None])
)
_ATTRIBUTES: Final = st.fixed_dictionaries(
    {"id": st.sampled_from(("i-0a1", "7", "")), "password": st.sampled_from(("s3cret", None))},
    optional={"size": _VALUES, "tags": st.dictionaries(st.sampled_from(("k", "a b", "é")), _VALUES), "Z": _VALUES},
)
_SENSITIVE: Final = (
    [{"type": "get_attr", "value": "password"}],
    [{"type": "get_attr", "value": "tags"}, {"type": "index", "value": {"value": "k", "type": "string"}}],
    [{"type": "get_attr", "value": "list"}, {"type": "index", "value": {"value": 0, "type": "number"}}],
)
_PRIVATE: Final = tuple(base64.b64encode(text).decode() for text in (b"null", b'{"schema_version":"1"}', b"\x00\xff"))
_STATUS: Final = st.sampled_from(("pass", "fail", "error", "unknown"))


@st.composite
def documents(draw: st.DrawFn, *, portable: bool = False) -> Document:
    """Generate a state of format version 4 with at least one resource, decoded.

    A `portable` one has nothing that only OpenTofu, or only Terraform after 1.3, supports.
    """
    places = draw(
        st.lists(st.tuples(*map(st.sampled_from, (MODULES, TYPES, NAMES))), min_size=1, max_size=6, unique=True)
    )
    modes = draw(st.lists(st.sampled_from(("managed", "managed", "data")), min_size=6, max_size=6))
    heads = [
        {**({"module": module} if module else {}), "mode": mode, "type": type_, "name": name}
        for (module, type_, name), mode in zip(places, modes, strict=False)
    ]
    # Dependencies are resources of the configuration, without keys.
    known = [_in_configuration(head) for head in heads if "[" not in head.get("module", "")]
    return {
        "version": 4,
        "terraform_version": draw(st.sampled_from(("1.10.6", "1.5.7", "0.13.5"))),
        "serial": draw(st.sampled_from((0, 1, 37, 2**63))),
        "lineage": "5e2f80b6-c47a-1e9d-30f5-b6d8a9417c2e",
        "outputs": draw(_outputs(portable)),
        "resources": [draw(_resource(head, known, portable)) for head in heads],
        "check_results": draw(st.none() | st.lists(_check_result(portable), max_size=2, unique_by=json.dumps)),
    }


def _in_configuration(head: Document) -> str:
    module = f"{head['module']}." if "module" in head else ""
    return f"{module}{'data.' if head['mode'] == 'data' else ''}{head['type']}.{head['name']}"


@st.composite
def _resource(draw: st.DrawFn, head: Document, known: list[str], portable: bool) -> Document:
    provider = draw(st.sampled_from(PROVIDERS))
    keys: list[Any] = draw(
        st.just([None])
        | st.lists(st.sampled_from(_COUNT), min_size=1, max_size=3, unique=True)
        | st.lists(st.sampled_from(_FOR_EACH), min_size=1, max_size=3, unique=True)
    )
    instances = []
    for key in keys:
        # Objects of one instance: the current one, deposed ones, or both.
        deposed = draw(st.sampled_from(((None,), (None,), (None,), (None, "7c1f00aa"), _DEPOSED[:2], ("deadbeef",))))
        objects = deposed if head["mode"] == "managed" else (None,)
        instances += [draw(_instance(key, which, known, portable)) for which in objects]
    # A provider with `for_each`: each instance names its own provider instance.
    per_instance = not portable and provider.endswith((".west", ".by_region")) and draw(st.integers(0, 2)) == 0
    if not per_instance:
        return {**head, "provider": provider, "instances": instances}
    regions = {json.dumps(key): draw(st.sampled_from(("", '["eu"]', '["us"]'))) for key in keys}
    own = [{**i, "provider": provider + regions[json.dumps(i.get("index_key"))]} for i in instances]
    return {**head, "instances": own}


@st.composite
def _instance(
    draw: st.DrawFn, key: int | str | None, deposed: str | None, known: list[str], portable: bool
) -> Document:
    def maybe(odds: int) -> bool:
        return draw(st.integers(1, odds)) == odds

    members: Document = {} if key is None else {"index_key": key}
    if maybe(6):
        members["status"] = "tainted"
    if deposed is not None:
        members["deposed"] = deposed
    members["schema_version"] = draw(st.sampled_from((0, 1, 17)))
    if maybe(8):
        members["attributes_flat"] = {"id": "i-0a1", "tags.%": "1", "tags.k": "v"}
    else:
        members["attributes"] = draw(_ATTRIBUTES)
        members["sensitive_attributes"] = draw(st.lists(st.sampled_from(_SENSITIVE), max_size=2, unique_by=json.dumps))
    if not portable and maybe(4):
        members |= {
            "identity": {"region": "eu", "n": draw(_VALUES)},
            "identity_schema_version": draw(st.integers(0, 1)),
        }
    if maybe(3):
        members["private"] = draw(st.sampled_from(_PRIVATE))
    if known and maybe(2):
        members["dependencies"] = draw(st.lists(st.sampled_from(known), min_size=1, unique=True))
    if maybe(6):
        members["create_before_destroy"] = True
    if not portable and maybe(10):
        members["skip_destroy"] = True
    return members


@st.composite
def _outputs(draw: st.DrawFn, portable: bool) -> Document:
    outputs: Document = {}
    for name, (type_, value) in draw(
        st.dictionaries(st.sampled_from(("a", "B", "zone", "größe")), st.sampled_from(_OUTPUTS), max_size=3)
    ).items():
        outputs[name] = {"value": value, "type": type_}
        if draw(st.booleans()):
            outputs[name]["sensitive"] = True
        if not portable and draw(st.integers(0, 5)) == 0:
            outputs[name]["deprecated"] = "use another"
    return outputs


# The objects that a check may have, by its kind and address.
_CHECKED: Final = {
    ("resource", "module.app.aws_instance.web"): tuple(
        f"module.app[{key}].aws_instance.web[0]" for key in ("2", "10", hcl_quote("eu"))
    ),
    ("output", "output.zone"): ("output.zone",),
    ("check", "check.health"): ("check.health",),
    ("var", "module.net.var.cidr"): ("module.net.var.cidr",),
}


@st.composite
def _check_result(draw: st.DrawFn, portable: bool) -> Document:
    kinds = [checked for checked in _CHECKED if not portable or checked[0] in ("resource", "output")]
    kind, addr = draw(st.sampled_from(kinds))
    objects: list[Document] = []
    for object_addr in draw(st.lists(st.sampled_from(_CHECKED[kind, addr]), max_size=2, unique=True)):
        objects.append({"object_addr": object_addr, "status": draw(_STATUS)})
        if draw(st.booleans()):
            objects[-1]["failure_messages"] = ["must be <positive>"]
    return {"object_kind": kind, "config_addr": addr, "status": draw(_STATUS), "objects": objects or None}
