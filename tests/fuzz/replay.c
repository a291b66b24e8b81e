/* SPDX-License-Identifier: MIT */
/*
 * Stands in for libFuzzer in the ordinary tests: each file of a corpus as it is, cut at every
 * length, and each byte replaced by 00 01 7f 80 ff, in a heap copy of just its size, so that a
 * sanitizer sees the first byte too far.  Of a large file only some lengths and bytes are taken.  An
 * input that takes longer than SECONDS_MAX of processor time ends the process.
 *
 *	fuzz_corpora sframe tests/fuzz/corpus/sframe
 *	fuzz_corpora --list
 *
 * The first word names the target: `sframe` is fuzz_sframe.c.
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

static struct fuzz_target *targets;
static const struct fuzz_target *chosen;
static unsigned long inputs;

void fuzz_register(struct fuzz_target *target)
{
	target->next = targets;
	targets = target;
}

/* Find the target's name in the path of its source. Returns its size without ".c". */
static int name_of(const struct fuzz_target *target, const char **name)
{
	static const char prefix[] = "fuzz_", suffix[] = ".c";
	const char *slash = strrchr(target->file, '/');

	*name = (slash ? slash + 1 : target->file) + sizeof(prefix) - 1;
	return (int)(strlen(*name) - (sizeof(suffix) - 1));
}

static void list_targets(void)
{
	for (const struct fuzz_target *target = targets; target; target = target->next) {
		const char *name;
		const int size = name_of(target, &name);

		printf("%.*s\n", size, name);
	}
}

static const struct fuzz_target *find_target(const char *wanted)
{
	const struct fuzz_target *target = targets;

	for (; target; target = target->next) {
		const char *name;
		const int size = name_of(target, &name);

		if (strlen(wanted) == (size_t)size && memcmp(name, wanted, (size_t)size) == 0)
			break;
	}
	return target;
}

static void run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		exit(EXIT_FAILURE);
	memcpy(copy, data, size);
	const clock_t begin = clock();
	chosen->run(copy, size);
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
	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		list_targets();
		return EXIT_SUCCESS;
	}
	chosen = argc > 2 ? find_target(argv[1]) : NULL;
	if (!chosen) {
		fprintf(stderr, "usage: %s NAME DIRECTORY..., NAME of these:\n", argv[0]);
		list_targets();
		return EXIT_FAILURE;
	}
	for (int i = 2; i < argc; i++)
		if (run_directory(argv[i])) {
			fprintf(stderr, "%s: cannot read the corpus\n", argv[i]);
			return EXIT_FAILURE;
		}
	printf("%s: %lu inputs\n", argv[1], inputs);
	return inputs ? EXIT_SUCCESS : EXIT_FAILURE;
}
