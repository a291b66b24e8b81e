/* SPDX-License-Identifier: MIT */
/* Implements test targets in memory that count reads and refuse or interrupt a chosen one. */
#include "fake_target.h"

#include "fixture_elf.h"

#include "formats/elf/elf.h"

enum {
	HEADER = 64,
	PROGRAM_HEADER = 56,
	NOTE_AT = 0x800,
	DATA_4 = 0x1b, /* DW_EH_PE_pcrel | DW_EH_PE_sdata4 */
};

static enum cairn_status serve(void *context, uint64_t address, void *buffer, size_t size)
{
	struct fake_target *world = context;

	assert(size > 0 && address + (size - 1) >= address);
	world->reads++;
	if (world->reads == world->leave_at)
		longjmp(world->out, 1);
	if (world->reads == world->refuse_at)
		return CAIRN_UNREADABLE;
	for (size_t i = world->count; i-- > 0;) {
		const struct fake_target_map *m = &world->maps[i];
		if (address - m->address >= m->size || size > m->size - (address - m->address))
			continue;
		memcpy(buffer, m->data + (address - m->address), size);
		return CAIRN_OK;
	}
	return CAIRN_UNREADABLE;
}

void fake_target_init(struct fake_target *world)
{
	*world = (struct fake_target){ .target = { serve, world } };
}

void fake_target_map(struct fake_target *world, uint64_t address, const void *data, size_t size)
{
	assert(world->count < FAKE_TARGET_MAPS);
	world->maps[world->count++] = (struct fake_target_map){ address, data, size };
}

void fake_target_unmap(struct fake_target *world, uint64_t address)
{
	size_t kept = 0;

	for (size_t i = 0; i < world->count; i++)
		if (world->maps[i].address != address)
			world->maps[kept++] = world->maps[i];
	assert(kept < world->count);
	world->count = kept;
}

static void put_segment(struct fixture_out *o, const struct fake_target_segment *s)
{
	fixture_out_put(o, s->type, 4);
	fixture_out_put(o, s->flags, 4);
	fixture_out_put(o, s->offset, 8);
	fixture_out_put(o, s->va, 8);
	fixture_out_put(o, s->va, 8);
	fixture_out_put(o, s->size, 8);
	fixture_out_put(o, s->size, 8);
	fixture_out_put(o, FAKE_TARGET_PAGE, 8);
}

void fake_target_elf(struct fixture_out *o, const struct fake_target_elf *elf)
{
	assert(o->size == 0);
	o->big = elf->big;
	fixture_out_text(o, "\177ELF\2", 5);
	fixture_out_put(o, elf->big ? 2 : 1, 1);
	fixture_out_text(o, "\1\0\0\0\0\0\0\0\0\0", 10);
	fixture_out_put(o, elf->type, 2);
	fixture_out_put(o, elf->machine, 2);
	fixture_out_put(o, 1, 4);
	fixture_out_put(o, elf->entry, 8);
	fixture_out_put(o, HEADER, 8);
	fixture_out_put(o, elf->no_sections ? 0 : 0x100000, 8);
	fixture_out_put(o, 0, 4);
	fixture_out_put(o, HEADER, 2);
	fixture_out_put(o, PROGRAM_HEADER, 2);
	fixture_out_put(o, elf->count, 2);
	fixture_out_put(o, 64, 2);
	fixture_out_put(o, elf->no_sections ? 0 : 9, 2);
	fixture_out_put(o, elf->no_sections ? 0 : 8, 2);
	for (unsigned i = 0; i < elf->count; i++)
		put_segment(o, &elf->segments[i]);
}

static void pad_to(struct fixture_out *o, size_t size)
{
	assert(o->size <= size);
	while (o->size < size)
		fixture_out_put(o, 0, 1);
}

static uint16_t elf_number(enum cairn_machine machine)
{
	switch (machine) {
	case CAIRN_MACHINE_AARCH64:
		return ELF_EM_AARCH64;
	case CAIRN_MACHINE_S390X:
		return ELF_EM_S390;
	case CAIRN_MACHINE_PPC64:
		return ELF_EM_PPC64;
	case CAIRN_MACHINE_RISCV64:
		return ELF_EM_RISCV;
	case CAIRN_MACHINE_AMD64:
	case CAIRN_MACHINE_I386:
	case CAIRN_MACHINE_ARM:
	case CAIRN_MACHINE_X32:
	case CAIRN_MACHINE_S390:
	case CAIRN_MACHINE_PPC:
	case CAIRN_MACHINE_NONE:
		break;
	}
	return ELF_EM_X86_64;
}

static uint8_t table_abi(const struct fake_target_image *about)
{
	switch (about->machine) {
	case CAIRN_MACHINE_AARCH64:
		return about->big ? FIXTURE_AARCH64_BIG : FIXTURE_AARCH64;
	case CAIRN_MACHINE_S390X:
		return FIXTURE_S390X;
	case CAIRN_MACHINE_AMD64:
	case CAIRN_MACHINE_I386:
	case CAIRN_MACHINE_ARM:
	case CAIRN_MACHINE_PPC64:
	case CAIRN_MACHINE_RISCV64:
	case CAIRN_MACHINE_X32:
	case CAIRN_MACHINE_S390:
	case CAIRN_MACHINE_PPC:
	case CAIRN_MACHINE_NONE:
		break;
	}
	return FIXTURE_AMD64;
}

