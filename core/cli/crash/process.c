/* SPDX-License-Identifier: MIT */
/*
 * Copies the crashed process's files in /proc, each up to a size limit, and prints their contents
 * as JSON. The handler only copies them; the unprivileged reader parses and prints them.
 */
#include "process.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "formats/elf/elf.h"
#include "formats/procmaps.h"
#include "os/file.h"
#include "os/jit_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* names in /proc/PID, and maximum sizes of the copies */
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
	/* the default maximum of 65,530 mappings takes about 7 MB */
	[FACT_MAPS] = { "maps", 16 << 20, false },
	[FACT_AUXV] = { "auxv", 4 << 10, false },
	[FACT_ENVIRON] = { "environ", 64 << 10, false },
	[FACT_EXE] = { "exe", PATH_MAX, true },
	[FACT_ROOT] = { "root", PATH_MAX, true },
	[FACT_CWD] = { "cwd", PATH_MAX, true },
};

enum { FIRST_CAPACITY = 4096 };

/* Read up to `most` bytes. Return allocated memory that the caller frees, or NULL. */
static uint8_t *read_some(int fd, size_t most, size_t *size, bool *cut)
{
	uint8_t *bytes = NULL;
	size_t capacity = 0;
	ssize_t got = 1;

	*size = 0;
	while (got > 0 && *size <= most) {
		if (!array_grow_from(&bytes, &capacity, *size + FIRST_CAPACITY, 1, FIRST_CAPACITY))
			break;
		got = read(fd, bytes + *size, capacity - *size);
		*size += got > 0 ? (size_t)got : 0;
	}
	*cut = got != 0 || *size > most;
	*size = *size < most ? *size : most;
	return bytes;
}

