/* SPDX-License-Identifier: MIT */
/*
 * Writes the ELF file around the sections: a shared object without contents of its own, like the
 * output of `objcopy --only-keep-debug`. Addresses are link-time addresses. Symbols and DWARF use
 * the same names, so .strtab and .debug_str share their bytes.
 */
#include "parts.h"

#include "writers/elf_file/elf_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SYMBOL_NARROW = 16,
	FLAG_MERGE_STRINGS = 0x30,
	SYMBOL_LOCAL_FUNCTION = 0x02,
	SYMBOL_GLOBAL_FUNCTION = 0x12,
	SECTIONS = CAIRN_SECTIONS + 16,
};

_Static_assert((int)ELF_WRITER_CODE_SECTIONS <= (int)CAIRN_SECTIONS,
               "sections of code have no room");

struct section {
	char name[CAIRN_SECTION_NAME];
	uint32_t name_at;
	struct elf_section header;
};

struct object {
	struct elf_writer *w;
	bool wide;
	struct byte_buffer out;
	struct section section[SECTIONS];
	unsigned count;
	/* First section that is loaded, and the one after the last. */
	unsigned loaded, behind_loaded;
	unsigned codes;
};

/* Add a section whose contents come next or were written before. */
static struct elf_section *add_section(struct object *o, const char *name, uint32_t type)
{
	struct section *s = &o->section[o->count++];

	s->header = (struct elf_section){ .type = type, .offset = o->out.size, .alignment = 1 };
	snprintf(s->name, sizeof(s->name), "%s", name);
	return &s->header;
}

static void add_contents(struct object *o, const char *name, struct byte_buffer *contents)
{
	if (contents->size == 0)
		return;
	struct elf_section *s = add_section(o, name, ELF_SHT_PROGBITS);
	s->size = contents->size;
	byte_buffer_bytes(&o->out, contents->data, contents->size);
	byte_buffer_finish(contents); /* free early, to avoid having two copies of all contents */
}

static void add_loaded(struct object *o, const struct cairn_section *loaded)
{
	struct elf_section *s = add_section(o, loaded->name, ELF_SHT_NOBITS);

	s->flags = loaded->flags;
	s->va = loaded->range.low;
	s->size = loaded->range.high - loaded->range.low;
	if (o->w->options.for_lldb) /* LLDB compares alignments */
		s->alignment = loaded->alignment;
	else
		o->codes += (loaded->flags & ELF_SHF_EXECUTE) != 0;
}

/* Add the module's own sections, or sections around the code. No contents are written. */
static void add_all_loaded(struct object *o)
{
	const struct cairn_object_options *options = &o->w->options;
	struct cairn_section text = { .name = ".text", .flags = ELF_SHF_ALLOC | ELF_SHF_EXECUTE };

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
	struct elf_section *s = add_section(o, ".note.gnu.build-id", ELF_SHT_NOTE);
	s->alignment = 4;
	s->size = elf_file_note_size(id);
	elf_file_note(&o->out, id);
}

static unsigned find_text_section(const struct object *o, uint64_t va)
{
	for (unsigned i = o->loaded; i < o->behind_loaded; i++) {
		const struct elf_section *s = &o->section[i].header;
		if ((s->flags & ELF_SHF_EXECUTE) && va - s->va < s->size)
			return i;
	}
	return 0;
}

/* Truncate the symbol to its section, because a symbol must not extend past it. */
static void add_symbol(struct object *o, const struct elf_writer_function *f, unsigned text,
                       uint8_t info)
{
	const struct elf_section *s = &o->section[text].header;
	const uint64_t high = s->va + s->size, end = f->end > high ? high : f->end;

	elf_file_symbol(
		&o->out, o->wide,
		&(struct elf_file_symbol){
			.name = o->w->names.entry[elf_writer_symbol_name(o->w, f->name)].offset,
			.section = (uint16_t)text,
			.info = info,
			.va = f->start,
			.size = end - f->start });
}

static void add_symbols_of(struct object *o, bool local)
{
	const uint8_t info = local ? SYMBOL_LOCAL_FUNCTION : SYMBOL_GLOBAL_FUNCTION;

	for (size_t i = 0; i < o->w->functions; i++) {
		const struct elf_writer_function *f = &o->w->function[i];
		unsigned text = find_text_section(o, f->start);
		if (text && elf_writer_has_local_symbol(o->w, f->name) == local)
			add_symbol(o, f, text, info);
	}
}

