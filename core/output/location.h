/* SPDX-License-Identifier: MIT */
/* Locations as text and JSON. */
#ifndef CAIRN_OUTPUT_LOCATION_H
#define CAIRN_OUTPUT_LOCATION_H

#include <cairn.h>
#include <stdio.h>

#include "json.h"

/* The path of a location.  One that is longer than anything real is cut. */
enum { LOCATION_PATH_MAX = 1 << 16 };

struct location_path {
	struct cairn_bytes text;
	char memory[LOCATION_PATH_MAX];
};

void location_path(struct location_path *path, const struct cairn_location *location);

/*
 * Text as it is, for output that other tools define: unlike print_text() it keeps backslashes.
 * Control characters and bytes that are no UTF-8 become \xNN all the same.
 */
void print_plain_location(FILE *out, struct cairn_bytes text);

/* The name and, on a line of its own, the place of a location as addr2line of binutils prints them: ?? and ? for what is not known. */
void print_addr2line_name(FILE *out, struct cairn_bytes name);
void print_addr2line_place(FILE *out, const struct cairn_location *location, bool with_folder);

/* PATH:LINE; :LINE without a path; PATH:0 without a line; - without both. */
void print_source_location(FILE *out, const struct cairn_location *location);

/* Print PATH:LINE, or :LINE if the path is empty. */
void print_source_line(FILE *out, struct cairn_bytes path, uint32_t line);

/* The same as one word of a --lines record. */
void print_source_location_word(FILE *out, const struct cairn_location *location);

/* The members "file", "line" and "column" of an object, those that are known: not empty, and not 0. */
void json_place(struct json *json, struct cairn_bytes file, uint64_t line, uint32_t column);

/* An object with "function", "start", "offset", "file", "line", "column" and "inlined", as far as known. */
void json_location(struct json *json, const struct cairn_location *location);

/* The same with "readable", a readable name of the function, at its end, unless that is empty. */
void json_location_named(struct json *json, const struct cairn_location *location,
                         struct cairn_bytes readable);

#endif
