/* SPDX-License-Identifier: MIT */
/*
 * The ELF file around the sections: a shared object without contents of its own, as `objcopy --only-keep-debug` leaves one. Addresses are
 * those of the module as linked. The names of symbols are those of DWARF, so both string sections are the same bytes.
 */
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the header, and of an item of each table. */
enum { HEADER_64 = 64, SEGMENT_64 = 56, SECTION_64 = 64, SYMBOL_64 = 24 };
enum { HEADER_32 = 52, SEGMENT_32 = 32, SECTION_32 = 40, SYMBOL_32 = 16 };

enum {
	TYPE_DYN = 3,
	SEGMENT_LOAD = 1,
	SEGMENT_READ_EXECUTE = 5,
	SECTION_PROGBITS = 1,
	SECTION_SYMTAB = 2,
	SECTION_STRTAB = 3,
	SECTION_NOTE = 7,
	SECTION_NOBITS = 8,
	FLAG_ALLOC = 2,
	FLAG_EXECUTE = 4,
	FLAG_MERGE_STRINGS = 0x30,
	SYMBOL_LOCAL_FUNCTION = 0x02,
	SYMBOL_GLOBAL_FUNCTION = 0x12,
	NOTE_BUILD_ID = 3,
	SECTIONS = CAIRN_SECTIONS + 16,
};

_Static_assert((int)ELF_WRITER_CODE_SECTIONS <= (int)CAIRN_SECTIONS,
               "sections of code have no room");

struct section {
	char name[CAIRN_SECTION_NAME];
	uint32_t name_at, type;
	uint64_t flags, address, offset, size;
	uint32_t link, info;
	uint64_t alignment, item;
};

struct object {
	struct elf_writer *w;
	struct byte_buffer out;
	struct section section[SECTIONS];
	unsigned count;
	unsigned loaded, behind_loaded; /* of those that are: the first, and after the last */
	unsigned codes;                 /* how many of these hold code */
};

static void append_elf_word(struct object *o, uint64_t value)
{
	byte_buffer_number(&o->out, value, o->w->word);
}

/* A section whose contents come next, or were written before. */
static struct section *add_section(struct object *o, const char *name, uint32_t type)
{
	struct section *s = &o->section[o->count++];

	*s = (struct section){ .type = type, .offset = o->out.size, .alignment = 1 };
	snprintf(s->name, sizeof(s->name), "%s", name);
	return s;
}

static void add_contents(struct object *o, const char *name, struct byte_buffer *contents)
{
	if (contents->size == 0)
		return;
	struct section *s = add_section(o, name, SECTION_PROGBITS);
	s->size = contents->size;
	byte_buffer_bytes(&o->out, contents->data, contents->size);
	byte_buffer_finish(contents); /* so that little is there twice */
}

static void add_loaded(struct object *o, const struct cairn_section *loaded)
{
	struct section *s = add_section(o, loaded->name, SECTION_NOBITS);

	s->flags = loaded->flags;
	s->address = loaded->range.low;
	s->size = loaded->range.high - loaded->range.low;
	if (o->w->options.for_lldb) /* which compares it */
		s->alignment = loaded->alignment;
	else
		o->codes += (loaded->flags & FLAG_EXECUTE) != 0;
}

/* The module's own sections, or some around the code; no bytes are written. */
static void add_all_loaded(struct object *o)
{
	const struct elf_writer_options *options = &o->w->options;
	struct cairn_section text = { .name = ".text", .flags = FLAG_ALLOC | FLAG_EXECUTE };

	text.alignment = 1;
	o->loaded = o->count;
	for (size_t i = 0; i < options->sections; i++)
		add_loaded(o, &options->section[i]);
	for (size_t i = 0; i < o->w->texts && options->sections == 0; i++) {
		if (i > 0)
			snprintf(text.name, sizeof(text.name), ".text.%zu", i);
		text.range = o->w->text[i].range;
		add_loaded(o, &text);
	}
	o->behind_loaded = o->count;
}

static void add_build_id(struct object *o)
{
	const struct cairn_bytes id = o->w->options.build_id;

	if (id.size == 0)
		return;
	byte_buffer_align(&o->out, 4);
	struct section *s = add_section(o, ".note.gnu.build-id", SECTION_NOTE);
	s->alignment = 4;
	byte_buffer_number(&o->out, 4, 4);
	byte_buffer_number(&o->out, id.size, 4);
	byte_buffer_number(&o->out, NOTE_BUILD_ID, 4);
	byte_buffer_bytes(&o->out, "GNU", 4);
	byte_buffer_bytes(&o->out, id.data, id.size);
	byte_buffer_align(&o->out, 4);
	s->size = o->out.size - s->offset;
}

/* The section of code that holds an address, by its number; 0 when none does.
 */
static unsigned find_text_section(const struct object *o, uint64_t va)
{
	for (unsigned i = o->loaded; i < o->behind_loaded; i++) {
		const struct section *s = &o->section[i];
		if ((s->flags & FLAG_EXECUTE) && va - s->address < s->size)
			return i;
	}
	return 0;
}

