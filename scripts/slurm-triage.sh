#!/bin/sh
# SPDX-License-Identifier: MIT
# The stacks of a directory of cores or minidumps, by Slurm: scripts/slurm-triage.sh [--out DIR] [--each N] DIR [OPTION...]
#
#	--out DIR   where the list, the parts and the groups go, on a disk that all nodes see (DIR.triage)
#	--each N    cores of one task (200): a task takes Slurm more than a second, whatever it does
#
# The OPTIONs are those of `cairn symbolize` by which symbols are found. An array job answers one part of the list in each task, and a last job groups
# the parts: DIR/groups has a line for each bug, DIR/part.N the answers. The list is made once, so that a part is the same whenever it is made: a task
# that is repeated replaces its part as a whole. Where symbols could not be fetched a task ends with 75, which Slurm repeats if it is configured with
# RequeueExit=75. The last job submits parts that are missing once more, and then itself, three times at most; what is missing then is in DIR/missing.
# Given again for the same DIR, only missing parts are made. CAIRN is the path of cairn (the one built here), SBATCH_... what sbatch reads.
set -eu
export LC_ALL=C
self=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
: "${CAIRN:=$(dirname "$self")/../build/core/cli/cairn}"

usage() {
	sed -n '3p' "$self" | sed 's/^# .*: scripts/usage: scripts/' >&2
	exit 2
}

# quote TEXT: as the inside of a JSON string
quote() {
	printf %s "$1" | sed 's/\\/\\\\/g; s/"/\\"/g'
}

# How many parts there are.
count_parts() {
	awk -v each="$(cat "$out/each")" 'END { print int((NR + each - 1) / each) }' "$out/list"
}

# list_missing: the numbers of parts that are not there, one a line
list_missing() {
	parts=$(count_parts)
	part=0
	while [ $part -lt "$parts" ]; do
		[ -f "$out/part.$part" ] || echo $part
		part=$((part + 1))
	done
}

# The cores of one part as references, each with its hash.
write_requests() {
	awk -v part="$1" -v each="$(cat "$out/each")" 'int((NR - 1) / each) == part' "$out/list" |
		while IFS= read -r name; do
			sum=$(sha256sum <"$folder/$name") && size=$(stat -c %s "$folder/$name") || continue
			kind=core
			[ "$(head -c 4 "$folder/$name")" != MDMP ] || kind=minidump
			printf '{"hash":"%s","size":%s,"path":"%s","kind":"%s"}\n' "${sum%% *}" "$size" "$(quote "$name")" $kind
		done
}

# ask: answers to the requests on standard input
ask() {
	# shellcheck disable=SC2046 # words, one a line
	(
		IFS='
'
		set -f
		exec "$CAIRN" symbolize --each --bodies "$folder" $(cat "$out/options")
	)
}

# answered FILE: how many whole lines it has; what is behind them is cut off
answered() {
	lines=$(wc -l <"$1")
	head -n "$lines" "$1" >"$1.cut"
	mv "$1.cut" "$1"
	echo "$lines"
}

# answer_all REQUESTS ANSWERS: a request that ends the process, twice, is rejected, and the others are answered
answer_all() {
	total=$(wc -l <"$1")
	done=0
	: >"$2"
	while [ "$done" -lt "$total" ]; do
		tail -n +$((done + 1)) "$1" | ask >>"$2" || :
		done=$(answered "$2")
		[ "$done" -lt "$total" ] || break
		sed -n "$((done + 1))p" "$1" | ask >>"$2" || :
		[ "$(answered "$2")" -gt "$done" ] ||
			printf '{"request":"%s","result":"rejected","reason":"it ends the process that reads it"}\n' \
				"$(sed -n "$((done + 1))p" "$1" | tr -d '\n' | sha256sum | cut -c 1-64)" >>"$2"
		done=$((done + 1))
	done
}

