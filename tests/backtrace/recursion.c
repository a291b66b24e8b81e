/* SPDX-License-Identifier: MIT */
/* Deep recursion through functions with all kinds of frames, compiled with different optimizations. */
#include "stops.h"

#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef unsigned long function(int depth, unsigned long seed);

static function plain, pointer, large, dynamic, aligned, registers, unoptimized, jumping, variadic_caller;
static function *const all[] = { plain, pointer, large, dynamic, aligned, registers, unoptimized, jumping, variadic_caller };

static NOINLINE unsigned long leaf(unsigned long seed)
{
	unsigned long sum = seed;

	for (unsigned i = 0; i < 20; i++)
		sum = sum * 31 + (sum >> 7);
	return sum;
}

static inline unsigned long next(int depth, unsigned long seed)
{
	seed = leaf(seed);
	return depth > 0 ? all[seed % (sizeof(all) / sizeof(*all))](depth - 1, seed) : seed;
}

static NOINLINE __attribute__((optimize("O3", "omit-frame-pointer"))) unsigned long plain(int depth, unsigned long seed)
{
	ENTER();
	unsigned long result = next(depth, seed + 1) + 1;
	LEAVE();
	return result;
}

static NOINLINE __attribute__((optimize("O2", "no-omit-frame-pointer"))) unsigned long pointer(int depth, unsigned long seed)
{
	ENTER();
	unsigned long result = next(depth, seed + 2) * 3;
	LEAVE();
	return result;
}

static NOINLINE __attribute__((optimize("O2"))) unsigned long large(int depth, unsigned long seed)
{
	volatile char space[3000];

	ENTER();
	space[seed % sizeof(space)] = (char)seed;
	unsigned long result = next(depth, seed + 3) + (unsigned char)space[seed % sizeof(space)];
	LEAVE();
	return result;
}

static NOINLINE __attribute__((optimize("O2"))) unsigned long dynamic(int depth, unsigned long seed)
{
	ENTER();
	const size_t size = 16 + seed % 200;
	char *space = alloca(size);
	memset(space, (int)seed, size);
	unsigned long result = next(depth, seed + 4) + (unsigned char)space[size / 2];
	LEAVE();
	return result;
}

static NOINLINE __attribute__((optimize("O2"))) unsigned long aligned(int depth, unsigned long seed)
{
	_Alignas(64) volatile unsigned long space[16];

	ENTER();
	space[seed % 16] = seed;
	unsigned long result = next(depth, seed + 5) + space[seed % 16];
	LEAVE();
	return result;
}

/* Uses all callee-saved registers. */
static NOINLINE __attribute__((optimize("O2"))) unsigned long registers(int depth, unsigned long seed)
{
	ENTER();
	unsigned long a = seed * 3, b = seed ^ 5, c = seed >> 3, d = seed + 9, e = seed * 11, f = seed - 7;
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
	unsigned long result = next(depth, seed + 6);
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
	result += a + b + c + d + e + f;
	LEAVE();
	return result;
}

static NOINLINE __attribute__((optimize("O0"))) unsigned long unoptimized(int depth, unsigned long seed)
{
	unsigned long result;

	ENTER();
	result = next(depth, seed + 7);
	LEAVE();
	return result;
}

static __attribute__((noreturn, noinline)) void leave(jmp_buf *to, int value)
{
	longjmp(*to, value);
}

static NOINLINE __attribute__((optimize("O2"))) unsigned long jumping(int depth, unsigned long seed)
{
	jmp_buf here;
	volatile unsigned long result = 0;

	ENTER();
	const unsigned level = shadow.depth;
	if (setjmp(here) == 0) {
		result = next(depth, seed + 8);
		leave(&here, 1);
	}
	shadow.depth = level;
	LEAVE();
	return result;
}

static NOINLINE unsigned long variadic(int count, ...)
{
	va_list list;
	unsigned long sum = 0;

	ENTER();
	va_start(list, count);
	for (int i = 0; i < count; i++)
		sum += va_arg(list, unsigned long) + (unsigned long)va_arg(list, double);
	va_end(list);
	LEAVE();
	return sum;
}

static NOINLINE __attribute__((optimize("Os"))) unsigned long variadic_caller(int depth, unsigned long seed)
{
	struct timespec now;

	ENTER();
	clock_gettime(CLOCK_MONOTONIC, &now); /* may be interrupted in the vDSO */
	unsigned long result = variadic(4, seed, 1.0, seed + 1, 2.0, seed + 2, 3.0, next(depth, seed + 9), 4.0);
	LEAVE();
	return result;
}

int main(int argc, char **argv)
{
	unsigned long seed = 1;

	stops_begin(argc, argv);
	while (!stops_enough())
		stops_sink = seed = next((int)(seed % 40) + 3, seed + 1);
	return stops_end("recursion");
}
