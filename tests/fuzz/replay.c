/* SPDX-License-Identifier: MIT */
/*
 * Stands in for libFuzzer in the ordinary tests: each file of a corpus as it is, cut at every
 * length, and each byte replaced by 00 01 7f 80 ff, in a heap copy of just its size, so that a
 * sanitizer sees the first byte too far.  Of a large file only some lengths and bytes are taken.  An
 * input that takes longer than SECONDS_MAX of processor time ends the process.
 *
 *	fuzz_sframe tests/fuzz/corpus/sframe
 */
#include "fuzz.h"

#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <time.h>

enum {
	FILE_MAX = 1 << 20,
	PLACES_MAX = 600, /* lengths and bytes tried in one file, to bound the time */
	SECONDS_MAX = 10, /* of one input, with sanitizers or under an emulator, too */
};

static unsigned long inputs;

static void run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		exit(EXIT_FAILURE);
	memcpy(copy, data, size);
	const clock_t begin = clock();
	LLVMFuzzerTestOneInput(copy, size);
	ALWAYS(clock() - begin <= (clock_t)SECONDS_MAX * CLOCKS_PER_SEC);
	free(copy);
	inputs++;
}

static void run_all_forms(uint8_t *data, size_t size)
{
	static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	size_t step = size / PLACES_MAX + 1;

	run(data, size);
	for (size_t length = 0; length < size; length += step)
		run(data, length);
	for (size_t at = 0; at < size; at += step) {
		uint8_t was = data[at];
		for (size_t i = 0; i < sizeof(values); i++) {
			if (values[i] == was)
				continue; /* the file as it is */
			data[at] = values[i];
			run(data, size);
		}
		data[at] = was;
	}
}

static int run_file(const char *path)
{
	static uint8_t data[FILE_MAX];
	FILE *file = fopen(path, "rb");

	if (!file)
		return -1;
	size_t size = fread(data, 1, sizeof(data), file);
	int failed = ferror(file);
	fclose(file);
	if (!failed)
		run_all_forms(data, size);
	return failed;
}

static int run_directory(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	int failed = !directory;

	while (!failed && (entry = readdir(directory))) {
		char name[PATH_MAX];
		int length = snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (entry->d_name[0] == '.')
			continue;
		failed = length < 0 || (size_t)length >= sizeof(name) || run_file(name);
		if (failed)
			fprintf(stderr, "cannot read %s\n", name);
	}
	if (directory)
		closedir(directory);
	return failed;
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/');

	for (int i = 1; i < argc; i++)
		if (run_directory(argv[i])) {
			fprintf(stderr, "%s: cannot read the corpus\n", argv[i]);
			return EXIT_FAILURE;
		}
	printf("%s: %lu inputs\n", name ? name + 1 : argv[0], inputs);
	return inputs ? EXIT_SUCCESS : EXIT_FAILURE;
}
