/* SPDX-License-Identifier: MIT */
#include "made_elf.h"

#include "formats/elf/elf.h"

static void put_word(struct out *o, uint64_t value, bool wide)
{
	out_put(o, value, wide ? 8 : 4);
}

static void put_header(struct out *o, const struct made_elf *elf)
{
	uint32_t sections = elf->section_count + 2;

	out_text(o, "\177ELF", 4);
	out_put(o, elf->wide ? 2 : 1, 1);
	out_put(o, elf->big ? 2 : 1, 1);
	out_put(o, 1, 1);
	out_text(o, "\0\0\0\0\0\0\0\0\0", 9);
	out_put(o, elf->type, 2);
	out_put(o, elf->machine, 2);
	out_put(o, 1, 4);
	put_word(o, elf->entry, elf->wide);
	put_word(o, elf->wide ? 64 : 52, elf->wide);
	put_word(o, 0, elf->wide); /* section headers: filled in later */
	out_put(o, 0, 4);
	out_put(o, elf->wide ? 64 : 52, 2);
	out_put(o, made_segment_size(elf->wide), 2);
	out_put(o, elf->hidden ? 0xffff : elf->segment_count, 2);
	out_put(o, made_section_size(elf->wide), 2);
	out_put(o, elf->hidden ? 0 : sections, 2);
	out_put(o, elf->hidden ? 0xffff : sections - 1, 2);
}

static void put_segment(struct out *o, const struct made_elf *elf, const struct made_segment *s,
                        uint64_t offset)
{
	uint64_t size = s->section ? elf->sections[s->section - 1].bytes.size : 0;

	out_put(o, s->type, 4);
	if (elf->wide)
		out_put(o, s->flags, 4);
	put_word(o, offset, elf->wide);
	put_word(o, s->va, elf->wide);
	put_word(o, s->va, elf->wide);
	put_word(o, size, elf->wide);
	put_word(o, s->memory_size, elf->wide);
	if (!elf->wide)
		out_put(o, s->flags, 4);
	put_word(o, 8, elf->wide);
}

static void put_section(struct out *o, bool wide, const struct made_section *s, uint64_t name,
                        uint64_t offset, uint64_t size)
{
	out_put(o, name, 4);
	out_put(o, s->type, 4);
	put_word(o, 0, wide);
	put_word(o, s->va, wide);
	put_word(o, offset, wide);
	put_word(o, size, wide);
	out_put(o, s->link, 4);
	out_put(o, s->info, 4);
	put_word(o, 8, wide);
	put_word(o, 0, wide);
}

/* "\0first\0second\0", and where each name is. */
static void put_names(struct out *o, const struct made_elf *elf, uint64_t *names)
{
	size_t start = o->size;

	out_put(o, 0, 1);
	for (uint32_t i = 0; i < elf->section_count; i++) {
		names[i] = o->size - start;
		out_text(o, elf->sections[i].name, strlen(elf->sections[i].name) + 1);
	}
}

static void put_sections(struct out *o, const struct made_elf *elf, struct made_elf_places *places)
{
	uint64_t names[MADE_SECTIONS];
	uint32_t count = elf->section_count;
	struct made_section first = { .type = 0 }, last = { .type = 3 };

	if (elf->hidden) {
		first.info = elf->segment_count;
		first.link = count + 1;
	}
	for (uint32_t i = 0; i < count; i++) {
		out_pad(o, 8);
		places->bytes[i + 1] = o->size;
		out_text(o, (const char *)elf->sections[i].bytes.data, elf->sections[i].bytes.size);
	}
	places->bytes[count + 1] = o->size;
	put_names(o, elf, names);
	size_t names_size = o->size - places->bytes[count + 1];
	out_pad(o, 8);
	places->sections = o->size;
	put_section(o, elf->wide, &first, 0, 0, elf->hidden ? count + 2 : 0);
	for (uint32_t i = 0; i < count; i++)
		put_section(o, elf->wide, &elf->sections[i], names[i], places->bytes[i + 1],
		            elf->sections[i].bytes.size);
	put_section(o, elf->wide, &last, 0, places->bytes[count + 1], names_size);
}

void made_elf(struct out *o, const struct made_elf *elf, struct made_elf_places *places)
{
	static struct out segments;
	struct made_elf_places ours = { .segments = elf->wide ? 64 : 52 };

	assert(elf->section_count + 2 <= MADE_SECTIONS);
	o->big = segments.big = elf->big;
	o->size = segments.size = 0;
	put_header(o, elf);
	for (uint32_t i = 0; i < elf->segment_count; i++) /* room, filled in below */
		out_text(o, (const char *)segments.data, made_segment_size(elf->wide));
	put_sections(o, elf, &ours);
	out_poke(o, elf->wide ? 40 : 32, ours.sections, elf->wide ? 8 : 4);
	for (uint32_t i = 0; i < elf->segment_count; i++)
		put_segment(&segments, elf, &elf->segments[i],
		            ours.bytes[elf->segments[i].section]);
	memcpy(o->data + ours.segments, segments.data, segments.size);
	if (places)
		*places = ours;
}

void made_note(struct out *o, const char *name, uint32_t type, const char *content, uint32_t size)
{
	out_put(o, strlen(name) + 1, 4);
	out_put(o, size, 4);
	out_put(o, type, 4);
	out_text(o, name, strlen(name) + 1);
	out_pad(o, 4);
	out_text(o, content, size);
	out_pad(o, 4);
}

void made_symbol(struct out *o, bool wide, uint16_t place, uint64_t value)
{
	out_put(o, 0, 4);
	if (wide) {
		out_put(o, 0, 2);
		out_put(o, place, 2);
		out_put(o, value, 8);
		out_put(o, 0, 8);
	} else {
		out_put(o, value, 4);
		out_put(o, 0, 4);
		out_put(o, 0, 2);
		out_put(o, place, 2);
	}
}

void made_relocation(struct out *o, bool wide, uint64_t offset, uint32_t symbol, uint32_t type,
                     uint64_t addend)
{
	put_word(o, offset, wide);
	put_word(o, wide ? (uint64_t)symbol << 32 | type : symbol << 8 | type, wide);
	put_word(o, addend, wide);
}
