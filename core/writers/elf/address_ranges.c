/* SPDX-License-Identifier: MIT */
/* Writes code addresses: .debug_rnglists, .debug_aranges, and attributes of entries. */
#include "address_ranges.h"

enum {
	RLE_END = 0,
	RLE_OFFSET_PAIR = 4,
};

/* Begin .debug_rnglists with the first list. The lists of all units share one header. */
static void begin_ranges(struct elf_writer *w)
{
	if (w->ranges.size > 0)
		return;
	byte_buffer_number(&w->ranges, 0, 4);
	byte_buffer_number(&w->ranges, 5, 2);
	byte_buffer_u8(&w->ranges, (uint8_t)w->word);
	byte_buffer_u8(&w->ranges, 0);
	byte_buffer_number(&w->ranges, 0, 4);
}

/*
 * Prefer the first range that does not begin before the function, because debuggers take the first
 * range for the entry.
 */
size_t elf_writer_first_range(const struct code_origin *from, const struct cairn_range *range,
                              size_t count)
{
	size_t first = 0;

	while (first < count && range[first].low < from->entry)
		first++;
	return first < count ? first : 0;
}

static void write_ranges(struct elf_writer *w, const struct code_origin *from,
                         const struct cairn_range *range, size_t count)
{
	struct byte_buffer *b = &w->ranges;

	begin_ranges(w);
	size_t first = elf_writer_first_range(from, range, count);
	byte_buffer_number(&w->info, b->size, 4);
	for (size_t i = 0; i < count; i++) {
		const struct cairn_range *each = &range[(first + i) % count];
		byte_buffer_u8(b, RLE_OFFSET_PAIR);
		byte_buffer_uleb(b, each->low - from->base);
		byte_buffer_uleb(b, each->high - from->base);
	}
	byte_buffer_u8(b, RLE_END);
}

void elf_writer_write_code(struct elf_writer *w, const struct code_origin *from,
                           const struct cairn_range *range, size_t count)
{
	if (count != 1) {
		write_ranges(w, from, range, count);
		return;
	}
	byte_buffer_number(&w->info, range->low, w->word);
	byte_buffer_uleb(&w->info, range->high - range->low);
}

void elf_writer_end_ranges(struct elf_writer *w)
{
	if (w->ranges.size > 0)
		byte_buffer_overwrite(&w->ranges, 0, w->ranges.size - 4, 4);
}

void elf_writer_write_aranges(struct elf_writer *w, const struct elf_writer_unit *unit,
                              size_t unit_at)
{
	struct byte_buffer *b = &w->aranges;
	size_t at = b->size;

	byte_buffer_number(b, 0, 4);
	byte_buffer_number(b, 2, 2);
	byte_buffer_number(b, unit_at, 4);
	byte_buffer_u8(b, (uint8_t)w->word);
	byte_buffer_u8(b, 0);
	while ((b->size - at) % (2 * w->word) && !b->failed)
		byte_buffer_u8(b, 0);
	for (size_t i = 0; i < unit->ranges; i++) {
		const struct cairn_range *range = &w->unit_ranges[unit->ranges_at + i];
		byte_buffer_number(b, range->low, w->word);
		byte_buffer_number(b, range->high - range->low, w->word);
	}
	byte_buffer_number(b, 0, w->word);
	byte_buffer_number(b, 0, w->word);
	byte_buffer_overwrite(b, at, b->size - at - 4, 4);
}
