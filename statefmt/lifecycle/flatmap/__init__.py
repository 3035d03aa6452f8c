"""Converts values from and to flatmaps, the form of attributes that states had before format 4.

A flatmap is a map of strings: `{"name": "x", "tags.%": "1", "tags.env": "prod", "ports.#": "1", "ports.0": "80"}`.
"""

from __future__ import annotations

from statefmt.lifecycle.flatmap._errors import FlatmapError as FlatmapError
from statefmt.lifecycle.flatmap._from_flatmap import (
    FlatmapDecoding as FlatmapDecoding,
    decode_flatmap as decode_flatmap,
    from_flatmap as from_flatmap,
)
from statefmt.lifecycle.flatmap._to_flatmap import to_flatmap as to_flatmap
