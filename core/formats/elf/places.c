/* SPDX-License-Identifier: MIT */
/* Converts file offsets to linked addresses. */
#include "places.h"

#include "elf.h"

struct elf_places elf_places_read(struct cairn_bytes program)
{
	struct elf_places places = { .count = 0 };
	struct elf_segment s;
	struct elf elf;

	if (!elf_opens(program, &elf) || (elf.type != ELF_TYPE_EXEC && elf.type != ELF_TYPE_DYN))
		return places;
	for (uint32_t i = 0; places.count < ELF_PLACES_MAX && elf_segment(&elf, i, &s); i++)
		if (s.type == ELF_PT_LOAD && s.file_size > 0)
			places.place[places.count++] =
				(struct elf_place){ s.offset, s.file_size, s.va,
				                    (s.flags & ELF_PF_EXECUTE) != 0 };
	return places;
}

bool elf_places_find(const struct elf_places *places, uint64_t offset, uint64_t *va)
{
	const struct elf_place *found = NULL;

	for (unsigned i = 0; i < places->count; i++) {
		const struct elf_place *p = &places->place[i];
		if (offset >= p->offset && offset - p->offset < p->size &&
		    (!found || (p->code && !found->code)))
			found = p;
	}
	if (found)
		*va = offset - found->offset + found->va;
	return found != NULL;
}
