/* SPDX-License-Identifier: MIT */
/*
 * Parses these files of /proc:
 *
 *	status = { key ':' blanks value '\n' }      Uid: real effective saved file system
 *	cgroup = { number ':' controllers ':' path '\n' }
 *	cmdline, environ = { text NUL }
 *	stat = pid " (" name ") " state ' ' { number ' ' }
 */
#include "process_head.h"

#include "base/bytes.h"

#include "formats/elf/elf.h"
#include "formats/procmaps.h"
#include "os/file/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	CONTAINER_DIGITS = 64, /* hexadecimal digits of a container ID */
	STARTED_FIELD = 22,    /* field of stat with the start time, in clock ticks since boot */
	NANOSECONDS = 1000000000,
	PATH_ROOM = 4096,
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
 * Read the last number of NSpid, the one in the innermost namespace. Return false if there is only
 * one namespace.
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

/* Print the executable's path. The kernel appends " (deleted)" if the file no longer exists. */
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

/* Print NUL-terminated strings as an array, and a separate key if some were cut off. */
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
 * Print the container's ID: container engines put it in the cgroup path, as a run of exactly 64
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

/* Print the path in the unified hierarchy (0::/path), or otherwise the first path. */
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
 * Print the age of the process. The name in stat may contain parentheses, so parse after the last
 * one.
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
	char path[PATH_ROOM];
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
		return; /* a data file, such as a font */
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
