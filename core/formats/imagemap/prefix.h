/* SPDX-License-Identifier: MIT */
/* Opcodes of paths and the fixed prefixes, shared by reader and writer. */
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
	NEAR_PREFIXES = 64,  /* numbers that fit into the opcode */
	DYNAMIC_PREFIX = 32, /* first number that paths define */
	FIXED_PREFIXES = 12,
	/* version of a framework without version directories (newer Swift; iOS) */
	FRAMEWORK_FLAT = 0x01,
};

/* Return prefix `number`, which must be less than FIXED_PREFIXES. */
struct cairn_bytes prefix_fixed(uint64_t number);

static inline bool is_separator(uint8_t byte)
{
	return byte == '/' || byte == '\\';
}

#endif
