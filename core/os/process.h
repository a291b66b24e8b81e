/* SPDX-License-Identifier: MIT */
/*
 * Reads another process on this machine through its directory in /proc. The directory stays open,
 * which guarantees that no data is read from a later process with the same pid.
 *
 *	struct os_process process;
 *	int error = os_process_open(1234, &process);
 *	char *maps = os_process_text(&process, "maps", &size);
 *	...
 *	os_process_close(&process);
 */
#ifndef CAIRN_OS_PROCESS_H
#define CAIRN_OS_PROCESS_H

#include <cairn.h>

#include <stdint.h>

enum {
	/* maximum size in bytes of a file in /proc; 500,000 mappings take about 50 MB in "maps" */
	OS_PROCESS_TEXT_MAX = 64 << 20,
	OS_PROCESS_THREADS_MAX = 1 << 17,
};

struct os_process {
	uint64_t pid;
	uint64_t living; /* pid, or the tid of another thread if the main thread has exited */
	int directory;   /* /proc/LIVING */
	int memory;      /* /proc/LIVING/mem; -1 if unreadable */
};

/*
 * Open a process. Returns 0 or an errno value: ESRCH if the process does not exist; EACCES or EPERM
 * if it belongs to another user.
 */
CAIRN_MUST_USE int os_process_open(uint64_t pid, struct os_process *process);
void os_process_close(struct os_process *process);

/* Return true if the process still runs. A zombie does not. */
bool os_process_is_alive(const struct os_process *process);

/*
 * Read a file from the process directory, such as "maps" or "task/7/comm". Returns the contents,
 * *size bytes and a NUL, which the caller frees. Returns NULL if the file is unreadable or
 * allocation fails.
 */
char *os_process_text(const struct os_process *process, const char *name, size_t *size);

/*
 * Copy the target of a link such as "exe", as the kernel reports it. Returns false if it cannot be
 * read.
 */
bool os_process_link(const struct os_process *process, const char *name, char *path,
                     size_t capacity);

/* Read the process's current memory. Returns false unless all bytes are readable. */
bool os_process_read(const struct os_process *process, uint64_t address, void *buffer, size_t size);

/*
 * Return the IDs of the current threads, which the caller frees. Returns NULL if allocation fails
 * or the process has exited.
 */
uint64_t *os_process_threads(const struct os_process *process, size_t *count);

/*
 * Set *user to the process's owner. Returns false if the real, effective and saved user IDs differ,
 * as in a set-user-ID program.
 */
bool os_process_user(const struct os_process *process, uint32_t *user);

/* Return the process's age in nanoseconds, or 0 if unknown. */
uint64_t os_process_age(const struct os_process *process);

/*
 * Opens the files that another process has mapped, through the links in /proc/PID/map_files. These
 * lead directly to the mapped files, so no path chosen by that process is looked up and no symbolic
 * link is followed.
 */

struct os_mapped_file {
	/* address range of one mapping; all mappings of a file share a descriptor */
	uint64_t low, high;
	int fd; /* descriptor of the file, a regular file that begins with the ELF magic */
};

enum {
	/* maximum number of mappings of ELF files; programs have hundreds */
	OS_MAPPED_FILES_MAX = 4096,
	OS_MAPPED_LOOKS_MAX = 1 << 16,
	/* maximum number of distinct files; programs have up to 400 libraries */
	OS_MAPPED_DESCRIPTORS_MAX = 512,
};

/*
 * Fill `files`, sorted by address, and return the number of mappings. Returns 0 without permission:
 * the kernel requires CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE.
 */
size_t os_mapped_files(const struct os_process *process,
                       struct os_mapped_file files[OS_MAPPED_FILES_MAX]);

/* Return the descriptor of the file mapped at `address`, or -1. The caller must not close it. */
int os_mapped_file_at(const struct os_mapped_file *files, size_t count, uint64_t address);

/*
 * Open a process's root directory. The caller closes the descriptor. Returns -1 without permission.
 */
int os_process_root(const struct os_process *process);

/*
 * Open a regular file below the directory `root` for reading. Resolves symbolic links as if `root`
 * were the root directory. Returns a descriptor or -1.
 */
int os_open_below(int root, const char *path);

/* Open the file in /proc that own_use_memory() reads. Returns -1 on failure. */
int own_use_open(void);

/* Return the resident memory of the current process in bytes, or 0 if unknown. */
uint64_t own_use_memory(int file);

double own_use_processor(void);

#endif
