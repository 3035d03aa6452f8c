"""Lists the names of the commands, with the section, the module and a summary of each.

It imports nothing: most completions need only these tables.
"""

from __future__ import annotations

from typing import Final, NamedTuple

# The sections of the help: for each command its module in `commands/`, which is imported only when the command is used,
# and a summary. A name of two words is typed as two.
_TABLE: Final = {
    "Inspect": {
        "where": ("where", "Show where the state of a folder is, and what says so."),
        "workspaces": ("where", "List the workspaces of a folder."),
        "list": ("list", "List the resource instances in a state."),
        "show": ("show", "Show resource instances, with sensitive values hidden."),
        "providers": ("providers", "Show provider configurations and what is bound to each."),
        "outputs": ("show", "Show the output values of the root module."),
        "grep": ("grep", "Search attributes and outputs for text."),
        "stats": ("stats", "Show what a state contains, in numbers and sizes."),
        "graph": ("graph", "Show the dependencies between resources, as a tree or drawn."),
        "report": ("report", "Write a page about states, to read in a browser."),
        "pull": ("show", "Print a state, decrypted if it is encrypted."),
    },
    "Check and compare": {
        "check": ("check", "Check states and configurations against the rules."),
        "simulate": ("configuration", "Show what a configuration change would orphan."),
        "verify": ("plans", "Compare an apply with its plan."),
        "rule": ("check", "List the rules of check and verify, or explain one."),
        "log": ("log", "Show what changed from version to version of a state."),
        "blame": ("log", "Show which version last changed each attribute."),
        "diff": ("diff", "Show the differences between two states."),
        "plan-show": ("plans", "Show the changes of a plan by provider instance."),
        "moves": ("plans", "Find moves in plans that destroy and create."),
    },
    "Formats and releases": {
        "fmt": ("fmt", "Rewrite states in canonical form."),
        "upgrade": ("upgrade", "Upgrade a state of any version to canonical version 4."),
        "downgrade": ("upgrade", "Write a state for an older release or the other engine."),
        "releases": ("upgrade", "Show what each release reads, writes and keeps."),
        "schemas": ("configuration", "Print the schemas of a configuration's providers."),
    },
    "Surgery": {
        "mv": ("mv", "Move instances, resources and modules to other addresses."),
        "rm": ("rm", "Forget instances without destroying the real objects."),
        "rekey": ("rekey", "Change instance keys, as from count to for_each."),
        "rebind": ("rebind", "Bind instances to another provider instance."),
        "replace-provider": ("rebind", "Bind resources to another provider or configuration."),
        "taint": ("taint", "Mark instances to be replaced by the next plan."),
        "untaint": ("taint", "Remove that mark from instances."),
        "forget-deposed": ("rm", "Forget deposed objects without destroying them."),
        "set": ("set", "Set attributes of instances."),
        "unset": ("set", "Unset attributes of instances."),
        "adopt": ("adopt", "Move objects to the instances of a new configuration."),
        "edit": ("edit", "Edit a state, or one instance, in an editor."),
        "set-serial": ("serial", "Set the serial of a state."),
        "new-lineage": ("serial", "Give a state a new lineage."),
    },
    "Several states": {
        "plan": ("plan", "Show what an operations file does to its states."),
        "apply": ("plan", "Run an operations file on all its states, or none."),
        "split": ("split", "Move parts of a state to new states."),
        "join": ("split", "Move everything in some states to another one."),
        "merge": ("merge", "Merge two versions of a state that were changed independently."),
    },
    "Places and locks": {
        "locks": ("locks", "Show who holds the locks of states."),
        "unlock": ("locks", "Remove a lock that somebody left."),
        "copy": ("copy", "Copy a state to another place, byte for byte."),
        "move-backend": ("copy", "Copy the states of all workspaces to another backend."),
    },
    "Many states": {
        "fleet index": ("fleet", "Store what many states say in a database."),
        "fleet check": ("fleet_check", "Report what the rules found in all these states."),
        "fleet query": ("fleet", "Query such a database with SQL."),
        "fleet duplicates": ("fleet", "Find real objects that several states manage."),
        "fleet graph": ("fleet", "Show which states read the outputs of which."),
        "fleet diff": ("fleet", "Show what changed between two runs of fleet index."),
    },
    "Encryption": {
        "encryption-info": ("encryption", "Show how a state is encrypted."),
        "encrypt": ("encryption", "Encrypt a plain state as OpenTofu does."),
        "decrypt": ("encryption", "Decrypt a state to plain text."),
        "reencrypt": ("encryption", "Encrypt states again with the current method."),
    },
    "Repair and undo": {
        "undo": ("undo", "Undo the last edit that statetool made to a state."),
        "restore": ("restore", "Put a backup back in place of a state."),
        "history": ("history", "Show the edits that statetool made to a state."),
        "versions": ("where", "List the versions of a state that its service keeps."),
        "repair": ("repair", "Mend a state that can be parsed but not loaded."),
        "reconcile": ("reconcile", "Compare what an apply could not save with the state."),
        "salvage": ("salvage", "Take what is whole from a state that is no longer JSON."),
    },
    "Help": {
        "help": ("help", "Show the help of a command, or explain a topic."),
        "version": ("help", "Show the version."),
    },
    "Git": {
        "git-config": ("git", "Set up git to compare states with statetool."),
        "git-driver": ("git", "Compare states for git (run by git)."),
    },
}
SECTIONS: Final = {
    title: {name: summary for name, (_, summary) in commands.items()} for title, commands in _TABLE.items()
}
COMMANDS: Final = {name: summary for commands in SECTIONS.values() for name, summary in commands.items()}
MODULES: Final = {name: module for commands in _TABLE.values() for name, (module, _) in commands.items()}
# Aliases of commands.
ALIASES: Final = {"ls": "list", "output": "outputs", "force-unlock": "unlock"}
# The subcommands of `tofu state` that statetool has, too.
STATE_COMMANDS: Final = ("list", "show", "mv", "rm", "replace-provider", "pull")
# The first words of two-word commands.
GROUPED: Final = frozenset({"fleet"})


class NextWord(NamedTuple):
    """A word: its kind is `plain`, `part` if more of the same word follows, `file` or `dir`."""

    value: str
    type: str = "plain"
    help: str = ""