/* ELF requires local symbols to come first. */
static void add_symbols(struct object *o)
{
	const size_t item = o->wide ? ELF_FILE_SYMBOL : SYMBOL_NARROW;

	byte_buffer_align(&o->out, o->w->word);
	struct elf_section *s = add_section(o, ".symtab", ELF_SHT_SYMTAB);
	elf_file_symbol(&o->out, o->wide, &(struct elf_file_symbol){ .name = 0 });
	add_symbols_of(o, true);
	s->info = (uint32_t)((o->out.size - s->offset) / item);
	add_symbols_of(o, false);
	s->size = o->out.size - s->offset;
	s->link = o->count;
	s->alignment = o->w->word;
	s->entry_size = item;
}

static void add_strings(struct object *o)
{
	struct byte_buffer *text = &o->w->names.text;
	struct elf_section *symbols = add_section(o, ".strtab", ELF_SHT_STRTAB);

	symbols->size = text->size;
	struct elf_section *debug = add_section(o, ".debug_str", ELF_SHT_PROGBITS);
	debug->size = text->size;
	debug->flags = FLAG_MERGE_STRINGS;
	debug->entry_size = 1;
	byte_buffer_bytes(&o->out, text->data, text->size);
	byte_buffer_finish(text);
}

static void add_name_index(struct object *o)
{
	struct byte_buffer *part = o->w->index;

	if (part[0].size == 0)
		return;
	byte_buffer_align(&o->out, 8);
	struct elf_section *s = add_section(o, ".gdb_index", ELF_SHT_PROGBITS);
	s->alignment = 8;
	for (size_t i = 0; i < ELF_WRITER_INDEX_PARTS; i++) {
		byte_buffer_bytes(&o->out, part[i].data, part[i].size);
		byte_buffer_finish(&part[i]);
	}
	s->size = o->out.size - s->offset;
}

/* Add .debug_frame. The contents are borrowed because the caller may need them again. */
static void add_frames(struct object *o)
{
	const struct frame_table *frames = o->w->frames;

	if (!frames || frames->section.size == 0)
		return;
	byte_buffer_align(&o->out, o->w->word);
	struct elf_section *s = add_section(o, ".debug_frame", ELF_SHT_PROGBITS);
	s->size = frames->section.size;
	s->alignment = o->w->word;
	byte_buffer_bytes(&o->out, frames->section.data, frames->section.size);
}

static void add_paths(struct object *o)
{
	add_contents(o, ".debug_line_str", &o->w->paths.text);
	struct elf_section *s = &o->section[o->count - 1].header;
	s->flags = FLAG_MERGE_STRINGS;
	s->entry_size = 1;
}

static void add_section_names(struct object *o)
{
	struct elf_section *names = add_section(o, ".shstrtab", ELF_SHT_STRTAB);

	for (unsigned i = 0; i < o->count; i++) {
		o->section[i].name_at = (uint32_t)(o->out.size - names->offset);
		byte_buffer_bytes(&o->out, o->section[i].name, strlen(o->section[i].name) + 1);
	}
	names->size = o->out.size - names->offset;
}

/* Write program headers for the code sections, which have no contents. */
static void write_segments(struct object *o)
{
	const uint64_t offset = o->out.size + o->codes * (uint64_t)(o->wide ? ELF_SEGMENT_WIDE
	                                                                    : ELF_SEGMENT_NARROW);

	for (unsigned i = o->loaded; i < o->behind_loaded; i++) {
		struct elf_section *s = &o->section[i].header;
		s->offset = offset;
		if (o->codes > 0 && (s->flags & ELF_SHF_EXECUTE))
			elf_file_segment(
				&o->out, o->wide,
				&(struct elf_segment){ .type = ELF_PT_LOAD,
			                               .flags = ELF_PF_READ | ELF_PF_EXECUTE,
			                               .offset = offset,
			                               .va = s->va,
			                               .memory_size = s->size,
			                               .align = 1 });
	}
}

static void write_object(struct object *o)
{
	*add_section(o, "", 0) = (struct elf_section){ .type = 0 };
	add_all_loaded(o);
	elf_file_header(&o->out, o->wide, o->w->options.machine, o->w->options.entry, o->codes);
	write_segments(o);
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
		elf_file_section(&o->out, o->wide, o->section[i].name_at, &o->section[i].header);
	elf_file_place_sections(&o->out, o->wide, sections_at, o->count);
}

enum cairn_status elf_writer_build_elf(struct elf_writer *w, uint8_t **bytes, size_t *size)
{
	struct object o = { .w = w, .wide = w->word == 8 };
	size_t parts = w->names.text.size + w->paths.text.size + w->info.size + w->lines.size +
	               w->ranges.size + w->aranges.size + w->locations.size +
	               w->functions * ELF_FILE_SYMBOL;
	for (size_t i = 0; i < ELF_WRITER_INDEX_PARTS; i++)
		parts += w->index[i].size;

	o.out.limit = SIZE_MAX / 2;
	o.out.big = w->options.big_endian;
	/* all at once, because growing step by step would need twice the memory */
	if (!byte_buffer_extend(&o.out, parts))
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
