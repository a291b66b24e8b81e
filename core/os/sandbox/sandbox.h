/* SPDX-License-Identifier: MIT */
/*
 * Takes from this process, and all that it starts, what it does not need to answer: files beside those
 * that are named here (Landlock), and system calls that start programs, reach the network or look into
 * other processes (seccomp).  What is open stays open.  For the command line, while it has one thread.
 *
 *	struct sandbox sandbox;
 *	sandbox_begin(&sandbox, SANDBOX_NETWORK);
 *	sandbox_allow_read(&sandbox, "/usr/lib/debug");
 *	sandbox_allow_write(&sandbox, "out.gsym");
 *	unsigned kept = sandbox_enter(&sandbox);
 *
 * A kernel, an emulator or a build that lacks one of the two does without it: the answers are the same.
 */
#ifndef CAIRN_OS_SANDBOX_SANDBOX_H
#define CAIRN_OS_SANDBOX_SANDBOX_H

#include <stdbool.h>

/* What a process keeps. */
enum sandbox_right {
	SANDBOX_READ_ALL = 1 << 0, /* reading any file; otherwise only those that are named */
	SANDBOX_NETWORK = 1 << 1,
	/* ptrace(2) and signals to others; Landlock would refuse it, so files are not confined */
	SANDBOX_TRACE = 1 << 2,
};

/* What confines it now. */
enum sandbox_part {
	SANDBOX_FILES = 1 << 0,
	SANDBOX_CALLS = 1 << 1,
};

struct sandbox {
	unsigned rights;
	int version; /* of Landlock; 0: the kernel has none */
	int rules;   /* a file descriptor of Landlock, or -1 */
};

/* Is this build, or what runs it, one that cannot be confined? */
bool sandbox_is_possible(void);

void sandbox_begin(struct sandbox *sandbox, unsigned rights);

/* A file, or a folder and what is below it; what does not exist cannot be read in any case. */
void sandbox_allow_read(struct sandbox *sandbox, const char *path);

/* A file that is created or replaced in its folder, or a folder and what is below it.  Of folders that do
   not exist yet the nearest one that does counts. */
void sandbox_allow_write(struct sandbox *sandbox, const char *path);

/* A socket that is made at this path, and files that are removed from its folder. */
void sandbox_allow_socket(struct sandbox *sandbox, const char *path);

/* Frees `sandbox`; returns of enum sandbox_part what is now in force. */
unsigned sandbox_enter(struct sandbox *sandbox);

/* The second phase, for a process that needs no further file: from now on it opens none, of those that were
   named either, makes and changes none, and has no new socket.  False: this machine has no such filter. */
bool sandbox_refuse_paths(void);

#endif
