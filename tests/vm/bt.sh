#!/bin/sh
# SPDX-License-Identifier: MIT
#
# cairn bt of aarch64 under a real kernel: programs wait where they would end, in a small virtual machine in software
# (TCG). There cairn looks at each of them live, then a signal makes the kernel write its core. On this side the core
# has the frames that GDB has for it, and the live stacks have the addresses of the core's. The same holds after the core
# has become a minidump and a core again, of which LLDB, too, shows what it showed of the first one. Programs are static and dynamic, at a fixed place
# and not, with return addresses that are signed (PAC) and without.
#
#	bt.sh CAIRN
#
# CASES limits the cases, KINDS the programs.
# CAIRN_VM_ARM64 names a directory with what Debian does not install on this machine: vmlinuz, busybox (static), and
# cairn (static), all of arm64. scripts/vm.sh arm64 makes it and runs this test.
set -u
cairn=$1
programs=$(cd "$(dirname "$0")/../fixtures/programs" && pwd)
here=$(cd "$(dirname "$0")/../debuggers" && pwd)
export LC_ALL=C
GDB=gdb-multiarch

skip() {
	echo "skipped: $1 (scripts/vm.sh arm64 installs it and runs this test)"
	exit 77
}

arm64=${CAIRN_VM_ARM64:-}
[ -n "$arm64" ] || skip 'no kernel of arm64 (CAIRN_VM_ARM64)'
for tool in qemu-system-aarch64 busybox $GDB aarch64-linux-gnu-gcc aarch64-linux-gnu-nm; do
	command -v $tool >/dev/null || skip "no $tool"
done

tmp=$(mktemp -d "${TMPDIR:-/tmp}/bt-vm.XXXXXX") || exit 2
trap 'rm -rf "$tmp"' EXIT
. "$here/bt_frames.sh"
root=$tmp/root
libraries=/usr/aarch64-linux-gnu/lib
lldb=$(command -v "${LLDB:-lldb-19}" || command -v lldb || :)
[ -n "$lldb" ] || echo 'not tested: LLDB, which is not here'
mkdir -p "$root/bin" "$root/lib" "$root/proc" "$root/dev" "$root/tmp" "$root/cores"
cp "$arm64/busybox" "$arm64/cairn" "$root/bin/" || exit 2
cp $libraries/ld-linux-aarch64.so.1 $libraries/libc.so.6 "$root/lib/" || exit 2
for applet in sh mount cat sed grep sleep kill gzip base64 poweroff rm uname; do
	ln -s busybox "$root/bin/$applet"
done

# build KIND FLAGS...
build() {
	kind=$1
	shift
	aarch64-linux-gnu-gcc -g -O2 -pthread -w "$@" "$programs/stacks.c" -o "$root/bin/$kind" || exit 2
}
build plain -static -no-pie -mbranch-protection=none -DWITH_PLUGIN=0
build signed -static -no-pie -mbranch-protection=standard -DWITH_PLUGIN=0
build static-pie -static-pie -fPIE -mbranch-protection=standard -fomit-frame-pointer -DWITH_PLUGIN=0
build fixed -no-pie -mbranch-protection=none -fomit-frame-pointer -DWITH_PLUGIN=1
build pie -pie -fPIE -mbranch-protection=standard -DWITH_PLUGIN=1
aarch64-linux-gnu-gcc -g -O2 -w -fPIC -shared -mbranch-protection=standard "$programs/stacks_plugin.c" -o "$root/lib/plugin.so" || exit 2

# list_cases KIND: `large` is a stack of 8 MB, `many` are 500 threads, `plugin` is a library that dlopen() loads. GDB 13 takes minutes for
# 8 MB of signed return addresses, in the kernel's core as well.
list_cases() {
	all='inlined recurse null garbage signal altstack altthread altoverflow context threads sort asserted vdso vfork many'
	case $1 in
	plain) echo $all large ;;
	signed) echo $all ;;
	static-pie) echo recurse null signal altthread threads ;;
	*) echo inlined recurse null signal altstack altthread threads sort plugin asserted vdso ;;
	esac
}
pairs=
for kind in ${KINDS:-plain signed static-pie fixed pie}; do
	for case in $(list_cases $kind); do
		case " ${CASES:-$case} " in *" $case "*) pairs="$pairs $kind:$case" ;; esac
	done
