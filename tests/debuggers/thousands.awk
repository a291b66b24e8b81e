# SPDX-License-Identifier: MIT
# Writes a C++ program of FUNCTIONS functions in FILES source files below DIRECTORY:
#
#	awk -v functions=4000 -v files=8 -v directory=/tmp/x -f thousands.awk
#
# Function i calls function 7i + 1 through two inlined ones, some templates, some methods of
# classes in nested namespaces; so a deep stack has inlined frames everywhere.  The argument of the
# program is the depth at which it stops in stop_here().

function next_of(i) { return (7 * i + 1) % functions }

function kind(i) { return i % 4 }

function name(i, called) {
	if (kind(i) == 0)
		return "part" i % files "::inner::work_" i
	if (kind(i) == 1)
		return called ? "part" i % files "::spread_" i "<int>" : "part" i % files "::spread_" i
	if (kind(i) == 2)
		return called ? "part" i % files "::machine_" i "::turn" : "part" i % files "::machine_" i
	return "plain_" i
}

function declare(i, out) {
	if (kind(i) == 0)
		print "namespace part" i % files " { namespace inner { int work_" i "(int depth, int x); } }" >out
	else if (kind(i) == 1)
		print "namespace part" i % files " { template <class T> T spread_" i "(int depth, T x); }" >out
	else if (kind(i) == 2)
		print "namespace part" i % files " { struct machine_" i " { static int turn(int depth, int x); }; }" >out
	else
		print "extern \"C\" int plain_" i "(int depth, int x);" >out
}

function define(i, out) {
	print "static inline int ready_" i "(int x)\n{\n\tif (x & " i % 63 + 1 ")\n\t\tx = mix(x, " i ");\n\treturn x + 1;\n}\n" >out
	print "static inline int pass_" i "(int depth, int x)\n{\n\tx = ready_" i "(x);\n\tint r = " name(next_of(i), 1) "(depth - 1, x);\n\treturn mix(r, x);\n}\n" >out
	if (kind(i) == 0)
		print "NOINLINE int " name(i) "(int depth, int x)" >out
	else if (kind(i) == 1)
		print "namespace part" i % files " {\ntemplate <class T> NOINLINE T spread_" i "(int depth, T x)" >out
	else if (kind(i) == 2)
		print "NOINLINE int " name(i) "::turn(int depth, int x)" >out
	else
		print "NOINLINE int plain_" i "(int depth, int x)" >out
	print "{\n\tint sum = x;" >out
	print "\tfor (int k = 0; k < (x & 3); k++)\n\t\tsum = mix(sum, k);" >out
	print "\tif (depth <= 0)\n\t\treturn stop_here(sum) + x;" >out
	print "\tsum += pass_" i "(depth, sum);\n\treturn sum ^ " i ";\n}" >out
	if (kind(i) == 1)
		print "template int spread_" i "<int>(int depth, int x);\n}" >out
	print "" >out
}

BEGIN {
	header = directory "/part.h"
	print "#define NOINLINE __attribute__((noinline, noclone))" >header
	print "int stop_here(int x);" >header
	print "static inline int mix(int x, int y)\n{\n\tx ^= y << 3;\n\treturn x * 31 + y;\n}\n" >header
	for (i = 0; i < functions; i++)
		declare(i, header)
	for (f = 0; f < files; f++) {
		out = directory "/part" f ".cpp"
		print "#include \"part.h\"\n" >out
		for (i = f; i < functions; i += files)
			define(i, out)
		close(out)
	}
	out = directory "/main.cpp"
	print "#include \"part.h\"\n#include <stdlib.h>\n" >out
	print "volatile int sink;\n" >out
	print "NOINLINE int stop_here(int x)\n{\n\tsink = x;\n\tsink += 1;\n\treturn sink;\n}\n" >out
	print "int main(int argc, char **argv)\n{\n\tint depth = argc > 1 ? atoi(argv[1]) : 100;" >out
	print "\tint r = " name(0, 1) "(depth, argc);\n\treturn r == 42;\n}" >out
}
