"""Configurations of OpenTofu, read from a directory and evaluated as far as that goes without running anything.

    configuration = load(directory, options)           # every module of the tree, and what is wrong with it
    scope = root_scope(configuration)                  # names as expressions of the root module see them
    evaluate(block.for_each.expression, scope)         # a Value, or an Unknown that says why
    expand(call.repetition, scope)                     # instance keys with their values, or an Unknown
    scope.child("name", key)                           # the names inside of one instance of a called module

Nothing here needs tree-sitter until a file in HCL's native syntax is read.
"""

from __future__ import annotations

from statefmt.configuration.loading.load import LoadOptions, VariableOption, load
from statefmt.configuration.model import (
    Configuration,
    Declarations,
    ImportBlock,
    InputValue,
    Local,
    ModuleCall,
    ModuleConfiguration,
    MovedBlock,
    PassedProvider,
    ProviderBlock,
    RemovedBlock,
    Repetition,
    RequiredProvider,
    ResourceBlock,
    TestFile,
    TestRun,
    Variable,
)
from statefmt.configuration.scopes.expansion import (
    Expansion,
    Instance,
    expand,
    expand_provider,
)
from statefmt.configuration.scopes.scope import EachValue, Scope, root_scope

__all__ = [
    "Configuration",
    "Declarations",
    "EachValue",
    "Expansion",
    "ImportBlock",
    "InputValue",
    "Instance",
    "LoadOptions",
    "Local",
    "ModuleCall",
    "ModuleConfiguration",
    "MovedBlock",
    "PassedProvider",
    "ProviderBlock",
    "RemovedBlock",
    "Repetition",
    "RequiredProvider",
    "ResourceBlock",
    "Scope",
    "TestFile",
    "TestRun",
    "Variable",
    "VariableOption",
    "expand",
    "expand_provider",
    "load",
    "root_scope",
]
