"""Configurations of OpenTofu, read from a directory and evaluated as far as that goes without running anything.

    configuration = load(directory, options)           # every module of the tree, and what is wrong with it
    scope = root_scope(configuration)                  # names as expressions of the root module see them
    evaluate(block.for_each.expression, scope)         # a Value, or an Unknown that says why
    expand(call.repetition, scope)                     # instance keys with their values, or an Unknown
    scope.child("name", key)                           # the names inside of one instance of a called module

Nothing here needs tree-sitter until a file in HCL's native syntax is read.
"""

from __future__ import annotations

from statefmt.config.evaluate import evaluate
from statefmt.config.expansion import Expansion, Instance, expand, expand_provider
from statefmt.config.load import LoadOptions, VariableOption, load
from statefmt.config.model import (
    Argument,
    Configuration,
    Declarations,
    ImportBlock,
    InputValue,
    Local,
    Module,
    ModuleCall,
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
from statefmt.config.position import Range
from statefmt.config.problem import Problem, ProblemKind
from statefmt.config.references import as_traversal, references
from statefmt.config.scope import EachValue, Scope, root_scope
from statefmt.config.values import Unknown, Value

__all__ = [
    "Argument",
    "Configuration",
    "Declarations",
    "EachValue",
    "Expansion",
    "ImportBlock",
    "InputValue",
    "Instance",
    "LoadOptions",
    "Local",
    "Module",
    "ModuleCall",
    "MovedBlock",
    "PassedProvider",
    "Problem",
    "ProblemKind",
    "ProviderBlock",
    "Range",
    "RemovedBlock",
    "Repetition",
    "RequiredProvider",
    "ResourceBlock",
    "Scope",
    "TestFile",
    "TestRun",
    "Unknown",
    "Value",
    "Variable",
    "VariableOption",
    "as_traversal",
    "evaluate",
    "expand",
    "expand_provider",
    "load",
    "references",
    "root_scope",
]
