/* SPDX-License-Identifier: MIT */
/* Tests frames of backtraces in lines of text: of each source, after prefixes, and lines that are none. */
#include "unit.h"

#include "base/bytes.h"
#include "formats/captured_text.h"

#include <inttypes.h>
#include <stdio.h>

#define TEXT(t) (int)(t).size, (const char *)(t).data

/* All that a frame says, in one line. */
static const char *describe_frame(const struct captured_frame *f)
{
	static const char *const sources[] = { "sanitizer", "coredump", "debugger", "glibc",
		                               "go",        "rust",     "trace",    "fault",
		                               "llvm",      "valgrind", "perf",     "hotspot",
		                               "node",      "android",  "glog",     "boost",
		                               "python",    "backward", "swift" };
	static const char *const pcs[] = { "exact", "return", "call", "resume" };
	static const char *const origins[] = { "-", "zero", "module", "file", "mapping", "symbol" };
	static char line[1000];
	char address[32] = "-", number[24] = "-";

	if (f->has_address)
		snprintf(address, sizeof(address), "%" PRIx64, f->address);
	if (f->numbered)
		snprintf(number, sizeof(number), "%" PRIu64, f->number);
	snprintf(line, sizeof(line),
	         "%s %s %s %s|%.*s|%.*s|%s %" PRIx64 "/%" PRIx64 "%s|%.*s|%.*s:%" PRIu64,
	         sources[f->source], number, address, pcs[f->pc], TEXT(f->module), TEXT(f->id),
	         origins[f->origin], f->offset, f->function_size,
	         f->unreliable  ? "?"
	         : f->mentioned ? "m"
	                        : "",
	         TEXT(f->function), TEXT(f->file), f->line);
	return line;
}

