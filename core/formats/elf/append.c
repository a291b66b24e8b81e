/* SPDX-License-Identifier: MIT */
/* Appends a section to an ELF file, followed by a new section table. */
#include "append.h"

#include "base/bytes.h"
#include "base/error.h"

#include <string.h>

enum {
	/*
	 * maximum number of sections in e_shnum. Files with more sections store the number in the
	 * first section header. They are rejected, because linked programs have far fewer sections.
	 */
	SECTIONS_MAX = 0xfeff,
	/* alignment of the new section, as GSYM requires, and of the section table */
	ALIGNMENT = 8,
	/* maximum number of sections added: the null section, the new section, .shstrtab */
	NEW_SECTIONS = 3,
};

/* Sizes and field offsets in the file header and in section headers, for one ELF class. */
struct section_layout {
	size_t header, entry; /* sizes of the file header and of a section header in bytes */
	size_t name, type, flags, va, offset, size, link, alignment;
	size_t width; /* size of an address, offset or size field in bytes */
	/* offsets in the file header of e_shoff, e_shentsize, e_shnum and e_shstrndx */
	size_t table_at, entry_size_at, count_at, names_at;
};

static const struct section_layout wide_layout = { 64, 64, 0, 4,  8,  16, 24, 32,
	                                           40, 48, 8, 40, 58, 60, 62 };
static const struct section_layout narrow_layout = { 52, 40, 0, 4,  8,  12, 16, 20,
	                                             24, 32, 4, 32, 46, 48, 50 };

struct appending {
	const struct elf *elf;
	const struct section_layout *layout;
	const char *name;
	struct cairn_bytes content;
	struct elf_section old, names; /* section to replace, and .shstrtab */
	bool replaces;
	uint64_t keep; /* size of the start of the file, which is kept unchanged */
	uint64_t content_at, names_at, table_at;
	size_t names_size, old_names; /* new and old sizes of .shstrtab */
	/*
	 * number of sections in the new table, and indices in that table of the new section and
	 * .shstrtab
	 */
	uint32_t sections, index, names_index;
};

static const struct section_layout *find_layout(const struct elf *elf)
{
	return elf->wide ? &wide_layout : &narrow_layout;
}

static void store_number(const struct elf *elf, uint8_t *at, uint64_t value, size_t width)
{
	for (size_t i = 0; i < width; i++) {
		size_t byte = elf->big ? width - 1 - i : i;
		at[byte] = (uint8_t)(value >> (8 * i));
	}
}

