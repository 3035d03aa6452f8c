"""What is hidden in the findings of an index: words that are secrets, and what would show them in another spelling."""

from __future__ import annotations

import pytest

from statefmt.fleet._masking import MASK, Masking, finding_rows, fix_of, secrets_of
from statefmt.formats.reading import read
from statefmt.model.findings import Code, Command, Fix
from tests.cli.states import state
from tests.tables import each_row


def masking(*secrets: str) -> Masking:
    outputs = {f"o{number}": {"value": one, "type": "string", "sensitive": True} for number, one in enumerate(secrets)}
    return Masking(secrets_of(read(state(outputs=outputs)).snapshot).strings)


@each_row(
    ("secret", "text", "shown"),
    [
        ("hunter2", "The object of aws_x.hunter2 is tainted.", f"The object of {MASK} is tainted."),
        ("hunter2", "The object of aws_x.hunter is tainted.", "The object of aws_x.hunter is tainted."),
        ("hunter2", 'Key aws_x.y["hunter2"] is odd: hunter2.', f"Key {MASK} is odd: {MASK}"),
        ("a b c", 'Key aws_x.y["a b c"] is odd.', f"Key {MASK} is odd."),
        ("a b c", "The module address 'a b c' is odd.", MASK),
        ("a b c", "The a c b of it.", "The a c b of it."),
        ('say "x"', r'Key aws_x.y["say \"x\""] is odd.', f"Key {MASK} is odd."),
        ("a\nb", r'Key aws_x.y["a\nb"] is odd.', f"Key {MASK} is odd."),
        ("x", 'The member "x" is odd.', 'The member "x" is odd.'),
        ("true", "This is true.", "This is true."),
        (
            "hunter2",
            "No. (column 3 of the dependency 'x[\\\\\"hunter2\\\\\"]')",
            f"No. (column 3 of the dependency {MASK})",
        ),
        ("hunter2", "No. (column 3 of the dependency 'x[web')", "No. (column 3 of the dependency 'x[web')"),
        ("hunter2", 'An unclosed "hunter2 quote.', f"An unclosed {MASK}"),
    ],
)
def test_sentences(secret: str, text: str, shown: str) -> None:
    assert masking(secret, "other words").prose(text) == shown


@pytest.mark.parametrize(
    ("secret", "pointer", "shown"),
    [
        ("hunter2", "/outputs/hunter2/value", MASK),
        ("a/b~c", "/outputs/a~1b~0c", MASK),
        ("a b c", "/outputs/a b c", MASK),
        ("hunter2", "/outputs/hunter/value", "/outputs/hunter/value"),
    ],
)
def test_pointers(secret: str, pointer: str, shown: str) -> None:
    assert masking(secret).pointer(pointer) == shown


def test_every_text_of_a_finding_is_hidden() -> None:
    secret = "correct-horse"
    fix = Fix.of(f"Move {secret}: ", Command("mv", (f"aws_x.{secret}", "b")), snippet=f"moved {{ from = {secret} }}")
    finding = Code.TAINTED.finding(f"About {secret}", f"It is {secret}", f"aws_x.{secret}", f"/outputs/{secret}", fix)
    [row] = finding_rows("s", b"{}", [finding], masking(secret))
    assert secret not in str(row)
    assert (row.address, row.pointer, row.detail) == (MASK, MASK, f"It is {MASK}")
    assert row.fix is not None
    assert fix_of(row.fix, row.snippet) == Fix(
        (f"Move {MASK} ", Command("mv", (MASK, "b"))), f"moved {{ from = {MASK} }}"
    )


def test_a_finding_is_read_as_it_was_written() -> None:
    fix = Fix.of("Run ", Command("rm", ("a\ud800", 'x["é"]')), " now.", snippet="a {\n  b = 1\n}")
    [row] = finding_rows("s", b"{}", [Code.TAINTED.finding("s", fix=fix)], masking())
    assert row.fix is not None
    # A database has no half of a character.
    assert fix_of(row.fix, row.snippet) == Fix.of(
        "Run ", Command("rm", ("a\\ud800", 'x["é"]')), " now.", snippet="a {\n  b = 1\n}"
    )
    assert fix_of(None, "") == Fix()
