"""The names of the commands, for the list of commands, completion, and whoever types them.

It imports nothing: most answers to shells that complete a line need only these tables.
"""

from __future__ import annotations

from typing import Final, NamedTuple

# The sections of the help, with the module and a summary of each command. A module is imported only when its command is
# used. A name of two words is typed as two.
_TABLE: Final = {
    "Inspect": {
        "where": ("statefmt.cli.commands.where", "Show where the state of a folder is, and what says so."),
        "workspaces": ("statefmt.cli.commands.where", "List the workspaces of a folder."),
        "list": ("statefmt.cli.commands.list", "List the resource instances in a state."),
        "show": ("statefmt.cli.commands.show", "Show resource instances, with sensitive values hidden."),
        "providers": ("statefmt.cli.commands.providers", "Show provider configurations and what is bound to each."),
        "outputs": ("statefmt.cli.commands.outputs", "Show the output values of the root module."),
        "grep": ("statefmt.cli.commands.grep", "Search attributes and outputs for text."),
        "stats": ("statefmt.cli.commands.stats", "Show what a state contains, in numbers and sizes."),
        "graph": ("statefmt.cli.commands.graph", "Show the dependencies between resources, as a tree or drawn."),
        "report": ("statefmt.cli.commands.report", "Write a page about states, to read in a browser."),
        "pull": ("statefmt.cli.commands.pull", "Print a state, decrypted if it is encrypted."),
    },
    "Check and compare": {
        "check": ("statefmt.cli.commands.check", "Check states and configurations against the rules."),
        "simulate": ("statefmt.cli.commands.simulate", "Show what a configuration change would orphan."),
        "verify": ("statefmt.cli.commands.verify", "Compare an apply with its plan."),
        "rule": ("statefmt.cli.commands.rule", "List the rules of check and verify, or explain one."),
        "diff": ("statefmt.cli.commands.diff", "Show the differences between two states."),
        "plan-show": ("statefmt.cli.commands.plan_show", "Show the changes of a plan by provider instance."),
        "moves": ("statefmt.cli.commands.moves", "Find moves in plans that destroy and create."),
    },
    "Formats and releases": {
        "fmt": ("statefmt.cli.commands.fmt", "Rewrite states in canonical form."),
        "upgrade": ("statefmt.cli.commands.upgrade", "Upgrade a state of any version to canonical version 4."),
        "downgrade": ("statefmt.cli.commands.upgrade", "Write a state for an older release or the other engine."),
        "releases": ("statefmt.cli.commands.releases", "Show what each release reads, writes and keeps."),
        "schemas": ("statefmt.cli.commands.schemas", "Print the schemas of a configuration's providers."),
    },
    "Surgery": {
        "mv": ("statefmt.cli.commands.mv", "Move instances, resources and modules to other addresses."),
        "rm": ("statefmt.cli.commands.rm", "Forget instances without destroying the real objects."),
        "rekey": ("statefmt.cli.commands.rekey", "Change instance keys, as from count to for_each."),
        "rebind": ("statefmt.cli.commands.rebind", "Bind instances to another provider instance."),
        "replace-provider": ("statefmt.cli.commands.rebind", "Bind resources to another provider or configuration."),
        "taint": ("statefmt.cli.commands.taint", "Mark instances to be replaced by the next plan."),
        "untaint": ("statefmt.cli.commands.taint", "Remove that mark from instances."),
        "forget-deposed": ("statefmt.cli.commands.rm", "Forget deposed objects without destroying them."),
        "set": ("statefmt.cli.commands.set", "Set attributes of instances."),
        "unset": ("statefmt.cli.commands.set", "Unset attributes of instances."),
        "edit": ("statefmt.cli.commands.edit", "Edit a state, or one instance, in an editor."),
        "set-serial": ("statefmt.cli.commands.serial", "Set the serial of a state."),
        "new-lineage": ("statefmt.cli.commands.serial", "Give a state a new lineage."),
    },
    "Several states": {
        "plan": ("statefmt.cli.commands.plan", "Show what an operations file does to its states."),
        "apply": ("statefmt.cli.commands.plan", "Run an operations file on all its states, or none."),
        "split": ("statefmt.cli.commands.split", "Move parts of a state to new states."),
        "join": ("statefmt.cli.commands.split", "Move everything in some states to another one."),
    },
    "Places and locks": {
        "locks": ("statefmt.cli.commands.locks", "Show who holds the locks of states."),
        "unlock": ("statefmt.cli.commands.locks", "Remove a lock that somebody left."),
        "copy": ("statefmt.cli.commands.copy", "Copy a state to another place, byte for byte."),
        "move-backend": ("statefmt.cli.commands.copy", "Copy the states of all workspaces to another backend."),
    },
    "Many states": {
        "fleet index": ("statefmt.cli.commands.fleet", "Store what many states say in a database."),
        "fleet check": ("statefmt.cli.commands.fleet_check", "Report what the rules found in all these states."),
        "fleet query": ("statefmt.cli.commands.fleet", "Query such a database with SQL."),
        "fleet duplicates": ("statefmt.cli.commands.fleet", "Find real objects that several states manage."),
        "fleet graph": ("statefmt.cli.commands.fleet", "Show which states read the outputs of which."),
        "fleet diff": ("statefmt.cli.commands.fleet", "Show what changed between two runs of fleet index."),
    },
    "Encryption": {
        "encryption-info": ("statefmt.cli.commands.encryption", "Show how a state is encrypted."),
        "encrypt": ("statefmt.cli.commands.encryption", "Encrypt a plain state as OpenTofu does."),
        "decrypt": ("statefmt.cli.commands.encryption", "Decrypt a state to plain text."),
        "reencrypt": ("statefmt.cli.commands.encryption", "Encrypt states again with the current method."),
    },
    "Repair and undo": {
        "undo": ("statefmt.cli.commands.undo", "Undo the last edit that statetool made to a state."),
        "restore": ("statefmt.cli.commands.restore", "Put a backup back in place of a state."),
        "history": ("statefmt.cli.commands.history", "Show the edits that statetool made to a state."),
        "versions": ("statefmt.cli.commands.where", "List the versions of a state that its service keeps."),
        "repair": ("statefmt.cli.commands.repair", "Mend a state that can be parsed but not loaded."),
        "reconcile": ("statefmt.cli.commands.reconcile", "Compare what an apply could not save with the state."),
        "salvage": ("statefmt.cli.commands.salvage", "Take what is whole from a state that is no longer JSON."),
    },
    "Help": {
        "help": ("statefmt.cli.commands.help", "Show the help of a command, or explain a topic."),
        "version": ("statefmt.cli.commands.help", "Show the version."),
    },
    "Git": {
        "git-config": ("statefmt.cli.commands.git", "Set up git to compare states with statetool."),
        "git-driver": ("statefmt.cli.commands.git", "Compare states for git (run by git)."),
    },
}
SECTIONS: Final = {
    title: {name: summary for name, (_, summary) in commands.items()} for title, commands in _TABLE.items()
}
COMMANDS: Final = {name: summary for commands in SECTIONS.values() for name, summary in commands.items()}
MODULES: Final = {name: module for commands in _TABLE.values() for name, (module, _) in commands.items()}
# Names that mean the same as a command.
ALIASES: Final = {"ls": "list", "output": "outputs", "force-unlock": "unlock"}
# The subcommands of `tofu state` that statetool has, too.
STATE_COMMANDS: Final = ("list", "show", "mv", "rm", "replace-provider", "pull")
# The first words of commands whose names have two.
GROUPED: Final = frozenset({"fleet"})


class NextWord(NamedTuple):
    """A word: its kind is `plain`, `part` if more of the same word follows, `file` or `dir`."""

    value: str
    type: str = "plain"
    help: str = ""
