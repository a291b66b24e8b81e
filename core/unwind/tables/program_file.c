/* SPDX-License-Identifier: MIT */
/* Reads program files for hosts that do not have a process yet (see cairn.h). */
#include <cairn.h>

#include "base/error.h"
#include "base/fileid.h"
#include "formats/elf/elf.h"

#include <string.h>

static enum cairn_status add_program_section(const struct elf_section *s,
                                             struct cairn_program *program,
                                             struct cairn_fault *fault)
{
	struct cairn_section *to = &program->section[program->sections];

	if (program->sections == CAIRN_SECTIONS)
		return fault_set(fault, CAIRN_UNSUPPORTED, "too many sections");
	if (s->name.size >= sizeof(to->name))
		return fault_set(fault, CAIRN_UNSUPPORTED, "the name of a section is too long");
	if (s->size > UINT64_MAX - s->va)
		return fault_set(fault, CAIRN_MALFORMED, "a section ends past the last address");
	*to = (struct cairn_section){ .flags = s->flags,
		                      .alignment = s->alignment,
		                      .range = { s->va, s->va + s->size } };
	memcpy(to->name, s->name.data, s->name.size);
	program->sections++;
	return CAIRN_OK;
}

/*
 * Return true if the section holds DWARF units. The second name marks an older compression scheme.
 */
static bool holds_units(const struct elf_section *s)
{
	static const char *const names[] = { ".debug_info", ".zdebug_info" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (s->name.size == strlen(names[i]) &&
		    memcmp(s->name.data, names[i], s->name.size) == 0)
			return true;
	return false;
}

static enum cairn_status read_program_sections(const struct elf *elf, struct cairn_program *program,
                                               struct cairn_fault *fault)
{
	enum cairn_status status = CAIRN_OK;
	struct elf_section s;

	for (uint32_t i = 1; i < elf->sections && status == CAIRN_OK; i++) {
		if (!elf_section(elf, i, &s))
			continue;
		if (s.flags & ELF_SHF_ALLOC)
			status = add_program_section(&s, program, fault);
		else
			program->debug_info = program->debug_info || holds_units(&s);
	}
	if (status == CAIRN_OK && program->sections == 0)
		return fault_set(fault, CAIRN_NOT_FOUND, "no section of it is loaded");
	return status;
}

enum cairn_status cairn_program_parse(struct cairn_bytes file, struct cairn_program *program,
                                      struct cairn_fault *fault)
{
	struct elf elf;
	enum cairn_status status = elf_open(file, &elf, fault);

	if (status != CAIRN_OK)
		return status;
	struct cairn_bytes id = elf_build_id(&elf);
	if (id.size > sizeof(program->build_id))
		return fault_set(fault, CAIRN_UNSUPPORTED, "a build ID that is too long");
	program->machine = elf_machine(&elf);
	program->big_endian = elf.big;
	program->entry = elf.entry;
	program->build_id_size = id.size;
	memcpy(program->build_id, id.data, id.size);
	program->build_id_hidden = id.size > 0 && !elf_shows_build_id(&elf);
	program->sections = 0;
	program->debug_info = false;
	program->by_clang = elf_by_clang(&elf);
	program->unwinds = elf_unwinds(&elf);
	(void)elf_load_span(&elf, &program->span);
	return read_program_sections(&elf, program, fault);
}

/*
 * Request both ends, from which FileIDs are computed, and then the parts that the ELF reader needs.
 */
bool cairn_program_next_part(struct cairn_bytes file, struct cairn_program_parts *parts,
                             struct cairn_range *part)
{
	enum { STEP_FIRST, STEP_LAST, STEP_ELF };
	const uint64_t block = file.size < FILEID_BLOCK ? file.size : FILEID_BLOCK;
	struct elf_parts elf = { parts->step - STEP_ELF, parts->index, parts->runs,
		                 parts->comment };

	if (parts->step < STEP_ELF) {
		uint64_t low = parts->step++ == STEP_FIRST ? 0 : file.size - block;
		*part = (struct cairn_range){ low, low + block };
		return block > 0;
	}
	bool more = elf_next_part(file, &elf, part);
	*parts = (struct cairn_program_parts){ elf.step + STEP_ELF, elf.index, elf.runs,
		                               elf.comment };
	return more;
}
