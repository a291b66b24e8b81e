/* SPDX-License-Identifier: MIT */
/*
 * Irrevocably drops everything that this process does not need to read hostile bytes: its user, all
 * capabilities, any way to regain them, and time, memory and disk beyond a limit. Open descriptors
 * stay open. Processes of the new user cannot trace this process, and it ends when its parent does.
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
	uint32_t user;               /* also the group; set only if the process runs as root */
	uint64_t memory;             /* bytes of address space, allocated and mapped */
	uint64_t data;               /* bytes of allocated memory; 0: same as `memory` */
	uint64_t file;               /* largest size of a written file; more fails with EFBIG */
	unsigned processor, seconds; /* seconds of processor time; seconds until SIGALRM */
};

/*
 * Confine this process. Returns 0 or an errno value, after which the process must end because it
 * still holds privileges.
 */
CAIRN_MUST_USE int os_confine(pid_t parent, const struct os_limits *limits);

/* Switch a root process to the user and group for good. Returns 0 or an errno value. */
CAIRN_MUST_USE int os_drop_user(uint32_t user);

/*
 * Let the kernel kill this process when its parent ends. Returns 0 or an errno value, ESRCH if the
 * parent is not `parent` any more. The kernel clears this setting when the user changes, so call it
 * afterwards.
 */
CAIRN_MUST_USE int os_end_with_parent(pid_t parent);

#endif
