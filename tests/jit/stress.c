/* SPDX-License-Identifier: MIT */
/*
 * Adds and removes functions as fast as it can.
 *
 *	stress places COUNT    in 64 places, one after the other; memory must stay
 *	stress threads COUNT   in 8 threads, with batches, in places that they share
 *	stress fork COUNT      the same, while the process forks; each child adds and removes, too
 */
#define _GNU_SOURCE
#include <cairn_jit.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PLACES = 64, BYTES = 48, THREADS = 8 };

static uint8_t memory[THREADS][PLACES][BYTES];
static unsigned long rounds;

static cairn_jit_code *add_function(unsigned thread, unsigned place, unsigned long number)
{
	static const struct cairn_jit_line lines[] = { { 0, 1 }, { 8, 2 }, { 16, 3 }, { 24, 5 } };
	char name[32];

	snprintf(name, sizeof(name), "made_%u_%lu", thread, number);
	const struct cairn_jit_function function = { .code = memory[thread][place],
		                                     .size = BYTES,
		                                     .name = name,
		                                     .file = "stress.js",
		                                     .lines = lines,
		                                     .line_count = 4,
		                                     .frame = { .kind = CAIRN_JIT_NO_FRAME } };

	return cairn_jit_add(&function);
}

static int run_places(void)
{
	cairn_jit_code *code[PLACES] = { NULL };
	size_t after_first = 0;

	for (unsigned long i = 0; i < rounds; i++) {
		cairn_jit_remove(code[i % PLACES]);
		code[i % PLACES] = add_function(0, (unsigned)(i % PLACES), i);
		if (!code[i % PLACES])
			return 1;
		if (i == 10000)
			after_first = cairn_jit_memory();
	}
	const size_t last = cairn_jit_memory();
	for (unsigned i = 0; i < PLACES; i++)
		cairn_jit_remove(code[i]);
	printf("%zu %zu %zu\n", after_first, last, cairn_jit_memory());
	return last > after_first + after_first / 2;
}

static void *run_thread(void *argument)
{
	const unsigned thread = (unsigned)(uintptr_t)argument;
	cairn_jit_code *code[PLACES] = { NULL };
	unsigned seed = thread + 1;

	for (unsigned long i = 0; i < rounds; i++) {
		/* Half of the places are the next thread's, too: who comes last has them. */
		const unsigned place = (unsigned)rand_r(&seed) % PLACES;
		const unsigned area = place < PLACES / 2 ? thread : (thread + 1) % THREADS;

		if (i % 256 == 0)
			cairn_jit_begin();
		cairn_jit_remove(code[place]);
		code[place] = add_function(area, place, i);
		if (i % 256 == 200)
			cairn_jit_end();
	}
	cairn_jit_end();
	for (unsigned i = 0; i < PLACES; i++)
		cairn_jit_remove(code[i]);
	return NULL;
}

static int run_child(void)
{
	for (unsigned i = 0; i < 1000; i++)
		cairn_jit_remove(add_function(0, i % PLACES, i));
	return 0;
}

static int run_threads(int forks)
{
	pthread_t threads[THREADS];
	int bad = 0, status;

	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run_thread, (void *)i);
	for (int i = 0; i < forks; i++) {
		const pid_t child = fork();

		if (child == 0)
			_exit(run_child());
		bad |= waitpid(child, &status, 0) != child || status != 0;
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%zu\n", cairn_jit_memory());
	return bad;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	rounds = strtoul(argv[2], NULL, 10);
	if (strcmp(argv[1], "places") == 0)
		return run_places();
	return run_threads(strcmp(argv[1], "fork") == 0 ? 100 : 0);
}
