/* SPDX-License-Identifier: MIT */
/* Keys of the fields of a RangeV1 and of its line table: number and wire type, as stored. */
#ifndef CAIRN_FORMATS_SYMBFILE_RANGE_KEYS_H
#define CAIRN_FORMATS_SYMBFILE_RANGE_KEYS_H

#include "base/wire.h"

enum {
	KEY_DELTA = 1 << 3 | WIRE_VARINT,
	KEY_ADDRESS = 12 << 3 | WIRE_VARINT,
	KEY_LENGTH = 2 << 3 | WIRE_VARINT,
	KEY_FUNCTION = 3 << 3 | WIRE_BYTES,
	KEY_FUNCTION_REF = 9 << 3 | WIRE_VARINT,
	KEY_FILE = 4 << 3 | WIRE_BYTES,
	KEY_FILE_REF = 10 << 3 | WIRE_VARINT,
	KEY_CALL_LINE = 5 << 3 | WIRE_VARINT,
	KEY_CALL_FILE = 6 << 3 | WIRE_BYTES,
	KEY_CALL_FILE_REF = 11 << 3 | WIRE_VARINT,
	KEY_DEPTH = 7 << 3 | WIRE_VARINT,
	KEY_LINES = 8 << 3 | WIRE_BYTES,
	KEY_OFFSETS = 1 << 3 | WIRE_BYTES,
	KEY_LINE_NUMBERS = 2 << 3 | WIRE_BYTES,
};

#endif
