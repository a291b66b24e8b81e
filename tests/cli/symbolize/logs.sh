#!/bin/sh
# SPDX-License-Identifier: MIT
# References to logs: logs.sh CAIRN FIXTURES
# Frames of sanitizers, of glibc, of systemd-coredump and of markup get names from the store; names that a log has stay; addresses of calls are looked up
# as they are, and return addresses one byte before.
set -u
export LC_ALL=C
cairn=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
fixtures=$(cd "$2" && pwd)
. "$(dirname "$0")/../../lib/test.sh"
cd "$work" || exit 2
export HOME="$work" XDG_CACHE_HOME="$work/cache"
unset DEBUGINFOD_URLS
id=0123456789abcdef0123456789abcdef01234567

# log STATUS NAME: an answer to standard input as a log
log() {
	cat >log
	printf '{"hash":"%s","size":%s,"path":"log","kind":"log"}' "$(sha256sum <log | cut -c 1-64)" "$(wc -c <log)" |
		"$cairn" symbolize --bodies . --directory "$fixtures/gsym" >answer 2>errors
	status=$?
	[ $status = "$1" ] || fail "$2: status $status: $(cat answer errors)"
}
# 0x400110 to 0x400130 is main, work() is inlined from 0x400114 on
log 0 sanitizer <<END
==7==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x000000400114 bp 0x0 sp 0x0 T0)
    #0 0x000000400114  (/src/prog+0x400114) (BuildId: $id)
    #1 0x000000400114  (/src/prog+0x400114) (BuildId: $id)
    #2 0x7f0000000001 in known (/lib/libknown.so+0x1) (BuildId: 00ff)

    #0 0x000000400114  (/src/prog+0x400114) (BuildId: $id)
END
grep -q '"result":"done"' answer || fail "sanitizer: $(cat answer)"
[ "$(grep -o '"function":"work"' answer | wc -l)" = 3 ] || fail "sanitizer: $(cat answer)"
[ "$(grep -o '"frames"' answer | wc -l)" = 2 ] || fail "sanitizer: $(cat answer)"
grep -q '"function":"known"' answer || fail "sanitizer, a name that was there: $(cat answer)"
cp answer whole
cp log same
log 0 again <same
cmp -s answer whole || fail 'the same log has another answer'

# the same address, as that of a call and as where it returns to
log 0 places <<END
    #0 0x1  (/src/prog+0x400114) (BuildId: $id)

{{{reset}}}
{{{module:0:prog:elf:$id}}}
{{{mmap:0x400000:0x1000:load:0:rx:0x400000}}}
{{{bt:0:0x400115:ra}}}

{{{bt:0:0x400114:pc}}}
END
[ "$(grep -o '"function":"work","offset":4' answer | wc -l)" = 3 ] || fail "places: $(cat answer)"
[ "$(grep -o '"exact":false' answer | wc -l)" = 1 ] || fail "places: $(cat answer)"

# build IDs in a list before the frames
log 1 systemd <<END
                Module libother.so.1 with build-id 00ff
                Stack trace of thread 7:
                #0  0x00007f1b2c3d4ce5 n/a (libother.so.1 + 0x3bce5)
                #1  0x00007f1b2c3d4ce6 main (prog + 0x14)
END
grep -q '"result":"not_yet","missing_build_ids":\["00ff"\]' answer || fail "systemd: $(cat answer)"
grep -q '"module_offset":"0x3bce5"' answer || fail "systemd: $(cat answer)"

# inlined calls are lines with one address, and what a program calls by itself is not
log 0 inlined <<END
    #0 0x10 in inner /a.c:1
    #1 0x10 in outer /a.c:2
    #2 0x20 in self /a.c:3
    #3 0x20 in self /a.c:3
END
[ "$(grep -o '"inlined":[a-z]*' answer | tr '\n' ' ')" = '"inlined":true "inlined":false "inlined":false "inlined":false ' ] || fail "inlined: $(cat answer)"
# groups are made of it
"$cairn" group <answer >groups || fail "groups: $(cat groups)"
grep -q '"signature":\["inner","outer","self"' groups || fail "groups: $(cat groups)"

