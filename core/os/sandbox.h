/* SPDX-License-Identifier: MIT */
/*
 * Confines the current process and its children: Landlock denies access to files except those
 * allowed, and seccomp denies system calls that start programs, access the network or inspect other
 * processes. Open descriptors stay open. Enter the sandbox while the process has one thread.
 *
 *	struct sandbox sandbox;
 *	sandbox_begin(&sandbox, SANDBOX_NETWORK);
 *	sandbox_allow_read(&sandbox, "/usr/lib/debug");
 *	sandbox_allow_write(&sandbox, "out.gsym");
 *	unsigned kept = sandbox_enter(&sandbox);
 *
 * If the kernel, an emulator or the build lacks either mechanism, the process runs without it; its
 * results are the same.
 */
#ifndef CAIRN_OS_SANDBOX_H
#define CAIRN_OS_SANDBOX_H

#include <stdbool.h>

enum sandbox_right {
	SANDBOX_READ_ALL = 1 << 0, /* the process may read any file, without sandbox_allow_read() */
	SANDBOX_NETWORK = 1 << 1,
	/*
	 * the process may use ptrace(2) and send signals; disables Landlock, which would deny both
	 */
	SANDBOX_TRACE = 1 << 2,
};

enum sandbox_part {
	SANDBOX_FILES = 1 << 0,
	SANDBOX_CALLS = 1 << 1,
};

struct sandbox {
	unsigned rights;
	int version; /* Landlock ABI version; 0 if unsupported */
	int rules;
};

bool sandbox_is_possible(void);

void sandbox_begin(struct sandbox *sandbox, unsigned rights);

/* Allow reading a file, or a directory and everything below it. Ignores missing paths. */
void sandbox_allow_read(struct sandbox *sandbox, const char *path);

/*
 * Allow creating or replacing the file at `path`, or writing below it if it is a directory. If
 * directories are missing, allows writing below the nearest existing parent.
 */
void sandbox_allow_write(struct sandbox *sandbox, const char *path);

/* Allow creating a socket at `path` and removing files from the same directory. */
void sandbox_allow_socket(struct sandbox *sandbox, const char *path);

/*
 * Enter the sandbox and free `sandbox`. Returns the mechanisms in force, as flags of enum
 * sandbox_part.
 */
unsigned sandbox_enter(struct sandbox *sandbox);

/*
 * Enter the second phase, in which the process can no longer open, create or change any file, even
 * an allowed one, or create a socket. Returns false if the machine does not support such a filter.
 */
bool sandbox_refuse_paths(void);

#endif
