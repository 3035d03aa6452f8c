"""Decodes the flat attributes of a loaded state."""

from __future__ import annotations

from msgspec.structs import replace

from statefmt.edit.operations.decode_flat_attributes import FlatDecoding, decode_flat_attributes
from statefmt.edit.session import LoadedState, with_next_serial
from statefmt.lifecycle.schema import ProviderSchemas
from statefmt.store.reading import display_name


def flat_attributes_decoded(
    loaded: LoadedState, schemas: ProviderSchemas, *, drop_unknown: bool
) -> tuple[LoadedState, FlatDecoding]:
    """Decode flat attributes by the schemas of providers, as decode_flat_attributes() does.

    The serial rises by one if anything was decoded, unless it did already because sources of providers changed. Raises
    StoreError if the serial is the highest possible.
    """
    decoding = decode_flat_attributes(loaded.result.snapshot, schemas, drop_unknown=drop_unknown)
    if not decoding.decoded:
        return loaded, decoding
    snapshot = decoding.snapshot
    if not loaded.sources.changed:
        snapshot = with_next_serial(snapshot, display_name(loaded.name))
    return replace(loaded, result=replace(loaded.result, snapshot=snapshot)), decoding