static void put_headers(struct fixture_out *o, const struct fake_target_image *about)
{
	uint64_t base = about->base;
	const struct fake_target_segment segments[] = {
		{ ELF_PT_LOAD, 4, 0, base, FAKE_TARGET_PAGE },
		{ ELF_PT_LOAD, 5, FAKE_TARGET_CODE, base + FAKE_TARGET_CODE, FAKE_TARGET_PAGE },
		{ ELF_PT_LOAD, 4, FAKE_TARGET_SFRAME, base + FAKE_TARGET_SFRAME, FAKE_TARGET_PAGE },
		{ ELF_PT_LOAD, 6, FAKE_TARGET_DATA, base + FAKE_TARGET_DATA, FAKE_TARGET_PAGE },
		{ ELF_PT_NOTE, 4, NOTE_AT, base + NOTE_AT, 16 + FAKE_TARGET_ID },
		{ about->no_sframe ? 0 : ELF_PT_GNU_SFRAME, 4, FAKE_TARGET_SFRAME,
		  base + FAKE_TARGET_SFRAME, FAKE_TARGET_FRAMES - FAKE_TARGET_SFRAME },
		{ about->no_header ? 0 : ELF_PT_GNU_EH_FRAME, 4, FAKE_TARGET_HEADER,
		  base + FAKE_TARGET_HEADER, FAKE_TARGET_DATA - FAKE_TARGET_HEADER },
	};
	const struct fake_target_elf elf = { .type = about->fixed ? ELF_TYPE_EXEC : ELF_TYPE_DYN,
		                             .machine = elf_number(about->machine),
		                             .entry = about->entry ? base + about->entry : 0,
		                             .big = about->big,
		                             .no_sections = about->no_sections,
		                             .count = sizeof(segments) / sizeof(segments[0]),
		                             .segments = segments };

	fake_target_elf(o, &elf);
}

void fake_target_image(struct fixture_out *o, const struct fake_target_image *about)
{
	char id[FAKE_TARGET_ID];
	struct fixture_function functions[FIXTURE_FUNCTIONS];
	struct fixture_table table = { .version = about->version ? about->version : 2,
		                       .abi = table_abi(about),
		                       .flags = SFRAME_FLAG_SORTED,
		                       .count = about->count,
		                       .functions = functions };

	assert(about->count <= FIXTURE_FUNCTIONS);
	for (uint32_t i = 0; i < about->count; i++) {
		functions[i] = about->functions[i];
		functions[i].start += about->base;
	}
	o->size = 0;
	put_headers(o, about);
	pad_to(o, NOTE_AT);
	memset(id, about->id, sizeof(id));
	fixture_note(o, "GNU", 3, id, sizeof(id));
	pad_to(o, FAKE_TARGET_SFRAME);
	if (about->count > 0) {
		static struct fixture_out section;
		section.size = 0;
		section.big = about->big;
		fixture_append(&section, about->base + FAKE_TARGET_SFRAME, &table, NULL);
		fixture_out_text(o, (const char *)section.data, section.size);
	}
	assert(o->size <= FAKE_TARGET_FRAMES);
	pad_to(o, FAKE_TARGET_SIZE);
}

/* A number of 4 bytes that counts from its own place. */
static void poke_relative(struct fixture_out *o, uint64_t base, size_t at, uint64_t va)
{
	fixture_out_poke(o, at, va - (base + at), 4);
}

void fake_target_frames(struct fixture_out *o, uint64_t base, size_t at,
                        const struct cairn_range *ranges, unsigned count, size_t *places,
                        size_t *end)
{
	static const uint8_t cie[] = { 1, 'z', 'R', 0, 1, 0x78, 16, 1, DATA_4, 0, 0, 0 };
	const size_t start = at;

	fixture_out_poke(o, at, 4 + sizeof(cie), 4);
	fixture_out_poke(o, at + 4, 0, 4);
	for (size_t i = 0; i < sizeof(cie); i++)
		fixture_out_poke(o, at + 8 + i, cie[i], 1);
	at += 8 + sizeof(cie);
	for (unsigned i = 0; i < count; i++, at += 20) {
		if (places)
			places[i] = at;
		fixture_out_poke(o, at, 16, 4);
		fixture_out_poke(o, at + 4, at + 4 - start, 4);
		poke_relative(o, base, at + 8, ranges[i].low);
		fixture_out_poke(o, at + 12, ranges[i].high - ranges[i].low, 4);
		fixture_out_poke(o, at + 16, 0, 4);
	}
	fixture_out_poke(o, at, 0, 4);
	*end = at + 4;
}

void fake_target_header(struct fixture_out *o, uint64_t base, size_t at, size_t frames,
                        const struct cairn_range *ranges, unsigned count, const size_t *places)
{
	static const uint8_t encodings[] = { 1, DATA_4, 0x03, 0x3b };

	for (size_t i = 0; i < sizeof(encodings); i++)
		fixture_out_poke(o, at + i, encodings[i], 1);
	poke_relative(o, base, at + 4, base + frames);
	fixture_out_poke(o, at + 8, count, 4);
	for (unsigned i = 0; i < count; i++) {
		fixture_out_poke(o, at + 12 + 8 * (size_t)i, ranges[i].low - (base + at), 4);
		fixture_out_poke(o, at + 16 + 8 * (size_t)i, base + places[i] - (base + at), 4);
	}
}
