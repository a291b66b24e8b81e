/* SPDX-License-Identifier: MIT */
/*
 * Writes an ELF file that stands in for a module whose own file is not there: a debugger opens it for the module, and it has
 * names for its addresses, and rules that lead from its frames to their callers. It has no code.
 *
 * Addresses count from the module's first byte, so that its load bias is the address of that byte.
 */
#ifndef CAIRN_WRITERS_PLACEHOLDER_PLACEHOLDER_H
#define CAIRN_WRITERS_PLACEHOLDER_PLACEHOLDER_H

#include "base/byte_buffer.h"

struct placeholder_symbol {
	uint64_t va, size;
	struct cairn_bytes name;
};

struct placeholder {
	uint16_t machine;          /* ELF_EM_... of a 64-bit machine, little-endian */
	uint64_t size;             /* bytes of the module in memory */
	struct cairn_bytes frames; /* a .debug_frame section */
	const struct placeholder_symbol *symbols; /* ascending */
	size_t symbol_count;
	/*
	 * Of a program: a page of its memory, as a va, that becomes its dynamic section, which leads debuggers to the list of the
	 * dynamic linker. 0: it gets none.
	 */
	uint64_t dynamic;
	uint64_t entry; /* va of the entry point; 0: not known */
};

enum { PLACEHOLDER_PAGE = 4096 };

/* Appends the file to `out`, which was empty; out->failed tells that it did not fit. */
void placeholder_write(const struct placeholder *placeholder, struct byte_buffer *out);

#endif
