"""Small states to run the commands on, in canonical form and out of it, and states that OpenTofu was recorded on."""

from __future__ import annotations

import base64
import functools
import json
import lzma
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
SAMPLES: Final = ROOT / "samples"
_RECORDED: Final = ROOT / "tests" / "conformance" / "read.jsonl.xz"

LINEAGE: Final = "5e2f80b6-c47a-1e9d-30f5-b6d8a9417c2e"
AWS: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'

# One state in the two forms that OpenTofu writes, and as a hand might leave it.
INDENTED: Final = b"""{
  "version": 4,
  "terraform_version": "1.10.6",
  "serial": 7,
  "lineage": "5e2f80b6-c47a-1e9d-30f5-b6d8a9417c2e",
  "outputs": {
    "zone": {
      "value": "<a>",
      "type": "string"
    }
  },
  "resources": [],
  "check_results": null
}
""".replace(b"<a>", rb"\u003ca\u003e")
COMPACT: Final = (
    rb'{"version":4,"terraform_version":"1.10.6","serial":7,"lineage":"5e2f80b6-c47a-1e9d-30f5-b6d8a9417c2e",'
    rb'"outputs":{"zone":{"value":"\u003ca\u003e","type":"string"}},"resources":[],"check_results":null}'
    b"\n"
)
HAND_EDITED: Final = b"""{
    "serial": 7,
    "version": 4,
    "lineage": "5e2f80b6-c47a-1e9d-30f5-b6d8a9417c2e",
    "terraform_version": "1.10.6",
    "outputs": { "zone": { "type": "string", "value": "<a>", "sensitive": false } }
}"""
HAND_EDITED_COMPACT: Final = HAND_EDITED.replace(b"\n", b"")

V3: Final = b"""{
    "version": 3,
    "terraform_version": "0.11.14",
    "serial": 37,
    "lineage": "5e2f80b6-c47a-1e9d-30f5-b6d8a9417c2e",
    "modules": [{"path": ["root"], "outputs": {}, "resources": {}, "depends_on": []}]
}
"""


def state(*resources: dict[str, object], **members: object) -> bytes:
    """A state of format 4 with some resources, compact and not canonical."""
    document = {"version": 4, "terraform_version": "1.10.6", "serial": 7, "lineage": LINEAGE, "outputs": {}}
    return json.dumps({**document, "resources": resources, **members}).encode()


def resource(type_: str, name: str, *instances: Mapping[str, object], **members: object) -> dict[str, object]:
    """A managed resource of the default AWS provider, with one instance without a key unless told otherwise."""
    given = [{"schema_version": 0, "attributes": {}, **instance} for instance in instances or ({},)]
    return {"mode": "managed", "type": type_, "name": name, "provider": AWS, "instances": given, **members}


class Recorded(NamedTuple):
    """A state, and the text that OpenTofu made of it."""

    input: bytes
    output: bytes


@functools.cache
def recorded(number: str) -> Recorded:
    """The recorded case whose id starts so: `v3-upgrade/001`."""
    for line in lzma.decompress(_RECORDED.read_bytes()).splitlines():
        case = json.loads(line)
        if case["id"].startswith(number + "-"):
            data = base64.b64decode(case["input_b64"]) if "input_b64" in case else case["input"].encode()
            return Recorded(data, case["output"].encode())
    raise LookupError(number)
