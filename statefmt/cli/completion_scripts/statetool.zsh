#compdef statetool
# Completion of statetool for zsh.
_statetool() {
    local kind value help typed=$PREFIX
    # In quotes, PREFIX is what was typed after the quotation mark.
    [[ -z $compstate[quote] ]] && typed=${(Q)PREFIX}
    local -a plain described parts
    while IFS=$'\t' read -r kind value help; do
        case $kind in
            file) compset -P '-*='; _files; return ;;
            dir) compset -P '-*='; _files -/; return ;;
            part) parts+=("$value") ;;
            *) plain+=("$value"); described+=("$value${help:+  -- $help}") ;;
        esac
    done < <(STATETOOL_COMPLETE=zsh ${~words[1]} "${(@Q)words[2,CURRENT-1]}" "$typed" 2>/dev/null)
    (( $#parts )) && compadd -S '' -a parts
    (( $#plain )) && compadd -l -d described -a plain
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _statetool "$@"
else
    compdef _statetool statetool
fi
