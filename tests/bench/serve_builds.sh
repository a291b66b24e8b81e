# SPDX-License-Identifier: MIT
# make_builds PROGRAM COUNT: PROGRAM with DWARF becomes COUNT builds below $work/tree, which differ in their build ID; $work/builds has a line
# for each: the ID, the first address of the code, and how many bytes that has. To be read by ".".
make_builds() {
	program=$1 count=$2
	set -- $(readelf -SW "$program" | awk '$2 == ".text" { print $4, $6 } $3 == ".text" { print $5, $7 }')
	low=$1 size=$2
	i=0
	while [ $i -lt "$count" ]; do
		first=$(printf '%02x' $((i % 256)))
		rest=$(printf '%038x' $((i + 4096)))
		mkdir -p "$work/tree/.build-id/$first"
		escapes=$(printf '%s%s' "$first" "$rest" | sed 's/../\\x&/g')
		# shellcheck disable=SC2059 # escapes
		env printf '\4\0\0\0\24\0\0\0\3\0\0\0GNU\0'"$escapes" >"$work/note"
		objcopy --update-section .note.gnu.build-id="$work/note" "$program" "$work/tree/.build-id/$first/$rest.debug"
		ln -f "$work/tree/.build-id/$first/$rest.debug" "$work/tree/.build-id/$first/$rest"
		echo "$first$rest $low $size" >>"$work/builds"
		i=$((i + 1))
	done
}

# ticks SERVICE: processor time of the service and all that it has started
ticks() {
	sum=0
	for process in "$1" $(pgrep -P "$1") $(pgrep -P "$(pgrep -P "$1")"); do
		sum=$((sum + $(awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$process/stat")))
	done
	echo $sum
}
