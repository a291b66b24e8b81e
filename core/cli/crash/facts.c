/* SPDX-License-Identifier: MIT */
/* Copies the files of a process in /proc, each up to a limit. */
#include "facts.h"

#include "base/memory.h"
#include "os/process/jit_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Name in /proc/PID and size limit of each fact. */
static const struct {
	const char *name;
	size_t most;
	bool link;
} sources[FACT_COUNT] = {
	[FACT_COMM] = { "comm", 64, false },
	[FACT_CMDLINE] = { "cmdline", 64 << 10, false },
	[FACT_STATUS] = { "status", 16 << 10, false },
	[FACT_STAT] = { "stat", 4 << 10, false },
	[FACT_CGROUP] = { "cgroup", 16 << 10, false },
	[FACT_MAPS] = { "maps", 16 << 20, false }, /* 65,530 mappings take about 7 MB */
	[FACT_AUXV] = { "auxv", 4 << 10, false },
	[FACT_ENVIRON] = { "environ", 64 << 10, false },
	[FACT_EXE] = { "exe", PATH_MAX, true },
	[FACT_ROOT] = { "root", PATH_MAX, true },
	[FACT_CWD] = { "cwd", PATH_MAX, true },
};

enum { FIRST_ROOM = 4096 };

/* Read up to `most` bytes. Return memory that the caller frees, or NULL. */
static uint8_t *read_some(int fd, size_t most, size_t *size, bool *cut)
{
	uint8_t *bytes = NULL;
	size_t room = 0;
	ssize_t got = 1;

	*size = 0;
	while (got > 0 && *size <= most) {
		if (!array_grow_from(&bytes, &room, *size + FIRST_ROOM, 1, FIRST_ROOM))
			break;
		got = read(fd, bytes + *size, room - *size);
		*size += got > 0 ? (size_t)got : 0;
	}
	*cut = got != 0 || *size > most;
	*size = *size < most ? *size : most;
	return bytes;
}

static void copy_file(struct crash_facts *facts, int folder, enum crash_fact which)
{
	int fd = openat(folder, sources[which].name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	size_t size = 0;

	if (fd < 0)
		return;
	facts->memory[which] = read_some(fd, sources[which].most, &size, &facts->cut[which]);
	if (size > 0)
		facts->fact[which] = (struct cairn_bytes){ facts->memory[which], size };
	close(fd);
}

static void copy_link(struct crash_facts *facts, int folder, enum crash_fact which)
{
	char *path = malloc(sources[which].most);
	ssize_t size =
		path ? readlinkat(folder, sources[which].name, path, sources[which].most) : -1;

	facts->memory[which] = path;
	if (size > 0)
		facts->fact[which] = (struct cairn_bytes){ (uint8_t *)path, (size_t)size };
	facts->cut[which] = size == (ssize_t)sources[which].most;
}

static int compare_threads(const void *left, const void *right)
{
	const struct crash_thread *a = left, *b = right;

	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

void crash_facts_sort(struct crash_facts *facts)
{
	if (facts->thread_count > 0)
		qsort(facts->threads, facts->thread_count, sizeof(*facts->threads),
		      compare_threads);
}

static size_t read_thread(int folder, uint64_t tid, const char *name, uint8_t *bytes, size_t room)
{
	char path[64];

	snprintf(path, sizeof(path), "task/%llu/%s", (unsigned long long)tid, name);
	int fd = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t size = fd < 0 ? -1 : read(fd, bytes, room);
	if (fd >= 0)
		close(fd);
	return size > 0 ? (size_t)size : 0;
}

static void take_thread(struct crash_facts *facts, int folder, uint64_t tid, bool inside)
{
	struct crash_thread *thread = &facts->threads[facts->thread_count];

	thread->tid = tid;
	thread->size = read_thread(folder, tid, "comm", thread->name, sizeof(thread->name));
	if (thread->size == 0)
		return;
	thread->size -= thread->name[thread->size - 1] == '\n';
	if (inside)
		thread->status_size =
			read_thread(folder, tid, "status", thread->status, sizeof(thread->status));
	facts->thread_count++;
}

/*
 * Return true if the process is in another PID namespace. The kernel creates the link's text, so it
 * can be trusted.
 */
static bool counts_otherwise(int folder)
{
	char theirs[64], ours[64];
	ssize_t a = readlinkat(folder, "ns/pid", theirs, sizeof(theirs));
	ssize_t b = readlink("/proc/self/ns/pid", ours, sizeof(ours));

	return a > 0 && b > 0 && (a != b || memcmp(theirs, ours, (size_t)a) != 0);
}

static void take_threads(struct crash_facts *facts, const struct os_process *process)
{
	const bool inside = counts_otherwise(process->folder);
	size_t count;
	uint64_t *tids = os_process_threads(process, &count);

	facts->threads = calloc(CRASH_THREADS_MAX, sizeof(*facts->threads));
	for (size_t i = 0; tids && facts->threads && i < count && i < CRASH_THREADS_MAX; i++)
		take_thread(facts, process->folder, tids[i], inside);
	crash_facts_sort(facts);
	free(tids);
}

void crash_facts_take(struct crash_facts *facts, uint64_t pid, bool environment)
{
	struct os_process process;

	char path[OS_JIT_PATH];
	bool dump;

	*facts = (struct crash_facts){ .root = -1, .jit = -1 };
	for (unsigned i = 0; i < FACT_COUNT; i++)
		facts->fact[i].data = (const uint8_t *)"";
	facts->error = os_process_open(pid, &process);
	if (facts->error != 0)
		return;
	for (unsigned i = 0; i < FACT_COUNT; i++) {
		if (sources[i].link)
			copy_link(facts, process.folder, i);
		else if (i != FACT_ENVIRON || environment)
			copy_file(facts, process.folder, i);
	}
	take_threads(facts, &process);
	facts->files = calloc(OS_MAPPED_FILES_MAX, sizeof(*facts->files));
	facts->file_count = facts->files ? os_mapped_files(&process, facts->files) : 0;
	facts->root = os_process_root(&process);
	facts->jit = os_jit_open_running(pid, path, &dump);
	os_process_close(&process);
}

struct cairn_bytes crash_facts_thread(const struct crash_facts *facts, uint64_t tid)
{
	const struct crash_thread wanted = { .tid = tid };
	const struct crash_thread *thread =
		facts->thread_count > 0 ? bsearch(&wanted, facts->threads, facts->thread_count,
	                                          sizeof(wanted), compare_threads)
					: NULL;

	return thread ? (struct cairn_bytes){ thread->name, thread->size }
	              : (struct cairn_bytes){ (const uint8_t *)"", 0 };
}

int crash_facts_open(const struct crash_facts *facts, uint64_t low, const char *path)
{
	int fd = os_mapped_file_at(facts->files, facts->file_count, low);

	if (fd >= 0)
		return fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return facts->root < 0 ? -1 : os_open_below(facts->root, path);
}

void crash_facts_finish(struct crash_facts *facts)
{
	int last = -1;

	for (size_t i = 0; i < facts->file_count; i++) {
		if (facts->files[i].fd != last)
			close(facts->files[i].fd);
		last = facts->files[i].fd;
	}
	for (unsigned i = 0; i < FACT_COUNT; i++)
		free(facts->memory[i]);
	free(facts->threads);
	free(facts->files);
	if (facts->root >= 0)
		close(facts->root);
	if (facts->jit >= 0)
		close(facts->jit);
}
