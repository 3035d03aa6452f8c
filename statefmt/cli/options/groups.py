"""The headings in the help of a command under which shared options are listed, in this order."""

from typing import Final

SELECTION: Final = "Selection"
COMMON: Final = "Common options"
CONFIGURATION: Final = "Configuration"
ENCRYPTION: Final = "Encryption"
GROUPS: Final = (SELECTION, COMMON, CONFIGURATION, ENCRYPTION)
