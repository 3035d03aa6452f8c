# Completion of statetool for bash 4.4 or newer.
_statetool_completion() {
    local kind value help kinds=
    COMPREPLY=()
    while IFS=$'\t' read -r kind value help; do
        case $kind in
            file | dir)
                compopt -o filenames 2>/dev/null
                if [[ $kind == dir ]]; then
                    mapfile -t COMPREPLY < <(compgen -d -- "$2")
                else
                    mapfile -t COMPREPLY < <(compgen -f -- "$2")
                fi
                return
                ;;
        esac
        [[ -n $value ]] && COMPREPLY+=("$value") && kinds+=$kind
    done < <(STATETOOL_COMPLETE=bash STATETOOL_LINE="${COMP_LINE:0:COMP_POINT}" "$1" 2>/dev/null)
    if [[ $kinds == *part* ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o nosort -F _statetool_completion statetool
