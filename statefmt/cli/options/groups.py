"""The headings in the help of a command under which shared options are listed, in this order."""

from typing import Final

PROVIDERS: Final = "Provider sources"
LAYOUT: Final = "Layout"
SELECTION: Final = "Selection"
COMMON: Final = "Common options"
FOLDER: Final = "State of a folder"
STATES: Final = "Between states"
CRASH: Final = "After a crash"
BACKEND: Final = "State in a backend"
CONFIGURATION: Final = "Configuration"
ENCRYPTION: Final = "Encryption"
CLUSTER: Final = "Dask cluster"
GROUPS: Final = (
    *(PROVIDERS, LAYOUT, SELECTION, STATES, COMMON, CRASH, CLUSTER, FOLDER, BACKEND, CONFIGURATION, ENCRYPTION),
)
