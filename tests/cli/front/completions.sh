#!/bin/sh
# SPDX-License-Identifier: MIT
# Completions in a real shell: completions.sh CAIRN bash|zsh|fish
set -u
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") shell=$2
command -v "$shell" >/dev/null || {
	echo "skipped: no $shell on this machine"
	exit 77
}
here=$(cd "$(dirname "$0")/../../../scripts/completions" && pwd)
. "$(dirname "$0")/../../lib/test.sh"
mkdir "$work/bin" "$work/files" "$work/files/folder"
ln -s "$cairn" "$work/bin/cairn"
PATH=$work/bin:$PATH HOME=$work
export PATH HOME
cd "$work/files" || exit 2
touch a.gsym other.txt b.symbfile

# The possible words for a line of which the last one is not complete.
bash_words() {
	bash --norc -c 'source "$1/cairn.bash"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cairn 2>/dev/null
		printf "%s\n" "${COMPREPLY[@]}"' bash "$here" "$@"
}
fish_words() {
	line=$*
	fish --no-config -c "source $here/cairn.fish; complete -C '$line'" | cut -f 1
}
# zsh completes in a terminal only; there the words that are possible are what compadd was given
zsh_words() {
	cat >"$work/zsh.zsh" <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
start="fpath=($1 \$fpath); autoload -U compinit; compinit -u -D; PROMPT=; unsetopt prompt_cr prompt_sp
compadd() { builtin compadd -A found \"\$@\"; print -rl -- \$found >>$2; builtin compadd \"\$@\" }
finish() { print done >>$2.done }; zle -N finish; bindkey '^X' finish; zstyle ':completion:*' list-prompt ''; LISTMAX=1000"
zpty -w shell "$start"
zpty -w -n shell "$3"$'\t'$'\x18'
repeat 100; do [[ -e $2.done ]] && break; zpty -r -t shell >/dev/null; sleep 0.1; done
zpty -d shell
END
	rm -f "$work/words" "$work/words.done"
	zsh -f "$work/zsh.zsh" "$here" "$work/words" "$*"
	cat "$work/words"
}

fail() {
	echo "completions: $1"
	exit 1
}

# expect WANTED WORDS...: the words that follow, in their order
expect() {
	wanted=$1
	shift
	got=$("${shell}_words" "$@" | sed -e 's|/$||' -e '/^$/d' | sort -u | tr '\n' ' ')
	[ "$got" = "$wanted " ] || fail "$*: $got"
}

expect 'serve setup sframe store symbfile symbolize symbols' cairn s
expect 'gsym' cairn gs
expect 'create' cairn gsym cr
expect '--merged-functions' cairn gsym create --mer
expect 'gdb lldb' cairn setup ''
expect 'other.txt' cairn markup oth
[ "$shell" = fish ] || expect 'a.gsym folder' cairn gsym lookup ''
[ "$shell" != bash ] || {
	expect '1 2' cairn gsym create --format ''
	expect 'folder' cairn where --directory fo
	expect 'folder' cairn bt --sysroot fo
}
# each verb of the help is one that the shell offers
all=$("$cairn" --help | sed -n '/^verbs:/,/^$/s/^  \([^ ]*\) .*/\1/p' | sort | tr '\n' ' ')
got=$("${shell}_words" cairn '' | grep -v '^-' | sort -u | tr '\n' ' ')
[ "$got" = "$all" ] || fail "verbs: $got"

# options of VERB...: those in its help
listed_options() {
	"$cairn" "$@" --help | sed -n '/^options:/,$s/^  \(-., \)\{0,1\}\(--[^ ]*\).*/\2/p' | sort -u
}

# list_verbs: each that has options, with the verb before it
list_verbs() {
	for verb in $all; do
		below=$("$cairn" "$verb" --help | sed -n '/^verbs:/,/^$/s/^  \([^ ]*\) .*/\1/p')
		[ -n "$below" ] || echo "$verb"
		for each in $below; do
			echo "$verb $each"
		done
	done
}

# each option of each verb, too; zsh, which needs a terminal for every question, is asked about some
list_verbs >"$work/verbs"
[ "$(wc -l <"$work/verbs")" -ge 25 ] || fail "few verbs: $(cat "$work/verbs")"
[ "$shell" != zsh ] || printf '%s\n' crash 'gsym create' 'gsym fetch' 'gsym lookup' >"$work/verbs"
while read -r verb; do
	# shellcheck disable=SC2086 # words
	listed_options $verb >"$work/listed"
	# shellcheck disable=SC2086 # words
	"${shell}_words" cairn $verb -- </dev/null | sed '/^$/d' | sort -u >"$work/offered"
	grep -q -e '^--help$' "$work/listed" || fail "$verb: no options"
	diff "$work/listed" "$work/offered" >"$work/differ" || fail "options of $verb: $(cat "$work/differ")"
done <"$work/verbs"
