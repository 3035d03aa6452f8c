"""Names the operations that refusals point to, for the command line and for programs."""

from __future__ import annotations

from typing import Final

from statefmt.model.errors import Wording

REBIND_COMMAND: Final = Wording("`statetool rebind`", "rebind()")
REPLACE_PROVIDER_COMMAND: Final = Wording("`statetool replace-provider`", "replace_provider()")
