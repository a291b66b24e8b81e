/* SPDX-License-Identifier: MIT */
/*
 * A private directory in which GDB finds debug files by build ID. GDB relocates symbols and their
 * breakpoints with a program only if it has found the symbol file itself in a debug-file-directory.
 * Therefore an object in memory gets a symbolic link at its build-ID path in DIRECTORY/FD, which
 * points to its descriptor FD. The link stays as long as GDB may read from it, and its target never
 * changes.
 *
 * The directory is created when first needed, in $XDG_RUNTIME_DIR, $TMPDIR or /tmp, and removed
 * when GDB exits. It is locked while its GDB runs. A GDB that is killed leaves the directory with
 * dangling links; the lock ends with the process, so the next GDB that creates a directory there
 * detects and removes the old one.
 */
#ifndef CAIRN_GDB_QUERIES_DEBUG_FILE_DIRECTORY_H
#define CAIRN_GDB_QUERIES_DEBUG_FILE_DIRECTORY_H

#include <cairn.h>
#include <sys/types.h>

enum {
	DEBUG_FILE_DIRECTORY_ROOT_MAX = 256, /* capacity for the directory's path */
	DEBUG_FILE_DIRECTORY_PATH_MAX = 512,
};

struct debug_file_directory {
	/* path of the directory; empty until it has been created */
	char root[DEBUG_FILE_DIRECTORY_ROOT_MAX];
	pid_t owner; /* pid of the creator; a forked child of GDB must not remove the directory */
};

/* Add a link to the object at `fd`. Returns false if no directory can be created. */
bool debug_file_directory_add(struct debug_file_directory *d, int fd, struct cairn_bytes build_id);

/*
 * Get the debug-file-directory that contains the object's link. The path contains no space or
 * colon. The path is empty if the object has no link.
 */
void debug_file_directory_path(const struct debug_file_directory *d, int fd,
                               char directory[DEBUG_FILE_DIRECTORY_PATH_MAX]);

/*
 * Add a link to the object in the directory that all prepared libraries share. GDB searches it for
 * libraries that are not loaded yet, so the links stay until GDB exits.
 */
bool debug_file_directory_share(struct debug_file_directory *d, int fd,
                                struct cairn_bytes build_id);
void debug_file_directory_shared(const struct debug_file_directory *d,
                                 char directory[DEBUG_FILE_DIRECTORY_PATH_MAX]);

void debug_file_directory_remove(const struct debug_file_directory *d, int fd);

/* Remove the directory if this process has created it. Called when GDB exits. */
void debug_file_directory_finish(const struct debug_file_directory *d);

#endif
