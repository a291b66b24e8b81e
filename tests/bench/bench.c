/* SPDX-License-Identifier: MIT */
/* Times the contenders of a benchmark in turns and prints the comparison. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 7, FILE_MAX = 1 << 30 };

/* Of the processor, in nanoseconds: what else runs on the machine counts less. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void bench_race(struct bench_run *runs, size_t count, size_t operations)
{
	for (int turn = 0; turn < TURNS; turn++)
		for (size_t i = 0; i < count; i++) {
			double start = now();
			runs[i].run(runs[i].context);
			double each = (now() - start) / (double)operations;
			if (turn == 0 || each < runs[i].best)
				runs[i].best = each;
		}
}

void bench_title(const char *title)
{
	printf("\n%s\n  %-44s %12s %12s %8s\n", title, "", "cairn ns", "libsframe ns", "ratio");
}

void bench_line(const char *what, const struct bench_run *ours, const struct bench_run *theirs)
{
	if (theirs)
		printf("  %-44s %12.1f %12.1f %7.1fx\n", what, ours->best, theirs->best,
		       theirs->best / ours->best);
	else
		printf("  %-44s %12.1f %12s %8s\n", what, ours->best, "-", "-");
	fflush(stdout);
}

void bench_use(uint64_t value)
{
	static volatile uint64_t sink; /* volatile: each store must happen */

	sink = sink ^ value;
}

uint64_t bench_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

void bench_machine(void)
{
	static const char key[] = "model name";
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[256];
	const char *name = ": unknown processor\n";

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, sizeof(key) - 1) == 0 && strchr(line, ':')) {
			name = strchr(line, ':');
			break;
		}
	printf("%ld processors online%s", sysconf(_SC_NPROCESSORS_ONLN), name);
	if (file)
		fclose(file);
}

struct cairn_bytes bench_file(const char *name)
{
	FILE *file = fopen(name, "rb");
	long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
	uint8_t *bytes = size > 0 && size < FILE_MAX ? malloc((size_t)size) : NULL;

	if (bytes && (fseek(file, 0, SEEK_SET) != 0 || fread(bytes, (size_t)size, 1, file) != 1)) {
		free(bytes);
		bytes = NULL;
	}
	if (file)
		fclose(file);
	return bytes ? (struct cairn_bytes){ bytes, (size_t)size }
	             : (struct cairn_bytes){ (const uint8_t *)"", 0 };
}

void bench_file_free(struct cairn_bytes bytes)
{
	if (bytes.size > 0)
		free((void *)(uintptr_t)bytes.data);
}
