/* SPDX-License-Identifier: MIT */
/*
 * The filter of system calls by libseccomp.  It names what is refused: a C library may need calls tomorrow
 * that it does not need today, and the answer must not depend on that.
 */
#include "seccomp_filter.h"

#include "sandbox.h"

#ifndef CAIRN_HAVE_SECCOMP

bool seccomp_filter_enter(unsigned rights)
{
	(void)rights;
	return false;
}

#else

#include <errno.h>
#include <seccomp.h>
#include <stddef.h>

struct refused_call {
	unsigned unless; /* a right; 0: no verb has use for it */
	const char *name;
};

static const struct refused_call refused[] = {
	{ 0, "execve" },
	{ 0, "execveat" },
	{ SANDBOX_NETWORK, "socket" },
	{ SANDBOX_NETWORK, "socketpair" },
	{ SANDBOX_NETWORK, "connect" },
	{ SANDBOX_NETWORK, "bind" },
	{ SANDBOX_NETWORK, "listen" },
	{ SANDBOX_NETWORK, "accept" },
	{ SANDBOX_NETWORK, "accept4" },
	{ SANDBOX_TRACE, "ptrace" },
	{ SANDBOX_TRACE, "kill" },
	{ SANDBOX_TRACE, "process_vm_readv" },
	{ 0, "process_vm_writev" },
	{ 0, "process_madvise" },
	{ 0, "pidfd_getfd" },
	{ 0, "pidfd_open" },
	{ 0, "pidfd_send_signal" },
	{ 0, "rt_sigqueueinfo" },
	{ 0, "rt_tgsigqueueinfo" },
	{ 0, "kcmp" },
	{ 0, "io_uring_setup" },
	{ 0, "io_uring_enter" },
	{ 0, "io_uring_register" },
	{ 0, "open_by_handle_at" },
	{ 0, "name_to_handle_at" },
	{ 0, "bpf" },
	{ 0, "perf_event_open" },
	{ 0, "userfaultfd" },
	{ 0, "fanotify_init" },
	{ 0, "keyctl" },
	{ 0, "add_key" },
	{ 0, "request_key" },
	{ 0, "mount" },
	{ 0, "umount2" },
	{ 0, "move_mount" },
	{ 0, "open_tree" },
	{ 0, "fsopen" },
	{ 0, "fsmount" },
	{ 0, "pivot_root" },
	{ 0, "chroot" },
	{ 0, "unshare" },
	{ 0, "setns" },
	{ 0, "setuid" },
	{ 0, "setgid" },
	{ 0, "setreuid" },
	{ 0, "setregid" },
	{ 0, "setresuid" },
	{ 0, "setresgid" },
	{ 0, "setgroups" },
	{ 0, "setfsuid" },
	{ 0, "setfsgid" },
	{ 0, "capset" },
	{ 0, "chown" },
	{ 0, "lchown" },
	{ 0, "mknod" },
	{ 0, "mknodat" },
	{ 0, "personality" },
	{ 0, "init_module" },
	{ 0, "finit_module" },
	{ 0, "delete_module" },
	{ 0, "kexec_load" },
	{ 0, "kexec_file_load" },
	{ 0, "reboot" },
	{ 0, "swapon" },
	{ 0, "swapoff" },
	{ 0, "syslog" },
	{ 0, "acct" },
	{ 0, "quotactl" },
	{ 0, "settimeofday" },
	{ 0, "clock_settime" },
	{ 0, "adjtimex" },
	{ 0, "sethostname" },
	{ 0, "setdomainname" },
	{ 0, "ioperm" },
	{ 0, "iopl" },
	{ 0, "modify_ldt" },
};

static int refuse_call(scmp_filter_ctx filter, const char *name)
{
	int call = seccomp_syscall_resolve_name(name);

	/* not every machine has every call */
	return call == __NR_SCMP_ERROR ? 0
	                               : seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0);
}

bool seccomp_filter_enter(unsigned rights)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int error = filter ? 0 : -ENOMEM;

	for (size_t i = 0; error == 0 && i < sizeof(refused) / sizeof(refused[0]); i++)
		if ((refused[i].unless & rights) == 0)
			error = refuse_call(filter, refused[i].name);
	if (error == 0)
		error = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* a binary tree */
	if (error == 0)
		error = seccomp_load(filter);
	if (filter)
		seccomp_release(filter);
	return error == 0;
}

#endif
