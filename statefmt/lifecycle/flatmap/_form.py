"""Facts about flatmaps that reading and writing share."""

from __future__ import annotations

from typing import Final

# Stands for an unknown value or, as a count, for an unknown collection.
UNKNOWN_TEXT: Final = "74D93920-ED26-11E3-AC10-0800200C9A66"
# Keys of counts, after the prefix of a list, set or tuple, and of a map.
ITEM_COUNT: Final = "#"
ENTRY_COUNT: Final = "%"
