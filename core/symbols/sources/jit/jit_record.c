/* SPDX-License-Identifier: MIT */
/* Writes the head of a record, and its size when that is known. */
#include "jit_record.h"

size_t jit_record_begin(struct byte_buffer *dump, uint32_t id)
{
	const size_t begin = dump->size;

	byte_buffer_number(dump, id, 4);
	byte_buffer_number(dump, 0, 4);
	byte_buffer_number(dump, 0, 8); /* no time */
	return begin;
}

void jit_record_end(struct byte_buffer *dump, size_t begin)
{
	byte_buffer_overwrite(dump, begin + 4, dump->size - begin, 4);
}
