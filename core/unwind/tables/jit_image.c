/* SPDX-License-Identifier: MIT */
/* Makes modules of images that a program registers. Their addresses are final, so the bias is 0. */
#include "modules.h"

#include "base/reader.h"
#include "sframe_section.h"

#include <stdlib.h>
#include <string.h>

enum {
	PRINT_MAX = 64, /* bytes of code that identify the image in the target */
	SFRAME_MAX = 1 << 26,
	SECTIONS_MAX = 1 << 16
};

/* Read memory from the image itself, at the addresses of its sections. */
static enum cairn_status read_jit_image_memory(void *context, uint64_t address, void *buffer,
                                               size_t size)
{
	const struct elf *elf = context;
	struct elf_section s;
	struct cairn_bytes part;

	for (uint32_t i = 1; i < SECTIONS_MAX && elf_section(elf, i, &s); i++)
		if ((s.flags & ELF_SHF_ALLOC) && address - s.va < s.size &&
		    bytes_slice(elf_section_bytes(elf, &s), address - s.va, size, &part)) {
			memcpy(buffer, part.data, size);
			return CAIRN_OK;
		}
	return CAIRN_UNREADABLE;
}

static void copy_code_print(struct module *module, const struct elf *elf,
                            const struct elf_section *s)
{
	struct cairn_bytes code = elf_section_bytes(elf, s);

	if (module->print_size > 0 || code.size == 0)
		return;
	module->print_size = code.size < PRINT_MAX ? code.size : PRINT_MAX;
	module->print_at = s->va;
	memcpy(module->print, code.data, module->print_size);
}

/* Return true for a section with code. Sections of type 0 are placeholders. */
static bool has_code(const struct elf_section *s)
{
	const uint64_t wanted = ELF_SHF_ALLOC | ELF_SHF_EXECUTE;

	return s->type != 0 && (s->flags & wanted) == wanted && s->size > 0 &&
	       s->va + s->size >= s->va;
}

static bool add_code_segments(struct module *module, const struct elf *elf)
{
	struct elf_section s;

	for (uint32_t i = 1; i < SECTIONS_MAX && elf_section(elf, i, &s); i++) {
		if (!has_code(&s) || module->segment_count == MODULE_SEGMENTS)
			continue;
		module->segments[module->segment_count++] =
			(struct module_segment){ s.va, s.size, ELF_PF_EXECUTE };
		copy_code_print(module, elf, &s);
	}
	return module_code_range(module, &module->low, &module->high);
}

static bool copy_jit_sframe(struct module *module, const struct elf *elf)
{
	struct sframe_section found;

	if (sframe_section_find(elf, &found) != CAIRN_OK || found.bytes.size > SFRAME_MAX)
		return false;
	module->sframe_bytes = malloc(found.bytes.size);
	if (!module->sframe_bytes)
		return false;
	memcpy(module->sframe_bytes, found.bytes.data, found.bytes.size);
	module->sframe_va = found.address;
	module->sframe_size = module->sframe_held = found.bytes.size;
	struct cairn_bytes copy = { module->sframe_bytes, found.bytes.size };
	module->rules = cairn_rules_new(copy, found.address);
	module->sframe = MODULE_SFRAME_READY;
	return module->rules != NULL;
}

/*
 * Record which code .eh_frame covers: the debugger reads the image as well and unwinds that code
 * itself.
 */
static void read_jit_cfi(struct module *module, struct elf *elf)
{
	const struct cairn_target image = { read_jit_image_memory, elf };
	const struct cfi_memory view = { &image, 0, elf->big, elf->wide ? 8 : 4 };
	struct elf_section s;

	if (!elf_find_section(elf, ".eh_frame", &s) ||
	    !cfi_coverage_walk(&module->cfi, &view, s.va, s.size, module->low, module->high))
		module->cfi.state = CFI_NONE;
}

static void forget_older(struct cairn_space *space, const struct module *module)
{
	for (size_t i = space->count; i-- > 0;) {
		const struct module *old = space->modules[i];
		if (old->registered && old->low < module->high && module->low < old->high)
			space_drop_module(space, i);
	}
}

/*
 * List an image without tables that cairn can use. Its code may be scattered, with other code
 * between.
 */
static void list_image(struct cairn_space *space, const struct module *module,
                       const struct elf *elf)
{
	struct registered_image image = { .machine = module->machine, .big = module->big };
	struct elf_section s;
	unsigned listed = 0;

	for (uint32_t i = 1;
	     i < SECTIONS_MAX && elf_section(elf, i, &s) && listed < REGISTERED_IMAGES_MAX; i++) {
		if (!has_code(&s))
			continue;
		listed++;
		image.code = (struct cairn_range){ s.va, s.va + s.size };
		registered_images_add(&space->registered, &space->target, image);
	}
}

enum cairn_status cairn_space_add_jit_image(struct cairn_space *space, struct cairn_bytes image)
{
	struct elf elf;

	space_begin_query(space);
	if (!elf_opens(image, &elf))
		return CAIRN_NOT_FOUND;
	space_drop_draft(space); /* may hold the result of an earlier search */
	if (!space_make_draft(space))
		return CAIRN_NO_MEMORY;
	struct module *module = space->draft;
	module->machine = elf_machine(&elf);
	module->big = elf.big;
	module->has_sections = true;
	module->registered = true;
	const bool is_code = add_code_segments(module, &elf);
	if (is_code && module->print_size > 0)
		forget_older(space, module);
	if (!is_code || module->print_size == 0 || !copy_jit_sframe(module, &elf)) {
		if (is_code)
			list_image(space, module, &elf);
		space_drop_draft(space);
		return CAIRN_NOT_FOUND;
	}
	read_jit_cfi(module, &elf);
	space_publish_draft(space);
	return CAIRN_OK;
}
