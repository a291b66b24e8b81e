/* SPDX-License-Identifier: MIT */
/*
 * The files that belong to an ELF file: the one with its DWARF (.gnu_debuglink, folders of build
 * IDs), the one that several programs share (.gnu_debugaltlink, made by dwz), and the split halves
 * of its units (.dwo, .dwp).  All are found on this machine; nothing is asked of a server.
 *
 * A file must prove that it belongs: by the build ID, or where there is none by the checksum of the
 * link.  One that does not is passed over, and its name kept to be reported.
 *
 *	const struct separate_debug_rules rules = { .folders = "/srv/debug" };
 *	struct separate_debug_files halves;
 *	separate_debug_files_find_by(&halves, path, bytes, &rules);
 *	... halves.debug.bytes, halves.alt.bytes, halves.package.bytes: empty when there is none
 *	dwo = separate_debug_files_dwo(&halves, directory, name);     from any thread
 *	separate_debug_files_finish(&halves);
 */
#ifndef CAIRN_LOCATE_SEPARATE_DEBUG_FILES_H
#define CAIRN_LOCATE_SEPARATE_DEBUG_FILES_H

#include "os/file/file.h"

#include <pthread.h>

enum {
	SEPARATE_DEBUG_FILES_PATH_MAX = 4096,
	SEPARATE_DEBUG_FILES_ABSENT_MAX = 2048,
	SEPARATE_DEBUG_FILES_LIST_MAX = 2 * 2048 + 64
};

struct separate_debug_file {
	struct os_file file;
	char path[SEPARATE_DEBUG_FILES_PATH_MAX]; /* empty: none */
};

/* Where files are looked for, and which of them are believed; begins with zeros. */
struct separate_debug_rules {
	const char *folders;    /* of debugging information, DIR:DIR..., before the system's */
	bool no_system_folders; /* the system's are not asked */
	bool any_build;         /* what is in the right place belongs */
	bool only_folders;      /* paths of this machine in the files are not followed */
	const struct cairn_file_access
		*access; /* how files are opened; NULL: as os_file_open_regular() does */
};

struct separate_debug_files {
	const char *path; /* of the file itself */
	struct separate_debug_rules rules;
	struct separate_debug_file debug, alt, package;
	char refused
		[SEPARATE_DEBUG_FILES_PATH_MAX]; /* one that was there, but of another build; else empty */
	bool has_dwarf;         /* the file itself has DWARF, so that no debug file is looked for */
	const char *debug_name; /* file name in .gnu_debuglink; NULL if there is none */
	/* Paths at which no debug file was, each with a newline, and the number of others. */
	char absent[SEPARATE_DEBUG_FILES_ABSENT_MAX];
	unsigned absent_more;
	bool wants_alt;              /* it names one */
	struct cairn_bytes alt_name; /* what it names, ended by a zero; where wants_alt */
	struct cairn_bytes alt_id;   /* and its build ID, which may be empty */

	pthread_mutex_t lock; /* of what follows */
	struct separate_debug_files_dwo {
		struct separate_debug_files_dwo *next;
		struct separate_debug_file file;
		struct cairn_bytes directory, name;
	} * splits;
};

/* `bytes` are those of `path`; all are borrowed. */
void separate_debug_files_find_by(struct separate_debug_files *halves, const char *path,
                                  struct cairn_bytes bytes,
                                  const struct separate_debug_rules *rules);

/* The same for a module whose build ID alone is known: `path` is its name, not a file. */
void separate_debug_files_find_by_id(struct separate_debug_files *halves, const char *path,
                                     struct cairn_bytes build_id,
                                     const struct separate_debug_rules *rules);

/*
 * Takes a debug file that somebody else has found, where none was found before. False: it is of another build, or
 * cannot be read.
 */
bool separate_debug_files_give(struct separate_debug_files *halves, const char *path,
                               struct cairn_bytes build_id);

/* Writes the paths at which no debug file was, for a message. */
void separate_debug_files_list_absent(const struct separate_debug_files *halves,
                                      char text[SEPARATE_DEBUG_FILES_LIST_MAX]);
#define SEPARATE_DEBUG_FILES_ABSENT \
	"its debug file is at none of these paths; --directory DIR looks in DIR, too"
void separate_debug_files_finish(struct separate_debug_files *halves);

/* A .dwo file, or empty bytes; good until separate_debug_files_finish(). */
struct cairn_bytes separate_debug_files_dwo(struct separate_debug_files *halves,
                                            struct cairn_bytes directory, struct cairn_bytes name);

#endif
