/* SPDX-License-Identifier: MIT */
/*
 * JSON out, one value after the other, no tree.  A record is one object on one line:
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
 * gives {"file":"a.out","start":"0x401000","rows":[1]} and a newline.  A record is passed on when it ends, or
 * when it outgrows the buffer: nothing else may write to `out` inside one.  Inside an object each value
 * has a key, inside an array and at the top it is NULL; at the top is an object or an array.  Addresses are strings, because many
 * readers keep numbers in 53 bits.  Bytes that are no UTF-8 become U+FFFD.
 */
#ifndef CAIRN_OUTPUT_JSON_H
#define CAIRN_OUTPUT_JSON_H

#include <cairn.h>
#include <stdio.h>

enum {
	JSON_DEPTH_MAX = 64,
	JSON_BUFFER =
		2048, /* most records fit; a call of stdio for each value costs more than the value */
};

struct json {
	FILE *out;
	unsigned depth;
	bool more; /* a value is before this one in the same object or array */
	bool array[JSON_DEPTH_MAX];
	size_t used; /* of the buffer, which is empty between two records */
	char buffer[JSON_BUFFER];
};

struct json json_to(FILE *out);

void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);

/* Ends what was begun last; at the top it ends the line too. */
void json_end(struct json *json);

void json_text(struct json *json, const char *key, struct cairn_bytes text);
void json_string(struct json *json, const char *key, const char *text);
void json_number(struct json *json, const char *key, uint64_t number);
void json_signed(struct json *json, const char *key, int64_t number);
void json_address(struct json *json, const char *key, uint64_t address);
/* Bytes as a string of hexadecimal digits. */
void json_hex(struct json *json, const char *key, struct cairn_bytes bytes);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
/* A value that is JSON already, on one line. */
void json_raw(struct json *json, const char *key, struct cairn_bytes value);

#endif