# One task: its part, whole or not at all.
run_task() {
	part=$SLURM_ARRAY_TASK_ID
	write_requests "$part" >"$out/requests.$part.$$"
	answer_all "$out/requests.$part.$$" "$out/new.$part.$$"
	rm "$out/requests.$part.$$"
	if grep -q '"result":"try_again"' "$out/new.$part.$$" && [ "${SLURM_RESTART_COUNT:-0}" -lt 5 ]; then
		rm "$out/new.$part.$$"
		exit 75
	fi
	sync "$out/new.$part.$$"
	mv "$out/new.$part.$$" "$out/part.$part"
}

# submit ROUND: an array job of all parts that are missing, and a job after it
submit() {
	wanted=$(list_missing | paste -s -d , -)
	after=
	if [ -n "$wanted" ]; then
		array=$(sbatch --parsable --requeue --job-name=cairn-triage --output="$out/log.%a" --open-mode=append --array="$wanted" \
			--export=ALL,CAIRN="$CAIRN" --wrap="exec '$self' --task '$out'")
		after="--dependency=afterany:${array%%;*}"
		echo "$(echo "$wanted" | tr , '\n' | wc -l) parts: job ${array%%;*}"
	fi
	# shellcheck disable=SC2086 # words
	last=$(sbatch --parsable --requeue --job-name=cairn-group --output="$out/log.group" --open-mode=append $after \
		--export=ALL,CAIRN="$CAIRN" --wrap="exec '$self' --group '$out' $1")
	echo "groups: job ${last%%;*}"
}

# The last job: groups, or the missing parts once more.
run_group() {
	round=$1
	list_missing >"$out/missing"
	if [ -s "$out/missing" ] && [ "$round" -lt 3 ]; then
		submit $((round + 1))
		return
	fi
	part=0
	: >"$out/parts.$$"
	while [ $part -lt "$(count_parts)" ]; do
		[ ! -f "$out/part.$part" ] || cat "$out/part.$part" >>"$out/parts.$$"
		part=$((part + 1))
	done
	# 1: some answers have no stack
	"$CAIRN" group "$out/parts.$$" >"$out/groups.$$" || [ $? = 1 ]
	sync "$out/groups.$$"
	mv "$out/groups.$$" "$out/groups"
	rm -f "$out/parts.$$" "$out"/new.* "$out"/requests.* # of tasks that were killed
	[ -s "$out/missing" ] || rm "$out/missing"
	[ ! -f "$out/missing" ] || {
		echo "parts that are missing: $(paste -s -d ' ' "$out/missing")" >&2
		exit 1
	}
}

case ${1:-} in
--task | --group)
	out=$2
	folder=$(cat "$out/folder")
	if [ "$1" = --task ]; then run_task; else run_group "$3"; fi
	exit
	;;
esac
out= each=200
while [ $# -gt 0 ]; do
	case $1 in
	--out | --each)
		[ $# -gt 1 ] || usage
		[ "$1" = --out ] && out=$2 || each=$2
		shift 2
		;;
	-*) usage ;;
	*) break ;;
	esac
done
[ $# -gt 0 ] && [ -d "$1" ] && [ "$each" -gt 0 ] || usage
folder=$(cd "$1" && pwd)
shift
command -v sbatch >/dev/null || {
	echo 'slurm-triage.sh: there is no sbatch here (Debian package slurm-client)' >&2
	exit 77
}
: "${out:=$folder.triage}"
mkdir -p "$out"
out=$(cd "$out" && pwd)
case $out$self in
*\'*)
	echo "slurm-triage.sh: a path with a quotation mark is not passed on by Slurm" >&2
	exit 2
	;;
esac
if [ ! -f "$out/list" ]; then
	echo "$folder" >"$out/folder"
	echo "$each" >"$out/each"
	: >"$out/options"
	for option; do
		printf '%s\n' "$option" >>"$out/options"
	done
	# a name of several lines is not one of a core
	(cd "$folder" && find . -type f ! -name '*
*' | sed 's|^\./||' | sort) >"$out/list.new"
	mv "$out/list.new" "$out/list"
fi
[ -s "$out/list" ] || {
	echo "slurm-triage.sh: no files in $folder" >&2
	exit 1
}
submit 1
