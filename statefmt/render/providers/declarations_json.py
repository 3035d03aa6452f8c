"""Renders provider configurations as declared in a configuration and used by a state, as JSON."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from statefmt.model.addrs import StringKey
from statefmt.model.findings import Finding
from statefmt.render.configuration_problems import configuration_problems_json
from statefmt.render.json_output import document

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.analysis.providers.declarations import ConfigurationDeclaration, InstanceDeclaration


def provider_declarations_json(
    declarations: Sequence[ConfigurationDeclaration], directory: str, problems: Sequence[Finding]
) -> bytes:
    """Render all configurations (schema: `providers-config-output.schema.json`).

    `directory` is that of the root module; `problems` hide parts of the configuration.
    """
    return document(
        {
            "configurations": [_configuration(declaration, directory) for declaration in declarations],
            "problems": configuration_problems_json(problems),
        }
    )


def _configuration(declaration: ConfigurationDeclaration, directory: str) -> dict[str, object]:
    config, where = declaration.config, declaration.range
    return {
        "address": str(config),
        "source": str(config.provider),
        "module": str(config.module),
        "alias": config.alias or None,
        "file": os.path.normpath(Path(directory) / where.file) if where else None,
        "line": where.line if where else None,
        "column": where.column if where else None,
        "unknown": declaration.unknown.reason if declaration.unknown else None,
        "instances": [_instance(one) for one in declaration.instances],
    }


def _instance(one: InstanceDeclaration) -> dict[str, object]:
    key = one.provider.key
    return {
        "address": str(one.provider),
        "key": key.value if isinstance(key, StringKey) else None,
        "declared": one.declared,
        "in_configuration": one.wanted,
        "resource_instances": one.resource_instances,
        "deposed_objects": one.deposed_objects,
        "missing": one.missing,
        "unused": one.unused,
    }
