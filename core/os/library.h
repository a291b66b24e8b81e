/* SPDX-License-Identifier: MIT */
/* Opens optional libraries, and demangles Swift symbols with one of them. */
#ifndef CAIRN_OS_LIBRARY_H
#define CAIRN_OS_LIBRARY_H

#include <cairn.h>

/*
 * Return a handle for dlsym(), or NULL. A statically linked program (-Dstatic=true) never opens a
 * library, because that would load a second C library.
 */
void *os_library_open(const char *path);

/*
 * Demangles Swift symbols with swift_demangle() of libswiftCore.so, which is opened on first use.
 * Opening a library runs its code, so only a library that the user names, or that is in one of the
 * system's Swift directories, is opened; never one named by input or found through the loader's
 * search path.
 */

struct os_swift_demangler {
	const char *path; /* path given by the user; NULL: the directories listed in docs/cli.md */
	void *library;
	bool was_tried;
	char *(*demangle)(const char *name, size_t size, char *buffer, size_t *room,
	                  uint32_t flags);
};

/* Return the demangled name, which the caller frees, or NULL. */
char *os_swift_demangle(struct os_swift_demangler *demangler, struct cairn_bytes name);

/* Return true if the library can be used; opens it on the first call. */
bool os_swift_demangler_works(struct os_swift_demangler *demangler);
void os_swift_demangler_close(struct os_swift_demangler *demangler);

#endif
