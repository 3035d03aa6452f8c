"""What a finding says: its detail alone if that has all words of its summary."""

from __future__ import annotations

import re

from hypothesis import given, strategies as st

from statefmt.model.findings import Finding, Severity
from statefmt.render.findings import message

_TEXTS = st.text(st.sampled_from("aAbé_1 -.\n"), max_size=12)


@given(_TEXTS, _TEXTS)
def test_summary_is_left_out_if_the_detail_has_its_words(summary: str, detail: str) -> None:
    words, others = (set(re.findall(r"\w+", text.lower())) for text in (summary, detail))
    shown = message(Finding("STA001", Severity.ERROR, summary, detail))
    if summary and detail and not words <= others:
        assert shown.startswith(summary) and shown.endswith(f" {detail}")
    else:
        assert shown == (detail or summary)
