/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/*
 * The filter of system calls, as a program for the kernel.  It names what is refused: a C library may need calls
 * tomorrow that it does not need today, and the answer must not depend on that.  libseccomp is not used,
 * because it makes a thousand allocations for this, and crashes when one of them fails.
 */
#include "seccomp_filter.h"

#include "sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define MACHINE AUDIT_ARCH_I386
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define MACHINE AUDIT_ARCH_AARCH64
#elif defined(__arm__) && defined(__ARMEL__)
#define MACHINE AUDIT_ARCH_ARM
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define MACHINE AUDIT_ARCH_PPC64LE
#elif defined(__s390x__)
#define MACHINE AUDIT_ARCH_S390X
#elif defined(__riscv) && __riscv_xlen == 64
#define MACHINE AUDIT_ARCH_RISCV64
#else
#define MACHINE 0 /* no filter */
#endif

#define X32_BIT 0x40000000U /* calls of another kind on amd64 */

struct refused_call {
	unsigned unless; /* the right that permits the call; 0 if no verb needs it */
	unsigned call;
};

static const struct refused_call refused[] = {
	{ 0, SYS_execve },
	{ 0, SYS_execveat },
	{ SANDBOX_NETWORK, SYS_socket },
	{ SANDBOX_NETWORK, SYS_socketpair },
	{ SANDBOX_NETWORK, SYS_connect },
	{ SANDBOX_NETWORK, SYS_bind },
	{ SANDBOX_NETWORK, SYS_listen },
	{ SANDBOX_NETWORK, SYS_accept4 },
#ifdef SYS_accept
	{ SANDBOX_NETWORK, SYS_accept },
#endif
#ifdef SYS_socketcall
	{ SANDBOX_NETWORK, SYS_socketcall },
#endif
	{ SANDBOX_TRACE, SYS_ptrace },
	{ SANDBOX_TRACE, SYS_kill },
	{ SANDBOX_TRACE, SYS_process_vm_readv },
	{ 0, SYS_process_vm_writev },
	{ 0, SYS_rt_sigqueueinfo },
	{ 0, SYS_rt_tgsigqueueinfo },
	{ 0, SYS_kcmp },
	{ 0, SYS_open_by_handle_at },
	{ 0, SYS_bpf },
	{ 0, SYS_perf_event_open },
	{ 0, SYS_userfaultfd },
	{ 0, SYS_fanotify_init },
	{ 0, SYS_keyctl },
	{ 0, SYS_add_key },
	{ 0, SYS_request_key },
	{ 0, SYS_mount },
	{ 0, SYS_umount2 },
	{ 0, SYS_pivot_root },
	{ 0, SYS_chroot },
	{ 0, SYS_unshare },
	{ 0, SYS_setns },
	{ 0, SYS_setuid },
	{ 0, SYS_setgid },
	{ 0, SYS_setreuid },
	{ 0, SYS_setregid },
	{ 0, SYS_setresuid },
	{ 0, SYS_setresgid },
	{ 0, SYS_setgroups },
	{ 0, SYS_setfsuid },
	{ 0, SYS_setfsgid },
	{ 0, SYS_capset },
	{ 0, SYS_mknodat },
	{ 0, SYS_personality },
	{ 0, SYS_init_module },
	{ 0, SYS_finit_module },
	{ 0, SYS_delete_module },
	{ 0, SYS_kexec_load },
	{ 0, SYS_reboot },
	{ 0, SYS_swapon },
	{ 0, SYS_swapoff },
	{ 0, SYS_syslog },
	{ 0, SYS_acct },
	{ 0, SYS_quotactl },
	{ 0, SYS_settimeofday },
	{ 0, SYS_clock_settime },
	{ 0, SYS_adjtimex },
	{ 0, SYS_sethostname },
	{ 0, SYS_setdomainname },
#ifdef SYS_mknod
	{ 0, SYS_mknod },
#endif
#ifdef SYS_ioperm
	{ 0, SYS_ioperm },
	{ 0, SYS_iopl },
#endif
#ifdef SYS_modify_ldt
	{ 0, SYS_modify_ldt },
#endif
#ifdef SYS_kexec_file_load
	{ 0, SYS_kexec_file_load },
#endif
#ifdef SYS_io_uring_setup
	{ 0, SYS_io_uring_setup },
	{ 0, SYS_io_uring_enter },
	{ 0, SYS_io_uring_register },
#endif
#ifdef SYS_pidfd_getfd
	{ 0, SYS_pidfd_open },
	{ 0, SYS_pidfd_send_signal },
	{ 0, SYS_pidfd_getfd },
#endif
#ifdef SYS_process_madvise
	{ 0, SYS_process_madvise },
#endif
#ifdef SYS_fsopen
	{ 0, SYS_open_tree },
	{ 0, SYS_move_mount },
	{ 0, SYS_fsopen },
	{ 0, SYS_fsmount },
#endif
};

