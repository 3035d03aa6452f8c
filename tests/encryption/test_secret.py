"""A secret is nowhere to be seen."""

from __future__ import annotations

import copy
import pickle
import traceback

import pytest

from statefmt.encryption._keys import NewKey, Secret
from statefmt.encryption.key_providers import key_source
from tests.encryption.recorded import configured

PASSPHRASE = "correct-horse-battery-staple"
SECRET = Secret(PASSPHRASE.encode())
TEXT = (
    '{"key_provider": {"pbkdf2": {"main": {"passphrase": "correct-horse-battery-staple"}}},'
    ' "method": {"aes_gcm": {"main": {"keys": "key_provider.pbkdf2.main"}}}}'
)


def test_representations() -> None:
    configuration = configured(TEXT)
    (method,) = configuration.methods.values()
    source = key_source(configuration, method.arguments, "keys")
    for shown in (SECRET, [SECRET], NewKey(SECRET), configuration, configuration.key_providers, method, source):
        assert PASSPHRASE not in f"{shown!r} {shown!s}"


def test_is_not_written_anywhere() -> None:
    with pytest.raises(TypeError):
        pickle.dumps(SECRET)
    with pytest.raises(TypeError):
        copy.copy(SECRET)


def test_compares() -> None:
    assert Secret(b"a") == Secret(b"a")
    assert Secret(b"a") != Secret(b"b")
    assert Secret(b"a") != b"a"
    with pytest.raises(TypeError):
        hash(SECRET)


def test_tracebacks_with_local_variables() -> None:
    secret = SECRET
    try:
        raise ValueError(secret)
    except ValueError as error:
        shown = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    assert "secret = Secret(" in shown
    assert PASSPHRASE not in shown