# the place where the kernel stopped is the innermost frame of its trace; the end of a report repeats it
functions() {
	tr '{' '\n' <answer | sed -n 's/^"threads".*//p; /^"frames"/s/.*/|/p; s/.*"exact":\(.\)[a-z]*,"function":"\([^"]*\)".*/\2-\1/p' | tr '\n' ' '
}
log 0 kernel <<'END'
[   12.0] BUG: unable to handle page fault in named+0x1/0x20
[   12.0] CPU: 0 PID: 123 Comm: insmod Tainted: G           OE      6.1.0 #1
[   12.0] RIP: 0010:stopped+0x6/0xc [oops]
[   12.0] Code: c7 04 25 00 00 00 00 00
[   12.0] RAX: 0000000000000000 RBX: 0000000000000000 RCX: 0000000000000000
[   12.0] Call Trace:
[   12.0]  <TASK>
[   12.0]  ? unreliable+0x1a/0x60
[   12.0]  caller+0x56/0x230
[   12.0]  asm_sysvec_apic_timer_interrupt+0x16/0x20
[   12.0] RIP: 0010:interrupted+0xb/0x10
[   12.0] RSP: 0018:ffffc9000012fc58 EFLAGS: 00010246
[   12.0]  outermost+0x63/0xcd
[   12.0]  </TASK>
[   12.0] Modules linked in: oops(OE+)
[   12.0] ---[ end trace 0000000000000000 ]---
[   12.0] RIP: 0010:stopped+0x6/0xc [oops]
[   12.0] Code: c7 04 25 00 00 00 00 00
END
[ "$(functions)" = '| stopped-t caller-f asm_sysvec_apic_timer_interrupt-f interrupted-t outermost-f ' ] || fail "kernel: $(functions) $(cat answer)"
log 0 'kernel of AArch64' <<'END'
[    2.1] pc : stopped+0x6/0xc [oops]
[    2.1] lr : caller+0x54/0x1c0
[    2.1] sp : ffff80001003bb20
[    2.1] x2 : 0000000000000000 x1 : 0000000000000000
[    2.1] Call trace:
[    2.1]  stopped+0x6/0xc [oops]
[    2.1]  caller+0x54/0x1c0
[    2.1] ---[ end trace 0000000000000000 ]---

[    3.1] RIP: 0010:alone+0x6/0xc
[    3.1] Code: c7 04
END
[ "$(functions)" = '| stopped-t caller-f | alone-t ' ] || fail "kernel of AArch64: $(functions) $(cat answer)"
# backward-cpp prints the outermost frame first
log 0 backward <<'END'
Stack trace (most recent call last):
#2    Object "./a", at 0x561fe25a2470, in _start
#1    Object "./a", at 0x561fe25a2c16, in main
#0    Object "./a", at 0x561fe25a25b7, in inner
Stack trace (most recent call last):
#0    Object "./a", at 0x561fe25a25b7, in other
END
[ "$(functions)" = '| inner-t main-t _start-t | other-t ' ] || fail "backward: $(functions) $(cat answer)"

# nothing, and too much
echo 'all is well' | log 3 nothing
grep -q '"reason":"the log has no backtrace that can be read"' answer || fail "nothing: $(cat answer)"
: | log 3 empty
head -c 3000000 /dev/urandom | log 3 random
awk 'BEGIN { for (i = 0; i < 140000; i++) printf "    #%d 0x%x in f (/a+0x%x)\n", i, i, i }' | log 3 many
grep -q '"reason":"more than 131,072 frames"' answer || fail "many: $(head -c 300 answer)"
awk 'BEGIN { for (i = 0; i < 20000; i++) print "    #0 0x1 in f (/a+0x1)" }' | log 3 stacks
grep -q '"reason":"more than 16,384 threads"' answer || fail "stacks: $(head -c 300 answer)"
awk 'BEGIN { for (i = 0; i < 130000; i++) printf "    #%d 0x%x in f%0250d (/a+0x%x)\n", i, i, i, i }' | log 3 large
grep -q '"reason":"the stacks of the file are more than 32 MiB of JSON"' answer || fail "large: $(head -c 300 answer)"
exit $failed
