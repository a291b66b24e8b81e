/* SPDX-License-Identifier: MIT */
/*
 * Threads that call into libraries while other threads load and unload them. The libraries are variants of
 * module.c with different frames, which take turns at the same addresses.
 *
 *	modules COUNT LIBRARY...
 */
#include "stops.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3 };

typedef unsigned long run_module(unsigned depth, unsigned long (*back)(unsigned, unsigned long), unsigned long seed);

static char **libraries;
static int library_count;

static NOINLINE unsigned long call_library(unsigned depth, unsigned long seed);

static NOINLINE unsigned long back(unsigned depth, unsigned long seed)
{
	ENTER();
	for (unsigned i = 0; i < 50; i++)
		seed = seed * 31 + (seed >> 9);
	unsigned long result = depth > 0 ? call_library(depth - 1, seed) : seed;
	LEAVE();
	return result;
}

static NOINLINE unsigned long call_library(unsigned depth, unsigned long seed)
{
	unsigned long result = 0;

	ENTER();
	void *library = dlopen(libraries[seed % (unsigned)library_count], RTLD_NOW | RTLD_LOCAL);
	void *symbol = library ? dlsym(library, "module_run") : NULL;
	if (!symbol) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
	run_module *run;
	memcpy(&run, &symbol, sizeof(run));
	for (unsigned i = 0; i < 5; i++)
		result += run(depth, back, seed + i * 7);
	dlclose(library);
	LEAVE();
	return result;
}

static void *work(void *context)
{
	unsigned long seed = (unsigned long)(size_t)context;

	stops_thread_begin();
	while (!stops_enough())
		seed = call_library(seed % 3, seed + 1);
	stops_sink = seed;
	stops_thread_end();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	if (argc < 4)
		return 2;
	libraries = argv + 2;
	library_count = argc - 2;
	stops_begin(2, argv);
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	for (unsigned long seed = 7; !stops_enough();)
		seed = call_library(seed % 2, seed + 1);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return stops_end("modules");
}