/* A line, and what its frame says; NULL: it has none. */
static const struct {
	const char *line, *frame;
} rows[] = {
	/* sanitizers */
	{ "    #3 0x7f96043ab249  (/lib/x86_64-linux-gnu/libc.so.6+0x27249) (BuildId: 93ac61ec)",
	  "sanitizer 3 7f96043ab249 call|/lib/x86_64-linux-gnu/libc.so.6|93ac61ec|zero "
	  "27249/0||:0" },
	{ "    #0 0x5559f327c202  (/tmp/a b+0x1202)",
	  "sanitizer 0 5559f327c202 call|/tmp/a b||zero 1202/0||:0" },
	{ "    #8 0x5618ee0f9300 in _start (/tmp/a+0x21300) (BuildId: 37ce)\r",
	  "sanitizer 8 5618ee0f9300 call|/tmp/a|37ce|zero 21300/0|_start|:0" },
	{ "    #1 0x5618ee1b6edf in ns::f(int, char) const /src/a b.c:6:55",
	  "sanitizer 1 5618ee1b6edf call|||- 0/0|ns::f(int, char) const /src/a|b.c:6" },
	{ "    #1 0x5618ee1b6edf in middle /src/a.c:6",
	  "sanitizer 1 5618ee1b6edf call|||- 0/0|middle|/src/a.c:6" },
	{ "    #2 0x1 in operator new(unsigned long) (/x.so+0x2)",
	  "sanitizer 2 1 call|/x.so||zero 2/0|operator new(unsigned long)|:0" },
	{ "    #0 main /src/t.c:3 (tgcc+0x1241)",
	  "sanitizer 0 - call|tgcc||zero 1241/0|main|/src/t.c:3" },
	{ "    #1 <null> <null> (libc.so.6+0x27249) (BuildId: 93AC)",
	  "sanitizer 1 - call|libc.so.6|93AC|zero 27249/0||:0" },
	{ "2026-11-26T10:00:00 app[7]:     #10 0x1  (/a+0x2)",
	  "sanitizer 10 1 call|/a||zero 2/0||:0" },
	{ "issue #7 is old    #0 0x1  (/a+0x2)", "sanitizer 0 1 call|/a||zero 2/0||:0" },
	/* a build ID that is none stays outside */
	{ "    #0 0x1  (/a+0x2) (BuildId: 123)", NULL },
	{ "    #0 0x1  (/a+0x2) (BuildId: )", NULL },
	/* systemd-coredump */
	{ "#0  0x00007f1b2c3d4ce5 raise (libc.so.6 + 0x3bce5)",
	  "coredump 0 7f1b2c3d4ce5 exact|libc.so.6||module 3bce5/0|raise|:0" },
	{ "                #12 0x000055d0 n/a (prog + 0x1234)",
	  "coredump 12 55d0 return|prog||module 1234/0||:0" },
	{ "#1  0x0000000000000000 n/a (n/a + 0x0)", "coredump 1 0 return|||- 0/0||:0" },
	/* debuggers */
	{ "#0  0x00007ffff7e8e in raise () from /lib/libc.so.6",
	  "debugger 0 7ffff7e8e exact|/lib/libc.so.6||- 0/0|raise|:0" },
	{ "#2  0x0000555555555180 in f (a=1, b=0x0) at src/a.c:12",
	  "debugger 2 555555555180 return|||- 0/0|f|src/a.c:12" },
	{ "#3  0x0000555555555180 in ?? ()", "debugger 3 555555555180 return|||- 0/0||:0" },
	{ "#1  0x00007f0000001234 main", "debugger 1 7f0000001234 return|||- 0/0|main|:0" },
	{ "#1  0x00007f0000001234", "debugger 1 7f0000001234 return|||- 0/0||:0" },
	/* glibc */
	{ "./u(+0x11fb)[0x561aa57c71fb]", "glibc - 561aa57c71fb return|./u||zero 11fb/0||:0" },
	{ "/lib/libc.so.6(__libc_start_main+0x85) [0x7f86ad845305]",
	  "glibc - 7f86ad845305 return|/lib/libc.so.6||symbol 85/0|__libc_start_main|:0" },
	{ "./a() [0x401136]", "glibc - 401136 return|./a||zero 401136/0||:0" },
	{ "./bnp[0x40117a]", "glibc - 40117a return|./bnp||zero 40117a/0||:0" },
	{ "[0x7ffd12345678]", "glibc - 7ffd12345678 return|||- 0/0||:0" },
	{ "err: prog(f+0x1) [0x2]", "glibc - 2 return|prog||symbol 1/0|f|:0" },
	/* the title of a program, and its mode */
	{ "redis-server *:7799(+0x64e51)[0x55ba4598ee51]",
	  "glibc - 55ba4598ee51 return|redis-server||zero 64e51/0||:0" },
	{ "7:M # /usr/bin/redis-server 127.0.0.1:7799 [cluster](aeMain+0x1d)[0x55ba4598f9ed]",
	  "glibc - 55ba4598f9ed return|/usr/bin/redis-server||symbol 1d/0|aeMain|:0" },
	{ "*:7799(+0x64e51)[0x55ba4598ee51]",
	  "glibc - 55ba4598ee51 return|*:7799||zero 64e51/0||:0" },
	{ "table[0x10]", NULL },
	{ "see (note) [0x10]", NULL },
	{ "./u(+0x11fb)[0x561aa57c71fb", NULL },
	{ "./u(+11fb)[0x561aa57c71fb]", NULL },
	/* the kernel */
	{ "[   12.345678] RIP: 0010:fault+0x6/0xc [oops]",
	  "trace - - exact|oops||symbol 6/c|fault|:0" },
	{ "<4>[   12.3][  T123]  do_init_module+0x4a/0x1f0 [mod 1234abcd]",
	  "trace - - return|mod|1234abcd|symbol 4a/1f0|do_init_module|:0" },
	{ "[ 1.0]  ? fault.part.0+0x6/0xc", "trace - - return|||symbol 6/c?|fault.part.0|:0" },
	{ "[ 1.0] pc : f+0x6/0xc", "trace - - exact|||symbol 6/c|f|:0" },
	{ "[ 1.0] lr : f+0x6/0xc", "trace - - return|||symbol 6/cm|f|:0" },
	{ "[ 1.0] WARNING: CPU: 0 PID: 1 at kernel/x.c:12 f+0x6/0xc",
	  "trace - - return|||symbol 6/cm|f|:0" },
	{ "[ 1.0] BUG: KASAN: slab-out-of-bounds in f+0x6/0xc [mod]",
	  "trace - - return|mod||symbol 6/cm|f|:0" },
	{ "RIP: 0010:[<ffffffffa0000016>]  [<ffffffffa0000016>] f+0x6/0xc [mod]",
	  "trace - - exact|mod||symbol 6/c|f|:0" },
	{ " [<ffffffff81000016>] ? f+0x6/0xc", "trace - - return|||symbol 6/c?|f|:0" },
	{ "EIP: f+0x6/0xc", "trace - - exact|||symbol 6/c|f|:0" },
	{ "[ 1.0] RIP: 0033:0x7f0000001234", NULL },
	{ " f+0x6", NULL },
	{ " +0x6/0xc", NULL },
	{ " f+0x6/0xcg", NULL },
	{ "a[7]: segfault at 0 ip 000055d4c3f00136 sp 00007ffd1 error 6 in a b[55d4c3f00000+1000]",
	  "fault - 55d4c3f00136 exact|a b||mapping 136/0||:0" },
	{ "a[7]: segfault at 0 ip 0000000000401136 sp 1 error 6 in a[1136,401000+1000] likely on "
	  "CPU 0",
	  "fault - 401136 exact|a||file 1136/0||:0" },
	{ "traps: a[7] general protection fault ip:401136 sp:7ffd error:0 in a[401000+1000]",
	  "fault - 401136 exact|a||mapping 136/0||:0" },
	{ "a[7]: segfault at 0 ip 0000000000000000 sp 00007ffd1 error 14",
	  "fault - 0 exact|||- 0/0||:0" },
	{ "a[7]: segfault at 0 ip 500136 sp 1 error 6 in a[401000+1000]",
	  "fault - 500136 exact|||- 0/0||:0" },
	{ "the ip 10 and error", NULL },
	/* Go with registers, and Rust */
	{ "\t/src/g.go:4 +0x30 fp=0xc000086f80 sp=0xc000086f58 pc=0x460630",
	  "go - 460630 return|||symbol 30/0||/src/g.go:4" },
	{ "\t/src/g.go:4 +0x30", NULL },
	{ "   3:     0x56038fb89eaa - <path>::fmt",
	  "rust 3 56038fb89eaa return|||- 0/0|<path>::fmt|:0" },
	{ "  10:     0x56038fb89eaa - <unknown>", "rust 10 56038fb89eaa return|||- 0/0||:0" },
	{ "  10:     0x56038fb89eaa", NULL },
	/* LLVM */
	{ " #3 0x000055d5f0b1d1c4 ns::f(int, char) (/opt/x y/libLLVM.so.19.1+0xeb73c6)",
	  "llvm 3 55d5f0b1d1c4 return|/opt/x y/libLLVM.so.19.1||zero eb73c6/0|ns::f(int, "
	  "char)|:0" },
	{ "#10 0x00007f88c55fd210 (/lib/libLLVM.so+0xdfd210)",
	  "llvm 10 7f88c55fd210 return|/lib/libLLVM.so||zero dfd210/0||:0" },
	{ " #0 0x0000000000401136 f(int) /src/f.cpp:12:3",
	  "llvm 0 401136 return|||- 0/0|f(int)|/src/f.cpp:12" },
	{ "#1 0x00007f0000001234 main", "debugger 1 7f0000001234 return|||- 0/0|main|:0" },
	{ "#1 0x00007f0000001234 in main /a.c:1",
	  "sanitizer 1 7f0000001234 call|||- 0/0|main|/a.c:1" },
	/* cpptrace, which has a place behind "at", and libgfortran */
	{ "#0 0x000055d1a5a12183 at /root/c p",
	  "sanitizer 0 55d1a5a12183 call|/root/c p||- 0/0||:0" },
	{ "#10 0x00005612463ca183 in f(int, void (*)(int)) at /root/cpt.cc:3:118",
	  "sanitizer 10 5612463ca183 call|||- 0/0|f(int, void (*)(int))|/root/cpt.cc:3" },
	{ "#5 0x00007faeaa0340d6 in __libc_start_main at /usr/lib/libc.so.6",
	  "sanitizer 5 7faeaa0340d6 call|/usr/lib/libc.so.6||- 0/0|__libc_start_main|:0" },
	{ "#3 0x00000000000011a2 at /root/cpt", "sanitizer 3 - call|/root/cpt||zero 11a2/0||:0" },
	{ "#1 (inlined)          in g at /root/cpt.cc:3:5", NULL },
	{ "#0 0x000055d1a5a12183 at cpt", NULL },
	{ "#1  0x5603f0b1d1c4 in ???", "sanitizer 1 5603f0b1d1c4 call|||- 0/0||:0" },
	/* the C stack of Python */
	{ "  Binary file \"/w/a b.so\", at +0x1110 [0x7ff198d74110]",
	  "python - 7ff198d74110 return|/w/a b.so||zero 1110/0||:0" },
	{ "x:   Binary file \"/w/e.so\", at outer+0x26 [0x00007ff198d7413a]",
	  "python - 7ff198d7413a return|/w/e.so||symbol 26/0|outer|:0" },
	{ "  Binary file \"/w/e.so\", at outer-0x1 [0x7ff198d7413a]",
	  "python - 7ff198d7413a return|/w/e.so||symbol ffffffffffffffff/0|outer|:0" },
	{ "  Binary file \"python3.14\" [0x53d28e]",
	  "python - 53d28e return|python3.14||zero 53d28e/0||:0" },
	{ "  Binary file '<unknown>' [0x53d28e]", "python - 53d28e return|||- 0/0||:0" },
	{ "  Binary file \"\" [0x53d28e]", NULL },
	{ "  Binary file \"/w/e.so\", at outer [0x53d28e]", NULL },
	{ " [0x1 Binary file ]", NULL },
	/* backward-cpp */
	{ "#2    Object \"./b wp\", at 0x561fe25a25c1, in ",
	  "backward 2 561fe25a25c1 call|./b wp||- 0/0||:0" },
	{ "#12   Object \"/lib/libc.so.6\", at 0x7fb116245304, in f(int)",
	  "backward 12 7fb116245304 call|/lib/libc.so.6||- 0/0|f(int)|:0" },
	{ "#7    Object \"[0xffffffffffffffff]\", at 0xffffffffffffffff, in ",
	  "backward 7 ffffffffffffffff call|||- 0/0?||:0" },
	{ "      Source \"/src/a.cc\", line 12, in main [0x561fe25a25c1]", NULL },
	{ "#2    Object \"\", at 0x561fe25a25c1, in ", NULL },
	/* valgrind */
	{ "==7==    at 0x48EAEEC: f(int) (a b.c:44)",
	  "valgrind - 48eaeec exact|||- 0/0|f(int)|a b.c:44" },
	{ "==7==    by 0x4886471: ??? (in /usr/lib/lib x.so)",
	  "valgrind - 4886471 call|/usr/lib/lib x.so||- 0/0||:0" },
	{ "==7==    by 0x4886471: f (in /a (b).so)",
	  "valgrind - 4886471 call|/a (b).so||- 0/0|f|:0" },
	{ "==7==    by 0x4886471: ???", "valgrind - 4886471 call|||- 0/0||:0" },
	{ "it crashed at 0x1234: nobody knows why", NULL },
	{ "at 0x1234: ", NULL },
	{ "pat 0x1234: f (a.c:1)", NULL },
	/* perf script */
	{ "\t    7f1b2c3d4ce5 __libc_start_main+0x85 (/usr/lib/libc.so.6)",
	  "perf - 7f1b2c3d4ce5 exact|/usr/lib/libc.so.6||symbol 85/0|__libc_start_main|:0" },
	{ "\tffffffff810012ab do_syscall_64+0x5b ([kernel.kallsyms])",
	  "perf - ffffffff810012ab exact|[kernel.kallsyms]||symbol 5b/0|do_syscall_64|:0" },
	{ "          401136 [unknown] (/srv/a b)", "perf - 401136 exact|/srv/a b||- 0/0||:0" },
	{ "          401136 ns::f(int) (/srv/a)",
	  "perf - 401136 exact|/srv/a||- 0/0|ns::f(int)|:0" },
	{ "   facade of the house (/srv/a)", NULL },
	{ "   add 401136 (/srv/a)", NULL },
	{ "401136 f+0x1 (/srv/a)", NULL },
	{ "   401136 (/srv/a)", NULL },
	{ "   401136 f (inlined)", NULL },
	/* the JVM */
	{ "C  [libfoo.so+0x1139]  Java_Foo_bar+0x19",
	  "hotspot - - exact|libfoo.so||module 1139/0|Java_Foo_bar|:0" },
	{ "# V  [libjvm.so+0xed2f94]  f(A*, B) [clone .constprop.0]+0x124",
	  "hotspot - - exact|libjvm.so||module ed2f94/0|f(A*, B) [clone .constprop.0]|:0" },
	{ "V  [libjvm.so+0xed2f94]", "hotspot - - exact|libjvm.so||module ed2f94/0||:0" },
	{ "C  [+0xed2f94]", NULL },
	{ "j  T.main([Ljava/lang/String;)V+23", NULL },
	/* Node.js */
	{ " 1: 0xb7a940 node::Abort() [node]",
	  "node 1 b7a940 return|node||- 0/0|node::Abort()|:0" },
	{ "12: 0xa8e823  [/opt/a b/node]", "node 12 a8e823 return|/opt/a b/node||- 0/0||:0" },
	{ "12: 0xa8e823 f", NULL },
	/* Android */
	{ "      #00 pc 000000000004f8a4  /apex/lib64/bionic/libc.so (abort+164) (BuildId: ab12)",
	  "android 0 - exact|/apex/lib64/bionic/libc.so|ab12|zero 4f8a4/0|abort|:0" },
	{ "#03 pc 0001139  /data/lib/lib a.so",
	  "android 3 - call|/data/lib/lib a.so||zero 1139/0||:0" },
	{ "#03 pc 0001139  /data/a.apk!libx.so (offset 0x1000) (f+4)", NULL },
	{ "#03 pc 0001139  <anonymous:7f>", NULL },
	/* glog, Abseil, folly */
	{ "    @     0x55d3f0b1d1c4  ns::f(int)",
	  "glog - 55d3f0b1d1c4 return|||- 0/0|ns::f(int)|:0" },
	{ "    @     0x7f3a2e4c4980 (unknown)", "glog - 7f3a2e4c4980 return|||- 0/0||:0" },
	{ "    @ 000000000001ca06 f()", "glog - 1ca06 return|||- 0/0|f()|:0" },
	{ "PC: @     0x55d3f0b1d1c4  f", "glog - 55d3f0b1d1c4 exact|||- 0/0|f|:0" },
	{ "PC: @     0x55691b64b149  (unknown)  inner()",
	  "glog - 55691b64b149 exact|||- 0/0|inner()|:0" },
	{ "    @     0x55691b64b149         32  inner()",
	  "glog - 55691b64b149 return|||- 0/0|inner()|:0" },
	{ "    @               0x30  (unknown)  (unknown)", "glog - 30 return|||- 0/0||:0" },
	{ "me@ 0x10 f", NULL },
	{ "    @ 1234 f()", NULL },
	/* boost and the library of C++23 */
	{ " 1# 0x000055D3F0B1D1C4 in ./a b", "boost 1 55d3f0b1d1c4 return|./a b||- 0/0||:0" },
	/* an offset in the file, in newer versions */
	{ " 0# 0x000000000000241A in ./bst", "boost 0 - return|./bst||file 241a/0||:0" },
	{ "  0# ns::f(int) at /src/a b.cc:3 [0x4011a5]",
	  "boost 0 4011a5 call|||- 0/0|ns::f(int)|/src/a b.cc:3" },
	{ " 12# [0x4011a5]", "boost 12 4011a5 call|||- 0/0||:0" },
	{ "  3# main [0x4011a5]", "boost 3 4011a5 call|||- 0/0|main|:0" },
	{ " 1# f() at /src/a.cc:3", NULL },
	{ " 1# 0x55", NULL },
	/* the X server */
	{ "(EE) 3: /usr/lib/xorg/Xorg (f+0x13c) [0x55d4]",
	  "glibc 3 55d4 return|/usr/lib/xorg/Xorg||symbol 13c/0|f|:0" },
	{ "(EE) 0: Xvfb (OsLookupColor+0x139) [0x556fd58a4c09]",
	  "glibc 0 556fd58a4c09 return|Xvfb||symbol 139/0|OsLookupColor|:0" },
	{ "(EE) 1: Xvfb (?+0x139) [0x556f]", "glibc 1 556f return|Xvfb||symbol 139/0|?|:0" },
	{ "(EE) x1: Xvfb (f+0x139) [0x556f]", NULL },
	{ "(EE) 99999999999999999999: Xvfb (f+0x139) [0x556f]", NULL },
	/* Ceph */
	{ " 2: (Thread::entry()+0x5) [0x7f86]",
	  "glibc 2 7f86 return|||symbol 5/0|Thread::entry()|:0" },
	{ " 2: (+0x3c050) [0x7fc8ee79c050]", "glibc 2 7fc8ee79c050 return|||- 0/0||:0" },
	{ " 2: (0x7c050) [0x7fc8ee79c050]", "glibc 2 7fc8ee79c050 return|||- 0/0||:0" },
	{ " 2: () [0x7fc8ee79c050]", "glibc 2 7fc8ee79c050 return|||- 0/0||:0" },
	{ " 2: (f()) [0x7f86]", NULL },
	{ "x: (f()+0x5) [0x7f86]", NULL },
	/* Ruby */
	{ "/lib/libruby.so(0x7f297ca64998) [0x7f297ca64998]",
	  "glibc - 7f297ca64998 return|/lib/libruby.so||- 0/0||:0" },
	{ "/lib/libc.so.6(0x2724a) [0x7f297c52924a]",
	  "glibc - 7f297c52924a return|/lib/libc.so.6||zero 2724a/0||:0" },
	{ "/lib/libc.so.6(0x2724b) [0x7f297c52924a]", NULL },
	/* a program that has changed its title */
	{ "redis-server *:7790(main+0x316)[0x55ff5c54e216]",
	  "glibc - 55ff5c54e216 return|redis-server||symbol 316/0|main|:0" },
	{ "see note (f+0x13c) [0x55d4]", NULL },
	/* Swift: crash reports of all settings, and the stacks of older releases */
	{ "  1 [ra]             0x0000560ba484a28c sink(_:) + 395 in ferry-D at /src/f "
	  "e.swift:8:16",
	  "swift 1 560ba484a28c return|ferry-D||symbol 18c/0|sink(_:)|/src/f e.swift:8" },
	{ "  3 [async]          0x0000560ba483f6d0 load(_:) in ferry-D at /src/ferry.swift:15",
	  "swift 3 560ba483f6d0 resume|ferry-D||symbol 0/0|load(_:)|/src/ferry.swift:15" },
	{ "app[7]:  7 [ra] [inlined] [system] 0x000055e473157160 closure #1 in f(_:) - 2 in a at b "
	  "at "
	  "c.swift:54",
	  "swift 7 55e473157160 return|a||- 0/0|closure #1 in f(_:) - 2|b at c.swift:54" },
	{ " 14 [async] [thunk]  0x0000560ba4847dd0 thunk for @async () -> () in a at "
	  "//<compiler-generated>",
	  "swift 14 560ba4847dd0 resume|a||symbol 0/0|thunk for @async () -> ()|:0" },
	{ "16 [async] 0x00007ff530616730 <unknown> in libx.so",
	  "swift 16 7ff530616730 resume|libx.so||- 0/0||:0" },
	{ "10 [async] 0x000055a367419580", "swift 10 55a367419580 resume|||- 0/0||:0" },
	{ "  0                  0x00007ff5300e40e8 <unknown> in libswiftCore.so", NULL },
	{ " 1 [ra] 0x560ba484a28c", NULL },
	{ " 1 [ra] 0x0000560ba484a28cx", NULL },
	{ " 1 [ra][async] 0x0000560ba484a28c", NULL },
	{ " 1 [no] 0x0000560ba484a28c", NULL },
	{ "2    crash-D   0x0000555743d5f85e <unavailable> + 26718",
	  "swift 2 555743d5f85e return|crash-D||module 685e/0||:0" },
	{ "11   libx.so   0x00007f10f464abb0 f(_:) + g + 66",
	  "swift 11 7f10f464abf2 return|libx.so||symbol 42/0|f(_:) + g|:0" },
	{ "2    crash-D   0x0000555743d5f85e <unavailable> + 26718x", NULL },
	{ "     crash-D   0x0000555743d5f85e <unavailable> + 26718", NULL },
	{ "2    crash-D   0x0000555743d5f85e + 26718", NULL },
	{ "Previous access (a read) started at a b`<unavailable> + 16 (0x555743d64df5).",
	  "swift - 555743d64df5 return|a b||module 10/0m||:0" },
	{ "Previous access (a read) started at a`<unavailable> + 16 (0x555743d64df5", NULL },
	{ "Previous access (a read) started at `<unavailable> + 16 (0x555743d64df5).", NULL },
	/* numbers that do not fit, and what is no frame */
	{ "#18446744073709551616 0x1  (/a+0x2)", NULL },
	{ "#0 0x10000000000000000  (/a+0x2)", NULL },
	{ "#0 0x1  (/a+0x10000000000000000)", NULL },
	{ "#0 0x1x (/a+0x2)", NULL },
	{ "#0 0x1 two words", NULL },
	{ "#0", NULL },
	{ "# 0 0x1", NULL },
	{ "a#0 0x1", NULL },
	{ "fix in #12", NULL },
};