done

cat >"$root/init" <<INIT
#!/bin/sh
export PATH=/bin
mount -t proc proc /proc
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
mount -t tmpfs cores /cores
echo /cores/core >/proc/sys/kernel/core_pattern
echo "KERNEL \$(uname -r)"
echo "PAUTH \$(grep -c paca /proc/cpuinfo)"
ulimit -c unlimited
for pair in $pairs; do
	kind=\${pair%:*} case=\${pair#*:}
	: >/tmp/out
	ulimit -s 256
	case \$case in
	plugin) set -- plugin /lib/plugin.so ;;
	large)
		ulimit -s 8192
		set -- overflow
		;;
	*) set -- \$case ;;
	esac
	\$kind "\$@" wait >/tmp/out 2>/dev/null &
	first=\$!
	until grep -q ready /tmp/out; do sleep 0.1; done
	pid=\$(sed -n 's/^ready //p' /tmp/out)
	sleep 0.1 # it is in its last call
	echo "LIVE \$kind \$case"
	cairn bt --color never --quiet --pid \$pid 2>&1
	echo "STATUS \$?"
	rm -f /cores/core*
	kill -FPE \$pid # the shell has what it starts beside itself ignore SIGQUIT
	wait \$first
	echo "CORE \$kind \$case"
	gzip -1c /cores/core* | base64
	echo "END"
done
echo 'LAST'
poweroff -f
INIT
chmod 755 "$root/init"
(cd "$root" && find . | busybox cpio -o -H newc 2>/dev/null) >"$tmp/initramfs" || exit 1

start=$(date +%s)
timeout -k 10 "${CAIRN_VM_SECONDS:-900}" qemu-system-aarch64 -M virt -accel tcg,thread=multi -cpu max,pauth-impdef=on,lpa2=off -smp 2 -m 1024 \
	-nographic -nic none -no-reboot -kernel "$arm64/vmlinuz" -initrd "$tmp/initramfs" \
	-append 'console=ttyAMA0 quiet loglevel=1 panic=-1' </dev/null 2>&1 | tr -d '\r' >"$tmp/console"
echo "the machine ran for $(($(date +%s) - start)) seconds: $(sed -n 's/^KERNEL //p' "$tmp/console")"
grep -q '^LAST' "$tmp/console" || {
	echo 'the machine did not come to its end:'
	tail -n 40 "$tmp/console"
	exit 1
}
grep -q '^PAUTH [1-9]' "$tmp/console" || { echo 'its processor signs no addresses'; exit 1; }

failed=0
tell() {
	echo "$kind $case: $1"
	head -n 20 "$2"
	failed=1
}

# debug CORE SYSROOT
debug() {
	timeout 60 $GDB -nx -q -batch -iex 'set debuginfod enabled off' -iex 'set auto-load no' -iex "set sysroot $2" \
		-iex 'set libthread-db-search-path /none' -ex 'set width 0' -ex 'set backtrace past-main on' \
		-ex 'set backtrace past-entry on' -ex 'set print frame-arguments none' -ex "core-file $1" \
		-ex 'thread apply all bt' "$root/bin/$kind" </dev/null 2>&1 | grep -E '^(Thread|#)'
}

# debug_lldb CORE SYSROOT
debug_lldb() {
	timeout 60 "$lldb" -b --no-lldbinit ${2:+-O "platform select --sysroot $2 remote-linux"} -f "$root/bin/$kind" -c "$1" -o 'bt all' \
		</dev/null 2>&1 | sed -n 's/^[ *]*\(frame #\)/\1/p'
}

# The addresses of frames, thread by thread: inlined calls have none.
addresses() {
	sed -n -e 's/^Thread [0-9]* (LWP \([0-9]*\).*/\1/p' -e 's/^#[0-9]* *\(0x[0-9a-f]*\) in .*/\1/p' "$1" |
		awk '!/^0x/ { thread = $1; next } { print thread, $1 }' | sort -s -n -k 1,1
}

