/* SPDX-License-Identifier: MIT */
/*
 * Writes a minidump of a running process to standard output, as Breakpad would: registers and stacks of
 * its threads, and its modules with their build IDs.
 *
 *	process_to_minidump PID [sonames]
 *
 * With the word modules have names without a directory, as Crashpad writes them.
 */
#include "unit/fixture_minidump.h"

#include "base/path.h"
#include "process/stacks/process_snapshot.h"
#include "process/snapshot/snapshot_modules.h"

#include <stdio.h>
#include <stdlib.h>

enum { PARTS_MAX = 64 };

static struct fixture_minidump dump;
static struct fixture_minidump_part stacks[PARTS_MAX], contexts[PARTS_MAX], ids[PARTS_MAX];
static size_t names[PARTS_MAX];
static bool has_sonames;

#if defined(__aarch64__)
static const enum fixture_minidump_form form = FIXTURE_MINIDUMP_ARM64;
enum { PROCESSOR = 12 };
#else
static const enum fixture_minidump_form form = FIXTURE_MINIDUMP_AMD64;
enum { PROCESSOR = 9 };
#endif

static void put_stack(const struct snapshot *snapshot, size_t i)
{
	static uint8_t bytes[FIXTURE_OUT_MAX];
	const struct snapshot_thread *thread = &snapshot->threads[i];
	size_t size = (size_t)(thread->stack.high - thread->stack.low);
	uint64_t value[34] = { 0 };

	if (size > sizeof(bytes) / 2)
		size = sizeof(bytes) / 2;
	snapshot->memory.read_memory(snapshot->memory.context, thread->stack.low, bytes, size);
	stacks[i] = fixture_minidump_bytes(&dump, bytes, size);
	memcpy(value, thread->registers.value, sizeof(thread->registers.value));
	value[33] = thread->registers.pc;
	contexts[i] = fixture_minidump_context(&dump, form, value);
}

static void put_threads(const struct snapshot *snapshot, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_stack(snapshot, i);
	fixture_minidump_open(&dump, 3);
	fixture_out_put(&dump.out, count, 4);
	for (size_t i = 0; i < count; i++)
		fixture_minidump_thread(&dump, (uint32_t)snapshot->threads[i].tid,
		                        snapshot->threads[i].stack.low, stacks[i], contexts[i]);
	fixture_minidump_close(&dump);
}

static void put_module_texts(const struct snapshot_module *module, size_t i)
{
	const struct cairn_bytes name = has_sonames ? base_name(module->path) : module->path;
	char path[1024];

	snprintf(path, sizeof(path), "%.*s", (int)name.size, (const char *)name.data);
	names[i] = fixture_minidump_text(&dump, path);
	ids[i] = fixture_minidump_bytes(&dump, "LEpB", 4);
	fixture_minidump_bytes(&dump, module->build_id.data, module->build_id.size);
	ids[i].size += module->build_id.size;
}

static void put_modules(const struct snapshot *snapshot, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_module_texts(&snapshot->modules[i], i);
	fixture_minidump_open(&dump, 4);
	fixture_out_put(&dump.out, count, 4);
	for (size_t i = 0; i < count; i++)
		fixture_minidump_module(
			&dump, snapshot->modules[i].low,
			(uint32_t)(snapshot->modules[i].high - snapshot->modules[i].low), names[i],
			ids[i]);
	fixture_minidump_close(&dump);
}

int main(int argc, char **argv)
{
	struct snapshot snapshot;

	has_sonames = argc == 3 && strcmp(argv[2], "sonames") == 0;
	if (argc != 2 + has_sonames ||
	    process_snapshot_open(&snapshot, strtoull(argv[1], NULL, 10)) != 0)
		return 77;
	snapshot_modules_find(&snapshot);
	fixture_minidump_begin(&dump, false);
	fixture_minidump_system(&dump, PROCESSOR, 0x8201);
	put_threads(&snapshot,
	            snapshot.thread_count < PARTS_MAX ? snapshot.thread_count : PARTS_MAX);
	put_modules(&snapshot,
	            snapshot.module_count < PARTS_MAX ? snapshot.module_count : PARTS_MAX);
	struct cairn_bytes bytes = fixture_minidump_finish(&dump);
	size_t written = fwrite(bytes.data, 1, bytes.size, stdout);
	snapshot_close(&snapshot);
	return written == bytes.size ? EXIT_SUCCESS : EXIT_FAILURE;
}
