/* SPDX-License-Identifier: MIT */
/*
 * Readable names for Swift's symbols, by the function swift_demangle of a libswiftCore.so that is
 * opened when the first one is wanted.  Opening a library runs its code: only one that the user
 * names, or that is in one of the system's folders for Swift, is taken, never one that input or the
 * loader's search path names.
 */
#ifndef CAIRN_OS_SWIFT_DEMANGLE_H
#define CAIRN_OS_SWIFT_DEMANGLE_H

#include <cairn.h>

struct os_swift_demangler {
	const char *path; /* as the user gave it; NULL: the folders that docs/cli.md lists */
	void *library;
	bool was_tried;
	char *(*demangle)(const char *name, size_t size, char *buffer, size_t *room,
	                  uint32_t flags);
};

/* The readable form, to be freed; NULL when it has none or nobody can tell. */
char *os_swift_demangle(struct os_swift_demangler *demangler, struct cairn_bytes name);

/* Is there a library, as far as was tried? */
bool os_swift_demangler_works(struct os_swift_demangler *demangler);
void os_swift_demangler_close(struct os_swift_demangler *demangler);

#endif
