"""Selectors: what they fit among a few addresses, and what is said of those that are none."""

from __future__ import annotations

import pytest

from statefmt.analysis.selection.addresses import Addresses
from statefmt.model.addrs import AbsResourceInstance, StringKey
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from statefmt.model.errors import SelectionError
from tests.tables import each_row

# By short names, so that a case fits a line.
ADDRESSES = {
    "ami": "data.aws_ami.os",
    "vpc": "aws_vpc.main",
    "web0": "aws_instance.web[0]",
    "web1": "aws_instance.web[1]",
    "web10": "aws_instance.web[10]",
    "key*": 'aws_key.k["*"]',
    "key?": 'aws_key.k["?"]',
    "keya*": 'aws_key.k["a*b"]',
    "keyaxb": 'aws_key.k["axb"]',
    "key0": 'aws_key.k["0"]',
    "dots": 'aws_key.k["a.b[0]/c"]',
    "quote": r'aws_key.k["say \"hi\" \\ $${x} %%{y}\n"]',
    "back": r'aws_key.k["back\\slash"]',
    "accent": 'aws_key.k["é"]',
    "net": "module.net.aws_vpc.main",
    "netami": "module.net.data.aws_ami.os",
    "x": 'module.app["x"].aws_instance.web[0]',
    "y": 'module.app["y"].aws_instance.web',
    "deep": 'module.app["x"].module.db[0].aws_db.main',
    "odd": "module.data.aws_vpc.module",
}
KEYS = {name for name, address in ADDRESSES.items() if address.startswith("aws_key")}

# A selector, and what it fits.
FITS = [
    # Addresses.
    ("aws_vpc.main", "vpc"),
    ("aws_instance.web", "web0 web1 web10"),
    ("aws_instance.web[1]", "web1"),
    (" aws_instance . web [ 1.0 ] ", "web1"),
    ('aws_key.k["0"]', "key0"),
    (r'aws_key.k["\u0030"]', "key0"),
    ('aws_key.k["e\u0301"]', "accent"),
    ("module.net", "net netami"),
    ("module.app", "x y deep"),
    ('module.app["x"]', "x deep"),
    ('module.app["x"].module.db', "deep"),
    ("module.data", "odd"),
    # An address comes first, also one that has a wildcard in it.
    ('aws_key.k["*"]', "key*"),
    (' aws_key.k["*"] ', "key*"),
    (r'aws_key.k["\u002a"]', "key*"),
    ('aws_key.k["?"]', "key?"),
    ('aws_key.k["a*b"]', "keya*"),
    # Names.
    ("*.*", f"vpc web0 web1 web10 {' '.join(KEYS)}"),
    ("*.main", "vpc"),
    ("aws_???.main", "vpc"),
    ("aws_*.web", "web0 web1 web10"),
    ("aws_instance.*e*", "web0 web1 web10"),
    ("data.*.*", "ami"),
    ("data.aws_ami.o?", "ami"),
    # Keys.
    ("aws_instance.w*[0]", "web0"),
    ("aws_instance.web[*]", "web0 web1 web10"),
    ("aws_instance.web[?]", "web0 web1"),
    ("aws_instance.web[1*]", "web1 web10"),
    ("aws_key.k[*]", " ".join(KEYS)),
    ('aws_key.*["*"]', " ".join(KEYS)),
    (r'aws_key.*["\*"]', "key*"),
    (r'aws_key.k["\?"]', "key?"),
    ('aws_key.k["a*"]', "keya* keyaxb dots"),
    ('aws_key.k["a?b"]', "keya* keyaxb"),
    (r'aws_key.k["a\*?"]', "keya*"),
    ('aws_key.k["a.b[*]/c"]', "dots"),
    ('aws_key.k["*[0]*"]', "dots"),
    (r'aws_key.k["*\"hi\"*"]', "quote"),
    (r'aws_key.k["*\\ *"]', "quote"),
    (r'aws_key.k["back\\*"]', "back"),
    (r'aws_key.k["*\\?*"]', "quote back"),
    ('aws_key.k["*$${x}*"]', "quote"),
    ('aws_key.k["*%%{?}*"]', "quote"),
    (r'aws_key.k["*\n"]', "quote"),
    ('aws_*.k["e\u0301"]', "accent"),
    # Modules.
    ("module.*", "net netami x y deep odd"),
    ("module.*.*.*", "net x y odd"),
    ("module.*.aws_instance.web[*]", "x"),
    ("module.*.aws_instance.web", "x y"),
    ("module.n?t.*.main", "net"),
    ("module.a*", "x y deep"),
    ("module.app[*]", "x y deep"),
    ("module.app[*].aws_instance.web", "x y"),
    ('module.app["?"].aws_instance.web[0]', "x"),
    ("module.*.module.*", "deep"),
    ("module.app.*.*", "x y"),
    # Modules at any depth.
    ("**", " ".join(ADDRESSES)),
    ("**.**", " ".join(ADDRESSES)),
    ("**.*.main", "vpc net deep"),
    ("**.aws_instance.web", "web0 web1 web10 x y"),
    ("**.aws_instance.web[0]", "web0 x"),
    ("**.data.*.*", "ami netami"),
    ("**.module.db", "deep"),
    ("module.app.**", "x y deep"),
    ("module.*.aws_vpc.module", "odd"),
    ('module.app["x"].**.aws_db.main', "deep"),
    ("**.module.app.**.module.db.**.*.*", "deep"),
]


