/* SPDX-License-Identifier: MIT */
/*
 * Writes header and tables, in the order that all producers use:
 *
 *	version 1:  header  addresses  infos  files  strings  records
 *	version 2:  header  directory  uuid  addresses  infos  files  strings  records
 */
#include "write.h"

enum {
	ENTRY_SIZE = 20,
	NO_ENCODING = 0, /* encoding of strings: NUL-terminated */
	RECORD_ALIGN = 4,
};

unsigned gsym_address_size(uint64_t largest)
{
	if (largest >> 8 == 0)
		return 1;
	if (largest >> 16 == 0)
		return 2;
	return largest >> 32 == 0 ? 4 : 8;
}

static uint64_t align_table_offset(uint64_t offset, uint64_t to)
{
	return (offset + to - 1) & ~(to - 1);
}

static uint64_t compute_head_size(const struct gsym_layout *layout)
{
	uint64_t entries = layout->uuid.size ? GSYM_SECTIONS : GSYM_SECTIONS - 1;

	if (layout->version == 1)
		return GSYM_HEADER_V1;
	return GSYM_HEADER_V2 + entries * ENTRY_SIZE + layout->uuid.size;
}

bool gsym_lay_out(struct gsym_layout *layout)
{
	uint64_t wide = layout->version == 1 ? 4 : 8;
	uint64_t count = layout->functions;

	layout->addresses_at = align_table_offset(compute_head_size(layout), layout->address_size);
	layout->infos_at =
		align_table_offset(layout->addresses_at + count * layout->address_size, wide);
	layout->files_at = layout->infos_at + count * wide;
	layout->strings_at = layout->files_at + 4 + 2 * wide * layout->files;
	layout->records_at =
		align_table_offset(layout->strings_at + layout->strings_size, RECORD_ALIGN);
	layout->size = layout->records_at + layout->records_size;
	return layout->version != 1 ||
	       (layout->size <= UINT32_MAX && layout->uuid.size <= GSYM_UUID_MAX_V1);
}

void gsym_put_padding(struct sink *out, uint64_t offset)
{
	while (out->size < offset)
		sink_u8(out, 0);
}

static void write_header_v1(const struct gsym_layout *layout, struct sink *out)
{
	gsym_put(out, layout->strings_at, 4, layout->big);
	gsym_put(out, layout->strings_size, 4, layout->big);
	sink_bytes(out, layout->uuid.data, layout->uuid.size);
	gsym_put_padding(out, GSYM_HEADER_V1);
}

static void write_directory_entry(const struct gsym_layout *layout, struct sink *out, uint32_t type,
                                  uint64_t offset, uint64_t size)
{
	gsym_put(out, type, 4, layout->big);
	gsym_put(out, offset, 8, layout->big);
	gsym_put(out, size, 8, layout->big);
}

static void write_directory(const struct gsym_layout *l, struct sink *out)
{
	uint64_t uuid_at = compute_head_size(l) - l->uuid.size;

	if (l->uuid.size)
		write_directory_entry(l, out, GSYM_SECTION_UUID, uuid_at, l->uuid.size);
	write_directory_entry(l, out, GSYM_SECTION_ADDRESSES, l->addresses_at,
	                      (uint64_t)l->functions * l->address_size);
	write_directory_entry(l, out, GSYM_SECTION_INFOS, l->infos_at, (uint64_t)l->functions * 8);
	write_directory_entry(l, out, GSYM_SECTION_FILES, l->files_at, l->strings_at - l->files_at);
	write_directory_entry(l, out, GSYM_SECTION_STRINGS, l->strings_at, l->strings_size);
	write_directory_entry(l, out, GSYM_SECTION_RECORDS, l->records_at, l->records_size);
	write_directory_entry(l, out, GSYM_SECTION_END, 0, 0);
	sink_bytes(out, l->uuid.data, l->uuid.size);
}

void gsym_put_head(const struct gsym_layout *layout, struct sink *out)
{
	uint8_t fourth = layout->version == 1 ? (uint8_t)layout->uuid.size : NO_ENCODING;

	gsym_put(out, GSYM_MAGIC, 4, layout->big);
	gsym_put(out, layout->version, 2, layout->big);
	sink_u8(out, (uint8_t)layout->address_size);
	sink_u8(out, fourth);
	gsym_put(out, layout->base, 8, layout->big);
	gsym_put(out, layout->functions, 4, layout->big);
	if (layout->version == 1)
		write_header_v1(layout, out);
	else
		write_directory(layout, out);
	gsym_put_padding(out, layout->addresses_at);
}
