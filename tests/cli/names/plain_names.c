/* SPDX-License-Identifier: MIT */
/*
 * What beside_binutils.sh compares, one line for each of standard input:
 *
 *	plain_names own     of a linker's name what our own reader makes of it; "-": it gives it up
 *	plain_names whole   the same with the arguments of templates, and of Rust
 *	plain_names drop    of a readable name what is left without template arguments
 */
#include "formats/itanium/itanium.h"
#include "symbols/demangle.h"
#include "symbols/symbol_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void own(struct cairn_bytes name)
{
	static struct itanium work;
	char text[ITANIUM_TEXT_MAX];
	size_t size = itanium_demangle_plain(&work, name, text, sizeof(text));

	printf("%.*s\n", size ? (int)size : 1, size ? text : "-");
}

static void whole(struct cairn_bytes name)
{
	static char text[DEMANGLE_TEXT_MAX];
	size_t size = demangle_name(name, DEMANGLE_GNU, text, sizeof(text));

	printf("%.*s\n", size ? (int)size : 1, size ? text : "-");
}

static bool drop(struct cairn_bytes name)
{
	char *text = malloc(name.size + 1);

	if (!text)
		return false;
	printf("%.*s\n", (int)symbol_name_strip_templates(name, text), text);
	free(text);
	return true;
}

int main(int argc, char **argv)
{
	char *line = NULL;
	size_t capacity = 0;
	const char *what = argc == 2 ? argv[1] : "";
	bool is_own = strcmp(what, "own") == 0, is_whole = strcmp(what, "whole") == 0, ok = true;

	if (!is_own && !is_whole && strcmp(what, "drop") != 0) {
		fprintf(stderr, "usage: plain_names own|whole|drop\n");
		return 2;
	}
	while (ok && getline(&line, &capacity, stdin) > 0) {
		size_t size = strcspn(line, "\n");
		struct cairn_bytes name = { (const uint8_t *)line, size };
		if (is_own)
			own(name);
		else if (is_whole)
			whole(name);
		else
			ok = drop(name);
	}
	free(line);
	return ok ? 0 : 1;
}