static struct cairn_bytes bytes_of(const char *text)
{
	return (struct cairn_bytes){ (const uint8_t *)text, strlen(text) };
}

START_TEST(reads_frames)
{
	struct captured_text text = captured_text_open();
	struct captured_line line;
	const struct cairn_bytes in = unit_exact(bytes_of(rows[_i].line));
	const bool found = captured_text_line(&text, in, &line) == CAPTURED_FRAME;

	ck_assert_msg(found == (rows[_i].frame != NULL), "%s: %s", rows[_i].line,
	              found ? describe_frame(&line.frame) : "no frame");
	if (!found)
		return;
	ck_assert_str_eq(describe_frame(&line.frame), rows[_i].frame);
	ck_assert(line.frame.text.size > 0 && line.frame.text.data >= in.data &&
	          line.frame.text.data + line.frame.text.size <= in.data + in.size);
}
END_TEST

/* Lines of one log: what each is, and of frames how their address is meant. */
static void check_log(const char *const log[], const char *expected)
{
	static const char kinds[] = {
		[CAPTURED_OTHER] = '.',    [CAPTURED_BLANK] = '_',     [CAPTURED_HEADING] = 'H',
		[CAPTURED_FUNCTION] = 'f', [CAPTURED_MODULE] = 'M',    [CAPTURED_REPORT] = 'S',
		[CAPTURED_IMAGE] = 'I',    [CAPTURED_REPORT_END] = 'E'
	};
	struct captured_text text = captured_text_open();
	char found[64] = "";

	for (size_t i = 0; log[i]; i++) {
		struct captured_line line;
		enum captured_kind kind =
			captured_text_line(&text, unit_exact(bytes_of(log[i])), &line);
		found[i] = kind == CAPTURED_FRAME ? "XRCA"[line.frame.pc] : kinds[kind];
		ck_assert(kind == line.kind && i + 2 < sizeof(found));
	}
	ck_assert_str_eq(found, expected);
}