static void add_symbol(struct object *o, const struct elf_writer_function *f, unsigned text,
                       uint8_t info)
{
	uint32_t name = o->w->names.entry[elf_writer_symbol_name(o->w, f->name)].offset;

	byte_buffer_number(&o->out, name, 4);
	if (o->w->word == 8) {
		byte_buffer_u8(&o->out, info);
		byte_buffer_u8(&o->out, 0);
		byte_buffer_number(&o->out, text, 2);
		append_elf_word(o, f->start);
		append_elf_word(o, f->end - f->start);
		return;
	}
	append_elf_word(o, f->start);
	append_elf_word(o, f->end - f->start);
	byte_buffer_u8(&o->out, info);
	byte_buffer_u8(&o->out, 0);
	byte_buffer_number(&o->out, text, 2);
}

/* Ends a symbol with its section, because one that reaches further would be a flaw. */
static struct elf_writer_function clip_to_section(const struct object *o,
                                                  const struct elf_writer_function *f,
                                                  unsigned text)
{
	struct elf_writer_function cut = *f;
	uint64_t high = o->section[text].address + o->section[text].size;

	if (cut.end > high)
		cut.end = high;
	return cut;
}

/* The symbols of clones, or all others. */
static void add_symbols_of(struct object *o, bool clones)
{
	const uint8_t info = clones ? SYMBOL_LOCAL_FUNCTION : SYMBOL_GLOBAL_FUNCTION;

	for (size_t i = 0; i < o->w->functions; i++) {
		const struct elf_writer_function *f = &o->w->function[i];
		unsigned text = find_text_section(o, f->start);
		if (text && elf_writer_is_clone(o->w, f->name) == clones) {
			struct elf_writer_function cut = clip_to_section(o, f, text);
			add_symbol(o, &cut, text, info);
		}
	}
}

/* Local symbols come first, as ELF has it. */
static void add_symbols(struct object *o)
{
	static const uint8_t none[SYMBOL_64];
	size_t item = o->w->word == 8 ? SYMBOL_64 : SYMBOL_32;

	byte_buffer_align(&o->out, o->w->word);
	struct section *s = add_section(o, ".symtab", SECTION_SYMTAB);
	byte_buffer_bytes(&o->out, none, item);
	add_symbols_of(o, true);
	s->info = (uint32_t)((o->out.size - s->offset) / item); /* the first global symbol */
	add_symbols_of(o, false);
	s->size = o->out.size - s->offset;
	s->link = o->count;
	s->alignment = o->w->word;
	s->item = item;
}

static void add_strings(struct object *o)
{
	struct byte_buffer *text = &o->w->names.text;
	struct section *symbols = add_section(o, ".strtab", SECTION_STRTAB);

	symbols->size = text->size;
	struct section *debug = add_section(o, ".debug_str", SECTION_PROGBITS);
	debug->size = text->size;
	debug->flags = FLAG_MERGE_STRINGS;
	debug->item = 1;
	byte_buffer_bytes(&o->out, text->data, text->size);
	byte_buffer_finish(text);
}

/* Adds GDB's index of names, if there is one. */
static void add_name_index(struct object *o)
{
	struct byte_buffer *part = o->w->index;

	if (part[0].size == 0)
		return;
	byte_buffer_align(&o->out, 8);
	struct section *s = add_section(o, ".gdb_index", SECTION_PROGBITS);
	s->alignment = 8;
	for (size_t i = 0; i < ELF_WRITER_INDEX_PARTS; i++) {
		byte_buffer_bytes(&o->out, part[i].data, part[i].size);
		byte_buffer_finish(&part[i]);
	}
	s->size = o->out.size - s->offset;
}

/* Adds the sections of frames, which are borrowed, because they may be wanted again. */
static void add_frames(struct object *o)
{
	const struct frame_table *frames = o->w->options.frames;

	if (!frames || frames->section.size == 0)
		return;
	byte_buffer_align(&o->out, o->w->word);
	struct section *s = add_section(o, ".debug_frame", SECTION_PROGBITS);
	s->size = frames->section.size;
	s->alignment = o->w->word;
	byte_buffer_bytes(&o->out, frames->section.data, frames->section.size);
}

static void add_paths(struct object *o)
{
	struct section *s;

	add_contents(o, ".debug_line_str", &o->w->paths.text);
	s = &o->section[o->count - 1];
	s->flags = FLAG_MERGE_STRINGS;
	s->item = 1;
}

static void add_section_names(struct object *o)
{
	struct section *names = add_section(o, ".shstrtab", SECTION_STRTAB);

	for (unsigned i = 0; i < o->count; i++) {
		o->section[i].name_at = (uint32_t)(o->out.size - names->offset);
		byte_buffer_bytes(&o->out, o->section[i].name, strlen(o->section[i].name) + 1);
	}
	names->size = o->out.size - names->offset;
}

