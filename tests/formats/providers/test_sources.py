"""The choice of provider sources: entries of the map for providers known by their type only, and who gets which."""

from __future__ import annotations

import pytest

from statefmt.formats.providers import LegacySource, SourceChoice, source_choice
from statefmt.model.addrs.provider import Provider
from tests.tables import each_row

TOFU, TERRAFORM = "registry.opentofu.org", "registry.terraform.io"
FORM = "expected TYPE=[HOST/]NAMESPACE/TYPE, such as aws=hashicorp/aws"

GOOD = [
    ("aws=hashicorp/aws", "aws", LegacySource("", "hashicorp", "aws")),
    ("my_cloud=acme/my-cloud", "my_cloud", LegacySource("", "acme", "my-cloud")),
    ("aws=registry.opentofu.org/hashicorp/aws", "aws", LegacySource(TOFU, "hashicorp", "aws")),
    ("aws=tf.example.com:8443/acme/aws", "aws", LegacySource("tf.example.com:8443", "acme", "aws")),
    ("aws=bücher.example/acme/aws", "aws", LegacySource("xn--bcher-kva.example", "acme", "aws")),
    ("tf=terraform.io/builtin/terraform", "tf", LegacySource("terraform.io", "builtin", "terraform")),
]


@pytest.mark.parametrize(("entry", "type_", "source"), GOOD, ids=[case[0] for case in GOOD])
def test_entry(entry: str, type_: str, source: LegacySource) -> None:
    assert source_choice("", [entry]).legacy == {type_: source}


BAD = [
    ("", f"the entry is empty: {FORM}"),
    ("aws", f"aws: {FORM}"),
    ("aws=", f"aws=: no source after the =; {FORM}"),
    ("=x", f"=x: no type before the =; {FORM}"),
    ("=", f"=: no type before the =; {FORM}"),
    ("a/b=c/d", f"a/b=c/d: 'a/b' is not a valid provider type; {FORM}"),
    ("aws=aws", f"aws=aws: the source has no namespace; {FORM}"),
    ("aws=a/b/c/d", f"aws=a/b/c/d: invalid source; {FORM}"),
    ("aws=a//b", f"aws=a//b: invalid source; {FORM}"),
    ("aws=/aws", f"aws=/aws: invalid source; {FORM}"),
    ("aws=-/aws", f"aws=-/aws: the namespace - does not identify a source; {FORM}"),
    (
        "aws=a_b/aws",
        (
            "aws=a_b/aws: the namespace 'a_b' is not valid: must contain only letters, digits, and dashes, and may not "
            "use leading or trailing dashes"
        ),
    ),
    ("aws=a/b.c", "aws=a/b.c: the type 'b.c' is not valid: dots are not allowed"),
    ("aws=Acme/aws", "aws=Acme/aws: the source is not in normal form; write aws=acme/aws"),
    (
        "aws=Registry.OpenTofu.org/hashicorp/aws",
        (
            "aws=Registry.OpenTofu.org/hashicorp/aws: the source is not in normal form; write "
            "aws=registry.opentofu.org/hashicorp/aws"
        ),
    ),
    (
        "aws=BÜCHER.example/a/aws",
        "aws=BÜCHER.example/a/aws: the source is not in normal form; write aws=bücher.example/a/aws",
    ),
    (
        "aws=xn--bcher-kva.example/a/aws",
        (
            "aws=xn--bcher-kva.example/a/aws: the host 'xn--bcher-kva.example' is not valid: hostname label "
            '"xn--bcher-kva" specified in punycode format; service hostnames must be given in unicode'
        ),
    ),
    (
        "aws=terraform.io/hashicorp/aws",
        ("aws=terraform.io/hashicorp/aws: terraform.io has only built-in providers, not terraform.io/hashicorp/aws"),
    ),
]


@each_row(("entry", "message"), BAD, ids=[case[0] or "empty" for case in BAD])
def test_bad_entry(entry: str, message: str) -> None:
    with pytest.raises(ValueError) as refused:
        source_choice("", [entry])
    assert str(refused.value) == message


