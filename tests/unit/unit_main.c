/* SPDX-License-Identifier: MIT */
/*
 * One program for most unit tests, because linking 140 of them takes longer than compiling half of them. The argument names
 * the test: `wire` is test_wire.c.
 */
#undef UNIT_TOGETHER /* this main() is the program's */
#include "unit.h"

#include <stdio.h>

static struct unit *units;

void unit_register(struct unit *unit)
{
	unit->next = units;
	units = unit;
}

static bool has_name(const char *file, const char *name)
{
	static const char prefix[] = "test_";
	const char *slash = strrchr(file, '/');
	const char *at = slash ? slash + 1 : file;
	const size_t size = strlen(name);

	return strncmp(at, prefix, sizeof(prefix) - 1) == 0 &&
	       strncmp(at + sizeof(prefix) - 1, name, size) == 0 &&
	       strcmp(at + sizeof(prefix) - 1 + size, ".c") == 0;
}

int main(int argc, char **argv)
{
	for (const struct unit *unit = units; argc == 2 && unit; unit = unit->next)
		if (has_name(unit->file, argv[1]))
			return unit->run();
	fprintf(stderr, "usage: %s NAME, where tests/unit/test_NAME.c is a test\n", argv[0]);
	return EXIT_FAILURE;
}