START_TEST(remembers_the_head_of_an_error)
{
	static const char *const stopped[] = { "==1==ERROR: AddressSanitizer: SEGV on unknown "
		                               "address 0x0 (pc 0x10 bp 0x0 sp 0x0 T0)",
		                               "==1==The signal is caused by a READ memory access.",
		                               "    #0 0x10  (/a+0x10)",
		                               "    #1 0x20  (/a+0x20)",
		                               "",
		                               "    #0 0x10  (/a+0x10)",
		                               NULL };
	static const char *const noticed[] = { "==1==ERROR: AddressSanitizer: heap-buffer-overflow "
		                               "on address 0x1 at pc 0x11 bp 0x0",
		                               "READ of size 4 at 0x1 thread T0",
		                               "    #0 0x10  (/a+0x10)", "    #1 0x20  (/a+0x20)",
		                               NULL };

	check_log(stopped, "..XC_C");
	check_log(noticed, "..CC");
}
END_TEST

START_TEST(follows_goroutines)
{
	static const char *const whole[] = {
		"[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x457c60]",
		"",
		"goroutine 1 [running]:",
		"panic({0x45dbc0, 0x4bd320})",
		"\t/go/panic.go:987 +0x3ba fp=0x2 sp=0x1 pc=0x42d4fa",
		"runtime.panicmem(...)",
		"\t/go/panic.go:260",
		"runtime.sigpanic()",
		"\t/go/signal_unix.go:835 +0x2f6 fp=0x3 sp=0x2 pc=0x441696",
		"main.f(0x457d2a?)",
		"\t/src/g.go:3 fp=0x4 sp=0x3 pc=0x457c60",
		"main.g(0x0?)",
		"\t/src/g.go:5 +0x19 fp=0x5 sp=0x4 pc=0x457c99",
		"created by main.main",
		"\t/src/g.go:9 +0x25",
		"",
		"\t/src/g.go:9 +0x25",
		NULL
	};
	static const char *const plain[] = {
		"[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x457c60]",
		"",
		"goroutine 1 [running]:",
		"main.f(...)",
		"\t/src/g.go:2",
		"main.(*T).g(0x457d2a?)",
		"\t/src/g.go:3",
		"main.main()",
		"\t/src/g.go:6 +0x71",
		NULL
	};

	check_log(whole, "._HfRf.fRfXfR.._.");
	check_log(plain, "._Hf.fXfR");
}
END_TEST

