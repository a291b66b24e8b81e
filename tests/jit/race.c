/* SPDX-License-Identifier: MIT */
/*
 * Adds and removes functions as fast as it can, in four threads, for debuggers that come and go meanwhile.  The main thread does so in places
 * that it uses again and again, and calls one after the other of the functions that are there; each calls check() with the number that its
 * name ends in.  It ends after ten minutes, if nobody has ended it.
 */
#define _GNU_SOURCE
#define main rules_main
int rules_main(int argc, char **argv);
#include "rules.c"
#undef main

#include <pthread.h>

enum { PLACES = 64, PLACE_BYTES = 64, NOISE_THREADS = 3, NOISE_BYTES = 48, MINUTES = 10 };

static struct {
	cairn_jit_code *code;
	long number;
} place[PLACES];

/* Debuggers stop here: the caller is the made function of this number. */
long check(long number);
__attribute__((noinline)) long check(long number)
{
	__asm__ volatile("" : "+r"(number));
	return number;
}

static void *make_noise(void *argument)
{
	const unsigned thread = (unsigned)(uintptr_t)argument;
	uint8_t *noise = buffer + ((size_t)thread + 1) * PLACES * PLACE_BYTES;
	cairn_jit_code *code[PLACES] = { NULL };
	unsigned seed = thread + 1;
	char name[32];

	for (unsigned long i = 0;; i++) {
		const unsigned at = (unsigned)rand_r(&seed) % PLACES;
		const struct cairn_jit_function function = {
			.code = noise + (size_t)at * PLACE_BYTES,
			.size = NOISE_BYTES,
			.name = name,
			.frame = { .kind = CAIRN_JIT_NO_FRAME }
		};

		snprintf(name, sizeof(name), "noise_%u_%lu", thread, i);
		if (i % 64 == 0)
			cairn_jit_begin();
		cairn_jit_remove(code[at]);
		code[at] = cairn_jit_add(&function);
		if (i % 64 == 32)
			cairn_jit_end();
	}
	return NULL;
}

/* Another function comes where one was. */
static void replace_function(unsigned at, long number)
{
	char name[32];

	cairn_jit_remove(place[at].code);
	used = at * PLACE_BYTES;
	snprintf(name, sizeof(name), "made_%ld", number);
	place[at].number = number;
	const struct cairn_jit_line lines[] = { { 0, 10 }, { (uint32_t)(fixed_body - fixed), 12 } };
	const struct cairn_jit_function function = { .code = copy_code(fixed, fixed_end),
		                                     .size = (size_t)(fixed_end - fixed),
		                                     .name = name,
		                                     .file = "/made/up.js",
		                                     .lines = lines,
		                                     .line_count = 2,
		                                     .frame = { .kind = CAIRN_JIT_FIXED_FRAME,
		                                                .frame_size = FIXED_SIZE,
		                                                .saves = pointer_saves,
		                                                .save_count = 2,
		                                                .exits = fixed_exits,
		                                                .exit_count = 2 } };
	place[at].code = cairn_jit_add(&function);
}

int main(void)
{
	pthread_t thread;
	unsigned seed = 1;

	alarm(MINUTES * 60);
	buffer = mmap(NULL, (NOISE_THREADS + 1) * PLACES * PLACE_BYTES,
	                PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer == MAP_FAILED)
		return 3;
	for (uintptr_t i = 0; i < NOISE_THREADS; i++)
		if (pthread_create(&thread, NULL, make_noise, (void *)i) != 0)
			return 3;
	for (long number = 1;; number++) {
		replace_function((unsigned)rand_r(&seed) % PLACES, number);
		const unsigned at = (unsigned)rand_r(&seed) % PLACES;
		if (number == PLACES) {
			printf("ready\n");
			fflush(stdout);
		}
		if (place[at].code)
			((made_function *)(uintptr_t)(buffer + at * PLACE_BYTES))(
				place[at].number, check, NULL);
	}
}
