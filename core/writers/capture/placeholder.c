/* SPDX-License-Identifier: MIT */
/*
 * Writes the ELF file that replaces a missing module:
 *
 *	file    = header segment* padding (dynamic segment* padding)? frames symbol* strings names
 *	          section*
 *	segment = PT_PHDR?; PT_LOAD of the first page; PT_LOAD of the rest without contents;
 *	          (PT_LOAD PT_DYNAMIC)?
 *	section = none .head? .text .dynamic? .debug_frame .symtab .strtab .shstrtab
 *
 * Some linkers also place code in the first page. This code gets a separate section, .head, because
 * debuggers reject a section that spans two segments, and they find a symbol only if it is in the
 * section that contains the address.
 *
 * The file deliberately lacks a build ID. With one, a debugger would find a separate debug file and
 * relocate its symbols by section addresses, which are different here.
 *
 * Debuggers read a program's headers from memory, at the address in the auxiliary vector. The first
 * page of the module may have other contents in the core, so the page of the dynamic section
 * contains a copy of the headers.
 */
#include "placeholder.h"

#include "writers/elf/elf_builder.h"

enum {
	PAGE = PLACEHOLDER_PAGE,
	HEADER = ELF_FILE_HEADER,
	SHT_DYNAMIC = 6,
	SHF_WRITE = 1,
	DT_DEBUG = 21,
	DYNAMIC_SIZE = 32, /* size of the entries DT_DEBUG and DT_NULL */
	GLOBAL_FUNCTION = 1 << 4 | ELF_STT_FUNC,
};

/* .head comes last; all names are present even if their sections are missing */
static const char section_names[] =
	"\0.text\0.dynamic\0.debug_frame\0.symtab\0.strtab\0.shstrtab\0.head";

struct writing_placeholder {
	const struct placeholder *draft;
	struct elf_builder file;
	uint64_t code;
	uint32_t head_section, code_section; /* section indices; head_section is 0 without .head */
};

static bool has_dynamic(const struct writing_placeholder *w)
{
	return w->draft->dynamic != 0;
}

static uint64_t code_end(const struct writing_placeholder *w)
{
	return has_dynamic(w) ? w->draft->dynamic : w->draft->size;
}

static uint32_t count_headers(const struct writing_placeholder *w)
{
	return 2u + (has_dynamic(w) ? 3u : 0u);
}

/* ELF requires PT_PHDR to precede all PT_LOAD entries. */
static void put_segments(struct writing_placeholder *w)
{
	const uint64_t dynamic = w->draft->dynamic, headers = count_headers(w) * ELF_SEGMENT_WIDE,
		       first = w->draft->size < PAGE ? w->draft->size : PAGE,
		       rest = code_end(w) > PAGE ? code_end(w) - PAGE : 0;
	const uint32_t code = ELF_PF_READ | ELF_PF_EXECUTE, data = ELF_PF_READ | ELF_PF_WRITE;
	const struct elf_segment segments[] = {
		{ ELF_PT_PHDR, ELF_PF_READ, PAGE + DYNAMIC_SIZE, dynamic + DYNAMIC_SIZE, headers,
		  headers, 8 },
		{ ELF_PT_LOAD, code, 0, 0, first, first, PAGE },
		{ ELF_PT_LOAD, code, PAGE, PAGE, 0, rest, PAGE },
		{ ELF_PT_LOAD, data, PAGE, dynamic, PAGE, PAGE, PAGE },
		{ ELF_PT_DYNAMIC, data, PAGE, dynamic, DYNAMIC_SIZE, DYNAMIC_SIZE, 8 },
	};

	for (unsigned i = has_dynamic(w) ? 0 : 1; i < (has_dynamic(w) ? 5 : 3); i++)
		elf_file_segment(w->file.out, true, &segments[i]);
}

static void put_dynamic(struct writing_placeholder *w)
{
	if (!has_dynamic(w))
		return;
	byte_buffer_number(w->file.out, DT_DEBUG, 8);
	byte_buffer_number(w->file.out, 0, 8);
	byte_buffer_number(w->file.out, 0, 8);
	byte_buffer_number(w->file.out, 0, 8);
	put_segments(w);
	byte_buffer_align(w->file.out, PAGE);
}

