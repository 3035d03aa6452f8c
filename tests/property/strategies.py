"""Odd states, with their parts."""

from statefmt.testing._odd_states import UNKNOWN, BlockText, InstanceText, StateText, odd_states as states

__all__ = ["UNKNOWN", "BlockText", "InstanceText", "StateText", "states"]
