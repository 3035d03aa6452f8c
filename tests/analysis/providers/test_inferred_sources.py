"""Sources of providers known by type only: from options, the configuration, its lock file and the state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from statefmt.analysis.providers.inferred_sources import Evidence, infer
from statefmt.formats.providers import LegacySource
from statefmt.model.addrs.provider import parse_provider_source
from tests.tables import each_row

TOFU, TERRAFORM = "registry.opentofu.org", "registry.terraform.io"


def _evidence(
    required: Mapping[str, Sequence[str]] | None = None, locked: Sequence[str] = (), in_state: Sequence[str] = ()
) -> Evidence:
    return Evidence(
        required={name: {_source(text) for text in texts} for name, texts in (required or {}).items()},
        configuration="CONFIG",
        locked=[parse_provider_source(text) for text in locked],
        lock_file="LOCK",
        in_state=[parse_provider_source(text) for text in in_state],
    )


def _source(text: str) -> LegacySource:
    host, namespace, type_ = ["", *text.split("/")][-3:]
    return LegacySource(host, namespace, type_)


def _found(types: str, evidence: Evidence, given: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What was found for each type: a source and its origin, several sources, or "unknown"."""
    found = infer(types.split(), {type_: _source(text) for type_, text in (given or {}).items()}, evidence)
    told: dict[str, Any] = dict.fromkeys(found.unknown, "unknown")
    told |= {type_: list(sources) for type_, sources in found.ambiguous.items()}
    for type_, source in found.choice.legacy.items():
        told[type_] = ("/".join(source), found.origins.get(type_, ""))
    return told


AWS = f"{TOFU}/hashicorp/aws"
CASES = [
    ("nothing says it", "aws acme", _evidence(), {"aws": "unknown", "acme": "unknown"}),
    ("locked", "aws", _evidence(locked=[AWS]), {"aws": (AWS, "from LOCK")}),
    (
        "HashiCorp's own, not locked",
        "random",
        _evidence(locked=[f"{TERRAFORM}/hashicorp/aws"]),
        {"random": (f"{TERRAFORM}/hashicorp/random", "registry from LOCK")},
    ),
    ("not locked, OpenTofu reads the type alone", "acme", _evidence(locked=[AWS]), {}),
    ("not locked, Terraform does not", "acme", _evidence(locked=[f"{TERRAFORM}/a/b"]), {"acme": "unknown"}),
    (
        "of a vendor",
        "acme",
        _evidence(locked=[AWS, f"{TOFU}/acme-corp/acme"]),
        {"acme": (f"{TOFU}/acme-corp/acme", "from LOCK")},
    ),
    ("private", "acme", _evidence(locked=["tf.example.com/x/acme"]), {"acme": ("tf.example.com/x/acme", "from LOCK")}),
    ("a private registry names no engine", "aws", _evidence(locked=["tf.example.com/x/acme"]), {"aws": "unknown"}),
    ("two of one type", "aws", _evidence(locked=[AWS, f"{TOFU}/acme/aws"]), {"aws": [f"{TOFU}/acme/aws", AWS]}),
    (
        "both registries",
        "aws random",
        _evidence(locked=[AWS, f"{TERRAFORM}/hashicorp/null"]),
        {"aws": (AWS, "from LOCK"), "random": "unknown"},
    ),
    (
        "the same from both registries",
        "aws",
        _evidence(locked=[AWS, f"{TERRAFORM}/hashicorp/aws"]),
        {"aws": [AWS, f"{TERRAFORM}/hashicorp/aws"]},
    ),
    (
        "required with a host",
        "acme",
        _evidence({"acme": [f"{TERRAFORM}/x/y"]}),
        {"acme": (f"{TERRAFORM}/x/y", "from CONFIG")},
    ),
    ("required without a host", "acme", _evidence({"acme": ["x/y"]}), {"acme": "unknown"}),
    (
        "required without a host, and locked",
        "acme",
        _evidence({"acme": ["x/y"]}, [f"{TOFU}/x/y", f"{TERRAFORM}/z/acme"]),
        {"acme": (f"{TOFU}/x/y", "from LOCK")},
    ),
    (
        "required without a host, and another locked",
        "acme",
        _evidence({"acme": ["x/y"]}, [f"{TERRAFORM}/hashicorp/aws"]),
        {"acme": (f"{TERRAFORM}/x/y", "from CONFIG, registry from LOCK")},
    ),
    ("required in two ways", "acme", _evidence({"acme": ["x/y", "x/z"]}), {"acme": ["x/y", "x/z"]}),
    (
        "a required host is for that provider only",
        "aws",
        _evidence({"acme": [f"{TERRAFORM}/x/y"]}, [f"{TERRAFORM}/x/y"]),
        {"aws": "unknown"},
    ),
    (
        "a required host beside the registry of the engine",
        "acme aws",
        _evidence({"acme": [f"{TERRAFORM}/x/y"]}, [f"{TERRAFORM}/x/y", f"{TOFU}/hashicorp/null"]),
        {"acme": (f"{TERRAFORM}/x/y", "from CONFIG"), "aws": (AWS, "registry from LOCK")},
    ),
    (
        "in the state",
        "aws acme",
        _evidence(in_state=[f"{TERRAFORM}/hashicorp/random", f"{TERRAFORM}/x/acme"]),
        {
            "aws": (f"{TERRAFORM}/hashicorp/aws", "registry from other providers in the state"),
            "acme": (f"{TERRAFORM}/x/acme", "from other providers in the state"),
        },
    ),
    (
        "the lock file and the state contradict each other",
        "aws random",
        _evidence(locked=[AWS], in_state=[f"{TERRAFORM}/x/acme"]),
        {"aws": (AWS, "from LOCK"), "random": "unknown"},
    ),
    ("built in", "terraform", _evidence(), {"terraform": ("terraform.io/builtin/terraform", "")}),
]


@each_row(("types", "evidence", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_inferred(types: str, evidence: Evidence, expected: dict[str, object]) -> None:
    assert _found(types, evidence) == expected


def test_what_the_user_gives_comes_first() -> None:
    evidence = _evidence(locked=[f"{TERRAFORM}/hashicorp/aws"])
    assert _found("aws random", evidence, {"aws": "x/y", "random": "tf.example.com/z/r"}) == {
        "aws": (f"{TERRAFORM}/x/y", ""),
        "random": ("tf.example.com/z/r", ""),
    }
    assert _found("aws random", _evidence(), {"aws": "x/y"}) == {"aws": ("/x/y", ""), "random": "unknown"}