/* The first line of a list has the exact address; compiled functions of the JVM are in it, but in no module. */
START_TEST(knows_the_first_of_a_list)
{
	static const char *const java[] = { "# V  [libjvm.so+0x1]  f+0x1",
		                            "#",
		                            "Native frames:",
		                            "V  [libjvm.so+0x1]  f+0x1",
		                            "j  T.main([Ljava/lang/String;)V+23",
		                            "v  ~StubRoutines::call_stub",
		                            "J 12 c2 T.f()V (3 bytes) @ 0x01 [0x00+0x01]",
		                            "V  [libjvm.so+0x2]  g+0x1",
		                            "C  [libjli.so+0x3]",
		                            "",
		                            "j  T.main([Ljava/lang/String;)V+23",
		                            NULL };
	static const char *const perf[] = { "a 7 [000] 1.5: 250 cycles:u:",
		                            "\t    7f1b2c3d4ce5 f+0x1 (/a)",
		                            "\t    7f1b2c3d4ce6 g+0x1 (/a)",
		                            "",
		                            "a 7 [000] 1.6: 250 cycles:u:",
		                            "\t    7f1b2c3d4ce5 f+0x1 (/a)",
		                            NULL };

	check_log(java, "X..XfffRR_.");
	check_log(perf, ".XR_.X");
}
END_TEST

