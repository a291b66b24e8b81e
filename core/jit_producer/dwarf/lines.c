/* SPDX-License-Identifier: MIT */
/*
 * Encodes lines as special operations where possible, and decodes them when they are added to a
 * jitdump later.
 */
#include "lines.h"

enum {
	DW_LNS_copy = 1,
	DW_LNS_advance_pc = 2,
	DW_LNS_advance_line = 3,
};

static void write_line(struct cairn_jit_bytes *out, uint32_t advance, int64_t lines)
{
	int64_t place = lines - LINES_BASE;
	int64_t special = place + (int64_t)LINES_RANGE * advance + LINES_OPCODE_BASE;

	if (place >= 0 && place < LINES_RANGE && special <= UINT8_MAX) {
		cairn_jit_put_number(out, (uint64_t)special, 1);
		return;
	}
	if (lines) {
		cairn_jit_put_number(out, DW_LNS_advance_line, 1);
		cairn_jit_put_sleb(out, lines);
	}
	if (advance) {
		cairn_jit_put_number(out, DW_LNS_advance_pc, 1);
		cairn_jit_put_uleb(out, advance);
	}
	cairn_jit_put_number(out, DW_LNS_copy, 1);
}

CAIRN_JIT_INTERNAL bool cairn_jit_write_lines(struct cairn_jit_bytes *out,
                                              const struct cairn_jit_function *function)
{
	struct cairn_jit_line before = { .line = 1 };

	if (!function->file || function->line_count == 0)
		return true;
	for (size_t i = 0; i < function->line_count; i++) {
		const struct cairn_jit_line *line = &function->lines[i];

		if (line->offset >= function->size || line->offset < before.offset)
			return false;
		write_line(out, line->offset - before.offset, (int64_t)line->line - before.line);
		before = *line;
	}
	cairn_jit_put_number(out, DW_LNS_advance_pc, 1);
	cairn_jit_put_uleb(out, function->size - before.offset);
	return true;
}

static int64_t take_leb(const uint8_t **at, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = *(*at)++;
		value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

/* The operations were written by this library, so they are not validated. */
CAIRN_JIT_INTERNAL bool cairn_jit_next_line(const uint8_t **ops, const uint8_t *end,
                                            struct cairn_jit_line *line)
{
	while (*ops < end) {
		uint8_t op = *(*ops)++;

		if (op == DW_LNS_copy)
			return true;
		if (op == DW_LNS_advance_pc)
			line->offset += (uint32_t)take_leb(ops, false);
		else if (op == DW_LNS_advance_line)
			line->line += (uint32_t)take_leb(ops, true);
		else {
			line->offset += (uint32_t)(op - LINES_OPCODE_BASE) / LINES_RANGE;
			line->line +=
				(uint32_t)(LINES_BASE + (op - LINES_OPCODE_BASE) % LINES_RANGE);
			return true;
		}
	}
	return false;
}
