/* SPDX-License-Identifier: MIT */
/*
 * The size of a text, the text, and the file of a module, as a minidump of the text's backtraces; the host tells no module, or
 * two. Always:
 *   - what is written is a minidump that opens, with as many threads and modules as was told;
 *   - no more memory is held at a time than the promise allows, and none is left.
 */
#include "held.h"

#include "process/snapshot/minidump_snapshot.h"

#include <string.h>

enum { DUMP_MAX = 1 << 26 };

struct written {
	uint8_t *bytes;
	size_t size, capacity;
};

static int append_bytes(void *context, const void *bytes, size_t size)
{
	struct written *w = context;

	ALWAYS(size <= DUMP_MAX && w->size <= DUMP_MAX - size);
	if (size > w->capacity - w->size) {
		w->capacity = (w->size + size) * 2;
		w->bytes = __real_realloc(w->bytes, w->capacity);
		ALWAYS(w->bytes);
	}
	memcpy(w->bytes + w->size, bytes, size);
	w->size += size;
	return 0;
}

static void check_dump(const struct written *w, const struct cairn_captured_summary *summary)
{
	struct snapshot snapshot = { .kind = CAIRN_STACKS_MINIDUMP };
	struct cairn_fault fault;

	ALWAYS(minidump_snapshot_open(&snapshot, (struct cairn_bytes){ w->bytes, w->size },
	                              &fault) == CAIRN_OK);
	ALWAYS(snapshot.thread_count == summary->threads && summary->threads > 0);
	ALWAYS(snapshot.module_count <= summary->modules);
	ALWAYS(summary->frames >= summary->threads && summary->ended <= summary->frames);
	for (size_t i = 0; i < snapshot.thread_count; i++)
		ALWAYS(snapshot.threads[i].registers.machine == CAIRN_MACHINE_AMD64);
	snapshot_close(&snapshot);
}

static void take_input(const uint8_t *data, size_t size)
{
	const size_t text = size < 2 ? 0 : (size_t)(data[0] | data[1] << 8);
	struct cairn_captured_options options = CAIRN_CAPTURED_OPTIONS;
	struct cairn_captured_summary summary = { .size = sizeof(summary) };
	struct written w = { .bytes = NULL };
	struct cairn_captured_file file = { .path = "/m.so" };
	const struct cairn_captured_module modules[] = {
		{ { 0x400000, 0x500000 },
		  0,
		  { (const uint8_t *)"/m.so", 5 },
		  { (const uint8_t *)"\1\2", 2 } },
		{ { 0x7f0000000000, UINT64_MAX },
		  0x7f0000000000,
		  { (const uint8_t *)"libc.so.6", 9 },
		  CAIRN_NO_BYTES },
	};
	struct cairn_error error;

	if (size < 2 || text > size - 2)
		return;
	options.text = (struct cairn_bytes){ data + 2, text };
	file.bytes = (struct cairn_bytes){ data + 2 + text, size - 2 - text };
	options.files = &file;
	options.file_count = file.bytes.size > 0;
	options.write = append_bytes;
	options.context = &w;
	options.modules = modules;
	options.module_count = size % 3; /* so that both are seen, and none */
	const enum cairn_status status = cairn_captured_write(&options, &summary, &error);
	ALWAYS(status == CAIRN_OK || status == CAIRN_NOT_FOUND || status == CAIRN_UNSUPPORTED);
	if (status == CAIRN_OK)
		check_dump(&w, &summary);
	__real_free(w.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	held_begin();
	take_input(data, size);
	held_end(size, HELD_PLAIN);
	return 0;
}
