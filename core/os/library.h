/* SPDX-License-Identifier: MIT */
/* Loads optional libraries, and demangles Swift symbols with one of them. */
#ifndef CAIRN_OS_LIBRARY_H
#define CAIRN_OS_LIBRARY_H

#include <cairn.h>

/*
 * Load a library and return a handle for dlsym(), or NULL. A statically linked program
 * (-Dstatic=true) never loads a library, because that would load a second C library.
 */
void *os_library_open(const char *path);

/*
 * Demangles Swift symbols with swift_demangle() from libswiftCore.so, which is loaded on first use.
 * Loading a library runs its code. Therefore only a library that the user specified, or one in the
 * system's Swift directories, is loaded, never one named by input or found through the loader's
 * search path.
 */

struct os_swift_demangler {
	/* path given by the user; NULL selects the directories listed in docs/cli.md */
	const char *path;
	void *library;
	bool was_tried;
	char *(*demangle)(const char *name, size_t size, char *buffer, size_t *room,
	                  uint32_t flags);
};

/* Return the demangled name, which the caller frees, or NULL. */
char *os_swift_demangle(struct os_swift_demangler *demangler, struct cairn_bytes name);

/* Return true if the library can be used. Loads it on the first call. */
bool os_swift_demangler_works(struct os_swift_demangler *demangler);
void os_swift_demangler_close(struct os_swift_demangler *demangler);

#endif
