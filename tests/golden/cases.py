"""The golden pairs: which recorded case each one is. `python -m tests.golden.cases` writes the files anew.

What statetool must make of NAME.in.tfstate is in NAME.out.tfstate, as OpenTofu wrote it: no code of ours has a part in
it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.formats.recorded import CASES, input_of, outputs_of

FOLDER: Final = Path(__file__).parent

PAIRS: Final[dict[str, str]] = {
    "provider-for-each": "provider-binding/035-keyed-by-region-unsorted",
    "provider-on-instances-without-keys": "provider-binding/027-instance-default-pair",
    "provider-at-both-levels": "provider-binding/093-both-same-config-instance-keyed",
    "provider-before-0.13": "provider-binding/131-legacy-resource-module-alias",
    "resource-in-two-blocks": "provider-binding/169-split-keyed-both",
    "count-reversed": "instances/002-count-reversed",
    "deposed-objects": "instances/056-deposed-same-key-two-instances",
    "identity-numbers": "instances/197-identity-numbers",
    "sensitive-paths": "instances/126-sensitive-index-set-object",
    "attribute-escapes": "attributes-fidelity/010-escapes",
    "sorted-by-jq": "attributes-fidelity/047-style-sorted-keys",
    "module-keys": "modules-sorting/009-key-escapes",
    "output-of-nested-objects": "outputs/099-object-nested",
    "output-of-sets": "outputs/076-set-set",
    "unknown-members": "envelope/102-unknown-members",
    "v3-realistic": "v3-upgrade/004-realistic-root",
    "v3-count": "v3-upgrade/009-count-and-unindexed",
    "v2-maps-and-lists": "v2-upgrade/006-several",
    "v1-random": "v1-upgrade/045-random-0",
}


def recorded(name: str) -> tuple[bytes, bytes]:
    """What the recording has for a pair: the state, and what OpenTofu wrote."""
    (case,) = [case for case in CASES if case["id"] == PAIRS[name]]
    (output,) = outputs_of(case)
    return input_of(case), output


if __name__ == "__main__":
    for pair in PAIRS:
        for end, content in zip(("in", "out"), recorded(pair), strict=True):
            (FOLDER / f"{pair}.{end}.tfstate").write_bytes(content)
