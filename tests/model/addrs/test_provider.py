"""Provider source addresses; both tables were also run through OpenTofu's own code, which crashes on one row."""

from __future__ import annotations

import subprocess
import sys

import pytest

from statefmt.model.addrs.provider import (
    Provider,
    hostname_for_comparison,
    hostname_for_display,
    implied_provider,
    normalize_provider_part,
    parse_provider_source,
)
from statefmt.model.errors import AddressError
from tests.tables import each_row

TOFU = "registry.opentofu.org"

ACCEPTED = {
    "a type alone": ("aws", (TOFU, "hashicorp", "aws"), f"{TOFU}/hashicorp/aws"),
    "a namespace": ("acme/aws", (TOFU, "acme", "aws"), f"{TOFU}/acme/aws"),
    "a host": ("example.com/acme/aws", ("example.com", "acme", "aws"), "example.com/acme/aws"),
    "upper case": ("Example.COM/ACME/Aws", ("example.com", "acme", "aws"), "example.com/acme/aws"),
    "digits and dashes": ("1a/2-b-3", (TOFU, "1a", "2-b-3"), f"{TOFU}/1a/2-b-3"),
    "the legacy namespace": ("-/aws", (TOFU, "-", "aws"), f"{TOFU}/-/aws"),
    "a prefix of a type alone": ("opentofu-a", (TOFU, "hashicorp", "opentofu-a"), f"{TOFU}/hashicorp/opentofu-a"),
    "a port": ("localhost:8080/a/b", ("localhost:8080", "a", "b"), "localhost:8080/a/b"),
    "the default port": ("localhost:443/a/b", ("localhost", "a", "b"), "localhost/a/b"),
    "a port with zeros and a sign": ("localhost:+0080/a/b", ("localhost:80", "a", "b"), "localhost:80/a/b"),
    "an address": ("127.0.0.1/a/b", ("127.0.0.1", "a", "b"), "127.0.0.1/a/b"),
    "a dot at the end": ("example.com./a/b", ("example.com.", "a", "b"), "example.com./a/b"),
    "two dots at the end": ("example.com../a/b", ("example.com..", "a", "b"), "example.com../a/b"),
    "a long label": ("a" * 64 + ".com/a/b", ("a" * 64 + ".com", "a", "b"), "a" * 64 + ".com/a/b"),
    "letters of another script": ("Пример.com/a/b", ("xn--e1afmkfd.com", "a", "b"), "пример.com/a/b"),
    "other letters and a port": ("Пример.com:443/a/b", ("xn--e1afmkfd.com", "a", "b"), "пример.com/a/b"),
    "punycode in upper case": ("XN--E1AFMKFD.com/a/b", ("xn--e1afmkfd.com", "a", "b"), "пример.com/a/b"),
    "punycode of what needs none": ("XN--A-.com/a/b", ("a.com", "a", "b"), "a.com/a/b"),
    "a sharp s": ("faß.de/a/b", ("xn--fa-hia.de", "a", "b"), "faß.de/a/b"),
    "a capital sharp s": ("FAẞ.de/a/b", ("fass.de", "a", "b"), "fass.de/a/b"),
    "dashes in fourth and fifth octet": ("aé--b.com/a/b", ("xn--a--b-bpa.com", "a", "b"), "aé--b.com/a/b"),
    "an ideographic full stop": ("a。b/a/b", ("a.b", "a", "b"), "a.b/a/b"),
    "an emoji": ("☃.net/a/b", ("xn--n3h.net", "a", "b"), "☃.net/a/b"),
    "right to left": ("אב.com/a/b", ("xn--4dbc.com", "a", "b"), "אב.com/a/b"),
    "other letters in a type": ("acme/ÄWS", (TOFU, "acme", "äws"), f"{TOFU}/acme/äws"),
    "full width": ("acme/\uff21\uff37\uff33", (TOFU, "acme", "aws"), f"{TOFU}/acme/aws"),
    "a joiner after a virama": ("acme/क्\u200dष", (TOFU, "acme", "क्\u200dष"), f"{TOFU}/acme/क्\u200dष"),
    "a letter that means nothing": ("\u200b/aws", (TOFU, "", "aws"), f"{TOFU}//aws"),
}  # fmt: skip

CHARACTERS = "must contain only letters, digits, and dashes, and may not use leading or trailing dashes"
FORMAT = 'The "source" attribute must be in the format "[hostname/][namespace/]name"'
STRING, TYPE, NAMESPACE = "Invalid provider source string", "Invalid provider type", "Invalid provider namespace"
HOST = "Invalid provider source hostname"

