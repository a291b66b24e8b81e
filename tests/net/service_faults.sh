#!/bin/sh
# SPDX-License-Identifier: MIT
# `cairn serve` with files that end whoever reads them, and with a full disk for what debuginfod brings: others are answered, and nothing
# wrong is.
#
# END_READER: the library that makes such files do what they say (end_reader.c); empty: none can be loaded.
. "$(dirname "$0")/net.sh"
. "$(dirname "$0")/serving.sh"

# one WORD: a build whose file ends its reader in this way; prints its build ID
one() {
	number=$((${number:-16} + 1))
	id=$number$(echo "$build" | cut -c 3-)
	mkdir -p "$work/tree/.build-id/$number"
	file=$work/tree/.build-id/$number/$(echo "$id" | cut -c 3-).debug
	printf '\4\0\0\0\24\0\0\0\3\0\0\0GNU\0' >"$work/note"
	# shellcheck disable=SC2059 # escapes
	env printf "$(echo "$id" | sed 's/../\\x&/g')" >>"$work/note"
	objcopy --update-section .note.gnu.build-id="$work/note" "$work/whole" "$file"
	printf %s "$1" | dd of="$file" bs=1 seek=9 conv=notrunc status=none
}

# beside ID: a request for the good build and for another one
beside() {
	echo "{\"frames\":[{\"build_id\":\"$1\",\"address\":\"0x$outer\"},{\"build_id\":\"$build\",\"address\":\"0x$outer\"}]}"
}

if [ -n "$END_READER" ]; then
	LD_PRELOAD=$END_READER
	export LD_PRELOAD
	one good
	good=$id
	begin --listen 127.0.0.1:0 --file "$work/a" --directory "$work/tree" --deadline 3 --workers 2
	host=$at
	ask /symbolize -d "$(beside "$good")"
	answers 200 '{"results":[{"frames":[{"function":"inner"' 'a file that does nothing to its reader'
	for word in ends loop; do
		one $word
		ask /symbolize -d "$(beside "$id")"
		answers 200 '{"results":[{"frames":[]},{"frames":[{"function":"inner"' "a file that says $word"
		answers 200 "\"missing_build_ids\":[],\"failed_build_ids\":[\"$id\"]" "a file that says $word"
		# it is left alone now, for whoever asks and by whatever name
		ask /symbolize -d "$(beside "$id")" -m 2
		answers 200 "\"failed_build_ids\":[\"$id\"]" "a file that said $word"
		ask "/buildid/$id/debuginfo" -m 2
		[ "$status" = 404 ] || fail "the file that said $word is handed out: $status"
	done
	ask /symbolize -d "$(beside "$good")"
	answers 200 '{"results":[{"frames":[{"function":"inner"' 'the good files afterwards'
	ask /metrics
	answers 200 'cairn_store_requests_total{result="error"} ' 'builds that are left out are counted'
	end TERM "$service" || fail "SIGTERM: the service exits with $?"

	# a worker may allocate its share and 4 GiB; here it gets less
	begin --listen 127.0.0.1:0 --file "$work/a" --workers 2 --max-memory 2097152
	host=$at
	ask /symbolize -d "$(beside 00)"
	worker=$(pgrep -P "$(pgrep -P "$service")" | head -n 1)
	[ "$(awk '/^Max data size/ { print $4 }' "/proc/$worker/limits")" = 4296015872 ] ||
		fail "a worker's memory: $(grep data "/proc/$worker/limits")"
	end TERM "$service"
	printf '#!/bin/sh\nulimit -d 500000\nexec "%s" "$@"\n' "$CAIRN" >"$work/limited"
	chmod 755 "$work/limited"
	one eats
	unlimited=$CAIRN
	CAIRN=$work/limited
	begin --listen 127.0.0.1:0 --file "$work/a" --directory "$work/tree" --workers 2
	CAIRN=$unlimited
	host=$at
	ask /symbolize -d "$(beside "$id")"
	answers 200 "\"failed_build_ids\":[\"$id\"]" 'a file that eats memory'
	answers 200 '{"results":[{"frames":[]},{"frames":[{"function":"inner"' 'beside a file that eats memory'
	end TERM "$service" || fail "SIGTERM: the service exits with $?"
	unset LD_PRELOAD
else
	echo 'no library can be loaded before: files that end their readers were not tried'
fi

# a cache that the processes which fetch cannot use is told of at once
if [ "$(id -u)" = 0 ]; then
	mkdir -m 700 "$work/roots"
	DEBUGINFOD_CACHE_PATH=$work/roots/cache expect 2 "$CAIRN" serve --unix "$work/socket" --debuginfod
	says "$work/err" "the account of the workers ('nobody' if the service was started by root) cannot write to debuginfod's cache; set DEBUGINFOD_CACHE_PATH to a directory that this account can write to"
fi

# what debuginfod brings finds no room: no names, and once there is room there are names
if [ "$(id -u)" = 0 ] && mkdir "$work/cache" && mount -t tmpfs -o size=64k tmpfs "$work/cache" 2>/dev/null; then
	mounted_at=$work/cache
	[ -n "$END_READER" ] || one good
	good=$id
	head -c 100000 /dev/urandom >"$work/large"
	objcopy --add-section .large="$work/large" "$work/tree/.build-id/$number/$(echo "$good" | cut -c 3-).debug"
	begin --listen 127.0.0.1:0 --directory "$work/tree"
	url=http://$at
	begin_fetching() {
		DEBUGINFOD_CACHE_PATH=$work/cache DEBUGINFOD_URLS=$url begin --listen 127.0.0.1:0 --file "$work/a" --debuginfod
		host=$at
	}
	begin_fetching
	ask /symbolize -d "$(beside "$good")"
	answers 200 '{"results":[{"frames":[]},{"frames":[{"function":"inner"' 'a full disk'
	answers 200 "\"missing_build_ids\":[\"$good\"]" 'a full disk'
	end TERM "$service" || fail "SIGTERM: the service exits with $?"
	mount -o remount,size=64m "$work/cache"
	begin_fetching
	ask /symbolize -d "$(beside "$good")"
	answers 200 '{"results":[{"frames":[{"function":"inner"' 'with room again'
	end TERM "$service" || fail "SIGTERM: the service exits with $?"
else
	echo 'no file system can be mounted: a full disk was not tried'
fi
exit $failed
