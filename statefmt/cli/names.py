"""The names of the commands, for the list of commands, completion, and whoever types them.

It imports nothing: most answers to shells that complete a line need only these tables.
"""

from typing import Final

# The sections of the help, with a summary of each command. The module of a command has its name, and is imported only
# when the command is used. A name of two words is typed as two.
SECTIONS: Final = {
    "Inspect": {
        "where": "Show where the state of a folder is, and what says so.",
        "workspaces": "List the workspaces of a folder.",
        "list": "List the resource instances in a state.",
        "show": "Show resource instances, with sensitive values hidden.",
        "providers": "Show provider configurations and what is bound to each.",
        "outputs": "Show the output values of the root module.",
        "grep": "Search attributes and outputs for text.",
        "stats": "Show what a state contains, in numbers and sizes.",
        "graph": "Show the dependencies between resources, as a tree or drawn.",
        "report": "Write a page about states, to read in a browser.",
        "pull": "Print a state, decrypted if it is encrypted.",
    },
    "Check and compare": {
        "check": "Check states and configurations against the rules.",
        "simulate": "Show what a configuration change would orphan.",
        "verify": "Compare an apply with its plan.",
        "rule": "List the rules of check and verify, or explain one.",
        "diff": "Show the differences between two states.",
        "plan-show": "Show the changes of a plan by provider instance.",
        "moves": "Find moves in plans that destroy and create.",
    },
    "Formats and releases": {
        "fmt": "Rewrite states in canonical form.",
        "upgrade": "Upgrade a state of any version to canonical version 4.",
        "downgrade": "Write a state for an older release or the other engine.",
        "releases": "Show what each release reads, writes and keeps.",
        "schemas": "Print the schemas of a configuration's providers.",
    },
    "Surgery": {
        "mv": "Move instances, resources and modules to other addresses.",
        "rm": "Forget instances without destroying the real objects.",
        "rekey": "Change instance keys, as from count to for_each.",
        "rebind": "Bind instances to another provider instance.",
        "replace-provider": "Bind resources to another provider or configuration.",
        "taint": "Mark instances to be replaced by the next plan.",
        "untaint": "Remove that mark from instances.",
        "forget-deposed": "Forget deposed objects without destroying them.",
        "set": "Set attributes of instances.",
        "unset": "Unset attributes of instances.",
        "edit": "Edit a state, or one instance, in an editor.",
        "set-serial": "Set the serial of a state.",
        "new-lineage": "Give a state a new lineage.",
    },
    "Several states": {
        "plan": "Show what an operations file does to its states.",
        "apply": "Run an operations file on all its states, or none.",
        "split": "Move parts of a state to new states.",
        "join": "Move everything in some states to another one.",
    },
    "Places and locks": {
        "locks": "Show who holds the locks of states.",
        "unlock": "Remove a lock that somebody left.",
        "copy": "Copy a state to another place, byte for byte.",
        "move-backend": "Copy the states of all workspaces to another backend.",
    },
    "Many states": {
        "fleet index": "Store what many states say in a database.",
        "fleet check": "Report what the rules found in all these states.",
        "fleet query": "Query such a database with SQL.",
        "fleet duplicates": "Find real objects that several states manage.",
        "fleet graph": "Show which states read the outputs of which.",
        "fleet diff": "Show what changed between two runs of fleet index.",
    },
    "Encryption": {
        "encryption-info": "Show how a state is encrypted.",
        "encrypt": "Encrypt a plain state as OpenTofu does.",
        "decrypt": "Decrypt a state to plain text.",
        "reencrypt": "Encrypt states again with the current method.",
    },
    "Repair and undo": {
        "undo": "Undo the last edit that statetool made to a state.",
        "restore": "Put a backup back in place of a state.",
        "history": "Show the edits that statetool made to a state.",
        "versions": "List the versions of a state that its service keeps.",
        "repair": "Mend a state that can be parsed but not loaded.",
        "reconcile": "Compare what an apply could not save with the state.",
        "salvage": "Take what is whole from a state that is no longer JSON.",
    },
    "Help": {"help": "Show the help of a command, or explain a topic.", "version": "Show the version."},
    "Git": {
        "git-config": "Set up git to compare states with statetool.",
        "git-driver": "Compare states for git (run by git).",
    },
}
COMMANDS: Final = {name: summary for commands in SECTIONS.values() for name, summary in commands.items()}
# Names that mean the same as a command.
ALIASES: Final = {"ls": "list", "output": "outputs", "force-unlock": "unlock"}
# The subcommands of `tofu state` that statetool has, too.
STATE_COMMANDS: Final = ("list", "show", "mv", "rm", "replace-provider", "pull")
# The first words of commands whose names have two.
GROUPED: Final = frozenset({"fleet"})
