/* SPDX-License-Identifier: MIT */
/*
 * Marks units of code that gcc has optimized. Like gcc's own units, they name gcc as the producer
 * and contain a location list. From these two GDB concludes that it does not have to search for the
 * end of a prologue, neither at a function nor at a line, and leaves each breakpoint where it was
 * requested.
 *
 * The list belongs to a template parameter without a name, because that is the only kind of entry
 * with a location that no debugger command shows. The list is empty, and all units share it.
 *
 * Units in Rust name LLVM, because GDB uses rows to find the end of a prologue only in code from
 * LLVM.
 */
#include "abbrevs.h"
#include "parts.h"

#include <string.h>

enum { LLE_END = 0 };

/*
 * gcc marks statements only if it optimizes, and never marks the end of a prologue. All other
 * compilers do.
 */
static void look_at(const struct elf_writer_function *f, bool *by_gcc, bool *by_other)
{
	*by_gcc = *by_gcc || f->is_marked;
	*by_other = *by_other || f->ends_prologue;
}

bool object_is_gcc_optimized(const struct elf_writer *w, const struct elf_writer_unit *unit,
                             unsigned language)
{
	const struct elf_writer_function *part[2];
	bool by_gcc = false,
	     by_other = w->options.by_clang || !w->options.unwinds || language == ELF_WRITER_RUST;

	for (size_t i = 0; i < unit->count; i++) {
		const struct elf_writer_function *f = &w->function[unit->first + i];
		unsigned parts = f->pieces > 0 ? elf_writer_function_parts(w, f, part) : 0;
		for (unsigned p = 0; p < parts; p++)
			look_at(part[p], &by_gcc, &by_other);
	}
	return by_gcc && !by_other;
}

/* GDB parses the first and the third word of gcc's name, and the first word of LLVM's. */
uint32_t object_compiler_name(struct elf_writer *w, bool is_gcc)
{
	static const char gcc[] = "GNU C 12.0, symbols by cairn",
			  rustc[] = "clang LLVM (rustc), symbols by cairn";
	const char *text = is_gcc ? gcc : rustc;

	return interner_add_copy(&w->names,
	                         (struct cairn_bytes){ (const uint8_t *)text, strlen(text) });
}

/* Return the offset of the empty list, which is written on first use. */
static size_t empty_list(struct elf_writer *w)
{
	struct byte_buffer *b = &w->locations;
	enum { HEADER = 12 };

	if (b->size > 0)
		return HEADER;
	byte_buffer_number(b, HEADER + 1 - 4, 4);
	byte_buffer_number(b, 5, 2);
	byte_buffer_u8(b, (uint8_t)w->word);
	byte_buffer_u8(b, 0);
	byte_buffer_number(b, 0, 4);
	byte_buffer_u8(b, LLE_END);
	return HEADER;
}

void object_write_location_list(struct elf_writer *w, uint32_t name)
{
	struct byte_buffer *b = &w->info;

	byte_buffer_uleb(b, TEMPLATE);
	byte_buffer_uleb(b, PARAMETER);
	byte_buffer_number(b, w->names.entry[name].offset, 4);
	byte_buffer_number(b, empty_list(w), 4);
	byte_buffer_u8(b, 0);
}
