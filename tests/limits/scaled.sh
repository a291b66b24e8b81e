#!/bin/sh
# SPDX-License-Identifier: MIT
# Shapes in which records share much, at 1, 10 and 100 times a size: memory, processor time and output stay within what SECURITY.md
# allows at each size.
#
#	scaled.sh CAIRN MAKE_SHAPE
set -u
cairn=$1 make=$2
. "$(dirname "$0")/../lib/test.sh"

# bounded SECONDS NAME COMMAND...: reads $work/in within 64 MiB and 10 times its size, and SECONDS and 1 s for each MB
bounded() {
	seconds=$(($1 + size / 1000000)) name=$2
	shift 2
	(
		ulimit -v $((65536 + size / 1024 * 10))
		spend $seconds "$@"
	) <"$work/in" >"$work/out" 2>"$work/err"
	status=$?
	[ $status -le 3 ] || fail "$name of $size bytes: status $status: $(tail -n 1 "$work/err")"
	! grep -q 'out of memory' "$work/err" || fail "$name of $size bytes: out of memory"
	most=$((67108864 + 64 * size))
	[ "$name" != empty-lines ] || most=$((400 * size)) # of records that are a byte each
	[ "$(wc -c <"$work/out")" -le $most ] || fail "$name of $size bytes: $(wc -c <"$work/out") bytes of output"
}

while read -r kind count verb; do
	for times in 1 10 100; do
		case $kind in
		empty-lines) head -c $((count * times)) /dev/zero | tr '\0' '\n' ;;
		*) "$make" "$kind" 1 $((count * times)) ;;
		esac >"$work/in" || exit 2
		size=$(wc -c <"$work/in")
		case $verb in
		profile)
			for to in folded pprof firefox; do
				case $kind in otlp*) seconds=10 ;; *) seconds=2 ;; esac
				bounded $seconds "$kind as $to" "$cairn" profile convert --quiet --to $to -o - "$work/in"
			done
			;;
		markup) bounded 2 $kind "$cairn" markup --reports ;;
		symbolize) bounded 2 $kind "$cairn" symbolize --each ;;
		esac
		case $kind in # what is no attack is converted
		perf-chain | perf-files | log-modules) [ $status = 0 ] || fail "$kind of $size bytes: $(tail -n 1 "$work/err")" ;;
		esac
	done
done <<'END'
perf-chain 2000 profile
perf-star 2000 profile
perf-files 1000 profile
otlp-stacks 1000 profile
otlp-labels 1000 profile
otlp-names 1000 profile
log-modules 200 markup
empty-lines 50000 symbolize
END
exit $failed
