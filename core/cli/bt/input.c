/* SPDX-License-Identifier: MIT */
/* Opens what `cairn bt` is given as a snapshot, and gives all of it back. */
#include "bt.h"

#include "capture/process_snapshot.h"
#include "engine/snapshot/core_snapshot.h"
#include "engine/snapshot/core_stream.h"
#include "engine/snapshot/minidump_snapshot.h"
#include "engine/snapshot/snapshot_modules.h"
#include "formats/minidump/minidump.h"
#include "os/stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int reject_input(struct bt *bt, const struct cairn_fault *fault, const char *next)
{
	print_fault_diagnostic(bt->path, NULL, fault, next);
	os_file_close(&bt->file);
	return EXIT_BROKEN;
}

static int open_snapshot(struct bt *bt)
{
	struct cairn_fault fault;
	struct elf elf;

	if (minidump_has_magic(bt->file.bytes))
		return minidump_snapshot_open(&bt->snapshot, bt->file.bytes, &fault) == CAIRN_OK
		               ? EXIT_CLEAN
		               : reject_input(bt, &fault, "a core file or a minidump is expected");
	if (elf_open(bt->file.bytes, &elf, &fault) != CAIRN_OK)
		return reject_input(bt, &fault, "a core file or a minidump is expected");
	if (core_snapshot_open(&bt->snapshot, &elf, &fault) != CAIRN_OK)
		return reject_input(bt, &fault, "a core file or a minidump is expected");
	return EXIT_CLEAN;
}

static int open_process(struct bt *bt)
{
	static char name[32];
	int error = process_snapshot_open(&bt->snapshot, bt->options.pid);

	snprintf(name, sizeof(name), "process %llu", (unsigned long long)bt->options.pid);
	bt->path = name;
	if (error == 0)
		return EXIT_CLEAN;
	if (error == EPERM || error == EACCES)
		print_diagnostic(bt->path, "it may not be traced: it is somebody else's, is traced "
		                           "already, or kernel.yama.ptrace_scope forbids it");
	else
		print_diagnostic(bt->path, "%s", strerror(error));
	return EXIT_BROKEN;
}

static size_t read_stream(void *context, void *buffer, size_t size)
{
	return os_stream_read(context, buffer, size);
}

static uint64_t skip_stream(void *context, uint64_t size)
{
	return os_stream_skip(context, size);
}

/* A core that comes as a stream. */
static int stream_core(struct bt *bt, struct os_stream *stream)
{
	const struct core_input input = { stream, read_stream, skip_stream };
	struct cairn_fault fault;

	if (core_stream_open(&bt->snapshot, &input, &fault) != CAIRN_OK)
		return reject_input(bt, &fault, "a core file or a minidump is expected");
	if (stream->error)
		print_diagnostic(bt->path, "cannot read: %s", strerror(stream->error));
	return EXIT_CLEAN;
}

static bool has_elf_magic(struct cairn_bytes bytes)
{
	return bytes.size == 4 && memcmp(bytes.data,
	                                 "\x7f"
	                                 "ELF",
	                                 4) == 0;
}

/* Standard input: a core is read as it comes, all else as a whole. */
static int open_input(struct bt *bt)
{
	struct os_stream stream;
	int status, error = os_stream_open(&stream, STDIN_FILENO);

	if (error == 0 && has_elf_magic(os_stream_peek(&stream, 4))) {
		status = stream_core(bt, &stream);
		os_stream_close(&stream);
		return status;
	}
	if (error == 0) {
		error = os_stream_rest(&stream, &bt->file);
		os_stream_close(&stream);
	}
	if (error == 0)
		return input_unpack(bt->path, &bt->file) ? open_snapshot(bt) : EXIT_BROKEN;
	print_diagnostic(bt->path, "cannot read: %s", strerror(error));
	return EXIT_BROKEN;
}

static int open_file(struct bt *bt)
{
	if (strcmp(bt->path, "-") == 0)
		return open_input(bt);
	if (!input_open_unpacked(bt->path, &bt->file))
		return EXIT_BROKEN;
	os_file_read_apart(&bt->file);
	return open_snapshot(bt);
}

int bt_input_open(struct bt *bt)
{
	int status = bt->options.pid ? open_process(bt) : open_file(bt);
	if (status != EXIT_CLEAN)
		return status;
	if (bt->snapshot.module_count == 0)
		snapshot_modules_find(&bt->snapshot);
	else
		snapshot_sort_modules(&bt->snapshot);
	snapshot_memory_open(&bt->memory, &bt->snapshot);
	bt->memory.want_file = bt_find_file;
	bt->memory.context = bt;
	bt->space = cairn_space_new(&bt->memory.target);
	bt->modules = calloc(bt->snapshot.module_count + 1, sizeof(*bt->modules));
	if (bt->space && bt->modules) {
		if (bt->snapshot.kind == SNAPSHOT_MINIDUMP && !bt_report_modules(bt))
			print_diagnostic(bt->path, "it has more modules than cairn unwinds in");
		return EXIT_CLEAN;
	}
	print_diagnostic(bt->path, "out of memory");
	bt_close(bt);
	return EXIT_BROKEN;
}

static void free_stack(struct bt_stack *stack)
{
	free(stack->frames);
	free(stack->rules);
}

void bt_close(struct bt *bt)
{
	for (size_t i = 0; i < bt->stack_count; i++)
		free_stack(&bt->stacks[i]);
	free(bt->stacks);
	slot_table_finish(&bt->names.slots);
	free(bt->names.answers);
	free(bt->names.locations);
	cairn_space_free(bt->space);
	for (size_t i = 0; bt->modules && i < bt->snapshot.module_count; i++)
		bt_close_module(&bt->modules[i]);
	free(bt->modules);
	snapshot_close(&bt->snapshot);
	os_file_close(&bt->file);
}
