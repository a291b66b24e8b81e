#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `cairn crash` as the kernel starts it. core_pattern belongs to the whole machine, so a small virtual one is
# started in software (TCG), with a kernel of Debian and a file system of busybox, cairn and its libraries.
# There programs crash: 200 in ten seconds, on a full disk, in the dynamic loader, in a container, as
# another user, while handlers are killed. Each call of the handler leaves one report, and what the kernel
# dropped above core_pipe_limit is counted from its log.
#
#	crash.sh CAIRN CRASH_PROGRAM BREAK_LIBRARY READ_JSON
#
# CAIRN_VM_KERNEL names the kernel; else the last one in /boot is used. scripts/vm.sh gets all of it.
cairn=$1
program=$2
break_library=$3
read_json=$4
export LC_ALL=C

skip() {
	echo "skipped: $1 (scripts/vm.sh installs it and runs this test)"
	exit 77
}

[ "$(uname -m)" = x86_64 ] || skip 'the virtual machine is one of x86_64'
command -v qemu-system-x86_64 >/dev/null || skip 'no qemu-system-x86_64'
busybox=$(command -v busybox) || skip 'no busybox'
ldd "$busybox" >/dev/null 2>&1 && skip 'busybox is not static'
kernel=${CAIRN_VM_KERNEL:-$(ls /boot/vmlinuz-*-amd64 2>/dev/null | tail -n 1)}
[ -r "$kernel" ] || skip 'no kernel of Debian (CAIRN_VM_KERNEL)'

. "$(dirname "$0")/../lib/test.sh"
root=$work/root
mkdir -p "$root/bin" "$root/proc" "$root/sys" "$root/dev" "$root/tmp" "$root/etc" "$root/broken" "$root/reports" "$root/run"

# What a program needs lies where it looks for it.
add_libraries() {
	for library in $(ldd "$1" | sed -n 's/^[^\/]*\(\/[^ ]*\) (0x.*/\1/p'); do
		[ -e "$root$library" ] && continue
		mkdir -p "$root$(dirname "$library")"
		cp -L "$library" "$root$library"
	done
}

cp "$busybox" "$root/bin/busybox"
for applet in sh mount umount mkdir chmod chown cp cat ls grep sed wc head sleep kill killall pidof ps stat su unshare chroot \
	poweroff dmesg rm dd seq tail env cut sort uname ln date df mknod true find; do
	ln -s busybox "$root/bin/$applet"
done
for each in "$cairn" "$program" "$read_json"; do
	cp "$each" "$root/bin/"
	add_libraries "$each"
done
mv "$root/bin/$(basename "$cairn")" "$root/bin/cairn.real" && mv "$root/bin/cairn.real" "$root/bin/cairn"
libc=$(ldd "$program" | sed -n 's/^[^\/]*\(\/[^ ]*libc\.so\.6\) .*/\1/p')
"$break_library" "$libc" "$root/broken/libc.so.6" || { echo 'no library could be broken'; exit 1; }
printf 'root:x:0:0::/:/bin/sh\nuser:x:1000:1000::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\nuser:x:1000:\n' >"$root/etc/group"

cat >"$root/init" <<'INIT'
#!/bin/sh
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs -o mode=1777 tmp /tmp
program=/bin/crash_program
pattern='|/bin/cairn crash -p%P -t%i -s%s -d%d -u%u -T%t -r/reports'

result() { # NAME EXPECTED FOUND
	if [ "$2" = "$3" ]; then echo "RESULT ok $1: $3"; else echo "RESULT failed $1: $3 and not $2"; fi
}

# A handler, its limit on how many run, and an empty directory of reports of so many KiB.
begin() {
	umount /reports 2>/dev/null
	mount -t tmpfs -o size=${3}k,mode=755 reports /reports
	echo "$2" >/proc/sys/kernel/core_pipe_limit
	echo "$1" >/proc/sys/kernel/core_pattern
	dmesg -c >/dev/null
}

