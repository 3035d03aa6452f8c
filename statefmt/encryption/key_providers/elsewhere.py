"""Refuses the key providers that need a cloud service, and explains what they need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NoReturn

from statefmt.encryption.configuration.arguments import Arguments
from statefmt.encryption.configuration.model import KeyProviderBlock
from statefmt.encryption.configuration.values import ArgumentValue
from statefmt.encryption.key_providers.keys import KeySource
from statefmt.model.errors import KeyServiceError

# What each provider needs to supply a key.
SERVICES: Final[Mapping[str, str]] = {
    "aws_kms": "a request to AWS KMS with the credentials of an AWS account",
    "gcp_kms": "a request to Google Cloud KMS with the credentials of a service account",
    "azure_vault": "a request to an Azure Key Vault with a login to Azure",
    "openbao": "a request to the transit engine of an OpenBao or Vault server with its token",
}


def needed_for(meta_key: str) -> str:
    """Say which service the key of a metadata entry needs, from its provider's name; "" if none."""
    root, _, rest = meta_key.partition(".")
    service = SERVICES.get(rest.partition(".")[0]) if root == "key_provider" else None
    return f"its key needs {service}, which statetool does not support" if service else ""


def key_provider(block: KeyProviderBlock, source_of: Callable[[Arguments, str, ArgumentValue], KeySource]) -> NoReturn:
    """Raise KeyServiceError with the service that the provider needs."""
    error = block.arguments.block_error(
        f"its keys need {SERVICES[block.address.type]}, which statetool does not support. "
        "`tofu state pull` prints the decrypted state where this provider is configured"
    )
    raise KeyServiceError(str(error))
