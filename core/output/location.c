/* SPDX-License-Identifier: MIT */
#include "location.h"

#include "escape.h"

#include <inttypes.h>

void location_path(struct location_path *path, const struct cairn_location *location)
{
	size_t size = cairn_location_path(location, path->memory, sizeof(path->memory));

	if (size >= sizeof(path->memory))
		size = sizeof(path->memory) - 1;
	path->text = (struct cairn_bytes){ (const uint8_t *)path->memory, size };
}

/* How many bytes from the beginning are printable ASCII. */
static size_t plain_run(struct cairn_bytes text)
{
	size_t run = 0;

	while (run < text.size && text.data[run] >= 0x20 && text.data[run] < 0x7f)
		run++;
	return run;
}

void print_plain(FILE *out, struct cairn_bytes text)
{
	while (text.size > 0) {
		uint32_t character = 0;
		size_t run = plain_run(text);
		if (run == 0)
			run = escape_utf8(text, &character);
		if (run > 0 && (character == 0 || character >= 0xa0) && text.data[0] >= 0x20) {
			fwrite(text.data, 1, run, out);
		} else {
			run = 1;
			fprintf(out, "\\x%02x", text.data[0]);
		}
		text.data += run;
		text.size -= run;
	}
}

void print_place(FILE *out, const struct cairn_location *location)
{
	struct location_path path;

	location_path(&path, location);
	if (path.text.size == 0 && location->line == 0) {
		fputc('-', out);
		return;
	}
	print_text(out, path.text);
	fprintf(out, ":%" PRIu32, location->line);
}

void json_location(struct json *json, const struct cairn_location *location)
{
	struct location_path path;

	location_path(&path, location);
	json_object(json, NULL);
	json_text(json, "function", location->function);
	json_address(json, "start", location->start);
	json_number(json, "offset", location->offset);
	if (path.text.size)
		json_text(json, "file", path.text);
	if (location->line)
		json_number(json, "line", location->line);
	if (location->inlined)
		json_bool(json, "inlined", true);
	json_end(json);
}
