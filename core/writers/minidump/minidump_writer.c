/* SPDX-License-Identifier: MIT */
/* Lays out a minidump and writes its parts in order. */
#include "minidump_writer.h"

#include "base/error.h"

#include "writing.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 8 };

static const struct {
	uint32_t type; /* stream type; 0 for parts that are not streams */
	void (*put)(struct writing *w);
} parts[WRITING_PARTS] = {
	[WRITING_SYSTEM] = { MINIDUMP_SYSTEM, writing_put_system },
	[WRITING_MISC] = { MINIDUMP_MISC, writing_put_misc },
	[WRITING_EXCEPTION] = { MINIDUMP_EXCEPTION, writing_put_exception },
	[WRITING_THREADS] = { MINIDUMP_THREADS, writing_put_threads },
	[WRITING_MODULES] = { MINIDUMP_MODULES, writing_put_modules },
	[WRITING_MEMORY] = { MINIDUMP_MEMORY, writing_put_memory },
	[WRITING_NAMES] = { MINIDUMP_THREAD_NAMES, writing_put_names },
	[WRITING_DSO] = { MINIDUMP_LINUX_DSO, writing_put_dso },
	[WRITING_AUXV] = { MINIDUMP_LINUX_AUXV, writing_put_auxv },
	[WRITING_COMMAND] = { MINIDUMP_LINUX_COMMAND, writing_put_command },
	[WRITING_MAPS] = { MINIDUMP_LINUX_MAPS, writing_put_maps },
	[WRITING_CONTEXTS] = { 0, writing_put_contexts },
	[WRITING_TEXTS] = { 0, writing_put_texts },
	[WRITING_CODEVIEWS] = { 0, writing_put_codeviews },
	[WRITING_DSO_MAP] = { 0, writing_put_dso_map },
	[WRITING_BYTES] = { 0, writing_put_bytes },
};

static size_t find_crashed_thread(const struct snapshot *snapshot)
{
	size_t first = 0;

	while (first < snapshot->thread_count && !snapshot->threads[first].crashed)
		first++;
	return first;
}

static void lay_out(struct writing *w)
{
	w->counts = true;
	w->at = MINIDUMP_HEADER_SIZE + (size_t)WRITING_STREAMS * MINIDUMP_ENTRY_SIZE;
	for (size_t i = 0; i < WRITING_PARTS; i++) {
		w->at += (ALIGNMENT - w->at % ALIGNMENT) % ALIGNMENT;
		w->part[i].offset = w->at;
		parts[i].put(w);
		w->part[i].size = w->at - w->part[i].offset;
	}
	w->counts = false;
}

static void put_head(struct writing *w)
{
	uint8_t bytes[MINIDUMP_HEADER_SIZE + WRITING_STREAMS * MINIDUMP_ENTRY_SIZE];
	struct sink out = sink_open(bytes, sizeof(bytes));
	uint32_t streams = 0;

	for (size_t i = 0; i < WRITING_STREAMS; i++)
		streams += w->part[i].size > 0;
	minidump_put_header(&out, streams, w->draft->time);
	for (size_t i = 0; i < WRITING_STREAMS; i++)
		if (w->part[i].size > 0)
			minidump_put_entry(&out, parts[i].type,
			                   (struct minidump_place){ (uint32_t)w->part[i].offset,
			                                            (uint32_t)w->part[i].size });
	sink_zeros(&out, sizeof(bytes) - out.size);
	writing_put_sink(w, &out);
}

static void put_all(struct writing *w)
{
	w->at = 0;
	put_head(w);
	for (size_t i = 0; i < WRITING_PARTS && w->error == 0; i++) {
		writing_put_zeros(w, (size_t)(w->part[i].offset - w->at));
		parts[i].put(w);
	}
	writing_flush(w);
}

static enum cairn_status write_parts(struct writing *w, uint64_t *size, struct cairn_fault *fault)
{
	if (!w->text_at || !w->codeview_at || !w->name_at || !w->range_at)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory");
	lay_out(w);
	*size = w->at;
	if (w->at > UINT32_MAX)
		return fault_set(fault, CAIRN_UNSUPPORTED, "a minidump has at most 4 GiB");
	put_all(w);
	return CAIRN_OK;
}

static enum minidump_machine find_written_machine(const struct snapshot *snapshot)
{
	if (snapshot->big_endian)
		return MINIDUMP_MACHINE_UNKNOWN;
	return snapshot->machine == CAIRN_MACHINE_AMD64     ? MINIDUMP_MACHINE_AMD64
	       : snapshot->machine == CAIRN_MACHINE_AARCH64 ? MINIDUMP_MACHINE_ARM64
	                                                    : MINIDUMP_MACHINE_UNKNOWN;
}

enum cairn_status minidump_write(const struct minidump_draft *draft,
                                 int (*write)(void *context, const void *bytes, size_t size),
                                 void *context, uint64_t *size, struct cairn_error *error)
{
	const struct snapshot *snapshot = draft->snapshot;
	struct writing *w = calloc(1, sizeof(*w));
	struct cairn_fault fault;

	if (!w)
		return error_set_memory(error, NULL);
	w->draft = draft;
	w->snapshot = snapshot;
	w->write = write;
	w->context = context;
	w->machine = find_written_machine(snapshot);
	w->first_thread = find_crashed_thread(snapshot);
	w->text_at = calloc(snapshot->module_count + 1, sizeof(*w->text_at));
	w->codeview_at = calloc(snapshot->module_count + 1, sizeof(*w->codeview_at));
	w->name_at = calloc(snapshot->thread_count + 1, sizeof(*w->name_at));
	w->range_at = calloc(draft->range_count + 1, sizeof(*w->range_at));
	enum cairn_status status =
		w->machine == MINIDUMP_MACHINE_UNKNOWN
			? fault_set(&fault, CAIRN_UNSUPPORTED,
	                            "minidumps are written of amd64 and aarch64 alone")
			: write_parts(w, size, &fault);
	if (status != CAIRN_OK)
		error_set_fault(error, NULL, NULL, &fault, NULL);
	else if (w->error)
		status = error_set_system(error, w->error, NULL, "the minidump cannot be written");
	free(w->text_at);
	free(w->codeview_at);
	free(w->name_at);
	free(w->range_at);
	free(w);
	return status;
}
