"""Configurations of OpenTofu, read from a directory and evaluated as far as that goes without running anything.

    configuration = load(directory, options)           # every module of the tree, and what is wrong with it
    scope = root_scope(configuration)                  # names as expressions of the root module see them
    evaluate(block.for_each.expression, scope)         # a Value, or an Unknown that says why
    expand(call.repetition, scope)                     # instance keys with their values, or an Unknown
    scope.child("name", key)                           # the names inside of one instance of a called module

Nothing here needs tree-sitter until a file in HCL's native syntax is read.
"""

from __future__ import annotations

from statefmt.configuration.loading.inputs import VariableOption as VariableOption
from statefmt.configuration.loading.load import LoadOptions as LoadOptions, load as load
from statefmt.configuration.model import (
    Configuration as Configuration,
    Declarations as Declarations,
    ImportBlock as ImportBlock,
    InputValue as InputValue,
    Local as Local,
    ModuleCall as ModuleCall,
    ModuleConfiguration as ModuleConfiguration,
    MovedBlock as MovedBlock,
    PassedProvider as PassedProvider,
    ProviderBlock as ProviderBlock,
    RemovedBlock as RemovedBlock,
    Repetition as Repetition,
    RequiredProvider as RequiredProvider,
    ResourceBlock as ResourceBlock,
    TestFile as TestFile,
    TestRun as TestRun,
    Variable as Variable,
)
from statefmt.configuration.scopes.expansion import (
    Expansion as Expansion,
    Instance as Instance,
    expand as expand,
    expand_provider as expand_provider,
)
from statefmt.configuration.scopes.scope import (
    EachValue as EachValue,
    Scope as Scope,
    root_scope as root_scope,
)
