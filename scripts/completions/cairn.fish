# SPDX-License-Identifier: MIT
# Completion of cairn's command line in fish: verbs, options and values as --help has them.

# The verbs before the cursor, and the help of the last one.
function __cairn_help
    set -l words (commandline -xpc 2>/dev/null; or commandline -opc)
    set -l run $words[1]
    set -l help ($run --help 2>/dev/null)
    for word in $words[2..-1]
        contains -- verbs: $help; or break
        string match -q -r -- "^  "(string escape --style=regex -- $word)" " $help; or return
        set -a run $word
        set help ($run --help 2>/dev/null)
    end
    printf '%s\n' $help
end

function __cairn_verbs
    __cairn_help | sed -n '/^verbs:/,/^$/s/^  \([^ ]*\)  *\(.*\)/\1\t\2/p'
end

function __cairn_options
    __cairn_help | sed -n '/^options:/,$s/^  \(-., \)\{0,1\}\(--[^ ]*\) \(.*\)/\2\t\3/p' | sed 's/\t */\t/'
end

function __cairn_wants_verb
    test -n "$(__cairn_verbs)"
end

function __cairn_is_setup
    string match -q -r '\bcairn setup\b' -- (commandline -pc)
end

complete -c cairn -n __cairn_wants_verb -f -a '(__cairn_verbs)'
complete -c cairn -n 'not __cairn_wants_verb; and string match -q -- "-*" (commandline -ct)' -a '(__cairn_options)'
complete -c cairn -n __cairn_is_setup -f -a 'gdb lldb'
