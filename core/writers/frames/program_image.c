/* SPDX-License-Identifier: MIT */
/* Presents the segments of an ELF file as the memory of a target with a single module. */
#include "program_image.h"

#include "unwind/tables/sframe_rules.h"

#include <string.h>

enum { PAGE = 4096 };

/*
 * Return the number of bytes from `address` to the end of the segment's file data, or to the end of
 * its last page.
 */
static uint64_t bytes_from(const struct elf_segment *s, uint64_t address, bool whole_pages)
{
	uint64_t lead = whole_pages ? s->va % PAGE : 0;
	uint64_t size = s->file_size, at = address - (s->va - lead);

	if (s->type != ELF_PT_LOAD || s->file_size > UINT64_MAX - 2 * (uint64_t)PAGE ||
	    s->offset < lead)
		return 0;
	if (whole_pages)
		size = (lead + size + PAGE - 1) / PAGE * PAGE;
	return at < size ? size - at : 0;
}

/*
 * Return true if the bytes are in pages of the file. A process cannot read further, whatever the
 * program headers claim.
 */
static bool is_in_file_pages(const struct elf *elf, uint64_t offset, size_t size)
{
	const uint64_t end = ((uint64_t)elf->bytes.size + PAGE - 1) / PAGE * PAGE;

	return offset <= end && size <= end - offset;
}

/* Copy bytes of the file. The last page is zero past the end of the file. */
static void copy_file_bytes(const struct elf *elf, uint64_t offset, void *buffer, size_t size)
{
	size_t there = 0;

	if (offset < elf->bytes.size) {
		there = elf->bytes.size - (size_t)offset;
		there = there < size ? there : size;
		memcpy(buffer, elf->bytes.data + offset, there);
	}
	memset((uint8_t *)buffer + there, 0, size - there);
}

/* Prefer a segment that contains the address itself to one that only shares a page with it. */
static enum cairn_status read_program_file(void *context, uint64_t address, void *buffer,
                                           size_t size)
{
	const struct elf *elf = context;
	struct elf_segment s;

	for (int whole_pages = 0; whole_pages <= 1; whole_pages++)
		for (uint32_t i = 0; elf_segment(elf, i, &s); i++)
			if (bytes_from(&s, address, whole_pages) >= size &&
			    is_in_file_pages(elf, s.offset + (address - s.va), size)) {
				copy_file_bytes(elf, s.offset + (address - s.va), buffer, size);
				return CAIRN_OK;
			}
	return CAIRN_UNREADABLE;
}

static struct cairn_range section_range(const struct elf *elf, const char *name)
{
	struct elf_section s;

	if (!elf_find_section(elf, name, &s) || !(s.flags & ELF_SHF_ALLOC) ||
	    s.size > UINT64_MAX - s.va)
		return (struct cairn_range){ 0, 0 };
	return (struct cairn_range){ s.va, s.va + s.size };
}

static struct cairn_range sframe_range(const struct elf *elf)
{
	struct sframe_section found;

	if (sframe_section_find(elf, &found) != CAIRN_OK ||
	    found.bytes.size > UINT64_MAX - found.address)
		return (struct cairn_range){ 0, 0 };
	return (struct cairn_range){ found.address, found.address + found.bytes.size };
}

/* Prefer the program header, which is what a process uses. */
static struct cairn_range eh_frame_hdr_range(const struct elf *elf)
{
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment(elf, i, &s); i++)
		if (s.type == ELF_PT_GNU_EH_FRAME && s.file_size <= UINT64_MAX - s.va)
			return (struct cairn_range){ s.va, s.va + s.file_size };
	return section_range(elf, ".eh_frame_hdr");
}

static enum cairn_status report_module(struct program_image *image)
{
	const struct elf *elf = &image->elf;
	struct cairn_range span;
	const bool is_loaded = elf_load_span(elf, &span);
	const struct cairn_host_module told = { .name = { elf->bytes.data, 0 },
		                                .low = span.low,
		                                .high = span.high,
		                                .machine = elf_machine(elf),
		                                .big_endian = elf->big,
		                                .sframe = sframe_range(elf),
		                                .eh_frame_hdr = eh_frame_hdr_range(elf),
		                                .eh_frame = section_range(elf, ".eh_frame") };

	if (!is_loaded || told.machine == CAIRN_MACHINE_NONE)
		return CAIRN_NOT_FOUND;
	cairn_space_begin_modules(image->space);
	enum cairn_status status = cairn_space_add_module(image->space, &told);
	cairn_space_end_modules(image->space);
	if (status != CAIRN_OK)
		return status;
	cairn_space_begin_query(image->space);
	image->module = space_find(image->space, span.low);
	return image->module ? CAIRN_OK : CAIRN_NOT_FOUND;
}

enum cairn_status program_image_open(struct cairn_bytes file, struct program_image *image)
{
	struct cairn_fault fault;
	enum cairn_status status = elf_open(file, &image->elf, &fault);
	const struct cairn_target target = { read_program_file, &image->elf };

	if (status != CAIRN_OK)
		return status;
	if (image->elf.type != ELF_TYPE_EXEC && image->elf.type != ELF_TYPE_DYN)
		return CAIRN_NOT_FOUND;
	image->space = cairn_space_new(&target);
	return image->space ? report_module(image) : CAIRN_NO_MEMORY;
}

void program_image_close(struct program_image *image)
{
	if (image->space)
		cairn_space_free(image->space);
	*image = (struct program_image){ .space = NULL };
}

uint64_t program_image_code_size(const struct program_image *image, uint64_t va)
{
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment(&image->elf, i, &s); i++) {
		uint64_t size = s.flags & ELF_PF_EXECUTE ? bytes_from(&s, va, false) : 0;
		if (size > 0 && s.offset <= image->elf.bytes.size &&
		    s.file_size <= image->elf.bytes.size - s.offset)
			return size;
	}
	return 0;
}
