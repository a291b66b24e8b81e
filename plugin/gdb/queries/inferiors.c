/* SPDX-License-Identifier: MIT */
/* Parses GDB's list of inferiors. */
#include "inferiors.h"

#include <stdlib.h>
#include <string.h>

/* Return true if "(core)" is before the path of the program, which may itself contain that word. */
static bool has_core(const char *line, size_t size)
{
	static const char word[] = "(core)";
	const char *path = memchr(line, '/', size);
	const size_t before = path ? (size_t)(path - line) : size;

	for (size_t i = 0; i + sizeof(word) - 1 <= before; i++)
		if (memcmp(line + i, word, sizeof(word) - 1) == 0)
			return true;
	return false;
}

/* Parse a row: a star or a blank, then a number. */
static bool read_row(const char *line, size_t size, struct inferior_row *row)
{
	static const char process[] = "process ";
	char *end;
	size_t at = 1;

	if (size == 0 || (*line != ' ' && *line != '*'))
		return false;
	while (at < size && line[at] == ' ')
		at++;
	if (at == size || line[at] < '0' || line[at] > '9')
		return false;
	row->number = strtoull(line + at, &end, 10);
	row->is_current = *line == '*';
	row->is_core = has_core(line, size);
	const char *what = end + strspn(end, " ");
	const bool is_process = strncmp(what, process, sizeof(process) - 1) == 0;
	row->process = is_process ? strtoull(what + sizeof(process) - 1, NULL, 10) : 0;
	return *end == ' ' || *end == '\n' || *end == '\0';
}

bool inferiors_next(const char **at, struct inferior_row *row)
{
	while (**at) {
		const char *line = *at;
		const size_t size = strcspn(line, "\n");
		*at = line + size + (line[size] == '\n');
		if (read_row(line, size, row))
			return true;
	}
	return false;
}
