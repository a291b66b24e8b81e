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

/* clang-format off */

/* Calls that no verb needs. */
static const unsigned refused[] = {
	SYS_execve, SYS_execveat, SYS_process_vm_writev, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo,
	SYS_kcmp, SYS_open_by_handle_at, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
	SYS_fanotify_init, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_mount, SYS_umount2,
	SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, SYS_setuid, SYS_setgid, SYS_setreuid,
	SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setgroups, SYS_setfsuid, SYS_setfsgid,
	SYS_capset, SYS_mknodat, SYS_personality, SYS_init_module, SYS_finit_module,
	SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_syslog,
	SYS_acct, SYS_quotactl, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_sethostname,
	SYS_setdomainname,
#ifdef SYS_mknod
	SYS_mknod,
#endif
#ifdef SYS_ioperm
	SYS_ioperm, SYS_iopl,
#endif
#ifdef SYS_modify_ldt
	SYS_modify_ldt,
#endif
#ifdef SYS_kexec_file_load
	SYS_kexec_file_load,
#endif
#ifdef SYS_io_uring_setup
	SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
#endif
#ifdef SYS_pidfd_getfd
	SYS_pidfd_open, SYS_pidfd_send_signal, SYS_pidfd_getfd,
#endif
#ifdef SYS_process_madvise
	SYS_process_madvise,
#endif
#ifdef SYS_fsopen
	SYS_open_tree, SYS_move_mount, SYS_fsopen, SYS_fsmount,
#endif
};

/* Calls that need SANDBOX_NETWORK. */
static const unsigned refused_network[] = {
	SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept4,
#ifdef SYS_accept
	SYS_accept,
#endif
#ifdef SYS_socketcall
	SYS_socketcall,
#endif
};

/* Calls that need SANDBOX_TRACE. */
static const unsigned refused_trace[] = {
	SYS_ptrace, SYS_kill, SYS_process_vm_readv,
};

/* Calls that a process which has opened its files is refused.  What has no path stays: read, write, mmap, ftruncate. */
static const unsigned refused_paths[] = {
	SYS_openat, SYS_linkat, SYS_symlinkat, SYS_unlinkat, SYS_mkdirat, SYS_truncate,
	SYS_fchmodat, SYS_fchownat, SYS_utimensat, SYS_setxattr, SYS_removexattr, SYS_chdir,
	SYS_fchdir, SYS_inotify_add_watch, SYS_name_to_handle_at, SYS_socket, SYS_socketpair,
	SYS_connect, SYS_renameat2,
#ifdef SYS_socketcall
	SYS_socketcall,
#endif
#ifdef SYS_openat2
	SYS_openat2,
#endif
#ifdef SYS_renameat
	SYS_renameat,
#endif
#ifdef SYS_truncate64
	SYS_truncate64,
#endif
#ifdef SYS_open
	SYS_open, SYS_creat, SYS_link, SYS_symlink, SYS_unlink, SYS_rename, SYS_mkdir, SYS_rmdir,
	SYS_chmod, SYS_chown,
#endif
#ifdef SYS_utime
	SYS_utime,
#endif
};

/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
	REFUSED_MAX = COUNT(refused) + COUNT(refused_network) + COUNT(refused_trace),
	CALLS_MAX = REFUSED_MAX > COUNT(refused_paths) ? REFUSED_MAX : COUNT(refused_paths),
	PROGRAM_MAX = 2 * CALLS_MAX + 8, /* two instructions for a call */
};

static const struct sock_filter refuse =
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA));

/* Calls of another machine, and those of x32, are refused. */
static struct sock_filter *begin_program(struct sock_filter *p)
{
	*p++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
	                                    offsetof(struct seccomp_data, arch));
	*p++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
	*p++ = refuse;
	*p++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
	                                    offsetof(struct seccomp_data, nr));
	*p++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
	*p++ = refuse;
	return p;
}

static struct sock_filter *refuse_calls(struct sock_filter *p, const unsigned *calls, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		*p++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
		*p++ = refuse;
	}
	return p;
}

/* Permits what the program has not refused, and enters it. */
static bool enter_program(struct sock_filter *program, struct sock_filter *end)
{
	*end++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog filter = { .len = (unsigned short)(end - program), .filter = program };
	return MACHINE != 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

bool seccomp_filter_enter(unsigned rights)
{
	struct sock_filter program[PROGRAM_MAX], *end = begin_program(program);

	end = refuse_calls(end, refused, COUNT(refused));
	if ((rights & SANDBOX_NETWORK) == 0)
		end = refuse_calls(end, refused_network, COUNT(refused_network));
	if ((rights & SANDBOX_TRACE) == 0)
		end = refuse_calls(end, refused_trace, COUNT(refused_trace));
	return enter_program(program, end);
}

bool seccomp_filter_refuse_paths(void)
{
	struct sock_filter program[PROGRAM_MAX], *end = begin_program(program);

	end = refuse_calls(end, refused_paths, COUNT(refused_paths));
	return enter_program(program, end);
}
