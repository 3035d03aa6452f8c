"""Reads encryption configurations in HCL or JSON, from a file, the environment or a module.

    surroundings = read_surroundings(directory, environment, options)   # the values of variables, the module if any
    module_configuration(surroundings)                    # the encryption block of the module
    text_configuration(Origin.of_environment("TF_ENCRYPTION"), text, surroundings)

    layered_configuration(GivenText.of_file(path), None, (), environment)   # all that a run has, merged

All return an `EncryptionConfiguration` or raise ConfigurationError, with a position but without the text at it: that
may be a passphrase.
"""

from __future__ import annotations

from statefmt.encryption.sources._layers import GivenText as GivenText, layered_configuration as layered_configuration
from statefmt.encryption.sources._module import module_configuration as module_configuration
from statefmt.encryption.sources._surroundings import (
    SourceSurroundings as SourceSurroundings,
    read_surroundings as read_surroundings,
)
from statefmt.encryption.sources._text import text_configuration as text_configuration
