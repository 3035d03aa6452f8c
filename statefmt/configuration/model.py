"""The configuration model: the declarations of each module that matter for providers and instances.

A `Configuration` holds every module of the tree by path. Modules that are called several times share one
`Declarations`, since each directory is read once. Expressions are kept unevaluated; `evaluate` computes their values in
a scope.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from statefmt.hcl.source import Problem, Range, SourceText
from statefmt.hcl.syntax import Argument, Body, Expression
from statefmt.model import addrs


class Repetition(msgspec.Struct, frozen=True):
    """The repetition arguments of a block; a valid block sets at most one."""

    count: Argument | None = None
    for_each: Argument | None = None
    enabled: Argument | None = None  # lifecycle { enabled = … }


class Variable(msgspec.Struct, frozen=True):
    """An input variable. `type` and `default` are None if not given; flags such as `sensitive` are literals."""

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
    """`provider "name" { alias = …, for_each = … }`, or `mock_provider` in a test file.

    `alias` is "" if it is missing. `for_each_text` is the source text of the expression, in native syntax even in
    JSON files. `reserved` holds the arguments `count`, `depends_on` and `source`, which OpenTofu refuses. `is_empty`
    means that the block has no arguments or blocks for the provider and no version. `settings` are the arguments for
    the provider by their paths (`assume_role[0].role_arn`), for those of a `dynamic` block a loop over its blocks
    (`assume_role[*].role_arn`), or None if that is not read.
    """

    name: str
    name_range: Range
    range: Range  # the header
    alias: str = ""
    for_each: Argument | None = None
    for_each_text: str = ""
    reserved: tuple[Argument, ...] = ()
    is_empty: bool = True
    mock: bool = False
    settings: tuple[tuple[str, Expression | None], ...] = ()


class RequiredProvider(msgspec.Struct, frozen=True):
    """An entry of `required_providers`. `source` is as written, "" if not given."""

    name: str
    range: Range
    source: str = ""
    aliases: tuple[Expression, ...] = ()  # configuration_aliases


class PassedProvider(msgspec.Struct, frozen=True):
    """One entry in the `providers` of a module call, as written: `child = parent`."""

    child: Expression
    parent: Expression
    range: Range


class ModuleCall(msgspec.Struct, frozen=True):
    """`module "name" { … }`. `providers` is None if missing: the module then inherits default configurations."""

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
    """`resource`, `data` or `ephemeral`; a state never contains ephemeral resources.

    `body` has the arguments for the provider and OpenTofu's own; they are read only on demand.
    """

    mode: addrs.ResourceMode
    type: str
    name: str
    range: Range  # the header
    type_range: Range
    provider: Argument | None = None  # the argument `provider`, a reference: never evaluate it as a whole
    repetition: Repetition = Repetition()
    body: Body | None = None

    @property
    def address(self) -> addrs.Resource:
        """The address within its module."""
        return addrs.Resource(self.mode, self.type, self.name)


class ProviderUse(msgspec.Struct, frozen=True):
    """A use of a provider without a trace in the state: an `action` or `list` block, or a provider function.

    `user` is the block or the function as written: `action.aws_lambda_invoke.warm`, `provider::aws::arn_parse`. A
    function has no `provider`, and its provider must be in `required_providers`; a block without `provider` uses the
    provider that its type implies, `local`.
    """

    user: str
    range: Range
    local: addrs.LocalProviderConfig
    provider: Argument | None = None
    is_function: bool = False


class RequiredVersion(msgspec.Struct, frozen=True):
    """`terraform { required_version = … }`, as written."""

    text: str
    range: Range


class ConstructUse(msgspec.Struct, frozen=True):
    """A place in a file with a construct that not all releases support. `construct` is a name in `constructs.json`."""

    construct: str
    range: Range


class MovedBlock(msgspec.Struct, frozen=True):
    """`moved { from = …, to = … }`, with the addresses as written."""

    source: Expression
    target: Expression
    range: Range


class RemovedBlock(msgspec.Struct, frozen=True):
    """`removed { from = … }`. `destroy` is None if the lifecycle does not set it."""

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
    """A `run "name"` block of a test file."""

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
    """The location of `terraform { encryption { … } }` in a file; statefmt.encryption.sources reads it on demand."""

    range: Range
    source: SourceText
    json: bool
    override: bool


class Declarations(msgspec.Struct, frozen=True):
    """The declarations of one directory, overrides applied, ordered by file name, then by line.

    `providers` are by local name and alias. The first of duplicate declarations is kept. `state_at` is the position of
    a `backend`, `cloud` or `state_store` block, which only a root module uses. `incomplete` means that a file could not
    be read in full, so missing declarations may exist all the same.
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
    uses: tuple[ProviderUse, ...] = ()
    required_versions: tuple[RequiredVersion, ...] = ()
    constructs: tuple[ConstructUse, ...] = ()
    state_at: Range | None = None
    incomplete: bool = False


class ModuleConfiguration(msgspec.Struct, frozen=True):
    """One module of the tree, with its call and its declarations. The root has no `call`."""

    path: addrs.Module
    declarations: Declarations
    call: ModuleCall | None = None
    children: tuple[str, ...] = ()  # the calls whose modules were found


class InputValue(msgspec.Struct, frozen=True):
    """The value given for a root variable and its origin: an expression, or a string from the environment or an option.

    The string is the value itself if the variable has a primitive type or none, and an expression otherwise.
    """

    name: str
    origin: str  # `terraform.tfvars`, `TF_VAR_name`, `--var`
    expression: Expression | None = None
    text: str = ""


class Configuration(msgspec.Struct, frozen=True):
    """A whole configuration: the tree of modules by path, the root first, parents before children.

    `missing` gives the reason for each called module that could not be read. `inputs` are the values of root
    variables after applying precedence. `tested` has the modules that test runs call in place of the root module, by
    test file and run name. `problems` are all problems found while reading. `for_program` as in LoadOptions.
    Functions read only files in the folders `files_within`; None allows all.
    """

    directory: str
    modules: Mapping[addrs.Module, ModuleConfiguration]
    missing: Mapping[addrs.Module, str] = {}
    inputs: Mapping[str, InputValue] = {}
    workspace: str | None = "default"  # None if unknown
    tested: Mapping[tuple[str, str], Configuration] = {}
    problems: tuple[Problem, ...] = ()
    for_program: bool = False
    files_within: tuple[str, ...] | None = None

    @property
    def root(self) -> ModuleConfiguration:
        return self.modules[addrs.Module()]
