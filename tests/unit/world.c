/* SPDX-License-Identifier: MIT */
#include "world.h"

#include "made_elf.h"

#include "formats/elf/elf.h"

enum {
	HEADER = 64,
	PROGRAM_HEADER = 56,
	NOTE_AT = 0x800,
	DATA_4 = 0x1b, /* DW_EH_PE_pcrel | DW_EH_PE_sdata4 */
};

static enum cairn_status serve(void *context, uint64_t address, void *buffer, size_t size)
{
	struct world *world = context;

	assert(size > 0 && address + (size - 1) >= address);
	world->reads++;
	if (world->reads == world->leave_at)
		longjmp(world->out, 1);
	if (world->reads == world->refuse_at)
		return CAIRN_UNREADABLE;
	for (size_t i = world->count; i-- > 0;) {
		const struct world_map *m = &world->maps[i];
		if (address - m->address >= m->size || size > m->size - (address - m->address))
			continue;
		memcpy(buffer, m->data + (address - m->address), size);
		return CAIRN_OK;
	}
	return CAIRN_UNREADABLE;
}

void world_init(struct world *world)
{
	*world = (struct world){ .target = { serve, world } };
}

void world_map(struct world *world, uint64_t address, const void *data, size_t size)
{
	assert(world->count < WORLD_MAPS);
	world->maps[world->count++] = (struct world_map){ address, data, size };
}

void world_unmap(struct world *world, uint64_t address)
{
	size_t kept = 0;

	for (size_t i = 0; i < world->count; i++)
		if (world->maps[i].address != address)
			world->maps[kept++] = world->maps[i];
	assert(kept < world->count);
	world->count = kept;
}

static void put_segment(struct out *o, const struct world_segment *s)
{
	out_put(o, s->type, 4);
	out_put(o, s->flags, 4);
	out_put(o, s->offset, 8);
	out_put(o, s->va, 8);
	out_put(o, s->va, 8);
	out_put(o, s->size, 8);
	out_put(o, s->size, 8);
	out_put(o, WORLD_PAGE, 8);
}

void world_elf(struct out *o, const struct world_elf *elf)
{
	assert(o->size == 0);
	o->big = elf->big;
	out_text(o, "\177ELF\2", 5);
	out_put(o, elf->big ? 2 : 1, 1);
	out_text(o, "\1\0\0\0\0\0\0\0\0\0", 10);
	out_put(o, elf->type, 2);
	out_put(o, elf->machine, 2);
	out_put(o, 1, 4);
	out_put(o, elf->entry, 8);
	out_put(o, HEADER, 8);
	out_put(o, elf->no_sections ? 0 : 0x100000, 8);
	out_put(o, 0, 4);
	out_put(o, HEADER, 2);
	out_put(o, PROGRAM_HEADER, 2);
	out_put(o, elf->count, 2);
	out_put(o, 64, 2);
	out_put(o, elf->no_sections ? 0 : 9, 2);
	out_put(o, elf->no_sections ? 0 : 8, 2);
	for (unsigned i = 0; i < elf->count; i++)
		put_segment(o, &elf->segments[i]);
}

static void pad_to(struct out *o, size_t size)
{
	assert(o->size <= size);
	while (o->size < size)
		out_put(o, 0, 1);
}

static uint16_t elf_number(enum cairn_machine machine)
{
	switch (machine) {
	case CAIRN_MACHINE_AARCH64:
		return ELF_EM_AARCH64;
	case CAIRN_MACHINE_S390X:
		return ELF_EM_S390;
	case CAIRN_MACHINE_AMD64:
	case CAIRN_MACHINE_NONE:
		break;
	}
	return ELF_EM_X86_64;
}

static uint8_t table_abi(const struct world_image *about)
{
	switch (about->machine) {
	case CAIRN_MACHINE_AARCH64:
		return about->big ? MADE_AARCH64_BIG : MADE_AARCH64;
	case CAIRN_MACHINE_S390X:
		return MADE_S390X;
	case CAIRN_MACHINE_AMD64:
	case CAIRN_MACHINE_NONE:
		break;
	}
	return MADE_AMD64;
}

