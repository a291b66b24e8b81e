/* SPDX-License-Identifier: MIT */
/*
 * Appends JSON values to a string one at a time, without building a tree:
 *
 *	struct json_writer json = json_writer_to(call->line);
 *	json_begin_object(&json, NULL);
 *	json_add_string(&json, "name", "app");
 *	json_add_address(&json, "low", 0x401000);
 *	json_begin_array(&json, "frames");
 *	json_add_number(&json, NULL, 1);
 *	json_end_array(&json);
 *	json_end_object(&json);
 *
 * This writes {"name":"app","low":"0x401000","frames":[1]}. Inside an object each value has a key;
 * inside an array and at the top level the key is NULL. Addresses are strings, because many JSON
 * readers keep only 53 bits of a number. Bytes that are not UTF-8 become U+FFFD.
 */
#ifndef CAIRN_COMMON_BASE_JSON_WRITER_H
#define CAIRN_COMMON_BASE_JSON_WRITER_H

#include "text.h"

#include <cairn.h>

#ifdef __cplusplus
extern "C" {
#endif

struct json_writer {
	struct text *text;
	bool more;
};

struct json_writer json_writer_to(struct text *text);

void json_begin_object(struct json_writer *json, const char *key);
void json_end_object(struct json_writer *json);
void json_begin_array(struct json_writer *json, const char *key);
void json_end_array(struct json_writer *json);

void json_add_string(struct json_writer *json, const char *key, const char *string);
void json_add_bytes(struct json_writer *json, const char *key, struct cairn_bytes bytes);
void json_add_number(struct json_writer *json, const char *key, uint64_t number);
void json_add_address(struct json_writer *json, const char *key, uint64_t address);
void json_add_hex(struct json_writer *json, const char *key, struct cairn_bytes bytes);
void json_add_bool(struct json_writer *json, const char *key, bool value);
void json_add_null(struct json_writer *json, const char *key);

/*
 * Add an object with the description and offset of the fault. Adds nothing if the fault's status is
 * CAIRN_OK.
 */
void json_add_fault(struct json_writer *json, const char *key, const struct cairn_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
