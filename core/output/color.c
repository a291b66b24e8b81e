/* SPDX-License-Identifier: MIT */
/* Decides whether to color output, and prints the color sequences. */
#include "color.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool color_is_wanted(const char *when, FILE *out)
{
	const char *terminal = getenv("TERM"), *none = getenv("NO_COLOR");

	if (when && strcmp(when, "auto") != 0)
		return strcmp(when, "always") == 0;
	return isatty(fileno(out)) && !(none && *none) && terminal && *terminal &&
	       strcmp(terminal, "dumb") != 0;
}

void color_begin(FILE *out, bool on, enum text_color color)
{
	static const char *const sequences[] = { [TEXT_FUNCTION] = "\33[33m",
		                                 [TEXT_FILE] = "\33[32m",
		                                 [TEXT_ADDRESS] = "\33[34m",
		                                 [TEXT_DIM] = "\33[2m" };

	if (on)
		fputs(sequences[color], out);
}

void color_end(FILE *out, bool on)
{
	if (on)
		fputs("\33[m", out);
}
