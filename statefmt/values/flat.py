"""Flat attributes of states before Terraform 0.12 (`tags.Name`, `rule.0.port`), with what may be sensitive hidden.

Those formats had no marks for what is sensitive, so nothing is shown that could be: only numbers, bools, and texts
under names that are well known to be harmless. To hide too much is a nuisance, to hide too little an accident.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from statefmt.cty import Path
from statefmt.golang import Members
from statefmt.pattern import pattern
from statefmt.values.hidden import HIDDEN
from statefmt.values.path_text import step_key

_SOUNDS_SECRET: Final = pattern(
    r"passw(?:or)?d|passphrase|pwd|secret|token|credential|private_?key|sensitive|plaintext|bearer|cookie"
    r"|(?:^|_)(?:api_?key|access_key|auth|hash|key|otp|pem|pin|salt|sas|seed|signature)(?:_|$)",
    re.IGNORECASE,
)
# What a name may end in: where a thing is, how big, of which kind, and what else it belongs to.
_HARMLESS: Final = pattern(
    r"(?:.*_)?(?:acl|ami|architecture|arn|arns|bucket|cidr_blocks?|class|dns|domain|engine|family|group|groups|host"
    r"|hostname|id|identifier|ids|image|ip|ips|ipv4|ipv6|location|method|mode|name|names|owner|owners|platform|project"
    r"|protocol|region|regions|size|state|status|subnet|subnets|type|types|version|zone|zones)"
)
_LABELS: Final = frozenset({"tags", "tags_all", "labels"})
_PLAIN: Final = pattern(r"-?[0-9]{1,12}(?:\.[0-9]{1,6})?|true|false|")
# The place of an element: of a list, or of a set by its hash.
_PLACE: Final = pattern(r"~?[0-9]+")
_COUNTS: Final = ("#", "%")


def flat_value(flat: Mapping[str, str], paths: Sequence[Path]) -> Members:
    """The flat attributes as an object of texts, with HIDDEN for those that may be sensitive."""
    covered = [prefix for path in paths for prefix in _prefixes(path, flat)]
    hidden = {name for name, value in flat.items() if _is_covered(name, covered) or not _is_harmless(name, value)}
    # The same text may stand under a harmless name as well: the id of a random_string is its result.
    secrets = {flat[name] for name in hidden if not _PLAIN.fullmatch(flat[name])}
    return Members((name, HIDDEN if name in hidden or value in secrets else value) for name, value in flat.items())


def sounds_secret(name: str) -> bool:
    """Whether a name may be that of a secret. (The rule SEC004 is stricter with names: a finding has to be true.)"""
    return _SOUNDS_SECRET.search(name) is not None


def _is_harmless(name: str, value: str) -> bool:
    *holders, last = name.split(".")
    if last in _COUNTS:
        return value.isdecimal()
    if any(map(sounds_secret, (*holders, last))):
        return False
    named = next((part for part in (last, *reversed(holders)) if not _PLACE.fullmatch(part)), "")
    is_label = len(holders) == 1 and holders[0] in _LABELS
    return is_label or _HARMLESS.fullmatch(named) is not None or _PLAIN.fullmatch(value) is not None


def _prefixes(path: Path, names: Iterable[str]) -> list[str]:
    """The beginning of the names that a path leads to: all of it, or as much of it as leads anywhere.

    An element of a set goes by a hash, which is not in the path: then the whole set is covered.
    """
    steps: list[str] = []
    for step in path:
        key = step_key(step)
        if not isinstance(key, (str, int)):
            break
        steps.append(str(key))
    if not steps:
        return [""]
    for count in range(len(steps), 0, -1):
        prefix = ".".join(steps[:count])
        if any(_is_covered(name, [prefix]) for name in names):
            return [prefix]
    return []


def _is_covered(name: str, prefixes: Iterable[str]) -> bool:
    return any(not prefix or name == prefix or name.startswith(f"{prefix}.") for prefix in prefixes)