/* Reports of Swift: frames need attributes or a heading, and images an address range. */
START_TEST(follows_reports_of_swift)
{
	static const char *const off[] = { "*** Program crashed: Illegal instruction at 0x1 ***",
		                           "0 0x00007f178891c6e1",
		                           "Thread 0 \"a \"b\" crashed:",
		                           "",
		                           "0         0x00007f178891c6e1",
		                           "1 [async] 0x00007f178891c6e1",
		                           "2         ...",
		                           "",
		                           "Registers:",
		                           "0 0x00007f178891c6e1",
		                           "Backtrace took 0.02s",
		                           NULL };
	static const char *const friendly[] = {
		"x: \xf0\x9f\x92\xa3 Swift runtime failure: overflow",
		"x: Thread 3 crashed:",
		"x: ",
		"x: 0 f() + 3 in a at /b.swift:3:1",
		"x:     3| let a = b",
		"x: 1 g() + 3 in a at /b.swift:3:1",
		"x: 2 h() in a at /b.swift:3",
		"x: 3 0x00007f178891c6e1 <unknown> in libx.so",
		"x: 3 lines",
		"x: Thread 4:",
		"x: Thread 4",
		NULL
	};
	static const char *const images[] = { "0x000055a367415000\xe2\x80\x93"
		                              "0x000055a367430698 9bd4 a b  /sw/a b",
		                              "0x000055a367415000\xe2\x80\x93"
		                              "0x000055a367430698 <no build ID> a  /a",
		                              "0x000055a367415000\xe2\x80\x93"
		                              "0x000055a367430698 9bd4 a",
		                              "0x000055a367415000\xe2\x80\x93"
		                              "0x000055a367415000 9bd4 a /a",
		                              "0x55a367415000\xe2\x80\x93"
		                              "0x000055a367430698 9bd4 a /a",
		                              "0x000055a367415000\xe2\x80\x93",
		                              "0x000055a367415000-0x000055a367430698 9bd4 a /a",
		                              NULL };
	struct captured_text text = captured_text_open();
	struct captured_line line;

	check_log(off, "S.H_XA._..E");
	check_log(friendly, "SH.X.RAR.H.");
	check_log(images, "III....");
	captured_text_line(&text, bytes_of(images[0]), &line);
	ck_assert(line.pcs.low == 0x55a367415000 && line.pcs.high == 0x55a367430698);
	ck_assert(bytes_are(line.module, "/sw/a b") && bytes_are(line.id, "9bd4"));
	captured_text_line(&text, bytes_of(off[2]), &line);
	ck_assert(bytes_are(line.text, "a \"b") && line.crashed);
}
END_TEST

