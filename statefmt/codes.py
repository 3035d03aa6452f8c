"""The stable codes of findings. A code is never reused; each one is a rule with a page (`statetool rule CODE`)."""

from typing import Final

# STA: the file and its envelope
NOT_A_STATE: Final = "STA001"
UNSUPPORTED_VERSION: Final = "STA002"
ENCRYPTED: Final = "STA003"
INVALID_STRUCTURE: Final = "STA004"
UPGRADE_FAILED: Final = "STA005"
INVALID_TERRAFORM_VERSION: Final = "STA006"
NOT_CANONICAL: Final = "STA007"
UNKNOWN_MEMBER: Final = "STA008"
DUPLICATE_MEMBER: Final = "STA009"
UPGRADE_CHOICE: Final = "STA010"
NORMALISED_VALUE: Final = "STA011"
BACKEND_CONFIGURATION: Final = "STA012"
NOT_UTF8: Final = "STA013"

# With one of these there is nothing to work on: commands refuse the file, whatever else they are told.
NO_STATE: Final = frozenset({NOT_A_STATE, UNSUPPORTED_VERSION, ENCRYPTED, BACKEND_CONFIGURATION, NOT_UTF8})

# PRV: which provider instance an object is bound to
PROVIDER_BOTH_LEVELS: Final = "PRV001"
PROVIDER_MISSING: Final = "PRV002"
PROVIDER_CONFIGS_DIFFER: Final = "PRV003"
PROVIDER_ADDRESS_INVALID: Final = "PRV004"
PROVIDER_KEYS_DIFFER: Final = "PRV005"
PROVIDER_BLOCKS_DIFFER: Final = "PRV006"

# ADR: addresses and identity
MODULE_ADDRESS_INVALID: Final = "ADR001"
DUPLICATE_INSTANCE: Final = "ADR002"
INVALID_MODE: Final = "ADR003"
INVALID_INSTANCE_KEY: Final = "ADR004"
RESOURCE_SPREAD: Final = "ADR005"

# INS: instance objects
INVALID_STATUS: Final = "INS001"
INVALID_DEPOSED_KEY: Final = "INS002"
INVALID_SENSITIVE_PATHS: Final = "INS003"
BOTH_ATTRIBUTE_FORMS: Final = "INS004"

# DEP: dependencies
DEPENDENCY_ADDRESS_INVALID: Final = "DEP001"

# OUT: outputs
INVALID_OUTPUT_TYPE: Final = "OUT001"
INVALID_OUTPUT_VALUE: Final = "OUT002"

# CHK: check results
CHECK_ADDRESS_INVALID: Final = "CHK001"
