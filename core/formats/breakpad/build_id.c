/* SPDX-License-Identifier: MIT */
/*
 * Decodes the ID of a module: 16 bytes as hexadecimal digits, and its age. Where modules have build
 * IDs, the ID is the first 16 bytes of the build ID interpreted as a native GUID, so the first 4
 * bytes and the next two groups of 2 are reversed. On macOS it is LC_UUID and on Windows the GUID
 * of the PDB, both unchanged.
 */
#include "base/hex.h"

#include "base/bytes_compare.h"
#include "breakpad.h"

#include <string.h>

enum { GUID_SIZE = 16 };

static bool parse_id_digits(struct cairn_bytes digits, uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned high = hex_digit(digits.data[2 * i]);
		unsigned low = hex_digit(digits.data[2 * i + 1]);
		if (high == HEX_NO_DIGIT || low == HEX_NO_DIGIT)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

static void reverse_bytes(uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size / 2; i++) {
		uint8_t first = bytes[i];
		bytes[i] = bytes[size - 1 - i];
		bytes[size - 1 - i] = first;
	}
}

static size_t decode_module_id(const struct breakpad_record *record, uint8_t id[BREAKPAD_ID_MAX])
{
	bool in_order = bytes_are(record->os, "mac") || bytes_are(record->os, "ios") ||
	                bytes_are(record->os, "windows");

	if (record->id.size < 2 * (size_t)GUID_SIZE || !parse_id_digits(record->id, id, GUID_SIZE))
		return 0;
	if (!in_order) {
		reverse_bytes(id, 4);
		reverse_bytes(id + 4, 2);
		reverse_bytes(id + 6, 2);
	}
	return GUID_SIZE;
}

size_t breakpad_build_id(const struct breakpad_record *record, uint8_t id[BREAKPAD_ID_MAX])
{
	size_t size = record->id.size / 2;

	if (record->kind == BREAKPAD_MODULE)
		return decode_module_id(record, id);
	if (record->kind != BREAKPAD_CODE_ID || record->code_file.size != 0)
		return 0;
	if (record->id.size % 2 != 0 || size > BREAKPAD_ID_MAX)
		return 0;
	return parse_id_digits(record->id, id, size) ? size : 0;
}
