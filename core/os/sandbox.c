/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/*
 * Confines the current process with Landlock, which restricts the files that can be opened, and
 * with a seccomp filter for system calls. The filter lists denied calls rather than allowed ones,
 * because a later C library may need calls that today's version does not use. libseccomp is not
 * used, because it makes a thousand allocations for this filter and crashes if an allocation fails.
 */
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	__has_feature(memory_sanitizer)
#define IS_SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

/* access rights that the kernel headers may be too old to define */
#define ACCESS_REFER (1ULL << 13)    /* Landlock version 2: move a file to another directory */
#define ACCESS_TRUNCATE (1ULL << 14) /* Landlock version 3: truncate a file */
#define ACCESS_VERSION_1 ((1ULL << 13) - 1)
#define ACCESS_TCP 3ULL /* Landlock version 4: TCP bind and connect */

#define READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITE_FILE (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_TRUNCATE)
#define WRITE                                                                       \
	(WRITE_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR | \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |             \
	 LANDLOCK_ACCESS_FS_MAKE_REG | ACCESS_REFER)

#define SOCKET (LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_REMOVE_FILE)

enum { PATH_CAPACITY = 4096 };

static uint64_t list_accesses(int version)
{
	uint64_t accesses = ACCESS_VERSION_1;

	if (version >= 2)
		accesses |= ACCESS_REFER;
	if (version >= 3)
		accesses |= ACCESS_TRUNCATE;
	return accesses;
}

static void allow_path(const struct sandbox *sandbox, const char *path, uint64_t accesses)
{
	const int fd = sandbox->rules >= 0 ? open(path, O_PATH | O_CLOEXEC) : -1;
	struct landlock_path_beneath_attr rule = { .parent_fd = fd };
	struct stat about;

	if (fd < 0)
		return;
	rule.allowed_access = accesses & list_accesses(sandbox->version);
	if (fstat(fd, &about) == 0 && !S_ISDIR(about.st_mode))
		rule.allowed_access &= WRITE_FILE;
	/* Ignore failure for pipes and sockets, which have no path: Landlock allows them anyway. */
	(void)syscall(SYS_landlock_add_rule, sandbox->rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(fd);
}

void sandbox_allow_read(struct sandbox *sandbox, const char *path)
{
	allow_path(sandbox, path, READ);
}

static void cut_last_part(char path[PATH_CAPACITY])
{
	char *slash = strrchr(path, '/');

	if (!slash)
		strcpy(path, ".");
	else
		slash[slash == path] = '\0';
}

void sandbox_allow_write(struct sandbox *sandbox, const char *path)
{
	char place[PATH_CAPACITY];
	struct stat about;

	if (snprintf(place, sizeof(place), "%s", path) >= (int)sizeof(place))
		return;
	/* Allow access to the parent directory, because the file is created or replaced there. */
	while ((stat(place, &about) != 0 || S_ISREG(about.st_mode)) && strcmp(place, "/") != 0 &&
	       strcmp(place, ".") != 0)
		cut_last_part(place);
	allow_path(sandbox, place, WRITE);
}

void sandbox_allow_socket(struct sandbox *sandbox, const char *path)
{
	char place[PATH_CAPACITY];

	if (snprintf(place, sizeof(place), "%s", path) >= (int)sizeof(place))
		return;
	cut_last_part(place);
	allow_path(sandbox, place, SOCKET);
}

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
#define MACHINE 0
#endif

#define X32_BIT 0x40000000U /* flags system calls of the x32 ABI on amd64 */

/* clang-format off */

/* System calls to deny, because no cairn command needs them. */
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

static const unsigned refused_network[] = {
	SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept4,
#ifdef SYS_accept
	SYS_accept,
#endif
#ifdef SYS_socketcall
	SYS_socketcall,
#endif
};

static const unsigned refused_trace[] = {
	SYS_ptrace, SYS_kill, SYS_process_vm_readv,
};

/*
 * System calls denied once all files are open. Calls without a path remain allowed, such as read,
 * write, mmap and ftruncate.
 */
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
	PROGRAM_MAX = 2 * CALLS_MAX + 8, /* maximum number of instructions, two per system call */
};

static const struct sock_filter refuse =
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA));

/* Begin with instructions that deny the system calls of other architectures and of x32. */
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

/* Append an instruction that allows all other system calls, and install the filter. */
static bool enter_program(struct sock_filter *program, struct sock_filter *end)
{
	*end++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog filter = { .len = (unsigned short)(end - program), .filter = program };
	return MACHINE != 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

static bool enter_filter(unsigned rights)
{
	struct sock_filter program[PROGRAM_MAX], *end = begin_program(program);

	end = refuse_calls(end, refused, COUNT(refused));
	if ((rights & SANDBOX_NETWORK) == 0)
		end = refuse_calls(end, refused_network, COUNT(refused_network));
	if ((rights & SANDBOX_TRACE) == 0)
		end = refuse_calls(end, refused_trace, COUNT(refused_trace));
	return enter_program(program, end);
}

/* Return false in sanitizer builds, because sanitizers start programs and inspect the process. */
bool sandbox_is_possible(void)
{
	return !IS_SANITIZED;
}

void sandbox_begin(struct sandbox *sandbox, unsigned rights)
{
	bool confines_files = sandbox_is_possible() && (rights & SANDBOX_TRACE) == 0;

	*sandbox = (struct sandbox){ .rights = rights, .rules = -1 };
	if (confines_files) {
		const long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
		                             LANDLOCK_CREATE_RULESET_VERSION);
		sandbox->version = version > 0 ? (int)version : 0;
	}
	if (sandbox->version > 0) {
		const struct {
			/* in versions of Landlock before 4, the structure ends after `files` */
			uint64_t files, network;
		} handled = { list_accesses(sandbox->version),
			      rights & SANDBOX_NETWORK ? 0 : ACCESS_TCP };
		const size_t size = sandbox->version >= 4 ? sizeof(handled) : sizeof(handled.files);
		sandbox->rules = (int)syscall(SYS_landlock_create_ruleset, &handled, size, 0);
	}
	if (rights & SANDBOX_READ_ALL)
		sandbox_allow_read(sandbox, "/");
	sandbox_allow_write(sandbox, "/dev/null");
}

unsigned sandbox_enter(struct sandbox *sandbox)
{
	unsigned parts = 0;

	if (sandbox->rules >= 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		    syscall(SYS_landlock_restrict_self, sandbox->rules, 0) == 0)
			parts |= SANDBOX_FILES;
		close(sandbox->rules);
		sandbox->rules = -1;
	}
	if (sandbox_is_possible() && enter_filter(sandbox->rights))
		parts |= SANDBOX_CALLS;
	return parts;
}

bool sandbox_refuse_paths(void)
{
	struct sock_filter program[PROGRAM_MAX], *end = begin_program(program);

	end = refuse_calls(end, refused_paths, COUNT(refused_paths));
	return sandbox_is_possible() && enter_program(program, end);
}
