# SPDX-License-Identifier: MIT
# A part of a program of C++ whose stacks are wide: of its functions, which differ in what they inline, part
# `part` of `parts` (from 0), and in part 0 what calls them, in `threads` threads of `depth` frames each. Each
# thread calls the functions in an order of its own.
function write_function(number,   class) {
	class = "worker_" number % 40
	printf "namespace stage_%d {\n", number % 7
	printf "struct %s_%d { static inline __attribute__((always_inline)) int pass(int left, unsigned state)\n", class, number
	print "{\n\treturn call_next(left - 1, state) + sink;\n}"
	print "template <typename T> static inline __attribute__((always_inline)) int through(T left, unsigned state)"
	print "{\n\tint more = pass(left, state);\n\n\treturn more + sink;\n}};"
	printf "__attribute__((noinline)) int step_%d(int left, unsigned state)\n", number
	print "{\n\tif (left == 0)\n\t\treturn finish();"
	if (number % 3)
		printf "\treturn %s_%d::through<int>(left, state) + sink;\n}\n", class, number
	else
		print "\tint next = call_next(left - 1, state);\n\n\treturn next + sink;\n}"
	print "}"
}
BEGIN {
	print "typedef int step(int left, unsigned state);"
	print "extern step *volatile steps[];"
	print "extern volatile int sink;"
	print "int finish();"
	print "static inline __attribute__((always_inline)) int call_next(int left, unsigned state)"
	printf "{\n\tstate = state * 1103515245u + 12345u;\n\treturn steps[(state >> 16) %% %d](left, state) + sink;\n}\n", functions
	for (i = part; i < functions; i += parts)
		write_function(i)
	print "__attribute__((constructor)) static void fill()\n{"
	for (i = part; i < functions; i += parts)
		printf "\tsteps[%d] = stage_%d::step_%d;\n", i, i % 7, i
	print "}"
	if (part)
		exit
	print "#include <pthread.h>\n#include <stdlib.h>\n#include <unistd.h>"
	printf "step *volatile steps[%d];\nvolatile int sink;\nstatic pthread_barrier_t reached;\n", functions
	print "static __thread bool last;"
	print "int finish()\n{\n\tpthread_barrier_wait(&reached);\n\tif (last)\n\t\tabort();\n\tfor (;;)\n\t\tpause();\n}"
	print "static void *run(void *seed)\n{"
	printf "\tlast = (unsigned long)seed == %d;\n", threads
	printf "\treturn (void *)(long)(steps[0](%d, (unsigned)(unsigned long)seed) + sink);\n}\n", depth
	print "int main()\n{\n\tpthread_t thread;"
	printf "\tpthread_barrier_init(&reached, nullptr, %d);\n", threads
	printf "\tfor (unsigned long i = 1; i < %d; i++)\n\t\tpthread_create(&thread, nullptr, run, (void *)i);\n", threads
	printf "\trun((void *)%d);\n}\n", threads
}
