/* SPDX-License-Identifier: MIT */
/*
 * A streaming JSON writer that builds no tree. A record is one object on one line:
 *
 *	struct json json = json_to(stdout);
 *	json_object(&json, NULL);
 *	json_string(&json, "file", path);
 *	json_address(&json, "start", 0x401000);
 *	json_array(&json, "rows");
 *	json_number(&json, NULL, 1);
 *	json_end(&json);
 *	json_end(&json);
 *
 * writes {"file":"a.out","start":"0x401000","rows":[1]} and a newline. The writer buffers, and
 * flushes when a record ends or exceeds the buffer, so nothing else may be written to `out` in the
 * middle of a record. Inside an object each value needs a key; inside an array and at the top level
 * the key is NULL. A top-level value is an object or an array. Addresses are strings because many
 * readers store numbers as doubles, which have 53 bits. Invalid UTF-8 becomes U+FFFD.
 */
#ifndef CAIRN_OUTPUT_JSON_H
#define CAIRN_OUTPUT_JSON_H

#include <cairn.h>

#include <stdio.h>

enum {
	JSON_DEPTH_MAX = 64,
	/*
	 * Size of the buffer. Most records fit, and one stdio call per value would cost more than
	 * formatting it.
	 */
	JSON_BUFFER = 2048,
};

struct json {
	FILE *out;
	unsigned depth;
	/* the innermost object or array is not empty, so a comma precedes the next value */
	bool more;
	bool array[JSON_DEPTH_MAX];
	size_t used; /* number of bytes in `buffer`; 0 between records */
	char buffer[JSON_BUFFER];
};

struct json json_to(FILE *out);

void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);

/*
 * End the innermost object or array. Ending a top-level one also writes a newline and flushes the
 * buffer.
 */
void json_end(struct json *json);

void json_text(struct json *json, const char *key, struct cairn_bytes text);
void json_string(struct json *json, const char *key, const char *text);
void json_number(struct json *json, const char *key, uint64_t number);
void json_signed(struct json *json, const char *key, int64_t number);
void json_address(struct json *json, const char *key, uint64_t address);
void json_hex(struct json *json, const char *key, struct cairn_bytes bytes);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
/* Write `value` unchanged. It must be valid JSON without line breaks. */
void json_raw(struct json *json, const char *key, struct cairn_bytes value);

/*
 * Writes many JSON records that differ only in a number and a string. This is used for logs, which
 * become one record per line. Writing them with the functions above would take several times as
 * long.
 */

enum { JSON_LINE_HEAD = 64 }; /* maximum size of each constant part in json_line */

/* Constant parts of a record, for example {"type":"text","line": and ,"column":1,"text":" */
struct json_line {
	const char *before, *between;
	size_t before_size, between_size;
};

/*
 * Write one record per non-empty line: `before`, the line number, `between`, the escaped line, and
 * "}. Lines are numbered from `first`. Each line must end with a line feed. Return the number of
 * lines, including empty ones.
 */
uint64_t json_lines(FILE *out, const struct json_line *form, uint64_t first,
                    struct cairn_bytes lines);

#endif
