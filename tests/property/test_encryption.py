"""What is encrypted is decrypted to the same bytes, and an edit of an encrypted state is the edit of the plain one."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hypothesis import assume, given, settings, strategies as st

import statefmt
from statefmt.cli.run import system_context
from statefmt.edit.changes import Edit
from statefmt.edit.pipeline import EditOptions, edit, surgical
from statefmt.encryption import EnvelopeLayout, SystemRandomness, check_configuration, decrypt, encrypt, parse_envelope
from statefmt.model.errors import StatetoolError
from statefmt.model.snapshot import Snapshot
from statefmt.store.local.store import LocalFile
from tests.encryption.recorded import RECORDS, configured
from tests.property.edits import edited
from tests.property.strategies import StateText, states

_KEY: Final = list(range(32))
# No key is derived, so that it can be done often.
CONFIGURATION: Final = configured(json.dumps({
    "method": {"aes_gcm": {"main": {"keys": {"encryption_key": _KEY, "decryption_key": _KEY}}}},
    "state": {"method": "method.aes_gcm.main"},
}))  # fmt: skip

_SERIALS = st.none() | st.integers(-(2**63), 2**63 - 1)


@given(_SERIALS, st.text(), st.dictionaries(st.text(min_size=13), st.text()), st.sampled_from(EnvelopeLayout))
def test_decrypted_is_what_was_encrypted(
    serial: int | None, lineage: str, more: dict[str, str], layout: EnvelopeLayout
) -> None:
    plain = json.dumps({"serial": serial, "lineage": lineage, **more}).encode()
    encrypted = encrypt(plain, CONFIGURATION, SystemRandomness(), layout)
    opened = decrypt(encrypted, CONFIGURATION)
    assert opened.plain == plain
    assert opened.is_current
    envelope = parse_envelope(encrypted)
    assert envelope is not None
    assert (envelope.serial, envelope.layout) == (serial, layout)
    assert envelope.lineage == lineage.encode("utf-8", "replace").decode() or not lineage.isprintable()


@given(st.binary(max_size=40))
def test_anything_else_is_refused_or_is_plain(data: bytes) -> None:
    try:
        encrypted = encrypt(data, CONFIGURATION, SystemRandomness())
    except StatetoolError:
        return
    assert decrypt(encrypted, CONFIGURATION).plain == data


_ENVELOPES: Final = (
    encrypt(b'{"version":4,"serial":1,"lineage":"l"}', CONFIGURATION, SystemRandomness()),
    encrypt(b'{"version":4,"serial":1,"lineage":"l"}', CONFIGURATION, SystemRandomness(), EnvelopeLayout.INDENTED),
    RECORDS["ok-meta-1-iteration"]["encrypted"].encode(),
)
_TOKENS: Final = (
    b"",
    b"{",
    b"}",
    b"[1]",
    b'"',
    b"\\",
    b"null",
    b"1e9",
    b"\xff",
    b'"meta":{},',
    b"=",
    b"\n",
    b",",
    b"v1",
)


@given(
    st.sampled_from(_ENVELOPES),
    st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 30), st.sampled_from(_TOKENS)), min_size=1, max_size=3),
)
def test_a_damaged_envelope_is_refused_in_words(data: bytes, changes: list[tuple[int, int, bytes]]) -> None:
    changed = data
    for start, length, token in changes:
        changed = changed[:start] + token + changed[start + length :]
    try:
        plain = decrypt(changed, CONFIGURATION).plain
    except StatetoolError:
        return
    # White space, members that nobody reads, and what only repeats the state may differ.
    assert plain == b'{"version":4,"serial":1,"lineage":"l"}'


_JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text()
    | st.sampled_from(("${key_provider.pbkdf2.p}", "key_provider.external.p", "method.aes_gcm.m", "${var.x}", "$${x}")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(("keys", "chain", "passphrase", "iterations", "command", "aad", "method", "fallback", "p", "m",
                         "enforced", "encryption_key")), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(_JSON, _JSON, _JSON)
def test_a_configuration_is_used_or_refused_in_words(provider: object, method: object, state: object) -> None:
    text = {
        "key_provider": {"pbkdf2": {"p": provider}, "external": {"p": provider}},
        "method": {"aes_gcm": {"m": method}, "external": {"m": method}, "unencrypted": {"m": method}},
        "state": state if isinstance(state, dict) and "method" in state else {"method": "method.aes_gcm.m"},
    }
    with suppress(StatetoolError):
        check_configuration(configured(json.dumps(text)))


@st.composite
def _edits(draw: st.DrawFn) -> tuple[StateText, Snapshot]:
    state = draw(states())
    return state, edited(draw, statefmt.read(state.data).snapshot)


@settings(max_examples=40)
@given(_edits(), st.sampled_from(EnvelopeLayout))
def test_an_edit_of_an_encrypted_state_is_that_of_the_plain_one(
    case: tuple[StateText, Snapshot], layout: EnvelopeLayout
) -> None:
    state, after = case
    # An envelope has room for serials of 63 bits only.
    assume(all(snapshot.serial < 2**62 for snapshot in (after, statefmt.read(state.data).snapshot)))
    with TemporaryDirectory() as folder:
        plain, encrypted = Path(folder, "plain"), Path(folder, "encrypted")
        plain.write_bytes(state.data)
        encrypted.write_bytes(encrypt(state.data, CONFIGURATION, SystemRandomness(), layout))
        outcomes = [_outcome(path, after) for path in (plain, encrypted)]
        assert outcomes[0] == outcomes[1].replace(str(encrypted), str(plain))
        assert decrypt(encrypted.read_bytes(), CONFIGURATION).plain == plain.read_bytes()
        envelope = parse_envelope(encrypted.read_bytes())
        assert envelope is not None
        assert envelope.layout is layout
        assert len(list(Path(folder).glob("*.backup"))) in (0, 2)


def _outcome(path: Path, after: Snapshot) -> str:
    context = replace(system_context(), encryption=lambda: CONFIGURATION)
    try:
        edit(
            context, LocalFile(str(path), context), EditOptions("edit", "edit"), surgical(lambda snapshot: Edit(after))
        )
    except StatetoolError as error:
        return str(error)
    return ""
