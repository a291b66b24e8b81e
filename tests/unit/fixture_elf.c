/* SPDX-License-Identifier: MIT */
/*
 * Assembles the bytes of a test ELF file with segments, sections, notes, symbols and relocations.
 */
#include "fixture_elf.h"

#include "formats/elf/elf.h"

static void put_word(struct fixture_out *o, uint64_t value, bool wide)
{
	fixture_out_put(o, value, wide ? 8 : 4);
}

static void put_header(struct fixture_out *o, const struct fixture_elf *elf)
{
	uint32_t sections = elf->section_count + 2;

	fixture_out_text(o, "\177ELF", 4);
	fixture_out_put(o, elf->wide ? 2 : 1, 1);
	fixture_out_put(o, elf->big ? 2 : 1, 1);
	fixture_out_put(o, 1, 1);
	fixture_out_text(o, "\0\0\0\0\0\0\0\0\0", 9);
	fixture_out_put(o, elf->type, 2);
	fixture_out_put(o, elf->machine, 2);
	fixture_out_put(o, 1, 4);
	put_word(o, elf->entry, elf->wide);
	put_word(o, elf->wide ? 64 : 52, elf->wide);
	put_word(o, 0, elf->wide); /* section headers: filled in later */
	fixture_out_put(o, 0, 4);
	fixture_out_put(o, elf->wide ? 64 : 52, 2);
	fixture_out_put(o, fixture_segment_size(elf->wide), 2);
	fixture_out_put(o, elf->hidden ? 0xffff : elf->segment_count, 2);
	fixture_out_put(o, fixture_section_size(elf->wide), 2);
	fixture_out_put(o, elf->hidden ? 0 : sections, 2);
	fixture_out_put(o, elf->hidden ? 0xffff : sections - 1, 2);
}

static void put_segment(struct fixture_out *o, const struct fixture_elf *elf,
                        const struct fixture_segment *s, uint64_t offset)
{
	uint64_t size = s->section ? elf->sections[s->section - 1].bytes.size : 0;

	fixture_out_put(o, s->type, 4);
	if (elf->wide)
		fixture_out_put(o, s->flags, 4);
	put_word(o, offset, elf->wide);
	put_word(o, s->va, elf->wide);
	put_word(o, s->va, elf->wide);
	put_word(o, size, elf->wide);
	put_word(o, s->memory_size, elf->wide);
	if (!elf->wide)
		fixture_out_put(o, s->flags, 4);
	put_word(o, 8, elf->wide);
}

static void put_section(struct fixture_out *o, bool wide, const struct fixture_section *s,
                        uint64_t name, uint64_t offset, uint64_t size)
{
	fixture_out_put(o, name, 4);
	fixture_out_put(o, s->type, 4);
	put_word(o, 0, wide);
	put_word(o, s->va, wide);
	put_word(o, offset, wide);
	put_word(o, size, wide);
	fixture_out_put(o, s->link, 4);
	fixture_out_put(o, s->info, 4);
	put_word(o, 8, wide);
	put_word(o, 0, wide);
}

/* "\0first\0second\0", and where each name is. */
static void put_names(struct fixture_out *o, const struct fixture_elf *elf, uint64_t *names)
{
	size_t start = o->size;

	fixture_out_put(o, 0, 1);
	for (uint32_t i = 0; i < elf->section_count; i++) {
		names[i] = o->size - start;
		fixture_out_text(o, elf->sections[i].name, strlen(elf->sections[i].name) + 1);
	}
}

static void put_sections(struct fixture_out *o, const struct fixture_elf *elf,
                         struct fixture_elf_places *places)
{
	uint64_t names[FIXTURE_SECTIONS];
	uint32_t count = elf->section_count;
	struct fixture_section first = { .type = 0 }, last = { .type = 3 };

	if (elf->hidden) {
		first.info = elf->segment_count;
		first.link = count + 1;
	}
	for (uint32_t i = 0; i < count; i++) {
		fixture_out_pad(o, 8);
		places->bytes[i + 1] = o->size;
		fixture_out_text(o, (const char *)elf->sections[i].bytes.data,
		                 elf->sections[i].bytes.size);
	}
	places->bytes[count + 1] = o->size;
	put_names(o, elf, names);
	size_t names_size = o->size - places->bytes[count + 1];
	fixture_out_pad(o, 8);
	places->sections = o->size;
	put_section(o, elf->wide, &first, 0, 0, elf->hidden ? count + 2 : 0);
	for (uint32_t i = 0; i < count; i++)
		put_section(o, elf->wide, &elf->sections[i], names[i], places->bytes[i + 1],
		            elf->sections[i].bytes.size);
	put_section(o, elf->wide, &last, 0, places->bytes[count + 1], names_size);
}

void fixture_elf(struct fixture_out *o, const struct fixture_elf *elf,
                 struct fixture_elf_places *places)
{
	static struct fixture_out segments;
	struct fixture_elf_places ours = { .segments = elf->wide ? 64 : 52 };

	assert(elf->section_count + 2 <= FIXTURE_SECTIONS);
	o->big = segments.big = elf->big;
	o->size = segments.size = 0;
	put_header(o, elf);
	for (uint32_t i = 0; i < elf->segment_count; i++) /* room, filled in below */
		fixture_out_text(o, (const char *)segments.data, fixture_segment_size(elf->wide));
	put_sections(o, elf, &ours);
	fixture_out_poke(o, elf->wide ? 40 : 32, ours.sections, elf->wide ? 8 : 4);
	for (uint32_t i = 0; i < elf->segment_count; i++)
		put_segment(&segments, elf, &elf->segments[i],
		            ours.bytes[elf->segments[i].section]);
	memcpy(o->data + ours.segments, segments.data, segments.size);
	if (places)
		*places = ours;
}

void fixture_note(struct fixture_out *o, const char *name, uint32_t type, const char *content,
                  uint32_t size)
{
	fixture_out_put(o, strlen(name) + 1, 4);
	fixture_out_put(o, size, 4);
	fixture_out_put(o, type, 4);
	fixture_out_text(o, name, strlen(name) + 1);
	fixture_out_pad(o, 4);
	fixture_out_text(o, content, size);
	fixture_out_pad(o, 4);
}

void fixture_symbol(struct fixture_out *o, bool wide, uint16_t place, uint64_t value)
{
	fixture_out_put(o, 0, 4);
	if (wide) {
		fixture_out_put(o, 0, 2);
		fixture_out_put(o, place, 2);
		fixture_out_put(o, value, 8);
		fixture_out_put(o, 0, 8);
	} else {
		fixture_out_put(o, value, 4);
		fixture_out_put(o, 0, 4);
		fixture_out_put(o, 0, 2);
		fixture_out_put(o, place, 2);
	}
}

void fixture_relocation(struct fixture_out *o, bool wide, uint64_t offset, uint32_t symbol,
                        uint32_t type, uint64_t addend)
{
	put_word(o, offset, wide);
	put_word(o, wide ? (uint64_t)symbol << 32 | type : symbol << 8 | type, wide);
	put_word(o, addend, wide);
}
