/* SPDX-License-Identifier: MIT */
/*
 * The files that belong to an ELF file: the one with its DWARF (.gnu_debuglink, folders of build
 * IDs), the one that several programs share (.gnu_debugaltlink, made by dwz), and the split halves
 * of its units (.dwo, .dwp).  All are found on this machine; nothing is asked of a server.
 *
 * A file must prove that it belongs: by the build ID, or where there is none by the checksum of the
 * link.  One that does not is passed over, and its name kept to be told of.
 *
 *	struct halves halves;
 *	halves_find(&halves, path, bytes, NULL);
 *	... halves.debug.bytes, halves.alt.bytes, halves.package.bytes: empty when there is none
 *	... halves_split(&halves, directory, name, id): a .dwo, from any thread
 *	halves_finish(&halves);
 */
#ifndef CAIRN_DEBUGINFO_ELF_SEPARATE_DEBUG_FILES_H
#define CAIRN_DEBUGINFO_ELF_SEPARATE_DEBUG_FILES_H

#include "os/file.h"

#include <pthread.h>

enum { HALVES_PATH = 4096 };

struct halves_file {
	struct os_file file;
	char path[HALVES_PATH]; /* empty: none */
};

struct halves {
	const char *path;    /* of the file itself */
	const char *folders; /* of debugging information, DIR:DIR..., before the system's */
	struct halves_file debug, alt, package;
	char refused[HALVES_PATH];   /* one that was there, but of another build; else empty */
	bool wants_debug, wants_alt; /* it names one */
	struct cairn_bytes alt_name; /* what it names, ended by a zero; where wants_alt */
	struct cairn_bytes alt_id;   /* and its build ID, which may be empty */

	pthread_mutex_t lock; /* of what follows */
	struct halves_split {
		struct halves_split *next;
		struct halves_file file;
		struct cairn_bytes directory, name;
	} * splits;
};

/* `bytes` are those of `path`; all three are borrowed.  `folders` may be NULL. */
void halves_find(struct halves *halves, const char *path, struct cairn_bytes bytes,
                 const char *folders);
void halves_finish(struct halves *halves);

/* A .dwo file, or empty bytes; good until halves_finish(). */
struct cairn_bytes halves_split(struct halves *halves, struct cairn_bytes directory,
                                struct cairn_bytes name);

/* Does it have DWARF of its own? */
bool halves_has_dwarf(struct cairn_bytes elf_file);

#endif
