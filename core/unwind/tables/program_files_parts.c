/* SPDX-License-Identifier: MIT */
/* Selects the parts of a module's file that are needed, and takes their contents. */
#include "program_files.h"

#include "base/bytes.h"
#include "base/hash.h"

#include <string.h>

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

/*
 * Return true for a program. Debug files have all sections too, but without contents of loaded
 * ones.
 */
static bool is_program(const struct elf *elf)
{
	struct elf_section section;

	for (uint32_t i = 1; i < elf->sections; i++)
		if (elf_section(elf, i, &section) && (section.flags & ELF_SHF_EXECUTE))
			return section.type != ELF_SHT_NOBITS;
	return elf->sections == 0;
}

/*
 * Set *part to the section's bytes in the file. Return false if the section is empty or too large.
 */
static bool locate_section_bytes(const struct elf *elf, const struct elf_section *section,
                                 struct cairn_range *part)
{
	const struct cairn_bytes bytes = elf_section_bytes(elf, section);

	*part = (struct cairn_range){ section->offset, section->offset + section->size };
	return bytes.size > 0 && bytes.size <= FILES_SECTION;
}

static bool want_frames(struct cairn_files *files, const struct elf *elf, uint32_t type,
                        struct cairn_range *part)
{
	struct elf_section section;

	(void)type;
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

static void take_frames(struct cairn_files *files, const struct elf *elf, uint32_t type,
                        bool unread)
{
	struct elf_section section;

	(void)type;
	if (unread || !elf_find_section(elf, ".debug_frame", &section))
		files->frames.everywhere = true;
	else
		files_add_frames(files, elf_section_bytes(elf, &section), elf->big,
		                 elf->wide ? 8 : 4);
}

static bool want_link(struct cairn_files *files, const struct elf *elf, uint32_t type,
                      struct cairn_range *part)
{
	struct elf_section section;

	(void)type;
	if (files->program || !is_program(elf))
		return false;
	files->program = true;
	return elf_find_section(elf, ".gnu_debuglink", &section) && section.size < FILES_LINK &&
	       locate_section_bytes(elf, &section, part);
}

static void take_link(struct cairn_files *files, const struct elf *elf, uint32_t type, bool unread)
{
	struct elf_section section;

	(void)type;
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

/*
 * The parts needed from a file: `want` requests one, `take` receives it, or learns that it is
 * unreadable.
 */
static const struct {
	bool (*want)(struct cairn_files *files, const struct elf *elf, uint32_t type,
	             struct cairn_range *part);
	void (*take)(struct cairn_files *files, const struct elf *elf, uint32_t type, bool unread);
	uint32_t type;
} parts[] = {
	{ want_frames, take_frames, 0 },
	{ want_link, take_link, 0 },
	{ want_symbols, take_symbols, ELF_SHT_SYMTAB },
	{ want_symbols, take_symbols, ELF_SHT_DYNSYM },
};

/* Each part has two steps. The second step is skipped if the first one requests nothing. */
bool cairn_files_part(struct cairn_files *files, struct cairn_bytes file, unsigned *step,
                      bool unread, struct cairn_range *part)
{
	struct elf elf;

	if (!elf_opens(file, &elf))
		return false;
	while (*step / 2 < sizeof(parts) / sizeof(parts[0])) {
		const unsigned now = (*step)++, number = now / 2;
		if (now % 2 == 1)
			parts[number].take(files, &elf, parts[number].type, unread);
		else if (parts[number].want(files, &elf, parts[number].type, part))
			return true;
		else
			++*step;
	}
	return false;
}

bool cairn_files_other_part(struct cairn_files *files, struct cairn_bytes file, bool read,
                            struct cairn_range *part)
{
	struct elf_section section;
	struct elf elf;

	if (files->other_count == FILES_OTHERS || !elf_opens(file, &elf) ||
	    !elf_find_section(&elf, ".sframe", &section) ||
	    !locate_section_bytes(&elf, &section, part))
		return false;
	if (section.size > FILES_OTHER)
		part->high = part->low + FILES_OTHER;
	const struct cairn_bytes start = { file.data + part->low,
		                           (size_t)(part->high - part->low) };
	if (read)
		files->others[files->other_count++] =
			(struct files_other){ section.va, section.size, hash_bytes(start) };
	return true;
}

bool cairn_files_have_program(const struct cairn_files *files)
{
	return files->program;
}

const char *cairn_files_link(const struct cairn_files *files)
{
	return files->link;
}
