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
 * Some linkers also place code in the first page. It gets a section of its own, .head, because
 * debuggers reject a section that spans two segments, and they only find a symbol that is in the
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

#include "writers/elf_file/elf_file.h"

#include <string.h>

enum {
	PAGE = PLACEHOLDER_PAGE,
	HEADER = ELF_FILE_HEADER,
	SHT_DYNAMIC = 6,
	SHF_WRITE = 1,
	DT_DEBUG = 21,
	DYNAMIC_SIZE = 32, /* DT_DEBUG, DT_NULL */
	GLOBAL_FUNCTION = 1 << 4 | ELF_STT_FUNC,
};

/* Names of the sections, and the offset of each name. */
static const char section_names[] =
	"\0.text\0.dynamic\0.debug_frame\0.symtab\0.strtab\0.shstrtab\0.head";
enum {
	NAME_CODE = 1,
	NAME_DYNAMIC = 7,
	NAME_FRAMES = 16,
	NAME_SYMBOLS = 29,
	NAME_STRINGS = 37,
	NAME_NAMES = 45,
	NAME_HEAD = 55,
};

struct writing_placeholder {
	const struct placeholder *draft;
	struct byte_buffer *out;
	uint64_t code; /* va of the first byte of .text */
	uint64_t dynamic_at, frames_at, symbols_at, strings_at, strings_size, names_at;
	struct byte_buffer sections;
	uint32_t section_count, head_section, code_section; /* head_section is 0 if there is none */
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

/* PT_PHDR must precede all PT_LOAD entries. */
static void put_headers_segment(struct writing_placeholder *w)
{
	const uint64_t size = count_headers(w) * ELF_SEGMENT_WIDE;
	const struct elf_segment headers = { .type = ELF_PT_PHDR,
		                             .flags = ELF_PF_READ,
		                             .offset = w->dynamic_at + DYNAMIC_SIZE,
		                             .va = w->draft->dynamic + DYNAMIC_SIZE,
		                             .file_size = size,
		                             .memory_size = size,
		                             .align = 8 };

	elf_file_segment(w->out, true, &headers);
}

static void put_dynamic_segments(struct writing_placeholder *w)
{
	const uint64_t va = w->draft->dynamic;
	const struct elf_segment page = { .type = ELF_PT_LOAD,
		                          .flags = ELF_PF_READ | ELF_PF_WRITE,
		                          .offset = w->dynamic_at,
		                          .va = va,
		                          .file_size = PAGE,
		                          .memory_size = PAGE,
		                          .align = PAGE },
				 dynamic = { .type = ELF_PT_DYNAMIC,
		                             .flags = ELF_PF_READ | ELF_PF_WRITE,
		                             .offset = w->dynamic_at,
		                             .va = va,
		                             .file_size = DYNAMIC_SIZE,
		                             .memory_size = DYNAMIC_SIZE,
		                             .align = 8 };

	elf_file_segment(w->out, true, &page);
	elf_file_segment(w->out, true, &dynamic);
}

static void put_segments(struct writing_placeholder *w)
{
	const uint64_t first = w->draft->size < PAGE ? w->draft->size : PAGE;
	const struct elf_segment head = { .type = ELF_PT_LOAD,
		                          .flags = ELF_PF_READ | ELF_PF_EXECUTE,
		                          .file_size = first,
		                          .memory_size = first,
		                          .align = PAGE },
				 rest = { .type = ELF_PT_LOAD,
		                          .flags = ELF_PF_READ | ELF_PF_EXECUTE,
		                          .offset = PAGE,
		                          .va = PAGE,
		                          .memory_size =
		                                  code_end(w) > PAGE ? code_end(w) - PAGE : 0,
		                          .align = PAGE };

	if (has_dynamic(w))
		put_headers_segment(w);
	elf_file_segment(w->out, true, &head);
	elf_file_segment(w->out, true, &rest);
	if (has_dynamic(w))
		put_dynamic_segments(w);
}

/* Write the page of the dynamic section. The value of DT_DEBUG is filled in later, in memory. */
static void put_dynamic(struct writing_placeholder *w)
{
	if (!has_dynamic(w))
		return;
	byte_buffer_number(w->out, DT_DEBUG, 8);
	byte_buffer_number(w->out, 0, 8);
	byte_buffer_number(w->out, 0, 8);
	byte_buffer_number(w->out, 0, 8);
	put_segments(w);
	byte_buffer_align(w->out, PAGE);
}

static void put_symbol(struct writing_placeholder *w, uint64_t name, uint32_t section,
                       const struct placeholder_symbol *symbol)
{
	elf_file_symbol(w->out, true,
	                &(struct elf_file_symbol){ .name = (uint32_t)name,
	                                           .section = (uint16_t)section,
	                                           .info = GLOBAL_FUNCTION,
	                                           .va = symbol->va,
	                                           .size = symbol->size });
}

static void put_symbols(struct writing_placeholder *w)
{
	const struct placeholder *draft = w->draft;
	uint64_t name = 1;

	byte_buffer_align(w->out, 8);
	w->symbols_at = w->out->size;
	elf_file_symbol(w->out, true, &(struct elf_file_symbol){ .name = 0 });
	for (size_t i = 0; i < draft->symbol_count; i++) {
		put_symbol(w, name, w->code_section, &draft->symbols[i]);
		if (w->head_section != 0 && draft->symbols[i].va < w->code)
			put_symbol(w, name, w->head_section, &draft->symbols[i]);
		name += draft->symbols[i].name.size + 1;
	}
	w->strings_at = w->out->size;
	byte_buffer_u8(w->out, 0);
	for (size_t i = 0; i < draft->symbol_count; i++) {
		byte_buffer_bytes(w->out, draft->symbols[i].name.data, draft->symbols[i].name.size);
		byte_buffer_u8(w->out, 0);
	}
	w->strings_size = w->out->size - w->strings_at;
	if (w->strings_size > UINT32_MAX)
		w->out->failed = true;
}

static void add_section(struct writing_placeholder *w, uint32_t name, const struct elf_section *s)
{
	elf_file_section(&w->sections, true, name, s);
	w->section_count++;
}

static void add_loaded_sections(struct writing_placeholder *w)
{
	const uint64_t headers = HEADER + count_headers(w) * ELF_SEGMENT_WIDE;
	const struct elf_section none = { .type = 0 },
				 head = { .type = ELF_SHT_PROGBITS,
		                          .flags = ELF_SHF_ALLOC | ELF_SHF_EXECUTE,
		                          .va = headers,
		                          .offset = headers,
		                          .size = PAGE - headers,
		                          .alignment = 1 },
				 code = { .type = ELF_SHT_NOBITS,
		                          .flags = ELF_SHF_ALLOC | ELF_SHF_EXECUTE,
		                          .va = w->code,
		                          .offset = PAGE,
		                          .size = code_end(w) - w->code,
		                          .alignment = 1 },
				 dynamic = { .type = SHT_DYNAMIC,
		                             .flags = ELF_SHF_ALLOC | SHF_WRITE,
		                             .va = w->draft->dynamic,
		                             .offset = w->dynamic_at,
		                             .size = DYNAMIC_SIZE,
		                             .alignment = 8,
		                             .entry_size = 16 };

	add_section(w, 0, &none);
	if (w->code == PAGE) {
		w->head_section = w->section_count;
		add_section(w, NAME_HEAD, &head);
	}
	w->code_section = w->section_count;
	add_section(w, NAME_CODE, &code);
	if (has_dynamic(w))
		add_section(w, NAME_DYNAMIC, &dynamic);
}

static void add_file_sections(struct writing_placeholder *w)
{
	const struct elf_section frames = { .type = ELF_SHT_PROGBITS,
		                            .offset = w->frames_at,
		                            .size = w->draft->frames.size,
		                            .alignment = 8 },
				 symbols = { .type = ELF_SHT_SYMTAB,
		                             .offset = w->symbols_at,
		                             .size = w->strings_at - w->symbols_at,
		                             .link = w->section_count + 2,
		                             .info = 1,
		                             .alignment = 8,
		                             .entry_size = ELF_FILE_SYMBOL },
				 strings = { .type = ELF_SHT_STRTAB,
		                             .offset = w->strings_at,
		                             .size = w->strings_size,
		                             .alignment = 1 },
				 names = { .type = ELF_SHT_STRTAB,
		                           .offset = w->names_at,
		                           .size = sizeof(section_names),
		                           .alignment = 1 };

	add_section(w, NAME_FRAMES, &frames);
	add_section(w, NAME_SYMBOLS, &symbols);
	add_section(w, NAME_STRINGS, &strings);
	add_section(w, NAME_NAMES, &names);
}

static void finish_header(struct writing_placeholder *w)
{
	struct byte_buffer *out = w->out;

	byte_buffer_align(out, 8);
	const uint64_t at = out->size;
	byte_buffer_bytes(out, w->sections.data, w->sections.size);
	if (out->failed || w->sections.failed) {
		out->failed = true;
		return;
	}
	elf_file_place_sections(out, true, at, w->section_count);
}

void placeholder_write(const struct placeholder *placeholder, struct byte_buffer *out)
{
	struct writing_placeholder w = {
		.draft = placeholder, .out = out, .dynamic_at = PAGE, .sections = { .limit = PAGE }
	};

	/*
	 * .text begins after the first page, or after the headers if the module is shorter than a
	 * page
	 */
	w.code = code_end(&w) > PAGE ? PAGE : HEADER + count_headers(&w) * ELF_SEGMENT_WIDE;
	if (w.code > code_end(&w))
		w.code = code_end(&w);
	elf_file_header(out, true, placeholder->machine, placeholder->entry, count_headers(&w));
	put_segments(&w);
	byte_buffer_align(out, PAGE);
	put_dynamic(&w);
	w.frames_at = out->size;
	byte_buffer_bytes(out, placeholder->frames.data, placeholder->frames.size);
	add_loaded_sections(&w);
	put_symbols(&w);
	w.names_at = out->size;
	byte_buffer_bytes(out, section_names, sizeof(section_names));
	add_file_sections(&w);
	finish_header(&w);
	byte_buffer_finish(&w.sections);
}