REFUSED = {
    "nothing": ("", 1, STRING, FORMAT),
    "an empty part": ("a//b", 1, STRING, FORMAT),
    "four parts": ("a/b/c/d", 1, STRING, FORMAT),
    "an underscore": ("hashicorp/my_cloud", 11, TYPE, CHARACTERS),
    "a dash first": ("hashicorp/-aws", 11, TYPE, CHARACTERS),
    "a dash last": ("hashicorp/aws-", 11, TYPE, CHARACTERS),
    "two dashes": ("hashicorp/a--b", 11, TYPE, "cannot use multiple consecutive dashes"),
    "a dot": ("hashicorp/a.b", 11, TYPE, "dots are not allowed"),
    "a space": ("hashicorp/ aws", 11, TYPE, CHARACTERS),
    "a joiner at the end": ("a/aws\u200d", 3, TYPE, CHARACTERS),
    "a mark first": ("a/\u0301b", 3, TYPE, CHARACTERS),
    "both directions": ("a/bא", 3, TYPE, CHARACTERS),
    "a letter of later tables": ("a/Ⴀ", 3, TYPE, CHARACTERS),
    "a namespace": ("a_b/c", 1, NAMESPACE, CHARACTERS),
    "a namespace after a host": ("example.com/a_b/c", 13, NAMESPACE, CHARACTERS),
    "a host for a namespace": ("example.com/c", 1, NAMESPACE, "dots are not allowed"),
    "legacy elsewhere": ("registry.terraform.io/-/aws", 23, NAMESPACE, f"can be used only with hostname {TOFU}."),
    "the type is looked at first": ("a_b/c_d", 5, TYPE, CHARACTERS),
    "punycode": ("xn--e1afmkfd.com/a/b", 1, HOST, "specified in punycode format"),
    "punycode that is none": ("XN--99999999.com/a/b", 1, HOST, "idna: invalid label"),
    "punycode that begins with its only dash": ("XN---A.com/a/b", 1, HOST, "idna: invalid label"),
    "punycode of upper case": ("XN--7BA.com/a/b", 1, HOST, "idna: invalid label"),
    "an empty label": ("a..b/a/b", 1, HOST, "hostname contains empty label"),
    "only a dot": ("./a/b", 1, HOST, "hostname contains empty label"),
    "three dots at the end": ("a.../a/b", 1, HOST, "hostname contains empty label"),
    "dashes in third and fourth place": ("ab--c.com/a/b", 1, HOST, 'idna: invalid label "ab--c"'),
    "dashes in third and fourth octet": ("é--a.com/a/b", 1, HOST, 'idna: invalid label "é--a"'),
    "a label that ends with a dash": ("a-.com/a/b", 1, HOST, 'idna: invalid label "a-"'),
    "an underscore in a host": ("a_b.com/a/b", 1, HOST, "idna: disallowed rune U+005F"),
    "the first wrong character": ("a!Ⅷ@.com/a/b", 1, HOST, "idna: disallowed rune U+0021"),
    "a host that could not be shown": ("aℵb.c/d/e", 1, HOST, "idna: invalid label"),
    "no port": ("a:/b/c", 1, HOST, "port portion contains non-digit characters"),
    "a sign for a port": ("a:+/b/c", 1, HOST, "port portion contains non-digit characters"),
    "a large port": ("a:65536/b/c", 1, HOST, "port number is greater than 65535"),
    "a port beyond 64 bits": ("a:-9999999999999999999/b/c", 1, HOST, "port portion contains non-digit characters"),
    "only a port": (":80/b/c", 1, HOST, "empty string is not a valid hostname"),
    "a scheme": ("https:/b/c", 1, HOST, "need just a hostname and optional port number, not a full URL"),
    "a redundant prefix": ("a/terraform-b", 3, TYPE, f'source "{TOFU}/a/terraform-b" has a type with the prefix'),
    "another redundant prefix": ("a/opentofu-b", 3, TYPE, "redundant to name an OpenTofu provider"),
    "a repository's name": ("a/terraform-provider-b", 3, TYPE, 'Did you mean "a/b"?'),
    "another repository's name": ("x.y/a/opentofu-provider-b", 7, TYPE, 'Did you mean "x.y/a/b"?'),
}  # fmt: skip


@each_row(("text", "parts", "printed"), ACCEPTED.values(), ids=ACCEPTED)
def test_accepts(text: str, parts: tuple[str, str, str], printed: str) -> None:
    assert parse_provider_source(text) == Provider(*parts)
    assert str(Provider(*parts)) == printed


@each_row(("text", "column", "summary", "reason"), REFUSED.values(), ids=REFUSED)
def test_refuses(text: str, column: int, summary: str, reason: str) -> None:
    with pytest.raises(AddressError) as caught:
        parse_provider_source(text)
    assert (caught.value.column, caught.value.summary) == (column, summary)
    assert reason in caught.value.detail


def test_kinds_of_providers() -> None:
    legacy, builtin, default = Provider.legacy("My_Cloud"), Provider.builtin("terraform"), Provider.default("AWS")
    assert str(legacy) == f"{TOFU}/-/My_Cloud"
    assert str(builtin) == "terraform.io/builtin/terraform"
    assert str(default) == f"{TOFU}/hashicorp/aws"
    assert [(p.is_legacy, p.is_builtin) for p in (legacy, builtin, default)] == [
        (True, False),
        (False, True),
        (False, False),
    ]
    assert (default.display, builtin.display) == ("hashicorp/aws", "terraform.io/builtin/terraform")
    assert not Provider("example.com", "-", "aws").is_legacy
    assert Provider("opentofu.org", "builtin", "x").is_builtin


def test_what_a_local_name_implies() -> None:
    assert implied_provider("aws") == Provider.default("aws")
    assert implied_provider("terraform") == Provider.builtin("terraform")
    with pytest.raises(ValueError, match="must contain only letters"):
        implied_provider("my_cloud")


@pytest.mark.parametrize(("text", "reason"), [("", "must have at least one character"), ("a" * 2000 + "é", CHARACTERS)])
def test_not_a_part(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        normalize_provider_part(text)


def test_a_hostname_made_by_hand_is_shown_as_it_is() -> None:
    assert hostname_for_display("xn--99999999:80") == "xn--99999999:80"
    assert hostname_for_display(hostname_for_comparison("Пример:80")) == "пример:80"


def test_plain_addresses_need_no_tables() -> None:
    program = (
        "import sys; from statefmt.model.addrs.parsing import parse_abs_provider_instance as parse; "
        "parse('provider[\"registry.opentofu.org/hashicorp/AWS\"].a[\"é\"]'); print('idna' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"
