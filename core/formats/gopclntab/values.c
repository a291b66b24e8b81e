/* SPDX-License-Identifier: MIT */
/*
 * Reads tables of values in .gopclntab, the files that they refer to, and inline trees:
 *
 *	values = (difference:varint step:varint)* 0
 *	call   = parent:s16 id:u8 0 file:u32 line:u32 name:u32 place:u32         up to 1.19
 *	       | id:u8 0 0 0 name:u32 place:u32 line:u32                           from 1.20 on
 *
 * A value starts at -1. Differences are zigzag-encoded, and a difference of 0 ends the table unless
 * it is the first. A step counts in quanta.
 */
#include "gopclntab.h"

#include "parts.h"

#include "base/bytes.h"

enum {
	CALL_OLD = 20,
	CALL_NEW = 16,
	NO_NAME = -1, /* file that is not in the program */
};

struct gopclntab_values gopclntab_values(const struct gopclntab *table,
                                         const struct gopclntab_function *function, uint32_t offset)
{
	struct gopclntab_values values = { .in = table->values,
		                           .at = offset,
		                           .va = function->start,
		                           .end = function->end,
		                           .value = -1,
		                           .quantum = table->quantum,
		                           .first = true };

	if (offset == 0 || offset >= table->values.size) {
		values.at = values.in.size;
		values.damaged = offset != 0;
	}
	return values;
}

/* Read a number with seven bits per byte and at most 32 bits in all. */
static bool read_varint(struct gopclntab_values *values, uint32_t *number)
{
	uint32_t bits = 0;

	for (unsigned shift = 0; shift < 35 && values->at < values->in.size; shift += 7) {
		uint8_t byte = values->in.data[values->at++];
		bits |= (uint32_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*number = bits;
			return true;
		}
	}
	return false;
}

static bool end_values(struct gopclntab_values *values, bool damaged)
{
	values->at = values->in.size;
	values->damaged |= damaged;
	return false;
}

bool gopclntab_next_run(struct gopclntab_values *values, struct gopclntab_run *run)
{
	uint32_t difference, step;

	if (values->at >= values->in.size)
		return false;
	if (!read_varint(values, &difference))
		return end_values(values, true);
	if (difference == 0 && !values->first)
		return end_values(values, false);
	if (!read_varint(values, &step) || step == 0)
		return end_values(values, true);
	uint64_t size = (uint64_t)step * values->quantum;
	if (size > values->end - values->va)
		size = values->end - values->va;
	if (size == 0)
		return end_values(values, false);
	values->value =
		(int32_t)((uint32_t)values->value + ((difference >> 1) ^ (0 - (difference & 1))));
	*run = (struct gopclntab_run){ values->va, values->va + size, values->value };
	values->va += size;
	values->first = false;
	return true;
}

struct cairn_bytes gopclntab_file(const struct gopclntab *table,
                                  const struct gopclntab_function *function, int32_t value)
{
	const struct cairn_bytes none = { table->bytes.data, 0 };
	bool old = table->layout == GOPCLNTAB_1_2;

	if (value < 0 || (old && (value == 0 || (uint64_t)value >= table->files)))
		return none;
	uint64_t number = (old ? 0 : (uint64_t)function->unit) + (uint64_t)value;
	if (number >= table->units.size / 4)
		return none;
	uint32_t offset = bytes_u32(table->units.data + number * 4, table->big);
	if (offset == (uint32_t)NO_NAME)
		return none;
	return gopclntab_text(table->file_names, offset);
}

bool gopclntab_next_file(const struct gopclntab *table, uint64_t *at, struct cairn_bytes *path)
{
	const struct gopclntab_function any = { .unit = 0 };

	if (table->layout == GOPCLNTAB_1_2) {
		if (*at + 1 >= table->files || *at >= INT32_MAX)
			return false;
		*path = gopclntab_file(table, &any, (int32_t)++ * at);
		return true;
	}
	if (*at >= table->file_names.size || table->file_names.data + *at == table->values.data)
		return false;
	*path = gopclntab_text(table->file_names, *at);
	*at += path->size + 1;
	return true;
}

static void read_old_call(const struct gopclntab *table, struct reader *in,
                          const struct gopclntab_function *function, struct gopclntab_call *call)
{
	call->has_parent = true;
	call->parent = (int16_t)reader_u16(in);
	reader_skip(in, 2);
	call->file = reader_s32(in);
	call->line = reader_s32(in);
	call->name = gopclntab_text(table->names, reader_u32(in));
	call->place = function->start + reader_u32(in);
}

static void read_new_call(const struct gopclntab *table, struct reader *in,
                          const struct gopclntab_function *function, struct gopclntab_call *call)
{
	reader_skip(in, 4);
	call->name = gopclntab_text(table->names, reader_u32(in));
	call->place = function->start + reader_u32(in);
}

bool gopclntab_read_call(const struct gopclntab *table, const struct gopclntab_function *function,
                         int32_t index, struct gopclntab_call *call)
{
	bool old = table->layout < GOPCLNTAB_1_20;
	size_t size = old ? CALL_OLD : CALL_NEW;
	const struct gopclntab_memory *memory = table->memory;
	struct cairn_bytes tree, entry;

	*call = (struct gopclntab_call){ .name = { table->bytes.data, 0 }, .parent = -1 };
	if (index < 0 || function->tree == 0 || !memory || !memory->lend ||
	    !memory->lend(memory->context, function->tree, &tree) ||
	    !bytes_slice(tree, (uint64_t)index * size, size, &entry))
		return false;
	struct reader in = reader_open(entry, table->big);
	if (old)
		read_old_call(table, &in, function, call);
	else
		read_new_call(table, &in, function, call);
	return reader_ok(&in);
}
