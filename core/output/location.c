/* SPDX-License-Identifier: MIT */
/* Prints source locations as text, in addr2line's format and as JSON. */
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

void print_plain_location(FILE *out, struct cairn_bytes text)
{
	while (text.size > 0) {
		uint32_t c = ' ';
		size_t size = escape_plain_prefix(text);
		if (size == 0)
			size = cairn_character_at(text, &c);
		if (size > 0 && cairn_character_is_printable(c)) {
			fwrite(text.data, 1, size, out);
		} else {
			size = 1;
			print_escaped(out, text.data, 1);
		}
		text.data += size;
		text.size -= size;
	}
}

void print_addr2line_name(FILE *out, struct cairn_bytes name)
{
	if (name.size > 0)
		print_plain_location(out, name);
	else
		fputs("??", out);
}

void print_addr2line_place(FILE *out, const struct cairn_location *location, bool with_directory)
{
	struct location_path path;

	location_path(&path, location);
	print_addr2line_name(out, with_directory ? path.text : location->file);
	if (location->line > 0)
		fprintf(out, ":%" PRIu32 "\n", location->line);
	else
		fputs(":?\n", out);
}

static void print_line_number(FILE *out, uint32_t line)
{
	char text[1 + DIGITS_MAX], *end = text + sizeof(text);
	char *first = digits_before(end, line, 10);

	*--first = ':';
	fwrite(first, 1, (size_t)(end - first), out);
}

static void print_place_with(FILE *out, const struct cairn_location *location,
                             void (*print)(FILE *out, struct cairn_bytes text))
{
	struct location_path path;

	location_path(&path, location);
	if (path.text.size == 0 && location->line == 0) {
		fputc('-', out);
		return;
	}
	if (path.text.size)
		print(out, path.text);
	print_line_number(out, location->line);
}

void print_source_line(FILE *out, struct cairn_bytes path, uint32_t line)
{
	print_text(out, path);
	print_line_number(out, line);
}

void print_source_location(FILE *out, const struct cairn_location *location)
{
	print_place_with(out, location, print_text);
}

void print_source_location_word(FILE *out, const struct cairn_location *location)
{
	print_place_with(out, location, print_word);
}

void json_place(struct json *json, struct cairn_bytes file, uint64_t line, uint32_t column)
{
	if (file.size > 0)
		json_text(json, "file", file);
	if (line > 0)
		json_number(json, "line", line);
	if (column > 0)
		json_number(json, "column", column);
}

void json_location(struct json *json, const struct cairn_location *location)
{
	json_location_named(json, location, (struct cairn_bytes){ (const uint8_t *)"", 0 });
}

void json_location_named(struct json *json, const struct cairn_location *location,
                         struct cairn_bytes readable)
{
	struct location_path path;

	location_path(&path, location);
	json_object(json, NULL);
	json_text(json, "function", location->function);
	json_address(json, "start", location->start);
	json_number(json, "offset", location->offset);
	json_place(json, path.text, location->line, location->column);
	if (location->inlined)
		json_bool(json, "inlined", true);
	if (readable.size)
		json_text(json, "readable", readable);
	json_end(json);
}
