"""Trees, as the program `tree` draws them."""

from __future__ import annotations

from statefmt.render.providers import Branch, tree

EXPECTED = """\
root
├── a
│   ├── b
│   │   └── c
│   └── b
└── a
    └── d"""


def test_tree() -> None:
    """Also where branches are alike."""
    first = Branch("a", (Branch("b", (Branch("c"),)), Branch("b")))
    assert tree(Branch("root", (first, Branch("a", (Branch("d"),))))) == EXPECTED


def test_lone_root() -> None:
    assert tree(Branch("root")) == "root"


def test_the_same_branch_twice() -> None:
    same = Branch("a")
    assert tree(Branch("root", (same, same))) == "root\n├── a\n└── a"
