#!/bin/sh
# Upgrades an old state, checks it, and shows what changed; all in a temporary folder, which is gone afterwards.
# Usage: sh samples/demo.sh PATH_TO_STATETOOL
set -eu

: "${1:?name the program to show: sh samples/demo.sh PATH_TO_STATETOOL}"
bin=$(cd "$(dirname "$1")" && pwd)
program=$bin/$(basename "$1")
samples=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d "${TMPDIR:-/tmp}/statetool-demo.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
cp "$samples/v3-legacy.tfstate" "$folder/old.tfstate"
cd "$folder"

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    bold=$(printf '\033[1m') plain=$(printf '\033[0m')
fi

statetool() {
    "$program" "$@"
}

say() {
    printf '\n%s# %s%s\n' "$bold" "$1" "$plain"
}

# Show a command as it would be typed, then run it.
run() {
    printf '%s$ %s%s\n' "$bold" "$1" "$plain"
    eval "$1"
}

say 'A state that Terraform 0.11 left behind. OpenTofu 1.13 no longer reads it.'
run 'head -n 5 old.tfstate'

say 'Upgraded for OpenTofu, with every choice made and everything that is lost:'
run 'statetool upgrade old.tfstate --registry opentofu -o new.tfstate'

say 'Checked: no errors. What is worth a look, counted by rule:'
run 'statetool check --statistics new.tfstate'

say 'Listed: every instance is there, under the address that it had.'
run 'statetool list --state old.tfstate >old.list'
run 'statetool list --state new.tfstate >new.list'
run 'cmp old.list new.list'
run 'cat new.list'

say 'What changed in one of them, indentation left out:'
run "sed -n '/\"aws_vpc.main\": {/,/\"provider\"/s/^ *//p' old.tfstate >old.vpc"
run "sed -n '/\"type\": \"aws_vpc\"/,/^    }/s/^ *//p' new.tfstate >new.vpc"
run 'diff -U 9 old.vpc new.vpc | tail -n +4'

say 'Canonical: OpenTofu would write the same bytes, and fmt has nothing to do.'
run 'statetool fmt --check new.tfstate'