reports() { ls /reports | grep -c '\.json$'; }
complete() { cat /reports/*.json 2>/dev/null | grep -c '"complete":true'; }
dropped() { dmesg | grep -c 'over core_pipe_limit'; }
crashes() { # how many, each with a mark when it has ended
	for i in $(seq "$1"); do ( $program null; echo x >>/tmp/ended ) >/dev/null 2>&1 & done
}

# Waits until so many have ended, and no handler runs.
settle() {
	for i in $(seq 300); do
		[ "$(cat /tmp/ended 2>/dev/null | wc -l)" -ge "$1" ] && ! pidof cairn >/dev/null && return
		sleep 0.5
	done
	echo "RESULT failed settle: $(cat /tmp/ended | wc -l) of $1 ended, handlers: $(pidof cairn)"
}

left() { ps | grep -v grep | grep -c 'crash_program\|cairn crash'; }
sound() {
	bad=0
	for each in /reports/*.json; do read_json <"$each" 2>/dev/null || bad=$((bad + 1)); done
	echo $bad
}

echo "RESULT ok kernel: $(uname -r)"

# One crash after the other, with and without a limit.
for limit in 4 0; do
	begin "$pattern" $limit 8192
	$program null
	$program thread 'my "name"'
	$program abort
	settle 0
	result "reports, core_pipe_limit $limit" 3 "$(reports)"
	result "complete, core_pipe_limit $limit" 3 "$(complete)"
	result "functions, core_pipe_limit $limit" 2 "$(cat /reports/*.json | grep -c '"function":"write_nowhere"')"
	result "process, core_pipe_limit $limit" 3 "$(cat /reports/*.json | grep -c '"process":{"name":"[^}]*"user":0,')"
	result "thread that crashed, core_pipe_limit $limit" 1 "$(cat /reports/*.json | grep -c '"name":"my ..name..","crashed":true,"signal":"SIGSEGV"')"
	result "thread that waits, core_pipe_limit $limit" 1 "$(cat /reports/*.json | grep -c '"name":"waits ..here..","crashed":false')"
	result "sound, core_pipe_limit $limit" 0 "$(sound)"
done
for each in /reports/*.json; do
	echo "NOTE one report: $(sed -n 's/.*\("milliseconds":[0-9]*\),\("memory_kib":[0-9]*\).*/\1 \2/p' "$each")"
done

# 200 in ten seconds.
begin "$pattern --rate 0" 16 65536
start=$(date +%s)
$program many 200 >/tmp/many
settle 0
echo "NOTE 200 crashes were started within $(cut -d ' ' -f 2 /tmp/many) ms, and reported or dropped within $(($(date +%s) - start)) s: $(reports) reports, $(dropped) dropped"
result '200 crashes, processes' 200 "$(cut -d ' ' -f 1 /tmp/many)"
result '200 crashes, reports and dropped ones' 200 $(($(reports) + $(dropped)))
result '200 crashes, complete ones' "$(reports)" "$(complete)"
result '200 crashes, what is left' 0 "$(left)"
result '200 crashes, sound' 0 "$(sound)"
result '200 crashes, other files' 0 "$(ls -A /reports | grep -vc '\.json$\|^\.crash-lock$')"

# The rate: every call is answered all the same.
begin "$pattern --rate 5" 16 8192
rm -f /tmp/ended
crashes 12
settle 12
result 'rate, reports and dropped ones' 12 $(($(reports) + $(dropped)))
result 'rate, complete ones' 5 "$(complete)"

# A full disk: old reports give way; where there is no room at all the log has the reason.
begin "$pattern" 4 64
for i in $(seq 12); do $program null; done
settle 0
dd if=/dev/zero of=/reports/filler bs=4096 >/dev/null 2>&1
$program null
settle 0
result 'full disk, the newest is there' 1 "$(ls /reports | grep -c "p$(($(ls /reports | sed -n 's/.*-p\([0-9]*\)\.json/\1/p' | sort -n | tail -n 1)))\.json")"
result 'full disk, sound' 0 "$(sound)"
rm /reports/crash-*
dd if=/dev/zero of=/reports/more bs=4096 >/dev/null 2>&1
dmesg -c >/dev/null
for i in 1 2 3; do $program null; done
settle 0
result 'no room, a report or a line in the log each' 3 $(($(reports) + $(dmesg | grep -c 'cairn: crash of process')))

# In the dynamic loader.
begin "$pattern" 4 8192
LD_LIBRARY_PATH=/broken $program null
settle 0
result 'loader, reports' 1 "$(reports)"
result 'loader, where' 1 "$(cat /reports/*.json | grep -c '"level":0,[^}]*"module":"[^"]*/ld-linux-x86-64.so.2"')"

# Handlers that are killed, as soon as they have begun.
printf '#!/bin/sh\nexec /bin/cairn crash -p$1 -s$2 -d$3 -r/reports --rate 0 --then /bin/sleep 3\n' >/tmp/slow
chmod 755 /tmp/slow
begin '|/tmp/slow %P %s %d' 16 8192
rm -f /tmp/ended
for round in $(seq 10); do
	crashes 1
	for try in $(seq 2000); do [ "$(reports)" -ge $round ] && break; done
	killall -9 cairn 2>/dev/null
	settle $round
done
echo "NOTE killed: $(cat /reports/*.json | grep -c 'the handler was killed') of 10 have the short report"
result 'killed, reports' 10 "$(reports)"
result 'killed, sound' 0 "$(sound)"
result 'killed, what is left' 0 "$(left)"

# One that hangs ends by itself, and lets the process go.
printf '#!/bin/sh\nexec /bin/cairn crash -p$1 -s$2 -d$3 -r/reports --timeout 20 --then /bin/sleep 1000\n' >/tmp/hang
chmod 755 /tmp/hang
begin '|/tmp/hang %P %s %d' 4 8192
$program null
settle 0
result 'hanging, reports' 1 "$(complete)"
result 'hanging, what is left' 0 "$(ps | grep -v grep | grep -c 'crash_program\|cairn crash\|sleep 1000')"

# Another user, and a program of root that he starts.
cp $program /bin/changes_user
chmod 4755 /bin/changes_user
echo 2 >/proc/sys/fs/suid_dumpable
begin "$pattern" 4 8192
cd /tmp
su user -c "$program null"
su user -c '/bin/changes_user null'
cd /
settle 0
result 'users, reports' 2 "$(complete)"
result 'users, modes' '600 640' "$(echo $(stat -c %a /reports/*.json | sort))"
result 'users, names' 2 "$(ls /reports | grep -c -- -u1000-)"
result 'users, root alone' 1 "$(cat $(find /reports -name '*.json' -perm 600) | grep -c '"dump_mode":2,')"
echo 0 >/proc/sys/fs/suid_dumpable

# A container: other numbers, another root.
mkdir -p /tmp/jail/bin /tmp/jail/proc
cp -r /lib /lib64 /usr /tmp/jail/ 2>/dev/null
cp $program /bin/busybox /tmp/jail/bin/
ln -s busybox /tmp/jail/bin/sh
begin "$pattern" 4 8192
unshare -p -f -m chroot /tmp/jail /bin/sh -c '/bin/crash_program thread inner; true'
settle 0
result 'container, complete' 1 "$(complete)"
result 'container, functions' 1 "$(cat /reports/*.json | grep -c '"function":"write_nowhere"')"
result 'container, its root and number' 1 "$(cat /reports/*.json | grep -c '"namespace_pid":[2-9],.*"root":"/tmp/jail"')"
result 'container, thread' 1 "$(cat /reports/*.json | grep -c '"name":"inner","crashed":true')"

echo 'RESULT end'
poweroff -f
INIT
chmod 755 "$root/init"

(cd "$root" && find . | busybox cpio -o -H newc 2>/dev/null) >"$work/initramfs" || exit 1
echo "this is the real path: $(basename "$kernel") in $(qemu-system-x86_64 --version | head -n 1)"
start=$(date +%s)
timeout -k 10 "${CAIRN_VM_SECONDS:-900}" qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp 2 -m 1024 -nographic -nic none -no-reboot \
	-kernel "$kernel" -initrd "$work/initramfs" -append 'console=ttyS0 quiet loglevel=1 panic=-1 log_buf_len=4M' \
	</dev/null 2>&1 | tr -d '\r' >"$work/console"
echo "the machine ran for $(($(date +%s) - start)) seconds"
grep '^RESULT\|^NOTE' "$work/console" | grep -v '^RESULT end'
grep -q '^RESULT end' "$work/console" || {
	echo 'the machine did not come to its end:'
	tail -n 40 "$work/console"
	exit 1
}
! grep -q '^RESULT failed' "$work/console"
