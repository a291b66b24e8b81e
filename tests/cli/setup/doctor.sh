#!/bin/sh
# SPDX-License-Identifier: MIT
# `cairn doctor`, with each thing that it checks whole and broken: doctor.sh CAIRN SCRIPT LLDB-PLUGIN
# (SCRIPT or LLDB-PLUGIN empty: not built)
set -u
cairn=$1 script=$2 plugin=$3
command -v gdb >/dev/null && [ -n "$script" ] || {
	echo 'skipped: no gdb on this machine, or cairn was configured without its part for it'
	exit 77
}
. "$(dirname "$0")/../../lib/test.sh"
HOME=$work/home TMPDIR=$work # where LLDB makes a folder and leaves it
export HOME TMPDIR
unset XDG_CACHE_HOME XDG_CONFIG_HOME DEBUGINFOD_URLS
mkdir -p "$HOME" "$work/bin" "$work/core/cli" "$work/scripts" "$work/plugin/lldb"
cp "$cairn" "$work/core/cli/cairn"
cp "$script" "$work/scripts/cairn.gdb"
for tool in gdb sh readlink cat; do
	ln -s "$(command -v $tool)" "$work/bin/$tool"
done
! command -v lldb-19 >/dev/null || ln -s "$(command -v lldb-19)" "$work/bin/lldb"

fail() {
	echo "doctor: $1"
	cat "$work/said"
	exit 1
}

# expect STATUS LINE: what the doctor says of one thing, with the directory of this run left out
expect() {
	PATH=$work/bin "$work/core/cli/cairn" doctor >"$work/raw" 2>&1
	got=$?
	sed "s|$work|WORK|g" "$work/raw" >"$work/said"
	[ $got = "$1" ] || fail "exit status $got, not $1, for: $2"
	grep -q "^$2" "$work/said" || fail "not found: $2"
}

ulimit -S -c 0
expect 0 'ok     gdb            GNU gdb'
expect 0 'ok     gdb script     WORK/scripts/cairn.gdb$'
expect 0 'ok     gdb module     gdb loads WORK/scripts/cairn.gdb$'
expect 0 'note   gdb start-up   WORK/home/.gdbinit does not load cairn$'
expect 0 'note   lldb plugin    WORK/plugin/lldb/cairn-lldb.so: No such file'
expect 0 'ok     cache          WORK/home/.cache/cairn$'
expect 0 'note   debuginfod     DEBUGINFOD_URLS is not set'

"$work/core/cli/cairn" setup --write gdb >/dev/null || fail 'setup'
expect 0 'ok     gdb start-up   WORK/home/.gdbinit loads cairn$'
expect 0 'note   lldb start-up  WORK/home/.lldbinit does not load cairn$'
echo 'plugin load /opt/cairn-lldb.so' >"$HOME/.lldbinit"
expect 0 'ok     lldb start-up  WORK/home/.lldbinit loads cairn$'
rm "$HOME/.lldbinit"
DEBUGINFOD_URLS=https://debug.example expect 0 'ok     debuginfod     DEBUGINFOD_URLS is https://debug.example$'
XDG_CACHE_HOME=/proc expect 1 'fault  cache          /proc/cairn cannot be written: '

# the debugger's parts: another version, a module that is not there, none, no GDB
sed 's/^# cairn [0-9.]* /# cairn 99.0 /' "$script" >"$work/scripts/cairn.gdb"
expect 1 'fault  gdb script     WORK/scripts/cairn.gdb is not version'
sed 's|jit-reader-load .*|jit-reader-load /nowhere/cairn-gdb.so|' "$script" >"$work/scripts/cairn.gdb"
expect 1 'fault  gdb module     gdb does not load WORK/scripts/cairn.gdb: '
rm "$work/scripts/cairn.gdb"
expect 0 'note   gdb script     WORK/scripts/cairn.gdb: No such file'
cp "$script" "$work/scripts/cairn.gdb"
mv "$work/bin/gdb" "$work/gdb"
expect 0 'note   gdb            gdb does not run: No such file'
expect 0 'note   gdb module     not tested: there is no gdb$'
printf '#!/bin/sh\necho GNU gdb 9.2\n' >"$work/bin/gdb"
chmod +x "$work/bin/gdb"
expect 1 'note   gdb            GNU gdb 9.2$'
mv "$work/gdb" "$work/bin/gdb"

if [ -n "$plugin" ] && [ -e "$work/bin/lldb" ]; then
	# where only the program with a version in its name is installed
	mv "$work/bin/lldb" "$work/bin/lldb-19"
	cp "$plugin" "$work/plugin/lldb/cairn-lldb.so"
	expect 0 'ok     lldb plugin    lldb-19 loads WORK/plugin/lldb/cairn-lldb.so$'
	mv "$work/bin/lldb-19" "$work/bin/lldb"
	cp "$plugin" "$work/plugin/lldb/cairn-lldb.so"
	expect 0 'ok     lldb plugin    lldb loads WORK/plugin/lldb/cairn-lldb.so$'
	echo 'not a library' >"$work/plugin/lldb/cairn-lldb.so"
	expect 1 'fault  lldb plugin    lldb does not load WORK/plugin/lldb/cairn-lldb.so: '
	rm "$work/plugin/lldb/cairn-lldb.so"
fi

# what the kernel allows, in a view of /proc of our own; not everybody may have one
if unshare -m true 2>/dev/null; then
	# kernel FILE VALUE STATUS LINE
	kernel() {
		printf '%s\n' "$2" >"$work/setting"
		cat >"$work/view" <<END
[ -e /proc/sys/kernel/$1 ] || exit 3
mount --bind $work/setting /proc/sys/kernel/$1 || exit 3
ulimit -S -c $3
exec $work/core/cli/cairn doctor
END
		unshare -m sh "$work/view" >"$work/said" 2>&1
		[ $? != 3 ] || return
		grep -q "^$4" "$work/said" || fail "not found: $4"
	}
	kernel core_pattern core 0 'note   core files     programs started in this shell write none'
	most=$(ulimit -H -c)
	if [ "$most" = 0 ]; then
		echo 'not tried: core files of a program, because nobody here may leave any'
	else
		kernel core_pattern core "$most" "ok     core files     the kernel writes them to 'core', in the program's working directory"
		kernel core_pattern /var/cores/%p "$most" "ok     core files     the kernel writes them to '/var/cores/%p'$"
	fi
	kernel core_pattern '|/lib/systemd/systemd-coredump %P' 0 "ok     core files     the kernel passes them to '/lib/systemd/systemd-coredump %P'"
	kernel yama/ptrace_scope 0 0 'ok     ptrace         processes of this user can be attached to'
	kernel yama/ptrace_scope 3 0 'note   ptrace         .*no user can attach'
else
	echo 'not tried: core_pattern and ptrace_scope, because this user cannot mount'
fi

"$work/core/cli/cairn" doctor --json >"$work/said"
[ "$(grep -c '^{"check":"[a-z -]*","state":"[a-z]*","seen":".*","advice":".*"}$' "$work/said")" = 11 ] ||
	fail 'not eleven objects'
