#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Recordings of perf on aarch64, under a real kernel in a small virtual machine in software (TCG): of programs built in
# six ways, and recorded in threads, children and by frame pointers. On this side at least 97 % of the samples in the hot code
# have whole stacks, and none is wrong. What perf of the machine itself makes of each is beside it in the table.
#
#	profile.sh CAIRN
#
# CAIRN_VM_ARM64 names a directory with vmlinuz, busybox (static), and perf/ with perf and its libraries, all of arm64.
# scripts/vm.sh arm64 makes it and runs this test.
set -u
cairn=$1
source=$(cd "$(dirname "$0")/../cli/profile" && pwd)/recorded.c
export LC_ALL=C

skip() {
	echo "skipped: $1 (scripts/vm.sh arm64 installs it and runs this test)"
	exit 77
}

arm64=${CAIRN_VM_ARM64:-}
[ -n "$arm64" ] || skip 'no kernel of arm64 (CAIRN_VM_ARM64)'
[ -x "$arm64/perf/usr/bin/perf" ] || skip 'no perf of arm64'
for tool in qemu-system-aarch64 busybox aarch64-linux-gnu-gcc; do
	command -v $tool >/dev/null || skip "no $tool"
done

tmp=$(mktemp -d "${TMPDIR:-/tmp}/profile-vm.XXXXXX") || exit 2
trap 'rm -rf "$tmp"' EXIT
root=$tmp/root
cp -a "$arm64/perf" "$root" && mkdir -p "$root/bin" "$root/proc" "$root/sys" "$root/dev" "$root/tmp" &&
	cp "$arm64/busybox" "$root/bin/" || exit 2
for applet in sh mount gzip base64 poweroff uname; do
	ln -s busybox "$root/bin/$applet"
done

ways='pie no-pie static static-pie no-frame-pointer signed'
while IFS='|' read -r name options; do
	# shellcheck disable=SC2086 # several options
	aarch64-linux-gnu-gcc -O2 -g $options -o "$root/bin/$name" "$source" -pthread -Wl,--build-id=sha1 || exit 2
done <<'END'
pie|-fPIE -pie
no-pie|-no-pie
static|-static
static-pie|-static-pie
no-frame-pointer|-static -fomit-frame-pointer
signed|-static -mbranch-protection=standard
END

# a clock of the processor: that of the kernel does not go with copied registers there
cat >"$root/init" <<INIT
#!/bin/sh
export PATH=/bin:/usr/bin HOME=/tmp
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
echo "KERNEL \$(uname -r)"
cd /tmp
# give NAME PERF_OPTIONS PROGRAM [WAY]
give() {
	name=\$1 options=\$2
	shift 2
	perf record -N -q -e cycles -F 99 \$options -o data "\$@" || echo "FAILED \$name"
	echo "DATA \$name"
	gzip -c data | base64
	echo END
	echo "SCRIPT \$name"
	perf script --no-inline -F ip,sym -i data 2>/dev/null | gzip -c | base64
	echo END
}
for way in $ways; do
	give \$way '--call-graph dwarf' \$way
done
for way in thread fork exec callback; do
	give \$way '--call-graph dwarf' no-pie \$way
done
give packed '--call-graph dwarf -z' static
echo LAST
poweroff -f
INIT
chmod 755 "$root/init"
(cd "$root" && find . | busybox cpio -o -H newc 2>/dev/null) >"$tmp/initramfs" || exit 1

timeout -k 10 "${CAIRN_VM_SECONDS:-900}" qemu-system-aarch64 -M virt -accel tcg,thread=multi -cpu max,pauth-impdef=on,lpa2=off -smp 2 -m 1500 \
	-nographic -nic none -no-reboot -kernel "$arm64/vmlinuz" -initrd "$tmp/initramfs" \
	-append 'console=ttyAMA0 quiet loglevel=1 panic=-1' </dev/null 2>&1 | tr -d '\r' >"$tmp/console"
grep -q '^LAST' "$tmp/console" || {
	echo 'the machine did not come to its end:'
	tail -n 40 "$tmp/console"
	exit 1
}

failed=0
# share FILE: per cent of the folded stacks in the hot code that are whole and right, or nothing
share() {
	awk -v wrong="$tmp/wrong" '{
		count = $NF
		sub(/ [0-9]+$/, "")
		if ($0 !~ /;(hot_function|innermost_inlined)$/)
			next
		all += count
		if ($0 ~ /^(_start;.*(main|run_child);|(.*;)?run_thread;)(.*;)?outer_function;hot_function(;innermost_inlined)?$/)
			whole += count
		else if ($0 !~ /^(.*;)?(outer_function;)?hot_function(;innermost_inlined)?$/)
			print "wrong: " $0 >wrong
	}
	END { if (all > 20) printf "%.1f\n", 100 * whole / all }' "$1"
}

# part KIND NAME: what the machine gave
part() {
	sed -n "/^$1 $2\$/,/^END/p" "$tmp/console" | sed '1d;$d' | base64 -d | gzip -d
}

echo "recorded by Linux $(sed -n 's/^KERNEL //p' "$tmp/console")"
printf '%-20s %6s %6s\n' '' cairn perf
for name in $ways thread fork exec callback packed; do
	rm -f "$tmp/wrong"
	part DATA $name >"$tmp/data"
	part SCRIPT $name | awk '
		NF == 0 { if (stack != "") print stack " 1"; stack = ""; next }
		{ name = $2; sub(/\+0x.*/, "", name); stack = name (stack == "" ? "" : ";") stack }
		END { if (stack != "") print stack " 1" }' >"$tmp/script"
	"$cairn" profile convert --to folded --sysroot "$root" --directory "$root/bin" -o "$tmp/folded" "$tmp/data" 2>"$tmp/report" || {
		cat "$tmp/report"
		failed=1
		continue
	}
	ours=$(share "$tmp/folded")
	[ ! -e "$tmp/wrong" ] || { echo "$name: a wrong stack: $(head -n 3 "$tmp/wrong")"; failed=1; }
	printf '%-20s %6s %6s\n' "$name" "$ours" "$(share "$tmp/script")"
	[ "${ours%.*}" -ge 97 ] 2>/dev/null || { echo "$name: $ours per cent are whole"; sort "$tmp/folded" | tail -n 3; failed=1; }
done
exit $failed
