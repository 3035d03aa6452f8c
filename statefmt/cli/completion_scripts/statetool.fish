# Completion of statetool for fish 3.1 or newer.
function __statetool_complete
    set -l words (commandline -opc)
    # An open quotation mark cannot be unescaped.
    set -l typed (string unescape -- (commandline -ct); or string replace -r '^[\'"]' '' -- (commandline -ct))
    STATETOOL_COMPLETE=fish $words[1] $words[2..-1] "$typed" 2>/dev/null | while read -l line
        set -l fields (string split -m 2 \t -- $line)
        # Of --state=PATH, the option stays.
        set -l option (string match -r '^-[^=]*=' -- $typed; or echo '')
        set -l path (string replace -r '^-[^=]*=' '' -- $typed)
        switch $fields[1]
            case file
                printf '%s\n' $option(__fish_complete_path $path)
            case dir
                printf '%s\n' $option(__fish_complete_directories $path)
            case '*'
                printf '%s\t%s\n' $fields[2] $fields[3]
        end
    end
end
complete -c statetool -f -a '(__statetool_complete)'
