/* SPDX-License-Identifier: MIT */
/*
 * Where GDB finds debug files by build ID.  Symbols move with a program, and breakpoints with them,
 * only if GDB has looked their file up itself, in a debug-file-directory.  So an object in memory
 * gets a place in a folder of this GDB: a symbolic link to its descriptor, by its build ID in
 * DIRECTORY/FD, which stays as long as GDB may read from it, and is never made to lead elsewhere.
 *
 * The folder is made when first needed, in $XDG_RUNTIME_DIR, $TMPDIR or /tmp, and removed when GDB
 * ends.  A GDB that is killed leaves it, with links that lead nowhere; it is locked as long as its GDB
 * lives, so that the next one that makes a folder there can remove it.
 */
#ifndef CAIRN_GDB_SYMBOLS_DEBUG_FILE_DIRECTORY_H
#define CAIRN_GDB_SYMBOLS_DEBUG_FILE_DIRECTORY_H

#include <cairn.h>

#include <sys/types.h>

enum {
	DEBUG_FILE_DIRECTORY_ROOT_MAX = 256, /* bytes of the folder's name */
	DEBUG_FILE_DIRECTORY_PATH_MAX = 512,
};

struct debug_file_directory {
	char root[DEBUG_FILE_DIRECTORY_ROOT_MAX]; /* empty: not made */
	pid_t owner;                              /* a child that GDB forks ends, too */
};

/* Gives the object at `fd` its place.  False: no folder can be made. */
bool debug_file_directory_add(struct debug_file_directory *d, int fd, struct cairn_bytes build_id);

/* Its place, to be a debug-file-directory: no blank and no colon in it.  Empty: there is none. */
void debug_file_directory_path(const struct debug_file_directory *d, int fd,
                               char directory[DEBUG_FILE_DIRECTORY_PATH_MAX]);

/*
 * The same in one folder for many objects, which is the debug-file-directory of libraries that GDB has not
 * loaded yet.  They stay as long as GDB runs.
 */
bool debug_file_directory_share(struct debug_file_directory *d, int fd,
                                struct cairn_bytes build_id);
void debug_file_directory_shared(const struct debug_file_directory *d,
                                 char directory[DEBUG_FILE_DIRECTORY_PATH_MAX]);

void debug_file_directory_remove(const struct debug_file_directory *d, int fd);

/* GDB ends: removes the folder, if this process made it. */
void debug_file_directory_finish(const struct debug_file_directory *d);

#endif
