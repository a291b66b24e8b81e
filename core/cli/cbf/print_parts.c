/* SPDX-License-Identifier: MIT */
/* Pieces of output that backtraces, lists of images and encoded bytes share. */
#include "cbf.h"

#include <stdio.h>

int cbf_report_printed(const char *path, const struct allowance *printed)
{
	if (!printed->over)
		return EXIT_CLEAN;
	return fail_with(path, "frames share too many bytes of names; the rest is left out");
}

void cbf_print_set(FILE *out, const char *const *names, unsigned set)
{
	bool more = false;

	for (unsigned i = 0; names[i]; i++)
		if (set >> i & 1) {
			fprintf(out, "%s%s", more ? "," : "", names[i]);
			more = true;
		}
	if (!more)
		fputc('-', out);
}

void cbf_json_set(struct json *json, const char *key, const char *const *names, unsigned set)
{
	json_array(json, key);
	for (unsigned i = 0; names[i]; i++)
		if (set >> i & 1)
			json_string(json, NULL, names[i]);
	json_end(json);
}