# What the core shows is what its minidump shows, and the core that is made of that, which names the libraries below the sysroot.
compare_minidump() {
	"$cairn" minidump --quiet --sysroot="$root" -o "$tmp/dump" "$tmp/core" "$root/bin/$kind" 2>"$tmp/errors" &&
		"$cairn" open --quiet --sysroot="$root" --exe "$root/bin/$kind" -o "$tmp/again" "$tmp/dump" 2>>"$tmp/errors" ||
		tell 'no minidump, or no core of it' "$tmp/errors"
	for file in dump again; do
		sysroot=$root
		[ $file = dump ] || sysroot=
		"$cairn" bt --quiet ${sysroot:+--sysroot="$sysroot"} "$tmp/$file" "$root/bin/$kind" 2>&1 | settle >"$tmp/cairn"
		diff "$tmp/cairn-core" "$tmp/cairn" >"$tmp/diff" || tell "cairn shows other frames of $file" "$tmp/diff"
	done
	debug "$tmp/again" '' | settle >"$tmp/gdb"
	diff "$tmp/gdb-core" "$tmp/gdb" >"$tmp/diff" || tell 'GDB shows other frames of the core of its minidump' "$tmp/diff"
	case $case in large | many) return ;; esac # for which LLDB takes minutes
	[ -n "$lldb" ] || return
	debug_lldb "$tmp/core" "$root" >"$tmp/lldb-core"
	debug_lldb "$tmp/again" '' >"$tmp/lldb"
	[ -s "$tmp/lldb-core" ] && diff "$tmp/lldb-core" "$tmp/lldb" >"$tmp/diff" ||
		tell 'LLDB shows other frames of the core of its minidump, or none' "$tmp/diff"
}

compare_case() {
	sed -n "/^LIVE $kind $case\$/,/^STATUS/p" "$tmp/console" | sed '1d' >"$tmp/live"
	sed -n "/^CORE $kind $case\$/,/^END/p" "$tmp/console" | sed '1d;$d' | base64 -d | gzip -d >"$tmp/core"
	"$cairn" bt --quiet --sysroot="$root" "$tmp/core" "$root/bin/$kind" >"$tmp/bt" 2>"$tmp/errors" || echo "exit status $?" >>"$tmp/errors"
	settle <"$tmp/bt" >"$tmp/cairn"
	debug "$tmp/core" "$root" | settle >"$tmp/gdb"
	cp "$tmp/cairn" "$tmp/cairn-core"
	cp "$tmp/gdb" "$tmp/gdb-core"
	ends=0
	if [ "$case" = context ]; then
		# its first function saves no return address: GDB ends there without a name, cairn with a reason
		ends=1
		sed -i '/ ?? -$/d' "$tmp/gdb"
		sed -i '${/ __startcontext -$/d}' "$tmp/cairn"
		[ "$(cat "$tmp/errors")" != 'exit status 1' ] || : >"$tmp/errors"
	fi
	cmp -s "$tmp/gdb" "$tmp/cairn" && [ ! -s "$tmp/errors" ] || {
		diff "$tmp/gdb" "$tmp/cairn" >"$tmp/diff"
		cat "$tmp/errors" >>"$tmp/diff"
		tell 'the core is not as GDB shows it' "$tmp/diff"
	}
	addresses "$tmp/live" >"$tmp/live-addresses"
	addresses "$tmp/bt" >"$tmp/core-addresses"
	[ -s "$tmp/live-addresses" ] && cmp -s "$tmp/live-addresses" "$tmp/core-addresses" && grep -q "^STATUS $ends" "$tmp/live" || {
		diff "$tmp/live-addresses" "$tmp/core-addresses" >"$tmp/diff"
		tail -n 5 "$tmp/live" >>"$tmp/diff"
		tell 'the live stacks are not those of the core' "$tmp/diff"
	}
}

before=
for pair in $pairs; do
	kind=${pair%:*} case=${pair#*:}
	[ "$kind" = "$before" ] || list_aliases "$root/bin/$kind" aarch64-linux-gnu-nm
	before=$kind
	compare_case
	compare_minidump
done
[ $failed = 0 ] && echo 'stacks equal'
exit $failed
