"""Encryption configurations as people write them: HCL or JSON, in a file, in the environment or in a module.

    surroundings = read_surroundings(directory, environment, options)   # the values of variables, the module if any
    module_configuration(surroundings)                    # the encryption block of the module
    text_configuration(Origin.of_environment("TF_ENCRYPTION"), text, surroundings)

Both give a `statefmt.encryption.Configuration`, or raise ConfigurationError, which says where in the text and never
what stands there.
"""

from __future__ import annotations

from statefmt.encryption.sources._module import (
    module_configuration as module_configuration,
)
from statefmt.encryption.sources._surroundings import (
    SourceSurroundings as SourceSurroundings,
    read_surroundings as read_surroundings,
)
from statefmt.encryption.sources._text import (
    text_configuration as text_configuration,
)