static void put_headers(struct out *o, const struct world_image *about)
{
	uint64_t base = about->base;
	const struct world_segment segments[] = {
		{ ELF_PT_LOAD, 4, 0, base, WORLD_PAGE },
		{ ELF_PT_LOAD, 5, WORLD_CODE, base + WORLD_CODE, WORLD_PAGE },
		{ ELF_PT_LOAD, 4, WORLD_SFRAME, base + WORLD_SFRAME, WORLD_PAGE },
		{ ELF_PT_LOAD, 6, WORLD_DATA, base + WORLD_DATA, WORLD_PAGE },
		{ ELF_PT_NOTE, 4, NOTE_AT, base + NOTE_AT, 16 + WORLD_ID },
		{ about->no_sframe ? 0 : ELF_PT_GNU_SFRAME, 4, WORLD_SFRAME, base + WORLD_SFRAME,
		  WORLD_FRAMES - WORLD_SFRAME },
		{ about->no_header ? 0 : ELF_PT_GNU_EH_FRAME, 4, WORLD_HEADER, base + WORLD_HEADER,
		  WORLD_DATA - WORLD_HEADER },
	};
	const struct world_elf elf = { .type = about->fixed ? ELF_TYPE_EXEC : ELF_TYPE_DYN,
		                       .machine = elf_number(about->machine),
		                       .entry = about->entry ? base + about->entry : 0,
		                       .big = about->big,
		                       .no_sections = about->no_sections,
		                       .count = sizeof(segments) / sizeof(segments[0]),
		                       .segments = segments };

	world_elf(o, &elf);
}

void world_image(struct out *o, const struct world_image *about)
{
	char id[WORLD_ID];
	struct made_function functions[MADE_FUNCTIONS];
	struct made_table table = { .version = about->version ? about->version : 2,
		                    .abi = table_abi(about),
		                    .flags = SFRAME_FLAG_SORTED,
		                    .count = about->count,
		                    .functions = functions };

	assert(about->count <= MADE_FUNCTIONS);
	for (uint32_t i = 0; i < about->count; i++) {
		functions[i] = about->functions[i];
		functions[i].start += about->base;
	}
	o->size = 0;
	put_headers(o, about);
	pad_to(o, NOTE_AT);
	memset(id, about->id, sizeof(id));
	made_note(o, "GNU", 3, id, sizeof(id));
	pad_to(o, WORLD_SFRAME);
	if (about->count > 0) {
		static struct out section;
		section.size = 0;
		section.big = about->big;
		made_append(&section, about->base + WORLD_SFRAME, &table, NULL);
		out_text(o, (const char *)section.data, section.size);
	}
	assert(o->size <= WORLD_FRAMES);
	pad_to(o, WORLD_SIZE);
}

/* A number of 4 bytes that counts from its own place. */
static void poke_relative(struct out *o, uint64_t base, size_t at, uint64_t va)
{
	out_poke(o, at, va - (base + at), 4);
}

void world_frames(struct out *o, uint64_t base, size_t at, const struct cairn_range *ranges,
                  unsigned count, size_t *places, size_t *end)
{
	static const uint8_t cie[] = { 1, 'z', 'R', 0, 1, 0x78, 16, 1, DATA_4, 0, 0, 0 };
	const size_t start = at;

	out_poke(o, at, 4 + sizeof(cie), 4);
	out_poke(o, at + 4, 0, 4);
	for (size_t i = 0; i < sizeof(cie); i++)
		out_poke(o, at + 8 + i, cie[i], 1);
	at += 8 + sizeof(cie);
	for (unsigned i = 0; i < count; i++, at += 20) {
		if (places)
			places[i] = at;
		out_poke(o, at, 16, 4);
		out_poke(o, at + 4, at + 4 - start, 4);
		poke_relative(o, base, at + 8, ranges[i].low);
		out_poke(o, at + 12, ranges[i].high - ranges[i].low, 4);
		out_poke(o, at + 16, 0, 4);
	}
	out_poke(o, at, 0, 4);
	*end = at + 4;
}

void world_header(struct out *o, uint64_t base, size_t at, size_t frames,
                  const struct cairn_range *ranges, unsigned count, const size_t *places)
{
	static const uint8_t encodings[] = { 1, DATA_4, 0x03, 0x3b };

	for (size_t i = 0; i < sizeof(encodings); i++)
		out_poke(o, at + i, encodings[i], 1);
	poke_relative(o, base, at + 4, base + frames);
	out_poke(o, at + 8, count, 4);
	for (unsigned i = 0; i < count; i++) {
		out_poke(o, at + 12 + 8 * (size_t)i, ranges[i].low - (base + at), 4);
		out_poke(o, at + 16 + 8 * (size_t)i, base + places[i] - (base + at), 4);
	}
}
