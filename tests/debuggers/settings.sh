#!/bin/sh
# SPDX-License-Identifier: MIT
# Whatever the user has set in GDB, and whatever a command stands in, the answers are the same: radix, language, tracing, styles, logs, what
# GDB prints of values and frames.  The program has no symbols but those of its GSYM file.
. "$(dirname "$0")/lib.sh"
: "${CAIRN_GDB:?path of cairn.gdb}" "${CAIRN:?path of cairn}"
need "$GDB" "$CC_TARGET" strip
case $(uname -m) in
x86_64) ;;
*) skip 'captures of logs are of amd64' ;;
esac

export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp" TERM=xterm
"$CC_TARGET" -g -O1 -no-pie -fcf-protection=none -Wl,--build-id=sha1 -pthread "$programs/sample.c" -o "$tmp/sample" ||
	skip 'the sample does not compile'
"$CAIRN" gsym create --quiet "$tmp/sample" -o "$tmp/sample.gsym" || fail 'no GSYM'
stop=$(nm "$tmp/sample" | awk '$3 == "stop_here" { sub(/^0*/, "", $1); print "0x" $1 }')
build_id=$("$CAIRN" gsym dump "$tmp/sample.gsym" | grep -io '[0-9a-f]\{40\}' | head -n 1)
strip -s "$tmp/sample"
cat >"$tmp/log" <<END
{{{reset}}}
{{{module:0:sample:elf:$build_id}}}
{{{mmap:0x400000:0x10000:load:0:rx:0x400000}}}
pc {{{pc:$stop}}}
END
printf '==1==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000\n    #0 0x%x  (%s+0x%x)\n' \
	"$((stop + 4))" "$tmp/sample" "$((stop + 4 - 0x400000))" >"$tmp/crash"

cat >"$tmp/commands" <<END
cairn bt 3
cairn where \$pc
cairn where $stop
cairn where 1 + 1
cairn markup -file $tmp/log
cairn symbols load sample
cairn where \$pc
cairn bt -json 2
cairn modules
cairn symbols unload
cairn open $tmp/crash
cairn bt
cairn close
cairn sync
cairn where nosuch
set cairn unwinder always
show cairn unwinder
set cairn unwinder auto
cairn status
cairn bt 7
END

# session AROUND SETTING...: each command of the file in the place of @ in AROUND; the answers go to $tmp/said
session() {
	around=$1
	shift
	{
		printf '%s\n' 'set width 0' 'set confirm off' 'set pagination off' 'set exec-wrapper env -i' \
			"source $CAIRN_GDB" "break *$stop" 'run recurse' 'echo begin\n' "$@"
		while read -r line; do
			printf 'echo @\\n\n'
			printf '%s\n' "$around" | sed "s|@|$line|"
		done <"$tmp/commands"
		echo 'set confirm off'
	} >"$tmp/script"
	within 120 "$GDB" -nx -q -iex 'set debuginfod enabled off' -iex 'set auto-load no' -iex 'set prompt' \
		"$tmp/sample" <"$tmp/script" >"$tmp/out" 2>&1 || {
		cat "$tmp/out"
		fail "$*: GDB ended badly"
	}
	# what a language calls an error is its own; a trace is what was asked for; numbers of processes differ
	sed -e '1,/^>*begin/d' -e 's/^>*//' -e '/^+/d' -e '/^cairn: .*nosuch/d' -e '/^cairn: No symbol table/d' -e '/^Warning: the current language/d' \
		-e '/radix now set/d' "$tmp/out" >"$tmp/said"
}

session @
cp "$tmp/said" "$tmp/plain"
# each command has answered
for answer in '^#2 .* recurse' ' stop_here at sample.c' '^0x2 ??' '^pc stop_here' ': [0-9]* functions from ' '^{"frames"' 'in GDB$' ': unloaded$' \
	'^Inferior 2: 1 thread' '^[0-9]* modules$' 'is "always"' '^Unwinder: auto'; do
	grep -q -- "$answer" "$tmp/plain" || {
		cat "$tmp/plain"
		fail "no '$answer' in the plain answers"
	}
done

# same NAME
same() {
	diff "$tmp/plain" "$tmp/said" || fail "$1"
}

while IFS='|' read -r around settings; do
	session "$around" "${settings:-echo}"
	same "$around $settings"
done <<'END'
@|set input-radix 16
@|set input-radix 8
@|set output-radix 16
@|set language ada
@|set language c++
@|set language pascal
@|set language minimal
@|set trace-commands on
@|set style enabled on
@|set print address off
@|set print symbol off
@|set print elements 4
@|set print frame-info short-location
@|set print max-depth 0
@|set max-value-size 16
@|set max-completions 0
@|set backtrace limit 1
@|set width 40
@|set verbose on
@|set confirm on
with language rust -- @|
with print pretty on -- @|
END

# what the user has set stays as it was
session @ 'set radix 16'
printf '%s\n' 'set width 0' "source $CAIRN_GDB" 'set input-radix 16' "break *$stop" 'run recurse' 'cairn where $pc' 'cairn where 10' 'cairn where (10 + 1)' \
	'cairn symbols load' 'show input-radix' 'show max-value-size' 'show max-completions' >"$tmp/script"
within 120 "$GDB" -nx -q -iex 'set debuginfod enabled off' -iex 'set auto-load no' -iex 'set confirm off' "$tmp/sample" <"$tmp/script" >"$tmp/said" 2>&1 || :
for answer in '0x10 ??' '0x11 ??' 'entering numbers is 16\.' 'value size is 65536 bytes' 'candidates is 200\.'; do
	grep -q "$answer" "$tmp/said" || {
		cat "$tmp/said"
		fail "no '$answer' after commands in another radix"
	}
done
echo 'the answers are the same'
