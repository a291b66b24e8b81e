# SPDX-License-Identifier: MIT
# Completion of cairn's command line in bash: verbs, options and values as --help has them.

# _cairn_files SUFFIX WORD: files with the suffix, or all where none has it
_cairn_files() {
	local IFS=$'\n'
	compopt -o filenames 2>/dev/null
	COMPREPLY=($(compgen -f -X "!*$1" -- "$2"; [ -z "$1" ] || compgen -d -- "$2"))
	[ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$2"))
}

# _cairn_value ARGUMENT WORD: the value of an option, whose help calls it ARGUMENT
_cairn_value() {
	case $1 in
	DIR*)
		compopt -o filenames 2>/dev/null
		local IFS=$'\n'
		COMPREPLY=($(compgen -d -- "$2"))
		;;
	FILE* | OUT* | BINARY*) _cairn_files '' "$2" ;;
	[a-z0-9]*'|'*) COMPREPLY=($(compgen -W "${1//|/ }" -- "$2")) ;;
	esac
}

_cairn() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local command=("${COMP_WORDS[0]}") help i suffix= value
	help=$("${COMP_WORDS[0]}" --help 2>/dev/null) || return
	for ((i = 1; i < COMP_CWORD; i++)); do
		grep -q '^verbs:' <<<"$help" || break
		grep -q "^  ${COMP_WORDS[i]//[^a-z0-9-]/.} " <<<"$help" || return
		command+=("${COMP_WORDS[i]}")
		help=$("${command[@]}" --help 2>/dev/null) || return
	done
	COMPREPLY=()
	if grep -q '^verbs:' <<<"$help"; then
		COMPREPLY=($(compgen -W "$(sed -n '/^verbs:/,/^$/s/^  \([^ ]*\) .*/\1/p' <<<"$help") --help" -- "$word"))
		return
	fi
	value=$(sed -n "s/^  \(-., \)\{0,1\}${before//[^a-zA-Z0-9-]/.} \([^ a-z][^ ]*\|[^ ]*|[^ ]*\) .*/\2/p
		s/^  ${before//[^a-zA-Z0-9-]/.}, --[^ ]* \([^ a-z][^ ]*\|[^ ]*|[^ ]*\) .*/\1/p" <<<"$help")
	case $before:$word in
	-*:*) [ -z "$value" ] || { _cairn_value "$value" "$word"; return; } ;;
	esac
	case $word in
	-*) COMPREPLY=($(compgen -W "$(sed -n '/^options:/,$s/^  \(-., \)\{0,1\}\(--[^ ]*\) .*/\2/p' <<<"$help")" -- "$word")) ;;
	*)
		case ${command[1]}:${command[2]:-} in
		gsym:create | symbfile:create) ;;
		gsym:* | symbfile:*) suffix=.${command[1]} ;;
		setup:*) COMPREPLY=($(compgen -W 'gdb lldb' -- "$word")); return ;;
		esac
		_cairn_files "$suffix" "$word"
		;;
	esac
}
complete -F _cairn cairn
