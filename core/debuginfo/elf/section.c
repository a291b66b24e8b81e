/* SPDX-License-Identifier: MIT */
/* Decompresses a named ELF section with libelf. */
#include "section.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

static Elf_Scn *find_section(Elf *elf, const char *name)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *found = NULL;
		if (gelf_getshdr(section, &header))
			found = elf_strptr(elf, names, header.sh_name);
		if (found && strcmp(found, name) == 0)
			break;
	}
	return section;
}

/* Does the section claim a size that it can have? */
static bool is_plausible(Elf_Scn *section)
{
	GElf_Shdr header;
	GElf_Chdr compression;

	return gelf_getshdr(section, &header) && gelf_getchdr(section, &compression) &&
	       compression.ch_size / DEBUGINFO_MOST_SAVED <= header.sh_size;
}

static enum cairn_status copy_decompressed_section(Elf_Scn *section, void **memory, size_t *size)
{
	if (!is_plausible(section))
		return CAIRN_MALFORMED;
	if (elf_compress(section, 0, 0) < 0)
		return CAIRN_UNSUPPORTED;
	Elf_Data *data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf)
		return CAIRN_MALFORMED;
	void *copy = malloc(data->d_size ? data->d_size : 1);
	if (!copy)
		return CAIRN_NO_MEMORY;
	memcpy(copy, data->d_buf, data->d_size);
	*memory = copy;
	*size = data->d_size;
	return CAIRN_OK;
}

static enum cairn_status decompress_named_section(struct cairn_bytes file, const char *name,
                                                  void **memory, size_t *size)
{
	/* libelf writes into what it was given when it decompresses, so that this is a copy. */
	char *copy = malloc(file.size ? file.size : 1);
	enum cairn_status status = CAIRN_MALFORMED;

	if (!copy)
		return CAIRN_NO_MEMORY;
	memcpy(copy, file.data, file.size);
	Elf *elf = elf_memory(copy, file.size);
	Elf_Scn *section = elf ? find_section(elf, name) : NULL;
	if (elf)
		status = section ? copy_decompressed_section(section, memory, size)
		                 : CAIRN_NOT_FOUND;
	elf_end(elf);
	free(copy);
	return status;
}

enum cairn_status debuginfo_decompress(struct cairn_bytes file, const char *name, void **memory,
                                       size_t *size)
{
	if (elf_version(EV_CURRENT) == EV_NONE)
		return CAIRN_UNSUPPORTED;
	return decompress_named_section(file, name, memory, size);
}
