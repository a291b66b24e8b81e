/* SPDX-License-Identifier: MIT */
/* Prints source locations as text and JSON. */
#ifndef CAIRN_OUTPUT_LOCATION_H
#define CAIRN_OUTPUT_LOCATION_H

#include <cairn.h>
#include <stdio.h>

#include "json.h"

/* Maximum length of a printed path. Longer paths do not occur in practice and are truncated. */
enum { LOCATION_PATH_MAX = 1 << 16 };

struct location_path {
	struct cairn_bytes text;
	char memory[LOCATION_PATH_MAX];
};

void location_path(struct location_path *path, const struct cairn_location *location);

/*
 * Print `text` for output formats that other tools define. Unlike print_text(), this does not
 * double backslashes; control characters and invalid UTF-8 still become \xNN.
 */
void print_plain_location(FILE *out, struct cairn_bytes text);

/*
 * Print a function name, or a file and line followed by a newline, in the format of addr2line: ??
 * stands for an unknown name or file, and ? for an unknown line.
 */
void print_addr2line_name(FILE *out, struct cairn_bytes name);
void print_addr2line_place(FILE *out, const struct cairn_location *location, bool with_directory);

/* Print PATH:LINE, :LINE without a path, PATH:0 without a line, or - without both. */
void print_source_location(FILE *out, const struct cairn_location *location);

void print_source_line(FILE *out, struct cairn_bytes path, uint32_t line);

/* Like print_source_location(), but print a single word of a --lines record. */
void print_source_location_word(FILE *out, const struct cairn_location *location);

/* Write the members "file", "line" and "column", except those that are empty or 0. */
void json_place(struct json *json, struct cairn_bytes file, uint64_t line, uint32_t column);

/*
 * Write an object with the members "function", "start" and "offset", and, if they are known,
 * "file", "line", "column" and "inlined".
 */
void json_location(struct json *json, const struct cairn_location *location);

/* Like json_location(), but also write the demangled name as "readable" unless it is empty. */
void json_location_named(struct json *json, const struct cairn_location *location,
                         struct cairn_bytes readable);

#endif
