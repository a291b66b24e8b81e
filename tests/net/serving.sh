# SPDX-License-Identifier: MIT
# What tests of `cairn serve` share; to be read by "." after net.sh: a program $work/a with the build ID $build, whose function
# outer() at $outer calls inner(), which is inlined, and functions that start a service and ask it.
command -v curl >/dev/null || skip 'curl is missing'
command -v readelf >/dev/null || skip 'readelf is missing'

# the workers of root are another user's, who has to see the files
chmod 755 "$work"
mkdir "$work/tree"
cat >"$work/a.c" <<'END'
int seed;
static inline __attribute__((always_inline)) int inner(int x)
{
	return x * 3 + seed;
}
__attribute__((noinline)) int outer(int x)
{
	return inner(x) + 1;
}
int main(int count, char **words)
{
	(void)words;
	return outer(count);
}
END
(cd "$work" && ${COMPILER:-cc} -g -O1 -Wl,--build-id=sha1 -o whole a.c) || skip 'no compiler'
build=$(readelf -n "$work/whole" | awk '/Build ID/ { print $3 }')
cp "$work/whole" "$work/a"
outer=$(readelf -sW "$work/whole" | awk '$8 == "outer" { print $2 }')

# begin [OPTION...]: a service; sets $service and $at.
begin() {
	: >"$work/service"
	"$CAIRN" serve "$@" >"$work/service" 2>>"$work/service.log" &
	service=$!
	servers="$servers $service"
	tries=0
	while ! grep -q '^listening on ' "$work/service"; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || {
			fail "no service: $(cat "$work/service.log")"
			exit 1
		}
		sleep 0.05
	done
	at=$(sed -n 's/^listening on //p' "$work/service")
}

# ask PATH [OPTION...]: sets $status; the answer is in $work/answer.
ask() {
	path=$1
	shift
	status=$(curl -s -o "$work/answer" -w '%{http_code}' "$@" "http://$host$path")
}

# answers STATUS TEXT WHAT
answers() {
	[ "$status" = "$1" ] || fail "$3: status $status, not $1: $(cat "$work/answer")"
	grep -qF -e "$2" "$work/answer" || fail "$3: no $2 in $(cat "$work/answer")"
}

frames="{\"frames\":[{\"build_id\":\"$build\",\"address\":\"0x$outer\"}]}"

# write_profile FILE: a profile in JSON, with one location, in outer(), which was seen seven times
write_profile() {
	cat >"$1" <<-END
		{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"sampleType":{"typeStrindex":1,"unitStrindex":2},
		"samples":[{"stackIndex":1,"values":["7"]}]}]}]}],"dictionary":{"mappingTable":[{},{"filenameStrindex":3,"attributeIndices":[1]}],
		"locationTable":[{},{"mappingIndex":1,"address":"$((0x$outer))"}],"functionTable":[{}],"linkTable":[{}],
		"stringTable":["","samples","count","/x/a","process.executable.build_id.gnu"],
		"attributeTable":[{},{"keyStrindex":4,"value":{"stringValue":"$build"}}],"stackTable":[{},{"locationIndices":[1]}]}}
	END
}