def _addresses() -> Addresses:
    return Addresses([parse_abs_resource_instance(address) for address in ADDRESSES.values()])


def _fitting(selector: str) -> set[str]:
    names = list(ADDRESSES)
    return {names[place] for place in _addresses().fitting(selector)}


@each_row(("selector", "found"), FITS, ids=[case[0] for case in FITS])
def test_fits(selector: str, found: str) -> None:
    assert _fitting(selector) == set(found.split())


# Selectors that are sound and fit nothing here.
NO_MATCH = [
    "aws_vpc.MAIN",
    "aws_vpc.mai",
    "*.os",
    "aws_instance.web[2]",
    'aws_instance.*["0"]',
    "aws_key.k[0*]",
    "aws_vpc.main[*]",
    "module.net[*]",
    "module.net.module.*",
    "**.module.db.module.*",
    "*.module",
]


@pytest.mark.parametrize("selector", NO_MATCH)
def test_fits_nothing(selector: str) -> None:
    with pytest.raises(SelectionError, match=r"^no resource instance matches "):
        _addresses().fitting(selector)


# What is neither an address nor a pattern; where that shows, and a word of what is said.
UNSOUND = [
    ("a.b c", 5, "index"),
    ("*", 1, "**"),
    ("data.*", 1, "**"),
    ("*.*.*", 5, "module.NAME"),
    ("data.*.*.*", 10, "module.NAME"),
    ("aws_*.", 7, "name"),
    ("aws_*..x", 7, "name"),
    ("aws_* .x", 6, "dot"),
    ("aws_*.x[]", 8, "]"),
    ("aws_*.x[a", 8, "]"),
    ('aws_*.x["a', 8, "]"),
    ("aws_*.x[0]y", 11, "dot"),
    ("aws_*[0].x", 6, "keys"),
    ("data[0].*.x", 5, "keys"),
    ("module.*.**.a**.b", 13, "**"),
    ("module.**", 8, "**"),
    ("module.*.module", 16, "module"),
    ("**[0]", 3, "**"),
    ("**.data.**", 4, "type"),
    ('*.x["${y}"]', 6, "$${"),
    ('*.x["a$${b}${c}"]', 12, "$${"),
    (r'*.x["\q"]', 6, "escape"),
    (r'*.x["ab\u00"]', 8, "hexadecimal"),
]


@each_row(("selector", "column", "word"), UNSOUND, ids=[case[0] for case in UNSOUND])
def test_is_no_selector(selector: str, column: int, word: str) -> None:
    with pytest.raises(SelectionError) as caught:
        _addresses().fitting(selector)
    message = str(caught.value)
    assert message.startswith(f"invalid address {selector!r}: ")
    assert message.endswith(f"(column {column})")
    assert word in message


def test_an_instance_without_a_key_is_all_of_its_resource() -> None:
    """As in OpenTofu: nothing tells it from the resource."""
    addresses = [parse_abs_resource_instance(address) for address in ("a.b", "a.b[0]")]
    assert Addresses(addresses).fitting("a.b") == [0, 1]
    assert Addresses(addresses).fitting("a.*[*]") == [1]


def test_a_key_that_is_not_in_normal_form() -> None:
    """A state may have one, though no configuration can name it."""
    address = parse_abs_resource_instance("a.b")
    decomposed = AbsResourceInstance(address.module, address.resource.resource.instance(StringKey("e\u0301")))
    assert Addresses([address, decomposed]).fitting(str(decomposed)) == [1]
    assert Addresses([address, decomposed]).fitting('a.*["é"]') == [1]
    assert Addresses([address, decomposed]).fitting('a.b["\u00e9"]') == [1]
    composed = parse_abs_resource_instance('a.b["\u00e9"]')
    assert Addresses([decomposed, composed]).fitting('a.b["\u00e9"]') == [1]


def test_a_key_that_could_be_each_of_two() -> None:
    """Angstrom sign, and A with a ring apart: both become U+00C5."""
    resource = parse_abs_resource_instance("a.b").containing_resource()
    both = [resource.instance(StringKey(key)) for key in ("\u212b", "A\u030a")]
    assert [Addresses(both).fitting(str(addr)) for addr in both] == [[0], [1]]
    with pytest.raises(SelectionError, match=r"is ambiguous: it matches .*212b.*u030a"):
        Addresses(both).fitting('a.b["\u00c5"]')


def test_a_pattern_takes_time_in_proportion() -> None:
    """Neither many wildcards nor many `**` make it try every way to share out a text."""
    steps = ".".join(["module.a"] * 60)
    addresses = Addresses([parse_abs_resource_instance(f"{steps}.t.{'a' * 2000}")])
    with pytest.raises(SelectionError):
        addresses.fitting("**.module.a." * 30 + "t.b")
    with pytest.raises(SelectionError):
        addresses.fitting(f"**.t.{'*a' * 30}*b")


def test_names_that_no_configuration_could_have() -> None:
    """A state may have them all the same, and what is listed can be selected."""
    address = parse_abs_resource_instance("a.b")
    odd = type(address.resource.resource)(address.resource.resource.mode, "a b.c", "x\x1b*")
    odd_address = AbsResourceInstance(address.module, odd.instance())
    addresses = Addresses([address, odd_address])
    assert addresses.fitting(str(odd_address)) == [1]
    assert addresses.fitting("a*.*") == [0, 1]
