/* SPDX-License-Identifier: MIT */
/*
 * Reads the ELF and program headers of an image in target memory, its load bias and its build ID.
 */
#include "image.h"

#include "base/reader.h"
#include "unwind/target/memory.h"

#include <string.h>

static void add_segment(struct module *module, const struct elf_segment *s)
{
	if (module->segment_count == MODULE_SEGMENTS)
		return;
	module->segments[module->segment_count++] =
		(struct module_segment){ s->va, s->memory_size, s->flags };
}

/*
 * Return true for the vDSO, recognized as the only image without a writable segment. No program
 * starts there, and the entry point of a 32-bit vDSO is a function that programs call.
 */
static bool is_for_calls_only(const struct elf *elf, const struct module *module)
{
	if (elf->type == ELF_TYPE_EXEC)
		return false;
	for (unsigned i = 0; i < module->segment_count; i++)
		if (module->segments[i].flags & ELF_PF_WRITE)
			return false;
	return true;
}

/* Read the segments, and set *first to the linked address of the file's first byte. */
static bool read_segments(const struct elf *elf, struct module *module, uint64_t *first)
{
	struct elf_segment s;
	bool found = false;

	for (uint32_t i = 0; elf_segment(elf, i, &s); i++)
		switch (s.type) {
		case ELF_PT_LOAD:
			if (s.offset == 0 && !found) {
				found = true;
				*first = s.va;
			}
			add_segment(module, &s);
			break;
		case ELF_PT_DYNAMIC:
			module->dynamic_va = s.va;
			module->dynamic_size = s.memory_size;
			break;
		case ELF_PT_GNU_SFRAME:
			module->sframe_va = s.va;
			module->sframe_size = s.file_size;
			break;
		case ELF_PT_GNU_EH_FRAME:
			module->cfi.header = s.va;
			module->cfi.header_size =
				s.file_size > UINT32_MAX ? UINT32_MAX : (uint32_t)s.file_size;
			break;
		default:
			break;
		}
	return found;
}

/*
 * Return true if this is the second mapping of the file's first page. lld may put code into that
 * page, which is then mapped twice, and the second copy looks like the start of another module. It
 * is recognized by the original, whose distance the program headers state.
 */
static bool is_copy(const struct cairn_target *target, const struct elf *elf, uint64_t address,
                    uint64_t first, const struct module *module)
{
	uint8_t below[ELF_HEADER_MAX];
	struct elf_segment s;

	if (elf->type == ELF_TYPE_EXEC)
		return address != first;
	for (uint32_t i = 0; elf_segment(elf, i, &s); i++) {
		uint64_t page = s.va - s.va % MODULE_PAGE;
		bool again = s.type == ELF_PT_LOAD && s.offset / MODULE_PAGE == 0 && page > first;
		if (again && memory_read(target, address - (page - first), below, sizeof(below)) &&
		    memcmp(below, module->print, sizeof(below)) == 0)
			return true;
	}
	return false;
}

static bool set_span(struct module *module)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (unsigned i = 0; i < module->segment_count; i++) {
		const struct module_segment *s = &module->segments[i];
		if (s->va + s->size < s->va)
			return false;
		low = s->va < low ? s->va : low;
		high = s->va + s->size > high ? s->va + s->size : high;
	}
	module->low = low + module->bias;
	module->high = high + module->bias;
	return low < high && module->low < module->high;
}

/*
 * Read the build ID if its notes are in the first page, where linkers put them. Notes of other
 * kinds may be in an earlier segment of their own. Return the end of the ID in the page.
 */
static size_t read_id(struct module *module, struct cairn_bytes page, const struct elf *elf,
                      uint64_t first)
{
	struct elf_segment s;
	struct cairn_bytes bytes, id = { NULL, 0 };

	for (uint32_t i = 0; id.size == 0 && elf_segment(elf, i, &s); i++)
		if (s.type == ELF_PT_NOTE && bytes_slice(page, s.va - first, s.file_size, &bytes))
			id = elf_build_id_in_notes(bytes, elf->big);
	if (id.size == 0 || id.size > MODULE_ID_MAX)
		return 0;
	memcpy(module->id, id.data, id.size);
	module->id_size = id.size;
	return (size_t)(id.data + id.size - page.data);
}

static uint64_t size_of_segments(const struct elf *elf)
{
	return (uint64_t)elf->segments * (elf->wide ? ELF_SEGMENT_WIDE : ELF_SEGMENT_NARROW);
}

/*
 * Return true if a segment maps the program headers at `offset` such that their distance from the
 * file's first byte is the same in memory as in the file.
 */
static bool is_loaded_evenly(const struct elf *elf, uint64_t offset)
{
	struct elf_segment s;
	bool found = false;
	uint64_t first = 0;

	for (uint32_t i = 0; !found && elf_segment(elf, i, &s); i++) {
		found = s.type == ELF_PT_LOAD && s.offset == 0;
		first = s.va;
	}
	for (uint32_t i = 0; found && elf_segment(elf, i, &s); i++)
		if (s.type == ELF_PT_LOAD && offset - s.offset < s.file_size &&
		    s.va - first == s.offset)
			return true;
	return false;
}

bool image_open(const struct cairn_target *target, const struct module *module,
                uint8_t apart[MODULE_PAGE], struct elf *elf)
{
	const struct cairn_bytes page = { module->print, MODULE_PAGE };

	if (!elf_opens(page, elf))
		return false;
	const uint64_t at = elf->segments_at, size = size_of_segments(elf);
	if (size > MODULE_PAGE || at <= MODULE_PAGE - size)
		return true;
	if (at > UINT64_MAX - module->print_at ||
	    !memory_read(target, module->print_at + at, apart, (size_t)size))
		return false;
	elf->bytes = (struct cairn_bytes){ apart, (size_t)size };
	elf->segments_at = 0;
	return is_loaded_evenly(elf, at);
}

bool image_read(const struct cairn_target *target, uint64_t address, struct module *module)
{
	const struct cairn_bytes page = { module->print, MODULE_PAGE };
	uint8_t apart[MODULE_PAGE];
	struct elf elf;
	uint64_t first = 0;

	*module = (struct module){ .print_at = address };
	if (!memory_read(target, address, module->print, MODULE_PAGE) ||
	    !image_open(target, module, apart, &elf) ||
	    (elf.type != ELF_TYPE_EXEC && elf.type != ELF_TYPE_DYN) ||
	    !read_segments(&elf, module, &first) || is_copy(target, &elf, address, first, module))
		return false;
	module->bias = address - first;
	module->machine = elf_machine(&elf);
	module->big = elf.big;
	module->entry = is_for_calls_only(&elf, module) ? 0 : elf.entry;
	module->has_sections = elf.sections_at != 0;
	const size_t headers = elf.bytes.data == apart
	                               ? (size_t)ELF_HEADER_MAX
	                               : (size_t)(elf.segments_at + size_of_segments(&elf));
	size_t id_end = read_id(module, page, &elf, first);
	module->print_size = id_end > headers ? id_end : headers;
	return module->print_size <= MODULE_PAGE && set_span(module);
}

bool image_unchanged(const struct cairn_target *target, const struct module *module)
{
	uint8_t now[MODULE_PAGE];

	if (module->print_size == 0) /* no identifying bytes: see cairn_space_add_module() */
		return true;
	return memory_read(target, module->print_at, now, module->print_size) &&
	       memcmp(now, module->print, module->print_size) == 0;
}
