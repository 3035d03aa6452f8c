"""Which provider instance is meant by an address, or by a name as configuration has it."""

from __future__ import annotations

import pytest

from statefmt.edit.operations.rebind import provider_target
from statefmt.model.errors import InvalidAddressError, SurgeryError
from statefmt.model.snapshot import instances
from tests.edit.operations.bindings import bound
from tests.tables import each_row

_T = 'provider["registry.opentofu.org/acme/t"]'

# Instances, what is written, what is meant.
MEANT = {
    "an address": (["t.a @ acme/t"], f'module.m.{_T}.w["k"]', f'module.m.{_T}.w["k"]'),
    "an address with the short source": (["t.a @ acme/t"], 'provider["acme/t"].w', f"{_T}.w"),
    "an address of another provider": (["t.a @ acme/t"], 'provider["b/u"]', 'provider["registry.opentofu.org/b/u"]'),
    "a name": (["t.a @ acme/t"], "t", _T),
    "an alias": (["t.a @ acme/t"], "t.w", f"{_T}.w"),
    "a key": (["t.a @ acme/t"], 't.w["k"]', f'{_T}.w["k"]'),
    "on the host that they have": (["t.a @ tf.example.com/acme/t"], "t.w", 'provider["tf.example.com/acme/t"].w'),
    "of the module that they have": (["t.a @ module.m.acme/t.w"], 't.w["k"]', f'module.m.{_T}.w["k"]'),
    "of the root module, not that of the module": (["t.a @ module.m.acme/t"], "t", _T),
    "of the root module if their own would change nothing": (["t.a @ module.m.acme/t.w"], "t.w", f"{_T}.w"),
    "of the root module, too, with a key": (['t.a @ module.m.acme/t.w["k"]'], 't.w["k"]', f'{_T}.w["k"]'),
    "of the module with another key": (['t.a @ module.m.acme/t.w["j"]'], 't.w["k"]', f'module.m.{_T}.w["k"]'),
    "of the root module else": (["t.a @ module.m.acme/t.w"], "t.e", f"{_T}.e"),
}


@each_row("case", MEANT)
def test_meant(case: str) -> None:
    before, text, meant = MEANT[case]
    state = bound(*before)
    assert str(provider_target(text, instances(state), state)) == meant


# Instances, what is written, what the refusal says.
REFUSED = {
    "of another provider": (
        ["t.a @ acme/t"], "u.w",
        f"u.w: none of the selected instances has a provider u; they are bound to:\n  {_T}",
    ),
    "of two providers": (
        ["t.a @ acme/t", "t.b @ b/t"], "t.w",
        f't.w is ambiguous; write one of:\n  {_T}.w\n  provider["registry.opentofu.org/b/t"].w',
    ),
    "of two modules": (
        ["t.a @ acme/t.w", "t.b @ module.m.acme/t.w"], 't.w["k"]',
        f't.w["k"] is ambiguous; write one of:\n  module.m.{_T}.w["k"]\n  {_T}.w["k"]',
    ),
    "nothing of the kind": (["t.a @ acme/t"], "t..w", "invalid provider instance 't..w': dot"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    before, text, message = REFUSED[case]
    state = bound(*before)
    with pytest.raises((SurgeryError, InvalidAddressError)) as caught:
        provider_target(text, instances(state), state)
    assert message in str(caught.value)
