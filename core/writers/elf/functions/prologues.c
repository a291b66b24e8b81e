/* SPDX-License-Identifier: MIT */
/*
 * Guesses where a breakpoint on a function belongs, when neither symbols nor the compiler mark it.  gcc
 * ends no prologue, and where it optimizes it gives the first instruction rows of two lines, of which most
 * symbols keep one; LLDB would then go to the second row that is left.  Code that sets up no frame
 * pointer was optimized, and is stopped at its first instruction, which is what GDB does.
 */
#include "writers/elf/parts.h"

#include <string.h>

enum { OPENING_BYTES = 8 }; /* of endbr64, push %rbp and mov %rsp,%rbp */

/* The bytes that the program's file has at `va`, which may be fewer than are wanted. */
static struct cairn_bytes find_code(const struct elf *elf, uint64_t va)
{
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment(elf, i, &s); i++) {
		const struct cairn_bytes bytes = elf_segment_bytes(elf, &s);
		if (s.type == ELF_PT_LOAD && (s.flags & ELF_PF_EXECUTE) && va >= s.va &&
		    va - s.va < bytes.size)
			return (struct cairn_bytes){ bytes.data + (va - s.va),
				                     bytes.size - (size_t)(va - s.va) };
	}
	return (struct cairn_bytes){ elf->bytes.data, 0 };
}

static bool skip_bytes(struct cairn_bytes *code, const uint8_t *bytes, size_t size)
{
	if (code->size < size || memcmp(code->data, bytes, size) != 0)
		return false;
	code->data += size;
	code->size -= size;
	return true;
}

static bool sets_frame_pointer(struct cairn_bytes code)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa }, push[] = { 0x55 },
			     move[] = { 0x48, 0x89, 0xe5 }, move_too[] = { 0x48, 0x8b, 0xec };

	skip_bytes(&code, endbr, sizeof(endbr));
	return skip_bytes(&code, push, sizeof(push)) &&
	       (skip_bytes(&code, move, sizeof(move)) ||
	        skip_bytes(&code, move_too, sizeof(move_too)));
}

bool object_stops_at_start(const struct elf_writer *w, uint64_t va)
{
	struct elf elf;

	if (!w->options.for_lldb || w->options.by_clang || w->options.machine != ELF_EM_X86_64 ||
	    !elf_opens(w->options.program, &elf))
		return false;
	const struct cairn_bytes code = find_code(&elf, va);
	return code.size >= OPENING_BYTES && !sets_frame_pointer(code);
}
