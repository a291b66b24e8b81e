/* SPDX-License-Identifier: MIT */
/*
 * Converts profile addresses to addresses in the file: the mapping's start and file offset give the
 * file offset of an address, and the segment that contains this offset gives the link-time address.
 */
#include "place.h"

#include "formats/elf/elf.h"

enum { PAGE = 4096 };

bool place_is_linked(const struct pprof_mapping *m)
{
	return m->start == 0 && m->offset == 0 && (m->limit == 0 || m->limit == UINT64_MAX);
}

void place_from_program(struct profile_place *place, struct cairn_bytes program)
{
	*place = (struct profile_place){ .kind = PLACE_UNKNOWN,
		                         .segments = elf_places_read(program) };
	if (place->segments.count > 0)
		place->kind = PLACE_SEGMENTS;
}

static uint64_t round_up(uint64_t value)
{
	return (value + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static bool fills_mapping(const struct elf_segment *s, const struct pprof_mapping *m)
{
	const uint64_t first = s->va & ~(uint64_t)(PAGE - 1);

	return m->limit - m->start == round_up(s->va + s->memory_size) - first;
}

/*
 * Compute the load bias, which is safe only if the file has a single executable segment of the
 * mapping's size.
 */
void place_from_debug_file(struct profile_place *place, struct cairn_bytes file,
                           const struct pprof_mapping *mapping)
{
	struct elf_segment segment, code = { .type = 0 };
	unsigned found = 0;
	struct elf elf;

	*place = (struct profile_place){ .kind = PLACE_UNKNOWN };
	if (!elf_opens(file, &elf))
		return;
	for (uint32_t i = 0; elf_segment(&elf, i, &segment); i++)
		if (segment.type == ELF_PT_LOAD && (segment.flags & ELF_PF_EXECUTE)) {
			code = segment;
			found++;
		}
	if (found != 1 || !fills_mapping(&code, mapping))
		return;
	place->kind = PLACE_BIAS;
	place->bias = mapping->start - (code.va & ~(uint64_t)(PAGE - 1));
}

bool place_address(const struct profile_place *place, const struct pprof_mapping *m,
                   uint64_t address, uint64_t *va)
{
	const uint64_t into = address - m->start;

	if (place->kind == PLACE_LINKED) {
		*va = address;
		return true;
	}
	if (into >= m->limit - m->start)
		return false;
	if (place->kind == PLACE_BIAS) {
		*va = address - place->bias;
		return true;
	}
	return elf_places_find(&place->segments, into + m->offset, va);
}