static void copy_file(struct crash_facts *facts, int directory, enum crash_fact which)
{
	int fd = openat(directory, sources[which].name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	size_t size = 0;

	if (fd < 0)
		return;
	facts->memory[which] = read_some(fd, sources[which].most, &size, &facts->cut[which]);
	if (size > 0)
		facts->fact[which] = (struct cairn_bytes){ facts->memory[which], size };
	close(fd);
}

static void copy_link(struct crash_facts *facts, int directory, enum crash_fact which)
{
	char *path = malloc(sources[which].most);
	ssize_t size =
		path ? readlinkat(directory, sources[which].name, path, sources[which].most) : -1;

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

static void crash_facts_sort(struct crash_facts *facts)
{
	if (facts->thread_count > 0)
		qsort(facts->threads, facts->thread_count, sizeof(*facts->threads),
		      compare_threads);
}

static size_t read_thread(int directory, uint64_t tid, const char *name, uint8_t *bytes,
                          size_t capacity)
{
	char path[64];

	snprintf(path, sizeof(path), "task/%llu/%s", (unsigned long long)tid, name);
	int fd = openat(directory, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t size = fd < 0 ? -1 : read(fd, bytes, capacity);
	if (fd >= 0)
		close(fd);
	return size > 0 ? (size_t)size : 0;
}

static void take_thread(struct crash_facts *facts, int directory, uint64_t tid, bool inside)
{
	struct crash_thread *thread = &facts->threads[facts->thread_count];

	thread->tid = tid;
	thread->size = read_thread(directory, tid, "comm", thread->name, sizeof(thread->name));
	if (thread->size == 0)
		return;
	thread->size -= thread->name[thread->size - 1] == '\n';
	if (inside)
		thread->status_size = read_thread(directory, tid, "status", thread->status,
		                                  sizeof(thread->status));
	facts->thread_count++;
}

/*
 * Return true if the process is in another PID namespace. Compares symbolic links whose targets are
 * created by the kernel, so they can be trusted.
 */
static bool counts_otherwise(int directory)
{
	char theirs[64], ours[64];
	ssize_t a = readlinkat(directory, "ns/pid", theirs, sizeof(theirs));
	ssize_t b = readlink("/proc/self/ns/pid", ours, sizeof(ours));

	return a > 0 && b > 0 && (a != b || memcmp(theirs, ours, (size_t)a) != 0);
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
			copy_link(facts, process.directory, i);
		else if (i != FACT_ENVIRON || environment)
			copy_file(facts, process.directory, i);
	}
	const bool inside = counts_otherwise(process.directory);
	size_t count;
	uint64_t *tids = os_process_threads(&process, &count);
	facts->threads = calloc(CRASH_THREADS_MAX, sizeof(*facts->threads));
	for (size_t i = 0; tids && facts->threads && i < count && i < CRASH_THREADS_MAX; i++)
		take_thread(facts, process.directory, tids[i], inside);
	crash_facts_sort(facts);
	free(tids);
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

/*
 * Parses these files in /proc:
 *
 *	status = { KEY ':' BLANKS VALUE '\n' }      Uid: real effective saved file system
 *	cgroup = { NUMBER ':' CONTROLLERS ':' PATH '\n' }
 *	cmdline, environ = { STRING NUL }
 *	stat = PID " (" NAME ") " STATE ' ' { NUMBER ' ' }
 */

enum {
	CONTAINER_DIGITS = 64,
	/*
	 * number of the field in `stat`, counted from 1, that contains the start time in clock
	 * ticks since boot
	 */
	STARTED_FIELD = 22,
	NANOSECONDS = 1000000000,
	PATH_CAPACITY = 4096,
};

static struct cairn_bytes skip_bytes(struct cairn_bytes text, size_t count)
{
	return (struct cairn_bytes){ text.data + count, text.size - count };
}

static bool parse_decimal(struct cairn_bytes text, uint64_t *number)
{
	size_t at = 0;

	for (*number = 0; at < text.size && text.data[at] >= '0' && text.data[at] <= '9'; at++) {
		if (*number > (UINT64_MAX - 9) / 10)
			return false;
		*number = *number * 10 + (text.data[at] - '0');
	}
	return at > 0;
}

static struct cairn_bytes find_status(struct cairn_bytes text, const char *key)
{
	const size_t length = strlen(key);

	while (text.size > 0) {
		struct cairn_bytes line = bytes_take_part(&text, '\n');
		if (line.size > length && line.data[length] == ':' &&
		    memcmp(line.data, key, length) == 0)
			return bytes_trim(skip_bytes(line, length + 1), " \t", "\n");
	}
	return (struct cairn_bytes){ (const uint8_t *)"", 0 };
}

static void print_status(struct json *json, const struct crash_facts *facts, const char *name,
                         const char *key)
{
	uint64_t number;

	if (parse_decimal(find_status(facts->fact[FACT_STATUS], key), &number))
		json_number(json, name, number);
}

/*
 * Read the last number in NSpid, the process ID in the innermost PID namespace. Return false if
 * there is only one namespace.
 */
static bool find_inner_number(struct cairn_bytes status, uint64_t *number)
{
	struct cairn_bytes text = find_status(status, "NSpid");
	bool inner = memchr(text.data, '\t', text.size) != NULL;

	while (text.size > 0 && memchr(text.data, '\t', text.size))
		bytes_take_part(&text, '\t');
	return inner && parse_decimal(text, number);
}

void crash_number_threads(struct crash_facts *facts)
{
	for (size_t i = 0; i < facts->thread_count; i++) {
		struct crash_thread *thread = &facts->threads[i];
		const struct cairn_bytes status = { thread->status, thread->status_size };
		find_inner_number(status, &thread->tid);
	}
	crash_facts_sort(facts);
}

static void print_text_fact(struct json *json, const struct crash_facts *facts, const char *name,
                            enum crash_fact which)
{
	struct cairn_bytes text = bytes_trim(facts->fact[which], " \t", "\n");

	if (text.size > 0)
		json_text(json, name, text);
}

/*
 * Print the path of the executable. The kernel appends " (deleted)" if the file no longer exists.
 */
static void print_program(struct json *json, const struct crash_facts *facts)
{
	static const char mark[] = " (deleted)";
	const size_t length = sizeof(mark) - 1;
	struct cairn_bytes path = facts->fact[FACT_EXE];
	bool deleted =
		path.size > length && memcmp(path.data + path.size - length, mark, length) == 0;

	if (path.size == 0)
		return;
	path.size -= deleted ? length : 0;
	json_text(json, "program", path);
	json_bool(json, "program_deleted", deleted);
}

/* Print NUL-terminated strings as an array. If strings were cut off, add a member that says so. */
static void print_texts(struct json *json, const struct crash_facts *facts, const char *name,
                        enum crash_fact which)
{
	struct cairn_bytes text = facts->fact[which];
	size_t count = 0;

	if (text.size == 0)
		return;
	json_array(json, name);
	for (; text.size > 0 && count < CRASH_ARGUMENTS_MAX; count++)
		json_text(json, NULL, bytes_take_part(&text, '\0'));
	json_end(json);
	if (facts->cut[which] || text.size > 0)
		json_bool(json, which == FACT_CMDLINE ? "arguments_cut" : "environment_cut", true);
}

/*
 * Print the container ID. Container engines put it into the cgroup path, as a run of exactly 64
 * hexadecimal digits.
 */
static void print_container(struct json *json, struct cairn_bytes path)
{
	size_t run = 0;

	for (size_t i = 0; i <= path.size; i++) {
		if (i < path.size && memchr("0123456789abcdef", path.data[i], 16)) {
			run++;
			continue;
		}
		if (run == CONTAINER_DIGITS) {
			json_text(json, "container",
			          (struct cairn_bytes){ path.data + i - run, run });
			return;
		}
		run = 0;
	}
}

/*
 * Print the cgroup path in the unified hierarchy (0::PATH) or, without this hierarchy, the first
 * path.
 */
static void print_cgroup(struct json *json, const struct crash_facts *facts)
{
	struct cairn_bytes text = facts->fact[FACT_CGROUP], path = { (const uint8_t *)"", 0 };

	while (text.size > 0) {
		struct cairn_bytes line = bytes_take_part(&text, '\n');
		bool unified = line.size > 1 && line.data[0] == '0' && line.data[1] == ':';
		bytes_take_part(&line, ':');
		bytes_take_part(&line, ':');
		if (path.size == 0 || unified)
			path = line;
	}
	if (path.size == 0)
		return;
	json_text(json, "cgroup", path);
	print_container(json, path);
}

/*
 * Print the age of the process. Start after the last parenthesis in `stat`, because the name may
 * contain parentheses.
 */
static void print_age(struct json *json, const struct crash_facts *facts, uint64_t now)
{
	struct cairn_bytes text = facts->fact[FACT_STAT];
	const long ticks = sysconf(_SC_CLK_TCK);
	uint64_t started;

	while (text.size > 0 && memchr(text.data, ')', text.size))
		bytes_take_part(&text, ')');
	for (unsigned field = 2; field < STARTED_FIELD; field++)
		bytes_take_part(&text, ' ');
	if (!parse_decimal(text, &started) || ticks <= 0 || now == 0)
		return;
	const uint64_t hertz = (uint64_t)ticks, seconds = started / hertz;
	if (seconds <= now / NANOSECONDS)
		json_number(json, "running_nanoseconds",
		            now - seconds * NANOSECONDS - started % hertz * (NANOSECONDS / hertz));
}

void crash_print_process(struct json *json, const struct crash_facts *facts, uint64_t now)
{
	uint64_t inner;

	print_text_fact(json, facts, "name", FACT_COMM);
	print_program(json, facts);
	print_texts(json, facts, "arguments", FACT_CMDLINE);
	print_status(json, facts, "user", "Uid");
	print_status(json, facts, "group", "Gid");
	print_status(json, facts, "parent_pid", "PPid");
	if (find_inner_number(facts->fact[FACT_STATUS], &inner))
		json_number(json, "namespace_pid", inner);
	print_cgroup(json, facts);
	print_text_fact(json, facts, "root", FACT_ROOT);
	print_text_fact(json, facts, "folder", FACT_CWD);
	print_age(json, facts, now);
	print_texts(json, facts, "environment", FACT_ENVIRON);
}

/* Consecutive mappings of one file. */
struct mapped_module {
	struct procmaps_entry first;
	uint64_t high;
	bool executable;
};

static void print_build_id(struct json *json, const struct crash_facts *facts,
                           const struct mapped_module *module)
{
	char path[PATH_CAPACITY];
	struct os_file file;
	struct elf elf;

	if (module->first.path.size >= sizeof(path))
		return;
	memcpy(path, module->first.path.data, module->first.path.size);
	path[module->first.path.size] = '\0';
	int fd = crash_facts_open(facts, module->first.low, path);
	if (fd < 0)
		return;
	if (os_file_open_descriptor(fd, "a mapped file", &file) == 0) {
		if (elf_opens(file.bytes, &elf) && elf_build_id(&elf).size > 0)
			json_hex(json, "build_id", elf_build_id(&elf));
		os_file_close(&file);
	}
	close(fd);
}

static void print_module(struct json *json, const struct crash_facts *facts,
                         const struct mapped_module *module)
{
	if (!module->executable)
		return; /* skip data files such as fonts, which are not mapped as code */
	json_object(json, NULL);
	json_address(json, "low", module->first.low);
	json_address(json, "high", module->high);
	json_text(json, "module", module->first.path);
	print_build_id(json, facts, module);
	if (module->first.deleted)
		json_bool(json, "deleted", true);
	json_end(json);
}

static bool is_same_file(const struct procmaps_entry *a, const struct procmaps_entry *b)
{
	return a->inode == b->inode && b->offset > a->offset && bytes_equal(a->path, b->path);
}

void crash_print_modules(struct json *json, const struct crash_facts *facts)
{
	struct procmaps maps = procmaps_open(facts->fact[FACT_MAPS]);
	struct mapped_module module = { .executable = false };
	struct procmaps_entry entry;
	size_t count = 0;

	json_array(json, "modules");
	while (count < CRASH_MODULES_MAX && procmaps_next(&maps, &entry)) {
		if (entry.inode == 0)
			continue;
		if (!module.first.path.data || !is_same_file(&module.first, &entry)) {
			count += module.executable;
			print_module(json, facts, &module);
			module = (struct mapped_module){ .first = entry };
		}
		module.high = entry.high;
		module.executable |= entry.executable;
	}
	print_module(json, facts, &module);
	json_end(json);
}
