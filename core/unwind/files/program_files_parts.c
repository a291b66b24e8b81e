/* SPDX-License-Identifier: MIT */
/* Which parts of a file of a module are wanted, and what they contain. */
#include "program_files.h"

#include "base/bytes_compare.h"

#include <string.h>

enum step {
	STEP_FRAMES,
	STEP_FRAMES_READ,
	STEP_LINK,
	STEP_LINK_READ,
	STEP_SYMBOLS,
	STEP_SYMBOLS_READ,
	STEP_EXPORTS,
	STEP_EXPORTS_READ,
	STEP_END
};

bool cairn_files_are_of(const struct cairn_module *module, struct cairn_bytes file, bool named)
{
	struct cairn_bytes first = file;
	struct elf elf;

	if (!elf_opens(file, &elf) || elf_machine(&elf) != module->machine ||
	    elf.big != module->big_endian)
		return false;
	struct cairn_bytes id = elf_build_id(&elf);
	if (module->build_id.size > 0 && id.size > 0)
		return bytes_equal(id, module->build_id);
	if (named)
		return module->build_id.size == 0 && id.size == 0;
	first.size = first.size < module->headers.size ? first.size : module->headers.size;
	return first.size > 0 && bytes_equal(first, module->headers);
}

/* Debug files have all sections, but no bytes of what is loaded. */
static bool is_program(const struct elf *elf)
{
	struct elf_section section;

	for (uint32_t i = 1; i < elf->sections; i++)
		if (elf_section(elf, i, &section) && (section.flags & ELF_SHF_EXECUTE))
			return section.type != ELF_SHT_NOBITS;
	return elf->sections == 0;
}

/* Where a section is in the file; false when it has no bytes there that can be read. */
static bool locate_section_bytes(const struct elf *elf, const struct elf_section *section,
                                 struct cairn_range *part)
{
	const struct cairn_bytes bytes = elf_section_bytes(elf, section);

	*part = (struct cairn_range){ section->offset, section->offset + section->size };
	return bytes.size > 0 && bytes.size <= FILES_SECTION;
}

static bool want_frames(struct cairn_files *files, const struct elf *elf, struct cairn_range *part)
{
	struct elf_section section;

	if (elf_find_section(elf, ".zdebug_frame", &section))
		files->frames.everywhere = true;
	if (!elf_find_section(elf, ".debug_frame", &section) || section.size == 0 ||
	    section.type == ELF_SHT_NOBITS)
		return false;
	if (!(section.flags & ELF_SHF_COMPRESSED) && locate_section_bytes(elf, &section, part))
		return true;
	files->frames.everywhere = true;
	return false;
}

static void take_frames(struct cairn_files *files, const struct elf *elf, bool unread)
{
	struct elf_section section;

	if (unread || !elf_find_section(elf, ".debug_frame", &section))
		files->frames.everywhere = true;
	else
		files_add_frames(files, elf_section_bytes(elf, &section), elf->big,
		                 elf->wide ? 8 : 4);
}

/* The program's own word about its debug file. */
static bool want_link(struct cairn_files *files, const struct elf *elf, struct cairn_range *part)
{
	struct elf_section section;

	if (files->program || !is_program(elf))
		return false;
	files->program = true;
	return elf_find_section(elf, ".gnu_debuglink", &section) && section.size < FILES_LINK &&
	       locate_section_bytes(elf, &section, part);
}

static void take_link(struct cairn_files *files, const struct elf *elf, bool unread)
{
	struct elf_section section;

	if (unread || !elf_find_section(elf, ".gnu_debuglink", &section))
		return;
	struct cairn_bytes bytes = elf_section_bytes(elf, &section);
	memcpy(files->link, bytes.data, bytes.size);
	files->link[bytes.size] = '\0';
}

static bool find_table(const struct elf *elf, uint32_t type, struct elf_section *table)
{
	for (uint32_t i = 1; i < elf->sections; i++)
		if (elf_section(elf, i, table) && table->type == type)
			return true;
	return false;
}

static bool want_symbols(struct cairn_files *files, const struct elf *elf, uint32_t type,
                         struct cairn_range *part)
{
	struct elf_section table;

	if (!files->wants_symbols || !find_table(elf, type, &table) || table.size == 0)
		return false;
	if (locate_section_bytes(elf, &table, part))
		return true;
	files->functions.everywhere = true;
	return false;
}

static void take_symbols(struct cairn_files *files, const struct elf *elf, uint32_t type,
                         bool unread)
{
	struct elf_section table;

	if (unread || !find_table(elf, type, &table))
		files->functions.everywhere = true;
	else
		files_add_symbols(files, elf, &table);
}

/* One step; true when it wants a part. */
static bool take_step(struct cairn_files *files, const struct elf *elf, enum step step, bool unread,
                      struct cairn_range *part)
{
	switch (step) {
	case STEP_FRAMES:
		return want_frames(files, elf, part);
	case STEP_FRAMES_READ:
		take_frames(files, elf, unread);
		return false;
	case STEP_LINK:
		return want_link(files, elf, part);
	case STEP_LINK_READ:
		take_link(files, elf, unread);
		return false;
	case STEP_SYMBOLS:
		return want_symbols(files, elf, ELF_SHT_SYMTAB, part);
	case STEP_SYMBOLS_READ:
		take_symbols(files, elf, ELF_SHT_SYMTAB, unread);
		return false;
	case STEP_EXPORTS:
		return want_symbols(files, elf, ELF_SHT_DYNSYM, part);
	case STEP_EXPORTS_READ:
		take_symbols(files, elf, ELF_SHT_DYNSYM, unread);
		return false;
	case STEP_END:
		break;
	}
	return false;
}

/* Behind a step that wants nothing, the one that would take it is left out. */
bool cairn_files_part(struct cairn_files *files, struct cairn_bytes file, unsigned *step,
                      bool unread, struct cairn_range *part)
{
	struct elf elf;

	if (!elf_opens(file, &elf))
		return false;
	while (*step < STEP_END) {
		const enum step now = (enum step)(*step)++;
		bool takes = (now - STEP_FRAMES) % 2 == 1; /* each second one */
		if (take_step(files, &elf, now, unread, part))
			return true;
		*step += !takes;
	}
	return false;
}

bool cairn_files_have_program(const struct cairn_files *files)
{
	return files->program;
}

const char *cairn_files_link(const struct cairn_files *files)
{
	return files->link;
}