START_TEST(strips_colors)
{
	static const struct {
		const char *text, *plain;
	} colored[] = { { "a\033[90m1\033[39m b", "a1 b" },
		        { "\033[0;1mx\033[", "x" },
		        { "\033x\033", "\033x\033" },
		        { "\033[9", "" },
		        { "\033[1\nx", "\nx" } };
	uint8_t plain[32];

	for (size_t i = 0; i < COUNT(colored); i++) {
		const struct cairn_bytes text = unit_exact(bytes_of(colored[i].text));
		const size_t size = captured_strip_colors(text, plain);
		ck_assert_msg(bytes_are((struct cairn_bytes){ plain, size }, colored[i].plain),
		              "row %zu", i);
	}
}
END_TEST

START_TEST(knows_headings_and_modules)
{
	static const char *const log[] = {
		"Process 7 (a) of user 0 dumped core.",
		"",
		"Module libc.so.6 with build-id 93ac61",
		"Found module a b with build-id: 93AC",
		"Module libx.so without build-id.",
		"Module odd with build-id 123",
		"Module  with build-id 12",
		"Modules linked in: a b",
		"Stack trace of thread 123:",
		"[ 1.0] Call Trace:",
		"[ 1.0]  <TASK>",
		"stack backtrace:",
		"Stack trace (most recent call last) in thread 7:",
		"Current thread's C stack trace (most recent call first):",
		"a<TASK>",
		NULL
	};
	struct captured_text text = captured_text_open();
	struct captured_line line;

	check_log(log, "._MMM..."
	               "HHHHHH.");
	captured_text_line(&text, bytes_of("Found module a b with build-id: 93AC"), &line);
	ck_assert(line.module.size == 3 && memcmp(line.module.data, "a b", 3) == 0);
	ck_assert(line.id.size == 4 && memcmp(line.id.data, "93AC", 4) == 0);
}
END_TEST