static void write_section(struct object *o, const struct section *s)
{
	byte_buffer_number(&o->out, s->name_at, 4);
	byte_buffer_number(&o->out, s->type, 4);
	append_elf_word(o, s->flags);
	append_elf_word(o, s->address);
	append_elf_word(o, s->type ? s->offset : 0);
	append_elf_word(o, s->size);
	byte_buffer_number(&o->out, s->link, 4);
	byte_buffer_number(&o->out, s->info, 4);
	append_elf_word(o, s->type ? s->alignment : 0);
	append_elf_word(o, s->item);
}

static void write_segment(struct object *o, const struct section *s, uint64_t offset)
{
	bool wide = o->w->word == 8;

	byte_buffer_number(&o->out, SEGMENT_LOAD, 4);
	if (wide)
		byte_buffer_number(&o->out, SEGMENT_READ_EXECUTE, 4);
	append_elf_word(o, offset);
	append_elf_word(o, s->address);
	append_elf_word(o, s->address);
	append_elf_word(o, 0);
	append_elf_word(o, s->size);
	if (!wide)
		byte_buffer_number(&o->out, SEGMENT_READ_EXECUTE, 4);
	append_elf_word(o, 1);
}

/* Writes program headers for code alone. */
static void write_segments(struct object *o, uint64_t offset)
{
	for (unsigned i = o->loaded; i < o->behind_loaded; i++) {
		o->section[i].offset = offset;
		if (o->codes > 0 && (o->section[i].flags & FLAG_EXECUTE))
			write_segment(o, &o->section[i], offset);
	}
}

/* The header, with what is known only at the end left for finish_header(). */
static void write_header(struct object *o)
{
	bool wide = o->w->word == 8;
	const uint8_t ident[16] = {
		0x7f, 'E', 'L', 'F', wide ? 2 : 1, o->w->options.big ? 2 : 1, 1
	};
	unsigned header = wide ? HEADER_64 : HEADER_32;

	byte_buffer_bytes(&o->out, ident, sizeof(ident));
	byte_buffer_number(&o->out, TYPE_DYN, 2);
	byte_buffer_number(&o->out, o->w->options.machine, 2);
	byte_buffer_number(&o->out, 1, 4);
	append_elf_word(o, o->w->options.entry);
	append_elf_word(o, o->codes > 0 ? header : 0);
	append_elf_word(o, 0);
	byte_buffer_number(&o->out, 0, 4);
	byte_buffer_number(&o->out, header, 2);
	byte_buffer_number(&o->out, wide ? SEGMENT_64 : SEGMENT_32, 2);
	byte_buffer_number(&o->out, o->codes, 2);
	byte_buffer_number(&o->out, wide ? SECTION_64 : SECTION_32, 2);
	byte_buffer_number(&o->out, 0, 2);
	byte_buffer_number(&o->out, 0, 2);
	write_segments(o, header + o->codes * (wide ? SEGMENT_64 : SEGMENT_32));
}

static void finish_header(struct object *o, uint64_t sections_at)
{
	bool wide = o->w->word == 8;
	size_t end = wide ? HEADER_64 : HEADER_32;

	byte_buffer_overwrite(&o->out, wide ? 40 : 32, sections_at, o->w->word);
	byte_buffer_overwrite(&o->out, end - 4, o->count, 2);
	byte_buffer_overwrite(&o->out, end - 2, o->count - 1, 2);
}

static void write_object(struct object *o)
{
	add_section(o, "", 0);
	add_all_loaded(o);
	write_header(o);
	add_build_id(o);
	add_symbols(o);
	add_strings(o);
	add_paths(o);
	add_contents(o, ".debug_abbrev", &o->w->abbrev);
	add_contents(o, ".debug_info", &o->w->info);
	add_contents(o, ".debug_line", &o->w->lines);
	add_contents(o, ".debug_rnglists", &o->w->ranges);
	add_contents(o, ".debug_aranges", &o->w->aranges);
	add_contents(o, ".debug_loclists", &o->w->locations);
	add_name_index(o);
	add_frames(o);
	add_section_names(o);
	byte_buffer_align(&o->out, o->w->word);
	size_t sections_at = o->out.size;
	for (unsigned i = 0; i < o->count; i++)
		write_section(o, &o->section[i]);
	finish_header(o, sections_at);
}

enum cairn_status elf_writer_build_elf(struct elf_writer *w, uint8_t **bytes, size_t *size)
{
	struct object o = { .w = w };
	size_t parts = w->names.text.size + w->paths.text.size + w->info.size + w->lines.size +
	               w->ranges.size + w->aranges.size + w->locations.size +
	               w->functions * SYMBOL_64;
	for (size_t i = 0; i < ELF_WRITER_INDEX_PARTS; i++)
		parts += w->index[i].size;

	o.out.limit = SIZE_MAX / 2;
	o.out.big = w->options.big;
	if (!byte_buffer_extend(&o.out,
	                        parts)) /* at once, so that growing does not cost twice as much */
		return CAIRN_NO_MEMORY;
	o.out.size = 0;
	write_object(&o);
	if (o.out.failed) {
		byte_buffer_finish(&o.out);
		return CAIRN_NO_MEMORY;
	}
	*bytes = o.out.data;
	*size = o.out.size;
	return CAIRN_OK;
}
