/* SPDX-License-Identifier: MIT */
/* Unpacks the DWARF sections of a file straight into an image that libdw reads as it is. */
#include "unpacked_image.h"

#include "debuginfo/elf/dwarf_sections.h"
#include "debuginfo/libdw/libdw_image.h"

#include <stdlib.h>
#include <string.h>

struct packed_file {
	struct elf elf;
	struct dwarf_section_found found[DWARF_SECTION_COUNT];
	size_t sizes[DWARF_SECTION_COUNT]; /* once unpacked; 0: the file has no such section */
	uint64_t unpacked;                 /* bytes of those that are compressed */
};

/* Names in other files, types in sections of their own, split units: libdw finds these by the file. */
static bool needs_whole_file(const struct elf *elf)
{
	static const char *const names[] = { ".gnu_debugaltlink", ".debug_sup", ".debug_types",
		                             ".zdebug_types", ".debug_cu_index" };
	struct elf_section section;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (elf_find_section(elf, names[i], &section))
			return true;
	return elf->type == ELF_TYPE_REL;
}

/* How large each section is; false: one is damaged. */
static bool measure_sections(struct packed_file *file)
{
	for (unsigned i = 0; i < DWARF_SECTION_COUNT; i++) {
		struct dwarf_section_found *found = &file->found[i];
		struct cairn_fault fault;
		if (!dwarf_sections_find(&file->elf, (enum dwarf_section_kind)i, false, found))
			continue;
		file->sizes[i] = found->bytes.size;
		if (!found->packed)
			continue;
		if (inflate_section_size(found->bytes, found->kind, file->elf.big, &file->sizes[i],
		                         &fault) != CAIRN_OK)
			return false;
		file->unpacked += file->sizes[i];
	}
	return file->sizes[DWARF_SECTION_INFO] > 0 && file->unpacked > 0;
}

static bool fill_sections(const struct packed_file *file, uint8_t *const *places)
{
	for (unsigned i = 0; i < DWARF_SECTION_COUNT; i++) {
		const struct dwarf_section_found *found = &file->found[i];
		struct cairn_fault fault;
		if (file->sizes[i] == 0)
			continue;
		if (!found->packed)
			memcpy(places[i], found->bytes.data, file->sizes[i]);
		else if (inflate_section_into(found->bytes, found->kind, file->elf.big, places[i],
		                              file->sizes[i], &fault) != CAIRN_OK)
			return false;
	}
	return true;
}

void *unpacked_image_build(struct cairn_bytes bytes, struct budget *budget, size_t *size)
{
	struct packed_file file = { .unpacked = 0 };
	uint8_t *places[DWARF_SECTION_COUNT];
	struct cairn_fault fault;

	if (elf_open(bytes, &file.elf, &fault) != CAIRN_OK || needs_whole_file(&file.elf) ||
	    !measure_sections(&file) || !budget_inflate(budget, file.unpacked))
		return NULL;
	void *image = libdw_lay_out_image(&file.elf, file.sizes, places, size);
	if (!image || fill_sections(&file, places))
		return image;
	free(image);
	return NULL;
}
