/* SPDX-License-Identifier: MIT */
/* Prints the names of frames, and sets of warnings. */
#include "cbf.h"

#include "output/escape.h"
#include "output/location.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct cairn_bytes borrow_string(const char *text)
{
	return (struct cairn_bytes){ (const uint8_t *)text, strlen(text) };
}

/*
 * Demangle a name. Return memory that the caller frees, or NULL if the name is not mangled or the
 * print limit is reached.
 */
static char *read_readable_name(const struct cbf_names *names, struct cairn_bytes name)
{
	char *readable = os_swift_demangle(&names->symbols->demangler, name);

	if (readable && !printed_take(names->printed, escaped_size(borrow_string(readable)))) {
		free(readable);
		return NULL;
	}
	return readable;
}

static void print_name_text(const struct cbf_names *names, const struct cairn_location *location)
{
	const struct cairn_location l = printed_location(names->printed, location);
	char *readable = read_readable_name(names, l.function);

	print_text(stdout, readable ? borrow_string(readable) : l.function);
	free(readable);
	printf(" + %" PRIu64, l.offset);
	if (l.file.size > 0 || l.line > 0) {
		fputs(" at ", stdout);
		print_source_location(stdout, &l);
	}
	if (l.inlined)
		fputs(" [inlined]", stdout);
}

/*
 * Print the innermost function on the frame's line, and each function it is inlined into on a line
 * of its own.
 */
void cbf_names_text(const struct cbf_names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		fputs(i ? "\n\t\t\t" : "\t", stdout);
		print_name_text(names, &names->locations[i]);
	}
}

void cbf_names_lines(const struct cbf_names *names, uint64_t frame)
{
	for (size_t i = 0; i < names->count; i++) {
		const struct cairn_location l =
			printed_location(names->printed, &names->locations[i]);
		char *readable = read_readable_name(names, l.function);
		printf("S %" PRIu64 " ", frame);
		print_word(stdout, l.function);
		printf(" %" PRIu64 " ", l.offset);
		print_source_location_word(stdout, &l);
		fputs(l.inlined ? " inlined " : " - ", stdout);
		print_word(stdout, borrow_string(readable ? readable : ""));
		putchar('\n');
		free(readable);
	}
}

void cbf_names_json(struct json *json, const struct cbf_names *names)
{
	static struct location_path path;

	json_array(json, "symbols");
	for (size_t i = 0; i < names->count; i++) {
		const struct cairn_location l =
			printed_location(names->printed, &names->locations[i]);
		json_object(json, NULL);
		char *readable = read_readable_name(names, l.function);
		json_text(json, "function", l.function);
		if (readable)
			json_string(json, "demangled", readable);
		free(readable);
		json_number(json, "offset", l.offset);
		location_path(&path, &l);
		if (path.text.size > 0) {
			json_text(json, "file", path.text);
			json_number(json, "line", l.line);
			if (l.column > 0)
				json_number(json, "column", l.column);
		}
		json_bool(json, "inlined", l.inlined);
		json_end(json);
	}
	json_end(json);
}

void cbf_print_set(const char *const *names, unsigned set)
{
	bool more = false;

	for (unsigned i = 0; names[i]; i++)
		if (set >> i & 1) {
			printf("%s%s", more ? "," : "", names[i]);
			more = true;
		}
	if (!more)
		putchar('-');
}

void cbf_json_set(struct json *json, const char *key, const char *const *names, unsigned set)
{
	json_array(json, key);
	for (unsigned i = 0; names[i]; i++)
		if (set >> i & 1)
			json_string(json, NULL, names[i]);
	json_end(json);
}
