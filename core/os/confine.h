/* SPDX-License-Identifier: MIT */
/*
 * Takes from this process for good what it does not need to read hostile bytes: its user, all
 * capabilities, the way to get any back, and time, memory and disk past a limit. What it has open stays
 * open. Nobody of the new user may look into it, and it ends when its parent does.
 *
 *	const struct os_limits limits = { .user = 65534, .memory = 1 << 30, .file = 0, 5, 5 };
 *	pid_t parent = getpid();
 *	if (fork() == 0) {
 *		int error = os_confine(parent, &limits);
 *		if (error != 0)
 *			_exit(1);
 *		... parse
 *	}
 */
#ifndef CAIRN_OS_CONFINE_H
#define CAIRN_OS_CONFINE_H

#include <cairn.h>

#include <sys/types.h>

struct os_limits {
	uint32_t user;               /* and group; taken only by a process of root */
	uint64_t memory;             /* bytes of address space: all that it allocates and maps */
	uint64_t data;               /* bytes that it allocates; 0: as `memory` has it */
	uint64_t file;               /* bytes of any file that it writes; more is EFBIG */
	unsigned processor, seconds; /* of processor time, and from now to SIGALRM */
};

/* 0, or an errno value: the process must end then, because it keeps what it should lose. */
CAIRN_MUST_USE int os_confine(pid_t parent, const struct os_limits *limits);

/* A process of root becomes the user and group for good. 0, or an errno value. */
CAIRN_MUST_USE int os_drop_user(uint32_t user);

/*
 * Have this process killed when its parent ends, which must be the process `parent` still. Returns 0 or an errno value. A change of
 * the user forgets it, so call it afterwards.
 */
CAIRN_MUST_USE int os_end_with_parent(pid_t parent);

#endif
