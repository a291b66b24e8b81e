/* SPDX-License-Identifier: MIT */
/*
 * Parses `info breakpoints` as GDB 13 to 18 print it. A row of the table begins with a number, its
 * other lines with a tab or blanks, and the rows of several locations ("1.1") have a point in the
 * number:
 *
 *	row = NUMBER blanks TYPE blanks ("keep" | "del" | "dis") blanks ("y" | "n") " " ...
 */
#include "breakpoints.h"

#include <string.h>

const char breakpoints_question[] = "echo \\003\\n\ninfo breakpoints\n";

/* Return true for the types of breakpoints that GDB sets again when symbols change. */
static bool has_place(const char *type)
{
	static const char *const types[] = { "breakpoint ", "hw breakpoint ", "dprintf " };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strncmp(type, types[i], strlen(types[i])) == 0)
			return true;
	return false;
}

static bool is_enabled(const char *row, const char *end)
{
	static const char *const dispositions[] = { " keep ", " del ", " dis " };

	for (size_t i = 0; i < sizeof(dispositions) / sizeof(*dispositions); i++) {
		const char *at = strstr(row, dispositions[i]);
		if (!at || at >= end)
			continue;
		at += strlen(dispositions[i]);
		return at[strspn(at, " ")] == 'y';
	}
	return false;
}

static void append_enabled_number(const char *row, const char *end, struct text *numbers)
{
	size_t digits = strspn(row, "0123456789");
	const char *type = row + digits + strspn(row + digits, " ");

	if (digits == 0 || row[digits] != ' ' || !has_place(type) || !is_enabled(type, end))
		return;
	text_add(numbers, " ");
	text_bytes(numbers, row, digits);
}

void breakpoints_enabled(const char *said, struct text *numbers)
{
	const char *row = strstr(said, "\003\n");

	for (row = row ? row + 2 : ""; *row;) {
		const char *end = row + strcspn(row, "\n");
		append_enabled_number(row, end, numbers);
		row = *end ? end + 1 : end;
	}
}
