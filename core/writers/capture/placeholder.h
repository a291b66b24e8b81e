/* SPDX-License-Identifier: MIT */
/*
 * Writes an ELF file that replaces a module whose file is missing. Debuggers open the placeholder
 * to get names for the module's addresses and unwind rules for its frames. The file contains no
 * code.
 *
 * Addresses are relative to the first byte of the module, so its load bias is the address of that
 * byte.
 */
#ifndef CAIRN_WRITERS_PLACEHOLDER_PLACEHOLDER_H
#define CAIRN_WRITERS_PLACEHOLDER_PLACEHOLDER_H

#include "base/byte_buffer.h"

struct placeholder_symbol {
	uint64_t va, size;
	struct cairn_bytes name;
};

struct placeholder {
	/* ELF_EM_* value of a 64-bit little-endian machine */
	uint16_t machine;
	uint64_t size;
	struct cairn_bytes frames;
	const struct placeholder_symbol *symbols;
	size_t symbol_count;
	/*
	 * For a program, the va of a page that serves as its dynamic section. Debuggers find the
	 * dynamic linker's list of modules through this section. 0 omits the section.
	 */
	uint64_t dynamic;
	uint64_t entry; /* va of the entry point; 0 if unknown */
};

enum { PLACEHOLDER_PAGE = 4096 };

/*
 * Write the file to `out`, which must be empty. Sets out->failed if the file exceeds the buffer's
 * limit.
 */
void placeholder_write(const struct placeholder *placeholder, struct byte_buffer *out);

#endif
