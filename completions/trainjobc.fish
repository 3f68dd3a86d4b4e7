# SPDX-License-Identifier: Apache-2.0
# fish completion for trainjobc; the candidates come from `trainjobc __complete`.

function __trainjobc_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l reply ($words[1] __complete $words[2..] "$typed" 2>/dev/null)
    test (count $reply) -gt 0; or return
    set -l prefix (string match -r -- '^--[^=]*=' "$typed")
    set -l file (string replace -r -- '^--[^=]*=' '' "$typed")
    switch $reply[-1]
        case :8
            for name in (__fish_complete_path "$file")
                string match -qr -- '(/|\.ya?ml|\.json)(\t.*)?$' "$name"; and echo -- "$prefix$name"
            end
        case :16
            for name in (__fish_complete_directories "$file" "")
                echo -- "$prefix$name"
            end
        case :0
            for name in (__fish_complete_path "$file")
                echo -- "$prefix$name"
            end
        case '*'
            for line in $reply[1..-2]
                echo -- $line
            end
    end
end

complete -c trainjobc -f -a '(__trainjobc_complete)'
