/* SPDX-License-Identifier: MIT */
/*
 * What it costs to register functions of 23 bytes with four lines and a saved register.
 *
 *	bench_jit                     a table: ns and bytes for each of 1,000 to 100,000 functions, while nobody is there, and the exponent
 *	bench_jit COUNT BATCH         registers so many, for a debugger that runs it; prints the processor time of this process
 *	bench_jit COUNT BATCH remove  the same, and removes them
 *	bench_jit COUNT BATCH stay    waits then, for a debugger that attaches
 *	bench_jit COUNT 0 stops       registers nothing, and calls stop_here() so often: what a stop costs a debugger that ignores it
 */
#define _GNU_SOURCE
#include <cairn_jit.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 23, APART = 32, NAME = 24 };

static double read_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Names, which are not the library's work. */
static char (*make_names(unsigned long count))[NAME]
{
	char(*names)[NAME] = calloc(count, sizeof(*names));

	for (unsigned long i = 0; names && i < count; i++)
		snprintf(names[i], sizeof(names[i]), "made_%lu", i);
	if (!names)
		exit(1);
	return names;
}

static cairn_jit_code *add_function(uint8_t *code, const char *name)
{
	static const struct cairn_jit_line lines[] = {
		{ 0, 10 }, { 5, 11 }, { 12, 12 }, { 19, 14 }
	};
	static const uint16_t saves[] = { 3 };
	static const uint32_t exits[] = { 22 };
	const struct cairn_jit_function function = { .code = code,
		                                     .size = BYTES,
		                                     .name = name,
		                                     .file = "/src/bench.js",
		                                     .lines = lines,
		                                     .line_count = 4,
		                                     .frame = { .kind = CAIRN_JIT_FRAME_POINTER,
		                                                .saves = saves,
		                                                .save_count = 1,
		                                                .exits = exits,
		                                                .exit_count = 1 } };

	return cairn_jit_add(&function);
}

static void register_all(cairn_jit_code **code, char (*names)[NAME], unsigned long count,
                         unsigned long batch)
{
	uint8_t *buffer = mmap(NULL, (count + 1) * APART, PROT_READ | PROT_WRITE,
	                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned long i = 0; i < count; i++) {
		if (batch > 1 && i % batch == 0)
			cairn_jit_begin();
		code[i] = add_function(buffer + i * APART, names[i]);
		if (!code[i])
			exit(1);
		if (batch > 1 && (i % batch == batch - 1 || i + 1 == count))
			cairn_jit_end();
	}
}

/* In a process of its own, so that each begins with nothing. */
static double measure(unsigned long count)
{
	int result[2];
	double ns = 0;

	if (pipe(result) != 0)
		exit(1);
	if (fork() == 0) {
		cairn_jit_code **code = calloc(count, sizeof(*code));
		char(*names)[NAME] = make_names(count);
		const double start = read_seconds();

		register_all(code, names, count, 1);
		ns = (read_seconds() - start) / (double)count * 1e9;
		printf("%9lu %8.0f ns %8.0f bytes\n", count, ns,
		       (double)cairn_jit_memory() / (double)count);
		fflush(stdout);
		_exit(write(result[1], &ns, sizeof(ns)) != sizeof(ns));
	}
	wait(NULL);
	if (read(result[0], &ns, sizeof(ns)) != sizeof(ns))
		exit(1);
	return ns;
}

static int print_table(void)
{
	const double first = measure(1000);

	measure(3000);
	measure(10000);
	measure(30000);
	const double last = measure(100000);
	printf("exponent %.2f from 1,000 to 100,000\n", 1 + log(last / first) / log(100));
	return 0;
}

void stop_here(void);
__attribute__((noinline)) void stop_here(void)
{
	__asm__ volatile("" ::: "memory");
}

static int make_stops(unsigned long count)
{
	while (count--)
		stop_here();
	printf("processor time %.3f\n", read_seconds());
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return print_table();
	if (argc > 3 && strcmp(argv[3], "stops") == 0)
		return make_stops(strtoul(argv[1], NULL, 10));
	const unsigned long count = strtoul(argv[1], NULL, 10);
	cairn_jit_code **code = calloc(count + 1, sizeof(*code));

	register_all(code, make_names(count), count, strtoul(argv[2], NULL, 10));
	if (argc > 3 && strcmp(argv[3], "stay") == 0) {
		printf("ready\n");
		fflush(stdout);
		pause();
	}
	if (argc > 3)
		for (unsigned long i = 0; i < count; i++)
			cairn_jit_remove(code[i]);
	printf("processor time %.3f\n", read_seconds());
	return 0;
}
