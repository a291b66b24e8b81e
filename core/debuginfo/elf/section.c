/* SPDX-License-Identifier: MIT */
/* Decompresses a single ELF section by name. */
#include "section.h"

#include "compressed_sections.h"
#include "formats/elf/elf.h"

#include <stdlib.h>

enum cairn_status debuginfo_decompress(struct cairn_bytes file, const char *name, void **memory,
                                       size_t *size)
{
	struct elf_section section;
	struct cairn_fault fault;
	struct elf elf;
	size_t claimed;

	if (elf_open(file, &elf, &fault) != CAIRN_OK)
		return fault.status;
	if (!elf_find_section(&elf, name, &section))
		return CAIRN_NOT_FOUND;
	if (!(section.flags & ELF_SHF_COMPRESSED))
		return CAIRN_MALFORMED;
	const struct cairn_bytes bytes = elf_section_bytes(&elf, &section);
	const enum inflate_kind kind = elf.wide ? INFLATE_ELF64 : INFLATE_ELF32;
	enum cairn_status status = inflate_section_size(bytes, kind, elf.big, &claimed, &fault);
	void *out = status == CAIRN_OK ? malloc(claimed ? claimed : 1) : NULL;
	if (!out)
		return status == CAIRN_OK ? CAIRN_NO_MEMORY : status;
	status = inflate_section_into(bytes, kind, elf.big, out, claimed, &fault);
	if (status != CAIRN_OK) {
		free(out);
		return status;
	}
	*memory = out;
	*size = claimed;
	return CAIRN_OK;
}