static void put_symbol(struct writing_placeholder *w, uint64_t name, uint32_t section,
                       const struct placeholder_symbol *symbol)
{
	elf_file_symbol(w->file.out, true,
	                &(struct elf_file_symbol){ .name = (uint32_t)name,
	                                           .section = (uint16_t)section,
	                                           .info = GLOBAL_FUNCTION,
	                                           .va = symbol->va,
	                                           .size = symbol->size });
}

static void put_symbols(struct writing_placeholder *w)
{
	const struct placeholder *draft = w->draft;
	struct byte_buffer *out = w->file.out;
	uint64_t name = 1;

	elf_builder_begin_symbols(&w->file);
	for (size_t i = 0; i < draft->symbol_count; i++) {
		put_symbol(w, name, w->code_section, &draft->symbols[i]);
		if (w->head_section != 0 && draft->symbols[i].va < w->code)
			put_symbol(w, name, w->head_section, &draft->symbols[i]);
		name += draft->symbols[i].name.size + 1;
	}
	elf_builder_end_symbols(&w->file);
	struct elf_section *strings = elf_builder_section(&w->file, ".strtab", ELF_SHT_STRTAB);
	byte_buffer_u8(out, 0);
	for (size_t i = 0; i < draft->symbol_count; i++) {
		byte_buffer_bytes(out, draft->symbols[i].name.data, draft->symbols[i].name.size);
		byte_buffer_u8(out, 0);
	}
	strings->size = out->size - strings->offset;
	if (strings->size > UINT32_MAX)
		out->failed = true;
}

static uint32_t add_code_section(struct writing_placeholder *w, const char *name, uint32_t type,
                                 uint64_t offset, struct cairn_range range)
{
	struct elf_section *s = elf_builder_section(&w->file, name, type);

	s->flags = ELF_SHF_ALLOC | ELF_SHF_EXECUTE;
	s->va = range.low;
	s->offset = offset;
	s->size = range.high - range.low;
	return w->file.count - 1;
}

static void add_loaded_sections(struct writing_placeholder *w)
{
	const uint64_t headers = HEADER + count_headers(w) * ELF_SEGMENT_WIDE;

	elf_builder_section(&w->file, "", 0);
	if (w->code == PAGE)
		w->head_section = add_code_section(w, ".head", ELF_SHT_PROGBITS, headers,
		                                   (struct cairn_range){ headers, PAGE });
	w->code_section = add_code_section(w, ".text", ELF_SHT_NOBITS, PAGE,
	                                   (struct cairn_range){ w->code, code_end(w) });
	if (!has_dynamic(w))
		return;
	struct elf_section *s = elf_builder_section(&w->file, ".dynamic", SHT_DYNAMIC);
	s->flags = ELF_SHF_ALLOC | SHF_WRITE;
	s->va = w->draft->dynamic;
	s->offset = PAGE;
	s->size = DYNAMIC_SIZE;
	s->alignment = 8;
	s->entry_size = 16;
}

void placeholder_write(const struct placeholder *placeholder, struct byte_buffer *out)
{
	struct writing_placeholder w = {
		.draft = placeholder,
		.file = { .out = out,
		          .wide = true,
		          .names = { section_names, sizeof(section_names) } },
	};

	/*
	 * .text begins after the first page or, in a module shorter than a page, after the headers
	 */
	w.code = code_end(&w) > PAGE ? PAGE : HEADER + count_headers(&w) * ELF_SEGMENT_WIDE;
	if (w.code > code_end(&w))
		w.code = code_end(&w);
	elf_file_header(out, true, placeholder->machine, placeholder->entry, count_headers(&w));
	put_segments(&w);
	byte_buffer_align(out, PAGE);
	put_dynamic(&w);
	add_loaded_sections(&w);
	elf_builder_contents(&w.file, ".debug_frame", ELF_SHT_PROGBITS, placeholder->frames)
		->alignment = 8;
	put_symbols(&w);
	elf_builder_finish(&w.file);
}
