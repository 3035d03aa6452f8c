"""Finds the state of a folder as OpenTofu and Terraform do: by what `init` recorded, else by the configuration.

find_backend(folder, environment, options)   # the type of backend, the settings as given, the workspace
find_state(folder, environment, options)     # the same with all settings in effect, and the location
url_name(url, environment, options)          # the name of a state at a URL, with all settings in effect
"""

from __future__ import annotations

from statefmt.whereabouts._changed import changed_block as changed_block
from statefmt.whereabouts._find import (
    BackendSource as BackendSource,
    FoundBackend as FoundBackend,
    FoundState as FoundState,
    configured_backend as configured_backend,
    find_backend as find_backend,
    find_state as find_state,
    initialised_backend as initialised_backend,
    located as located,
)
from statefmt.whereabouts._local import (
    inside_state as inside_state,
    is_record_itself as is_record_itself,
    local_state as local_state,
    state_in_record as state_in_record,
)
from statefmt.whereabouts._locks import (
    described_locks as described_locks,
    is_known as is_known,
    is_supported as is_supported,
    locks_off as locks_off,
)
from statefmt.whereabouts._names import folder_name as folder_name, url_name as url_name
from statefmt.whereabouts._programs import (
    declaration as declaration,
    folder_programs as folder_programs,
    programs_of as programs_of,
    unsupported as unsupported,
)
from statefmt.whereabouts._several import SeveralStates as SeveralStates, several_at_url as several_at_url
from statefmt.whereabouts._urls import found_at_url as found_at_url, url_without_values as url_without_values
from statefmt.whereabouts._workspaces import Workspaces as Workspaces, listed_workspaces as listed_workspaces