static uint64_t align_up(uint64_t value)
{
	return (value + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
}

/* Return the contents of the existing .shstrtab, which are copied to the start of the new one. */
static struct cairn_bytes find_names(const struct elf *elf)
{
	struct elf_section names;

	if (elf->sections && elf_section(elf, elf->names, &names))
		return elf_section_bytes(elf, &names);
	return (struct cairn_bytes){ elf->bytes.data, 0 };
}

size_t elf_append_capacity(const struct elf *elf, const char *name)
{
	const struct section_layout *layout = find_layout(elf);

	return layout->header + find_names(elf).size + 1 + strlen(name) + sizeof("\0.shstrtab") +
	       (size_t)(elf->sections + NEW_SECTIONS) * layout->entry + 4 * ALIGNMENT;
}

/*
 * Return true if [offset, offset + size) contains bytes at or after `limit`. In a damaged file,
 * offset + size may exceed 2^64, so the sum is not computed.
 */
static bool reaches_past(uint64_t offset, uint64_t size, uint64_t limit)
{
	return size > 0 && (offset >= limit || size > limit - offset);
}

/*
 * Return true if the contents of all other sections and segments end before the section to replace,
 * so that the file can be truncated there. The section names do not count, because they are
 * rewritten in any case.
 */
static bool is_last_section(const struct appending *a)
{
	struct elf_section section;
	struct elf_segment segment;

	for (uint32_t i = 1; i < a->elf->sections; i++) {
		if (!elf_section(a->elf, i, &section) ||
		    (i != a->old.index && i != a->elf->names && section.type != ELF_SHT_NOBITS &&
		     reaches_past(section.offset, section.size, a->old.offset)))
			return false;
	}
	for (uint32_t i = 0; i < a->elf->segments; i++)
		if (!elf_segment(a->elf, i, &segment) ||
		    reaches_past(segment.offset, segment.file_size, a->old.offset))
			return false;
	return a->names.offset > a->old.offset && a->elf->sections_at > a->old.offset;
}

static enum cairn_status find_sections(struct appending *a, struct cairn_fault *fault)
{
	const struct elf *elf = a->elf;

	a->keep = elf->bytes.size;
	a->sections = elf->sections;
	if (elf->sections == 0 && (elf->sections_at != 0 || elf->uncounted))
		return fault_set_at(fault, CAIRN_MALFORMED, elf->sections_at,
		                    "a section table outside the file");
	if (elf->sections == 0) {
		a->sections = NEW_SECTIONS;
		a->index = 1;
		a->names_index = 2;
		return CAIRN_OK;
	}
	if (elf->sections > SECTIONS_MAX || elf->names == 0)
		return fault_set_at(fault, CAIRN_UNSUPPORTED, elf->sections_at,
		                    "sections without names, or too many of them");
	if (!elf_section(elf, elf->names, &a->names) || find_names(elf).size == 0)
		return fault_set_at(fault, CAIRN_MALFORMED, elf->sections_at,
		                    "names of sections outside the file");
	a->names_index = elf->names;
	a->replaces = elf_find_section(elf, a->name, &a->old);
	if (a->replaces && is_last_section(a))
		a->keep = a->old.offset;
	a->index = a->replaces ? a->old.index : a->sections++;
	return CAIRN_OK;
}

static enum cairn_status place_parts(struct appending *a, struct cairn_fault *fault)
{
	const struct section_layout *layout = a->layout;
	uint64_t table = (uint64_t)a->sections * layout->entry;
	struct cairn_bytes names = find_names(a->elf);

	/* terminate the last name before appending the new one */
	a->old_names = names.size + (names.size == 0 || names.data[names.size - 1] != 0);
	a->names_size = a->old_names + (a->replaces ? 0 : strlen(a->name) + 1) +
	                (a->elf->sections ? 0 : sizeof(".shstrtab"));
	a->content_at = align_up(a->keep);
	a->names_at = a->content_at + a->content.size;
	a->table_at = align_up(a->names_at + a->names_size);
	if (!a->elf->wide && a->table_at + table > UINT32_MAX)
		return fault_set(fault, CAIRN_UNSUPPORTED,
		                 "a 32-bit file that would be over 4 GiB");
	if (a->keep < layout->header ||
	    (a->elf->sections && (a->elf->sections_at > a->elf->bytes.size ||
	                          (uint64_t)a->elf->sections * layout->entry >
	                                  a->elf->bytes.size - a->elf->sections_at)))
		return fault_set_at(fault, CAIRN_MALFORMED, a->elf->sections_at,
		                    "a section table outside the file");
	return CAIRN_OK;
}

static void write_header(const struct appending *a, uint8_t *header)
{
	const struct section_layout *l = a->layout;

	memcpy(header, a->elf->bytes.data, l->header);
	store_number(a->elf, header + l->table_at, a->table_at, l->width);
	store_number(a->elf, header + l->entry_size_at, l->entry, 2);
	store_number(a->elf, header + l->count_at, a->sections, 2);
	store_number(a->elf, header + l->names_at, a->names_index, 2);
}

/* Write the old names, the new section's name, and ".shstrtab" if the file had no section table. */
static void write_names(const struct appending *a, uint8_t *names)
{
	size_t length = strlen(a->name) + 1;

	struct cairn_bytes old = find_names(a->elf);

	names[a->old_names - 1] = 0;
	memcpy(names, old.data, old.size);
	if (!a->replaces)
		memcpy(names + a->old_names, a->name, length);
	if (!a->elf->sections)
		memcpy(names + a->old_names + length, ".shstrtab", sizeof(".shstrtab"));
}

static void write_extent(const struct appending *a, uint8_t *entry, uint64_t at, uint64_t size)
{
	store_number(a->elf, entry + a->layout->offset, at, a->layout->width);
	store_number(a->elf, entry + a->layout->size, size, a->layout->width);
}

static void write_entry(const struct appending *a, uint8_t *entry, size_t name, uint32_t type,
                        uint64_t alignment)
{
	memset(entry, 0, a->layout->entry);
	store_number(a->elf, entry + a->layout->name, name, 4);
	store_number(a->elf, entry + a->layout->type, type, 4);
	store_number(a->elf, entry + a->layout->alignment, alignment, a->layout->width);
}

static void write_table(const struct appending *a, uint8_t *table)
{
	const struct elf *elf = a->elf;
	const size_t entry = a->layout->entry;
	uint8_t *added = table + a->index * entry, *names = table + a->names_index * entry;

	memset(table, 0, a->sections * entry);
	if (elf->sections)
		memcpy(table, elf->bytes.data + elf->sections_at, elf->sections * entry);
	/*
	 * name offsets past the end of the old string table would now refer to the new name, so
	 * clear them
	 */
	for (uint32_t i = 0; i < elf->sections; i++)
		if (bytes_u32(table + i * entry, elf->big) >= a->old_names)
			store_number(elf, table + i * entry + a->layout->name, 0, 4);
	size_t name = a->replaces ? bytes_u32(added, elf->big) : a->old_names;
	write_entry(a, added, name, ELF_SHT_PROGBITS, ALIGNMENT);
	write_extent(a, added, a->content_at, a->content.size);
	if (!elf->sections)
		write_entry(a, names, a->old_names + strlen(a->name) + 1, ELF_SHT_STRTAB, 1);
	write_extent(a, names, a->names_at, a->names_size);
}

enum cairn_status elf_append_section(const struct elf *elf, const char *name,
                                     struct cairn_bytes content, uint8_t *memory,
                                     struct elf_append *append, struct cairn_fault *fault)
{
	struct appending a = {
		.elf = elf, .layout = find_layout(elf), .name = name, .content = content
	};
	enum cairn_status status = find_sections(&a, fault);

	status = status == CAIRN_OK ? place_parts(&a, fault) : status;
	if (status != CAIRN_OK)
		return status;
	const size_t header = a.layout->header, padding = (size_t)(a.content_at - a.keep);
	uint8_t *pad = memory + header, *names = pad + padding;
	size_t names_size = (size_t)(a.table_at - a.names_at);
	uint8_t *table = names + names_size;

	memset(pad, 0, padding + names_size);
	write_header(&a, memory);
	write_names(&a, names);
	write_table(&a, table);
	*append = (struct elf_append){ {
		{ memory, header },
		{ elf->bytes.data + header, (size_t)a.keep - header },
		{ pad, padding },
		content,
		{ names, names_size + a.sections * a.layout->entry },
	} };
	return CAIRN_OK;
}
