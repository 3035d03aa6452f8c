"""The model of a configuration: what its modules declare, as far as it matters for providers and instances.

A `Configuration` has every module of the tree by its path. Modules that are called several times share one
`Declarations`: a directory is read once. Expressions stay expressions here; `evaluate` gives their values in a scope.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from statefmt.hcl.source.position import Range, SourceText
from statefmt.hcl.source.problem import Problem
from statefmt.hcl.syntax.body import Argument
from statefmt.hcl.syntax.expressions import Expression
from statefmt.model import addrs

if TYPE_CHECKING:
    pass


class Repetition(msgspec.Struct, frozen=True):
    """How often a block is there: at most one of these is set where the configuration is in order."""

    count: Argument | None = None
    for_each: Argument | None = None
    enabled: Argument | None = None  # lifecycle { enabled = … }


class Variable(msgspec.Struct, frozen=True):
    """An input variable. `type` and `default` are None where not given; `sensitive` and so on are literals."""

    name: str
    range: Range  # the header: variable "name"
    type: Expression | None = None
    default: Expression | None = None
    sensitive: bool = False
    ephemeral: bool = False
    nullable: bool = True
    const: bool | None = None


class Local(msgspec.Struct, frozen=True):
    """One local value."""

    name: str
    expression: Expression
    range: Range


class ProviderBlock(msgspec.Struct, frozen=True):
    """`provider "name" { alias = …, for_each = … }`, in test files `mock_provider`, too.

    `alias` is "" where there is none. `for_each_text` is the expression as it is written, in JSON too an expression of
    the native syntax. `reserved` holds `count`, `depends_on`, `source`: OpenTofu refuses them.
    `is_empty` says that nothing in it is for the provider, no argument and no block, and that it gives no version.
    """

    name: str
    name_range: Range
    range: Range  # the header
    alias: str = ""
    alias_range: Range | None = None
    for_each: Argument | None = None
    for_each_text: str = ""
    reserved: tuple[Argument, ...] = ()
    is_empty: bool = True
    body_range: Range | None = None  # from the brace to the brace
    mock: bool = False


class RequiredProvider(msgspec.Struct, frozen=True):
    """An entry of `required_providers`. `source` is "" where it is not given, and as written otherwise."""

    name: str
    range: Range
    source: str = ""
    source_range: Range | None = None
    aliases: tuple[Expression, ...] = ()  # configuration_aliases


class PassedProvider(msgspec.Struct, frozen=True):
    """One entry of the `providers` of a module call, as written: `child = parent`."""

    child: Expression
    parent: Expression
    range: Range


class ModuleCall(msgspec.Struct, frozen=True):
    """`module "name" { … }`. `providers` is None where the argument is missing, which inherits the default ones."""

    name: str
    range: Range  # the header
    source: Argument | None = None
    version: Argument | None = None
    repetition: Repetition = Repetition()
    depends_on: tuple[Expression, ...] = ()
    providers: tuple[PassedProvider, ...] | None = None
    providers_range: Range | None = None
    arguments: Mapping[str, Argument] = {}  # the values for the child's variables


class ResourceBlock(msgspec.Struct, frozen=True):
    """`resource`, `data` or `ephemeral`; a state never has one of the last."""

    mode: addrs.ResourceMode
    type: str
    name: str
    range: Range  # the header
    type_range: Range
    provider: Argument | None = None  # the argument `provider`, a reference: never evaluate it as a whole
    repetition: Repetition = Repetition()

    @property
    def address(self) -> addrs.Resource:
        """The address in its module."""
        return addrs.Resource(self.mode, self.type, self.name)


class MovedBlock(msgspec.Struct, frozen=True):
    """`moved { from = …, to = … }`, the addresses as they are written."""

    source: Expression
    target: Expression
    range: Range


class RemovedBlock(msgspec.Struct, frozen=True):
    """`removed { from = … }`. `destroy` is None where the lifecycle does not say it."""

    source: Expression
    range: Range
    destroy: bool | None = None


class ImportBlock(msgspec.Struct, frozen=True):
    """`import { to = …, for_each = …, provider = … }`."""

    target: Expression
    range: Range
    for_each: Argument | None = None
    provider: Argument | None = None


class TestRun(msgspec.Struct, frozen=True):
    """`run "name"` of a test file."""

    name: str
    range: Range
    module_source: str = ""
    module_range: Range | None = None  # the header of the block `module`
    providers: tuple[PassedProvider, ...] = ()
    variables: Mapping[str, Argument] = {}


class TestFile(msgspec.Struct, frozen=True):
    """A `.tftest.hcl` or `.tofutest.hcl` file."""

    file: str
    providers: tuple[ProviderBlock, ...] = ()
    runs: tuple[TestRun, ...] = ()
    variables: Mapping[str, Argument] = {}


class EncryptionBlock(msgspec.Struct, frozen=True):
    """The place of `terraform { encryption { … } }` in a file; statefmt.encryption.sources reads it when needed."""

    range: Range
    source: SourceText
    json: bool
    override: bool


class Declarations(msgspec.Struct, frozen=True):
    """What the files of one directory declare, overrides applied. The order is that of the files by name, then lines.

    `providers` are by local name and alias; of what is declared twice the first is kept. `incomplete` says that a file
    could not be read in full, so that what is missing here may be declared all the same.
    """

    directory: str
    files: tuple[str, ...] = ()
    variables: Mapping[str, Variable] = {}
    locals: Mapping[str, Local] = {}
    providers: Mapping[tuple[str, str], ProviderBlock] = {}
    required_providers: Mapping[str, RequiredProvider] = {}
    calls: Mapping[str, ModuleCall] = {}
    resources: tuple[ResourceBlock, ...] = ()
    moved: tuple[MovedBlock, ...] = ()
    removed: tuple[RemovedBlock, ...] = ()
    imports: tuple[ImportBlock, ...] = ()
    tests: tuple[TestFile, ...] = ()
    encryption: tuple[EncryptionBlock, ...] = ()
    incomplete: bool = False


class ModuleConfiguration(msgspec.Struct, frozen=True):
    """One module of the tree: where it is called, and what it declares. The root has no `call`."""

    path: addrs.Module
    declarations: Declarations
    call: ModuleCall | None = None
    children: tuple[str, ...] = ()  # the calls whose modules were found


class InputValue(msgspec.Struct, frozen=True):
    """What a root variable was set to and by whom: an expression, or the text of an environment variable or option.

    A text is the value itself for a variable whose type is a primitive one or not given, and an expression otherwise.
    """

    name: str
    origin: str  # `terraform.tfvars`, `TF_VAR_name`, `--var`
    expression: Expression | None = None
    text: str = ""


class Configuration(msgspec.Struct, frozen=True):
    """A whole configuration: the tree of modules by path, the root first, parents before children.

    `missing` says of each called module that could not be read why. `inputs` are the values of root variables
    after all precedence. `tested` has the modules that runs of test files call in place of the root module, by the test
    file and the name of the run. `problems` is everything that was found wrong while reading.
    """

    directory: str
    modules: Mapping[addrs.Module, ModuleConfiguration]
    missing: Mapping[addrs.Module, str] = {}
    inputs: Mapping[str, InputValue] = {}
    workspace: str | None = "default"  # None where it is not known
    tested: Mapping[tuple[str, str], Configuration] = {}
    problems: tuple[Problem, ...] = ()

    @property
    def root(self) -> ModuleConfiguration:
        return self.modules[addrs.Module()]
