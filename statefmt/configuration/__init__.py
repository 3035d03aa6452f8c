"""Reads OpenTofu configurations from a directory and evaluates them as far as possible without running anything.

    configuration = load(directory, options)           # every module of the tree, and its problems
    scope = root_scope(configuration)                  # the names that expressions of the root module can use
    evaluate(block.for_each.expression, scope)         # a Value, or an Unknown with the reason
    expand(call.repetition, scope)                     # instance keys with their values, or an Unknown
    scope.child("name", key)                           # the scope inside one instance of a called module

tree-sitter is imported only when a file in HCL's native syntax is read.
"""

from __future__ import annotations

from statefmt.configuration._load import LoadOptions as LoadOptions, load as load
from statefmt.configuration._scope import EachValue as EachValue, Scope as Scope, root_scope as root_scope
from statefmt.configuration.directory import VariableOption as VariableOption
from statefmt.configuration.instances import (
    ExpandedInstance as ExpandedInstance,
    Expansion as Expansion,
    expand as expand,
    expand_provider as expand_provider,
)
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
