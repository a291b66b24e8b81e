/* SPDX-License-Identifier: MIT */
/*
 * .gnu_debugdata: a small ELF file, packed by xz, with the symbols of a stripped program that its
 * .dynsym does not have.  Distributions put it there for backtraces.
 *
 *	status = minidebug_read(file, &memory, &size, &fault);
 *	if (status == CAIRN_OK)
 *		aliases_read(&aliases, (struct cairn_bytes){ memory, size }, ALIASES_SYMTAB, &fault);
 *
 * It needs liblzma; without it the section is UNSUPPORTED.
 */
#ifndef CAIRN_DEBUGINFO_ELF_MINIDEBUG_H
#define CAIRN_DEBUGINFO_ELF_MINIDEBUG_H

#include <cairn.h>

enum {
	MINIDEBUG_MOST_SAVED =
		64, /* symbols shrink to a fifth or so; one that claims more is refused */
	MINIDEBUG_LEAST = 1 << 20,      /* bytes that are granted in any case */
	MINIDEBUG_WORK_MAX = 128 << 20, /* that the decoder may take, by the dictionary's size */
};

/*
 * The ELF file in that section of another one, in memory that free() gives back.  NOT_FOUND: there
 * is no such section.  *fault counts from the section's first byte.
 */
CAIRN_MUST_USE enum cairn_status minidebug_read(struct cairn_bytes file, void **memory,
                                                size_t *size, struct cairn_fault *fault);

/* What such a section unpacks to, whatever it is.  Bytes after the stream are left alone. */
CAIRN_MUST_USE enum cairn_status minidebug_unpack(struct cairn_bytes packed, void **memory,
                                                  size_t *size, struct cairn_fault *fault);

#endif