/* Calls that a process which has opened its files is refused.  What has no path stays: read, write, mmap, ftruncate. */
static const struct refused_call refused_paths[] = {
	{ 0, SYS_openat },
	{ 0, SYS_linkat },
	{ 0, SYS_symlinkat },
	{ 0, SYS_unlinkat },
	{ 0, SYS_mkdirat },
	{ 0, SYS_truncate },
	{ 0, SYS_fchmodat },
	{ 0, SYS_fchownat },
	{ 0, SYS_utimensat },
	{ 0, SYS_setxattr },
	{ 0, SYS_removexattr },
	{ 0, SYS_chdir },
	{ 0, SYS_fchdir },
	{ 0, SYS_inotify_add_watch },
	{ 0, SYS_name_to_handle_at },
	{ 0, SYS_socket },
	{ 0, SYS_socketpair },
	{ 0, SYS_connect },
#ifdef SYS_socketcall
	{ 0, SYS_socketcall },
#endif
#ifdef SYS_openat2
	{ 0, SYS_openat2 },
#endif
#ifdef SYS_renameat
	{ 0, SYS_renameat },
#endif
	{ 0, SYS_renameat2 },
#ifdef SYS_truncate64
	{ 0, SYS_truncate64 },
#endif
#ifdef SYS_open
	{ 0, SYS_open },
	{ 0, SYS_creat },
	{ 0, SYS_link },
	{ 0, SYS_symlink },
	{ 0, SYS_unlink },
	{ 0, SYS_rename },
	{ 0, SYS_mkdir },
	{ 0, SYS_rmdir },
	{ 0, SYS_chmod },
	{ 0, SYS_chown },
#endif
#ifdef SYS_utime
	{ 0, SYS_utime },
#endif
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
	CALLS = COUNT(refused) > COUNT(refused_paths) ? COUNT(refused) : COUNT(refused_paths),
	PROGRAM_MAX = 2 * CALLS + 8, /* two instructions for a call */
};

static const struct sock_filter refuse =
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA));

/* Calls of another machine, and those of x32, are refused; then each of the list that `rights` lacks. */
static unsigned short write_program(const struct refused_call *list, size_t count, unsigned rights,
                                    struct sock_filter program[PROGRAM_MAX])
{
	struct sock_filter *p = program;

	*p++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
	                                    offsetof(struct seccomp_data, arch));
	*p++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
	*p++ = refuse;
	*p++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
	                                    offsetof(struct seccomp_data, nr));
	*p++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
	*p++ = refuse;
	for (size_t i = 0; i < count; i++) {
		if ((list[i].unless & rights) != 0)
			continue;
		*p++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, list[i].call, 0, 1);
		*p++ = refuse;
	}
	*p++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return (unsigned short)(p - program);
}

static bool enter_filter(const struct refused_call *list, size_t count, unsigned rights)
{
	struct sock_filter program[PROGRAM_MAX];
	struct sock_fprog filter = { .filter = program };

	if (MACHINE == 0)
		return false;
	filter.len = write_program(list, count, rights, program);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

bool seccomp_filter_enter(unsigned rights)
{
	return enter_filter(refused, COUNT(refused), rights);
}

bool seccomp_filter_refuse_paths(void)
{
	return enter_filter(refused_paths, COUNT(refused_paths), 0);
}
