/* SPDX-License-Identifier: MIT */
/*
 * Readable names for C++, Rust, D and Microsoft's symbols, by the demanglers of libraries that the
 * system has.  They are opened when the first such name comes; without them names stay as they
 * are.  Itanium names ("_Z...") are asked of libc++abi, else of libstdc++, the others of libLLVM,
 * which takes 50 MB of memory.
 */
#ifndef CAIRN_OS_READABLE_H
#define CAIRN_OS_READABLE_H

#include <cairn.h>

struct os_llvm_view;

struct os_readable {
	bool gnu;      /* ask libstdc++ first: its form is the one that symbfiles have */
	bool llvm_all; /* ask libLLVM first: only that writes all names as llvm-symbolizer does */
	bool itanium_tried, llvm_tried;
	char *(*itanium)(const char *name, char *buffer, size_t *room, int *status);
	void *llvm[4]; /* functions of libLLVM, see readable.c */
	char *text;    /* the last answer */
};

/*
 * The readable form, good until the next call; the name itself when it has none.  `any` takes what
 * is not the name of an ELF symbol too: Microsoft's, and names with one more underscore.
 */
struct cairn_bytes os_readable_name(struct os_readable *readable, struct cairn_bytes name,
                                    bool any);
void os_readable_close(struct os_readable *readable);

#endif
