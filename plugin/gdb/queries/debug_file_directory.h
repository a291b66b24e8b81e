/* SPDX-License-Identifier: MIT */
/*
 * A private directory in which GDB finds debug files by build ID. GDB relocates symbols and their
 * breakpoints with a program only if it has found the symbol file itself in a debug-file-directory.
 * Therefore each object in memory gets a symbolic link to its descriptor FD. The link is at the
 * object's build-ID path below DIRECTORY/FD, stays as long as GDB may read from it, and never
 * changes its target.
 *
 * The directory is created when first needed, in $XDG_RUNTIME_DIR, $TMPDIR, /tmp, /dev/shm or
 * /var/tmp, and removed when GDB exits. It is locked while its GDB runs. A GDB that is killed
 * leaves the directory with dangling links; the lock ends with the process, so the next GDB that
 * creates a directory there detects and removes the old one.
 */
#ifndef CAIRN_GDB_QUERIES_DEBUG_FILE_DIRECTORY_H
#define CAIRN_GDB_QUERIES_DEBUG_FILE_DIRECTORY_H

#include <cairn.h>
#include <sys/types.h>

enum {
	DEBUG_FILE_DIRECTORY_ROOT_MAX = 256,
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
 * Get the path of the debug-file-directory for the object at descriptor `fd`, or an empty string if
 * the private directory has not been created. The path needs no quoting in GDB commands, because
 * the private directory is created only at a path without spaces and colons.
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
