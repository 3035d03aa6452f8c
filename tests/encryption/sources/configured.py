"""Configurations to read: texts, modules, and the same configuration in both syntaxes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from statefmt.configuration import VariableOption
from statefmt.encryption import EncryptionConfiguration, Origin
from statefmt.encryption._configuration import ArgumentValue, parse_reference
from statefmt.encryption.sources import module_configuration, read_surroundings, text_configuration

METHOD = 'method "aes_gcm" "main" {\n  keys = key_provider.pbkdf2.main\n}\nstate {\n  method = method.aes_gcm.main\n}\n'


def provider(*lines: str) -> str:
    """A configuration in HCL whose provider, `key_provider.pbkdf2.main`, has these lines, from line 2 on."""
    return "\n".join(['key_provider "pbkdf2" "main" {', *lines, "}", METHOD])


def text(content: str, variables: Mapping[str, str] | None = None, *options: VariableOption) -> EncryptionConfiguration:
    """The configuration that a text is, in the file c.hcl."""
    environment = {f"TF_VAR_{name}": value for name, value in (variables or {}).items()}
    return text_configuration(Origin.of_file("c.hcl"), content.encode(), read_surroundings(None, environment, options))


def module(
    folder: Path, files: Mapping[str, str], variables: Mapping[str, str] | None = None, *options: VariableOption
) -> EncryptionConfiguration | None:
    """The configuration of the module that these files are."""
    for name, content in files.items():
        (folder / name).write_text(content)
    environment = {f"TF_VAR_{name}": value for name, value in (variables or {}).items()}
    return module_configuration(read_surroundings(folder, environment, options))


def arguments(configuration: EncryptionConfiguration | None) -> dict[str, ArgumentValue]:
    """The arguments of the only key provider."""
    assert configuration is not None
    (block,) = configuration.key_providers.values()
    return dict(block.arguments.values)


def hcl(configuration: Mapping[str, Any]) -> str:
    """A configuration that is written in JSON, in the native syntax."""
    lines: list[str] = []
    for kind in ("key_provider", "method"):
        for type_, blocks in configuration.get(kind, {}).items():
            for name, body in blocks.items():
                lines += [f'{kind} "{type_}" "{name}" {{', *_attributes(body), "}"]
    for name in ("state", "plan"):
        if name in configuration:
            lines += [f"{name} {{", *_target(configuration[name]), "}"]
    return "\n".join([*lines, ""])


def _target(target: Mapping[str, Any]) -> list[str]:
    lines = _attributes({name: value for name, value in target.items() if name != "fallback"})
    return [*lines, "fallback {", *_target(target["fallback"]), "}"] if "fallback" in target else lines


def _attributes(body: Mapping[str, Any]) -> list[str]:
    return [f"{name} = {_expression(value)}" for name, value in body.items()]


def _expression(value: object) -> str:
    inner = value.removeprefix("${").removesuffix("}") if isinstance(value, str) else ""
    return inner if parse_reference(inner) is not None else json.dumps(value)
