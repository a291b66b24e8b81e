/* SPDX-License-Identifier: MIT */
/*
 * The name of an executable in a symbol store, its FileID, as text: base64url without padding in
 * headers and paths, hexadecimal digits for people.
 */
#ifndef CAIRN_ENGINE_STORE_ID_H
#define CAIRN_ENGINE_STORE_ID_H

#include <cairn.h>

enum {
	STORE_ID_SIZE = 16,
	STORE_ID_TEXT = 22,     /* characters of base64url */
	STORE_ID_TEXT_MAX = 64, /* of any accepted form */
};

struct store_id {
	uint8_t bytes[STORE_ID_SIZE];
};

/*
 * Hexadecimal digits in either case, with 0x before and dashes between them if you like, or base64
 * in either alphabet with exact or no padding.  Nothing else.
 */
bool store_id_read(const char *text, struct store_id *id);

void store_id_text(const struct store_id *id, char out[STORE_ID_TEXT + 1]);

#endif
