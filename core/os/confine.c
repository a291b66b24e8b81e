/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/*
 * Drops Linux privileges. Sets resource limits first, then changes the user, then drops
 * capabilities and any way to regain them.
 */
#include "confine.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool set_limit(unsigned what, uint64_t most)
{
	const struct rlimit limit = { (rlim_t)most, (rlim_t)most };
	struct rlimit now;

	if (getrlimit(what, &now) == 0 && now.rlim_max != RLIM_INFINITY && now.rlim_max < most)
		return true;
	return setrlimit(what, &limit) == 0;
}

/*
 * Limit CPU time. At the soft limit a signal ends the process, and the parent can report the
 * reason. At the hard limit the process is killed.
 */
static bool limit_processor(unsigned seconds)
{
	const struct rlimit limit = { seconds, seconds + 1 };

	return setrlimit(RLIMIT_CPU, &limit) == 0 || set_limit(RLIMIT_CPU, seconds);
}

static bool set_limits(const struct os_limits *limits)
{
	return set_limit(RLIMIT_CORE, 0) && set_limit(RLIMIT_AS, limits->memory) &&
	       set_limit(RLIMIT_DATA, limits->data ? limits->data : limits->memory) &&
	       set_limit(RLIMIT_FSIZE, limits->file) && limit_processor(limits->processor) &&
	       set_limit(RLIMIT_NPROC, 0) && signal(SIGXFSZ, SIG_IGN) != SIG_ERR;
}

static bool drop_user(uint32_t user)
{
	uid_t real, effective, saved;

	if (geteuid() != 0)
		return true;
	return setgroups(0, NULL) == 0 && setresgid(user, user, user) == 0 &&
	       setresuid(user, user, user) == 0 && getresuid(&real, &effective, &saved) == 0 &&
	       real == user && effective == user && saved == user;
}

static bool drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0, 0, 0 } };

	return syscall(SYS_capset, &head, none) == 0 &&
	       prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_DUMPABLE, 0) == 0;
}

int os_drop_user(uint32_t user)
{
	errno = 0;
	if (drop_user(user))
		return 0;
	return errno ? errno : EPERM;
}

int os_end_with_parent(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
		return errno;
	return getppid() == parent ? 0 : ESRCH;
}

int os_confine(pid_t parent, const struct os_limits *limits)
{
	errno = 0;
	if (limits->user == 0 && geteuid() == 0)
		return EINVAL;
	if (!set_limits(limits) || !drop_user(limits->user) || !drop_capabilities())
		return errno ? errno : EPERM;
	const int error = os_end_with_parent(parent);
	if (!error)
		alarm(limits->seconds);
	return error;
}
