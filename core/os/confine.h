/* SPDX-License-Identifier: MIT */
/*
 * Irrevocably drops everything that the calling process does not need for parsing untrusted bytes:
 * its user ID, all capabilities, and any way to regain them. Also limits its CPU time, memory and
 * file sizes. Open descriptors stay open. Processes of the new user cannot trace the process, and
 * it ends when its parent does.
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
	uint32_t user; /* user and group ID; ignored unless the process runs as root */
	/* limit for the address space in bytes, including mapped files */
	uint64_t memory;
	/* limit for allocated memory in bytes; 0 means the same as `memory` */
	uint64_t data;
	/* maximum size of a written file in bytes; exceeding it fails with EFBIG */
	uint64_t file;
	unsigned processor, seconds; /* limits in seconds: CPU time, and real time until SIGALRM */
};

/*
 * Confine the calling process. Returns 0 or an errno value. After an error the process must exit,
 * because it still has privileges.
 */
CAIRN_MUST_USE int os_confine(pid_t parent, const struct os_limits *limits);

/* Switch a root process permanently to the user and group `user`. Returns 0 or an errno value. */
CAIRN_MUST_USE int os_drop_user(uint32_t user);

/*
 * Make the kernel kill the calling process when its parent exits. Returns 0 or an errno value;
 * ESRCH if `parent` is no longer the parent. Call this after changing the user, which clears the
 * setting.
 */
CAIRN_MUST_USE int os_end_with_parent(pid_t parent);

#endif
