"""The key providers that need a service in some cloud: known by name and by their metadata, and refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NoReturn

from statefmt.encryption.configuration.arguments import Arguments
from statefmt.encryption.configuration.model import KeyProviderBlock
from statefmt.encryption.configuration.values import ArgumentValue
from statefmt.encryption.key_providers.keys import KeySource
from statefmt.model.errors import KeyServiceError

# What would be needed to get a key from each.
SERVICES: Final[Mapping[str, str]] = {
    "aws_kms": "a request to AWS KMS with the credentials of an AWS account",
    "gcp_kms": "a request to Google Cloud KMS with the credentials of a service account",
    "azure_vault": "a request to an Azure Key Vault with a login to Azure",
    "openbao": "a request to the transit engine of an OpenBao or Vault server with its token",
}


def needed_for(meta_key: str) -> str:
    """What the key of an entry in an envelope would take, by the name of its provider; "" where it takes no service."""
    root, _, rest = meta_key.partition(".")
    service = SERVICES.get(rest.partition(".")[0]) if root == "key_provider" else None
    return f"its key takes {service}, which statetool does not make" if service else ""


def key_provider(block: KeyProviderBlock, source_of: Callable[[Arguments, str, ArgumentValue], KeySource]) -> NoReturn:
    """Raises KeyServiceError, which says what would be needed."""
    error = block.arguments.block_error(
        f"its keys take {SERVICES[block.address.type]}, which statetool does not make. "
        "`tofu state pull` gives such a state in plain text, where it is configured"
    )
    raise KeyServiceError(str(error))