def test_type_with_two_sources() -> None:
    with pytest.raises(ValueError, match=r"\Aaws=b/aws: the type aws already has another source: aws=a/aws\Z"):
        source_choice("", ["aws=a/aws", "gcp=a/gcp", "aws=b/aws"])


def test_type_with_one_source_twice() -> None:
    assert len(source_choice("", ["aws=a/aws", "aws=a/aws"]).legacy) == 1


def test_source_from_the_other_registry() -> None:
    """Else a second run would change what the first one wrote."""
    with pytest.raises(ValueError, match=r"all providers come from registry\.terraform\.io; omit the host"):
        source_choice(TERRAFORM, ["aws=registry.opentofu.org/hashicorp/aws"])


def _provider(text: str) -> Provider:
    return Provider(*text.split("/"))


# The registry chosen, entries of the map, the source before, and the source after (None: nobody knows).
SOURCES = [
    (TOFU, "", "registry.terraform.io/hashicorp/aws", "registry.opentofu.org/hashicorp/aws"),
    (TOFU, "", "registry.terraform.io/acme/x", "registry.opentofu.org/acme/x"),
    (TOFU, "", "registry.opentofu.org/acme/x", "registry.opentofu.org/acme/x"),
    (TERRAFORM, "", "registry.opentofu.org/hashicorp/aws", "registry.terraform.io/hashicorp/aws"),
    ("", "", "registry.terraform.io/hashicorp/aws", "registry.terraform.io/hashicorp/aws"),
    (TOFU, "", "tf.example.com/hashicorp/aws", "tf.example.com/hashicorp/aws"),
    (TERRAFORM, "", "terraform.io/builtin/terraform", "terraform.io/builtin/terraform"),
    (TOFU, "", "registry.terraform.io:8443/a/b", "registry.terraform.io:8443/a/b"),
    (TOFU, "", "registry.terraform.io/-/aws", "registry.opentofu.org/hashicorp/aws"),
    (TERRAFORM, "", "registry.opentofu.org/-/google-beta", "registry.terraform.io/hashicorp/google-beta"),
    (TERRAFORM, "", "registry.opentofu.org/-/terraform", "terraform.io/builtin/terraform"),
    (TERRAFORM, "", "registry.opentofu.org/-/datadog", None),
    (TERRAFORM, "foo=acme/x", "registry.opentofu.org/-/foo", "registry.terraform.io/acme/x"),
    (TOFU, "aws=acme/aws", "registry.opentofu.org/-/aws", "registry.opentofu.org/acme/aws"),
    (TOFU, "aws=tf.example.com/a/b", "registry.opentofu.org/-/aws", "tf.example.com/a/b"),
    ("", "foo=acme/foo", "registry.terraform.io/-/foo", "registry.terraform.io/acme/foo"),
    ("", "foo=acme/foo", "registry.opentofu.org/-/foo", "registry.opentofu.org/acme/foo"),
    ("", "foo=acme/foo", "registry.opentofu.org/-/aws", "registry.opentofu.org/hashicorp/aws"),
    ("", "foo=acme/foo", "registry.terraform.io/hashicorp/foo", "registry.terraform.io/hashicorp/foo"),
]  # fmt: skip


@each_row(("host", "entry", "before", "after"), SOURCES)
def test_source_of(host: str, entry: str, before: str, after: str | None) -> None:
    choice = source_choice(host, [entry] if entry else [])
    assert choice.source_of(_provider(before)) == (_provider(after) if after else None)


@pytest.mark.parametrize(("host", "entries", "rewrites"), [("", [], False), (TOFU, [], True), ("", ["a=b/a"], True)])
def test_a_choice_says_whether_there_is_anything_to_do(host: str, entries: list[str], rewrites: bool) -> None:
    assert bool(source_choice(host, entries)) is rewrites
    assert not SourceChoice()
