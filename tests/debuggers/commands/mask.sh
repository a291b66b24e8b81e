# SPDX-License-Identifier: MIT
# Sourced by transcripts.sh and document.sh: what differs between machines, compilers and runs.

# mask_values: replaces addresses, distances in code, build IDs and versions by names, takes away the
# quotes that help of GDB 17 puts around names of command lists, shows escapes as "^[", and drops the
# modules that are not below /srv/.  GDB ends its own colours before what follows, and newer ones tell with each
# colour that nothing else is on.
mask_values() {
	sed -e 's/\x1b/^[/g; s/;49;22;23;24;27m/m/g; s/\^\[\[39m/^[[m/g; s/^\(\^\[\[m\)*//' -e 's/0x[0-9a-f]\{1,\}/0xN/g' -e 's/ + [0-9]\{1,\} / + N /g; /^#/s/ + [0-9]\{1,\}$/ + N/' \
		-e 's/"offset":[0-9]*/"offset":N/g' -e 's/[0-9a-f]\{40\}/ID/g' \
		-e 's/cairn [0-9.]* in \([A-Z]*\) [0-9]*/cairn VERSION in \1 N/' \
		-e 's/"version":"[^"]*","\([a-z]*\)":[0-9]*/"version":"VERSION","\1":N/' \
		-e 's/version [0-9], [0-9]* functions, [0-9]* bytes/version N, N functions, N bytes/' \
		-e 's/"version":[0-9],\("tables":1,"functions":\)[0-9]*,"size":[0-9]*/"version":N,\1N,"size":N/' \
		-e 's/^[0-9]* modules$/N modules/' -e 's/ of [0-9]* modules\.$/ of N modules./' \
		-e 's/"modules":[0-9]*,"already":\([0-9]*\),"without":[0-9]*/"modules":N,"already":\1,"without":N/' \
		-e 's/^List of "\(.*\)" subcommands:$/List of \1 subcommands:/' \
		-e 's/^\(Type "help \(.*\)" followed by \)subcommand name/\1\2 subcommand name/' |
		awk '/^0xN-0xN  / && $2 !~ /^\/srv\// && $2 != "cfa" { next }
		     { while (match($0, /,?{"low":[^{}]*"name":("\/[lu][^{}]*|"[^\/][^{}]*|null[^{}]*)}/))
			     $0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
		       sub(/\[,/, "["); print }'
}
