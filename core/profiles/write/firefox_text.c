/* SPDX-License-Identifier: MIT */
/* JSON output of the Firefox Profiler writer. */
#include "firefox.h"

#include "base/json_escape.h"

#include <stdarg.h>
#include <stdio.h>

enum { TEXT_MAX = 512 }; /* maximum size of a piece without strings of the profile */

void firefox_print(struct profile_writer *w, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list arguments;

	va_start(arguments, format);
	const int size = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (size > 0 && (size_t)size < sizeof(text))
		writer_bytes(w, text, (size_t)size);
}

void firefox_text(struct profile_writer *w, struct cairn_bytes text)
{
	char character[JSON_ESCAPE_MAX];

	writer_bytes(w, "\"", 1);
	while (text.size > 0) {
		const size_t plain = json_plain_run(text);
		writer_bytes(w, text.data, plain);
		text.data += plain;
		text.size -= plain;
		if (text.size > 0)
			writer_bytes(w, character,
			             (size_t)(json_put_character(character, &text) - character));
	}
	writer_bytes(w, "\"", 1);
}
