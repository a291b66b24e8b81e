/* SPDX-License-Identifier: MIT */
/* What reading and writing paths have in common: opcodes, and the prefixes that are always there.
 */
#ifndef CAIRN_FORMATS_IMAGEMAP_PREFIX_H
#define CAIRN_FORMATS_IMAGEMAP_PREFIX_H

#include <cairn.h>

#include "imagemap.h"

enum {
	OP_PATH_END = 0x00,
	OP_LITERAL_MAX = 0x3f,
	OP_FRAMEWORK = 0x40,
	OP_PREFIX = 0x80,
	OP_FAR_PREFIX = 0xc0,
	OP_VALUE = 0x3f,
	FRAMEWORK_NAME_MAX = 64,
	NEAR_PREFIXES = 64,  /* numbers that fit the opcode */
	DYNAMIC_PREFIX = 32, /* the first number that paths define */
	FIXED_PREFIXES = 12,
	/* In place of a framework's version: no directories of versions (newer Swift; iOS). */
	FRAMEWORK_FLAT = 0x01,
};

/* Prefix `number`, below FIXED_PREFIXES. */
struct cairn_bytes prefix_fixed(uint64_t number);

static inline bool is_separator(uint8_t byte)
{
	return byte == '/' || byte == '\\';
}

#endif