START_TEST(bounds_its_work)
{
	static char text[CAPTURED_LINE_MAX + 1];
	struct captured_text reader = captured_text_open();
	struct captured_line line;
	static const char frame[] = " #0 0x1  (/a+0x2)";
	const size_t size = sizeof(frame) - 1;

	memset(text, ' ', sizeof(text));
	memcpy(text + sizeof(text) - size, frame, size);
	const struct cairn_bytes whole = { (const uint8_t *)text, sizeof(text) };
	const struct cairn_bytes most = { whole.data + 1, sizeof(text) - 1 };
	ck_assert_int_eq(captured_text_line(&reader, whole, &line), CAPTURED_OTHER);
	ck_assert_int_eq(captured_text_line(&reader, most, &line), CAPTURED_FRAME);
	for (size_t i = 0; i < CAPTURED_ANCHORS; i++)
		text[2 * i + 1] = '#';
	ck_assert_int_eq(captured_text_line(&reader, most, &line), CAPTURED_OTHER);
	text[1] = ' ';
	ck_assert_int_eq(captured_text_line(&reader, most, &line), CAPTURED_FRAME);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("captured_text");
	TCase *tests = tcase_create("captured_text");

	tcase_add_loop_test(tests, reads_frames, 0, (int)COUNT(rows));
	tcase_add_test(tests, remembers_the_head_of_an_error);
	tcase_add_test(tests, follows_goroutines);
	tcase_add_test(tests, knows_the_first_of_a_list);
	tcase_add_test(tests, follows_reports_of_swift);
	tcase_add_test(tests, strips_colors);
	tcase_add_test(tests, knows_headings_and_modules);
	tcase_add_test(tests, bounds_its_work);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
