/* SPDX-License-Identifier: MIT */
/*
 * Reads .gnu_debugdata, a small ELF file compressed with xz that has the symbols of a stripped
 * program missing from .dynsym. Distributions include it for backtraces.
 *
 *	status = minidebug_read(file, &memory, &size, &fault);
 *	if (status == CAIRN_OK)
 *		aliases_read(&aliases, (struct cairn_bytes){ memory, size }, ALIASES_SYMTAB, &fault);
 *
 * Without liblzma the section is UNSUPPORTED.
 */
#ifndef CAIRN_DEBUGINFO_ELF_MINIDEBUG_H
#define CAIRN_DEBUGINFO_ELF_MINIDEBUG_H

#include <cairn.h>

enum {
	/* maximum compression ratio; symbols usually shrink to a fifth */
	MINIDEBUG_MOST_SAVED = 64,
	MINIDEBUG_LEAST = 1 << 20, /* bytes allowed regardless of the ratio */
	/* memory of the decoder, which depends on the dictionary size */
	MINIDEBUG_WORK_MAX = 128 << 20,
};

/*
 * Decompress the section of `file`. The caller frees *memory. Returns NOT_FOUND if there is no such
 * section. Fault offsets count from the section's start.
 */
CAIRN_MUST_USE enum cairn_status minidebug_read(struct cairn_bytes file, void **memory,
                                                size_t *size, struct cairn_fault *fault);

/* Decompress the contents of a .gnu_debugdata section. Trailing bytes are ignored. */
CAIRN_MUST_USE enum cairn_status minidebug_unpack(struct cairn_bytes packed, void **memory,
                                                  size_t *size, struct cairn_fault *fault);

#endif
