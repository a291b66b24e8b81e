#!/bin/sh
# SPDX-License-Identifier: MIT
# messages.sh: messages of the commands in LLDB that need a session without a program, a file that goes meanwhile, or a
# directory of programs without cairn.
. "$(dirname "$0")/lib.sh"
: "${LLDB_PLUGIN?path of cairn-lldb.so}"
[ -n "$LLDB_PLUGIN" ] || skip 'cairn was configured without the LLDB plugin, or with a sanitizer'
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"
cd "$tmp"
cat >prog.c <<'END'
__attribute__((noinline, noclone)) int twice(int n) { return n + n; }
int main(int argc, char **argv) { return argv ? twice(argc) - 2 : 0; }
END
"$CC_TARGET" -g -O1 -Wl,--build-id=sha1 prog.c -o app
"$CAIRN" gsym create --quiet app
strip app

# says MESSAGE COMMAND...: LLDB with the plugin and these commands
says() {
	message=$1
	shift
	printf '%s\n' "$@" >commands
	within 300 "$LLDB" -x -b -O 'settings set target.inherit-env false' -O 'settings set use-color false' \
		-O 'settings set symbols.enable-external-lookup false' -O 'settings set plugin.process.gdb-remote.packet-timeout 60' -O "plugin load $LLDB_PLUGIN" \
		-O 'settings set interpreter.stop-command-source-on-error false' -s commands </dev/null >said 2>&1 || :
	sed "s|$(pwd -P)/||g" said | grep -qxF "error: $message" || {
		cat said
		fail "not printed: $message"
	}
}

says 'no program yet: load one with "target create", or open a core' 'cairn symbols load'
says 'app: the file no longer exists, so LLDB keeps the symbols' 'target create app' 'cairn symbols load app' \
	'platform shell mv app whole' 'cairn symbols unload app'
mv whole app
# and no directory in which cairn is
lldb=$(command -v "$LLDB")
printf '#!/bin/sh\nPATH=/nowhere exec %s "$@"\n' "$lldb" >nowhere-lldb
chmod +x nowhere-lldb
LLDB=./nowhere-lldb
says 'cannot run the command-line program cairn: No such file or directory' 'target create app' \
	"cairn add-symbfile -url http://127.0.0.1:9 $("$CAIRN" symbfile id app | cut -d ' ' -f 2)"
