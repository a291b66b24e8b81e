/* SPDX-License-Identifier: MIT */
/* Writes the records of a minidump: the streams and everything that they point to. */
#include "writing.h"

#include "base/sort.h"

#include <string.h>

enum {
	RECORD = 2048, /* bytes of the longest record, a context */
	PIECE = 1 << 13,
};

/* The name that Breakpad uses. */
static const char vdso_path[] = "[vdso]", vdso_name[] = "linux-gate.so";

#define SYSTEM_TEXT "Linux"

static struct minidump_place place_of(uint64_t offset, uint64_t size)
{
	return size > 0 ? (struct minidump_place){ (uint32_t)offset, (uint32_t)size }
	                : (struct minidump_place){ 0, 0 };
}

static void put_count(struct writing *w, size_t count)
{
	uint8_t bytes[MINIDUMP_COUNT_SIZE];
	struct sink out = sink_open(bytes, sizeof(bytes));

	sink_little(&out, count, sizeof(bytes));
	writing_put_sink(w, &out);
}

/* The first of the strings is the version of the system. */
void writing_put_system(struct writing *w)
{
	uint8_t bytes[MINIDUMP_SYSTEM_SIZE];
	struct sink out = sink_open(bytes, sizeof(bytes));

	minidump_put_system(&out, w->machine, (uint32_t)w->part[WRITING_TEXTS].offset);
	writing_put_sink(w, &out);
}

void writing_put_misc(struct writing *w)
{
	const uint64_t seconds = w->snapshot->running_nanoseconds / 1000000000;
	const uint64_t started = w->snapshot->running_nanoseconds > 0 && seconds < w->draft->time
	                                 ? w->draft->time - seconds
	                                 : 0;
	uint8_t bytes[MINIDUMP_MISC_SIZE];
	struct sink out = sink_open(bytes, sizeof(bytes));

	minidump_put_misc(&out, (uint32_t)w->snapshot->pid, (uint32_t)started);
	writing_put_sink(w, &out);
}

static bool has_registers(const struct snapshot_thread *thread)
{
	return thread->registers.machine != CAIRN_MACHINE_NONE;
}

static struct minidump_place find_context(const struct writing *w, size_t position)
{
	const size_t size = minidump_context_size(w->machine);

	return has_registers(&w->snapshot->threads[writing_thread(w, position)])
	               ? place_of(w->part[WRITING_CONTEXTS].offset + position * size, size)
	               : place_of(0, 0);
}

void writing_put_exception(struct writing *w)
{
	const struct snapshot_crash *crash = &w->snapshot->crash;
	const struct minidump_exception exception = {
		.thread = (uint32_t)crash->tid,
		.code = crash->signal,
		.flags = (uint32_t)crash->code,
		.address = crash->has_address ? crash->fault_address : 0,
	};
	uint8_t bytes[MINIDUMP_EXCEPTION_SIZE];
	struct sink out = sink_open(bytes, sizeof(bytes));

	if (!crash->known || w->snapshot->thread_count == 0)
		return;
	minidump_put_exception(&out, &exception, find_context(w, 0));
	writing_put_sink(w, &out);
}

/* Return the location in the file of memory that lies in one of the ranges. */
static struct minidump_place find_bytes(const struct writing *w, struct cairn_range wanted)
{
	const size_t next = SORTED_UP_TO(w->draft->ranges, w->draft->range_count, low, wanted.low);

	if (next == 0 || wanted.high <= wanted.low || wanted.high > w->draft->ranges[next - 1].high)
		return place_of(0, 0);
	return place_of(w->range_at[next - 1] + (wanted.low - w->draft->ranges[next - 1].low),
	                wanted.high - wanted.low);
}

void writing_put_threads(struct writing *w)
{
	put_count(w, w->snapshot->thread_count);
	for (size_t i = 0; i < w->snapshot->thread_count; i++) {
		const size_t number = writing_thread(w, i);
		const struct cairn_range stack = w->draft->stacks[number];
		uint8_t bytes[MINIDUMP_THREAD_SIZE];
		struct sink out = sink_open(bytes, sizeof(bytes));
		minidump_put_thread(&out, (uint32_t)w->snapshot->threads[number].tid, stack.low,
		                    find_bytes(w, stack), find_context(w, i));
		writing_put_sink(w, &out);
	}
}

void writing_put_modules(struct writing *w)
{
	const struct snapshot *snapshot = w->snapshot;
	size_t count = 0;

	for (size_t i = 0; i < snapshot->module_count; i++)
		count += writing_lists_module(&snapshot->modules[i]);
	put_count(w, count);
	for (size_t i = 0; i < snapshot->module_count; i++) {
		const size_t number = writing_module(w, i);
		const struct snapshot_module *module = &snapshot->modules[number];
		const uint64_t size = module->high - module->low;
		uint8_t bytes[MINIDUMP_MODULE_SIZE];
		struct sink out = sink_open(bytes, sizeof(bytes));
		if (!writing_lists_module(module))
			continue;
		minidump_put_module(
			&out, module->low, size > UINT32_MAX ? UINT32_MAX : (uint32_t)size,
			(uint32_t)w->text_at[number],
			place_of(w->codeview_at[number], minidump_codeview_size(module->build_id)));
		writing_put_sink(w, &out);
	}
}

void writing_put_memory(struct writing *w)
{
	put_count(w, w->draft->range_count);
	for (size_t i = 0; i < w->draft->range_count; i++) {
		const struct cairn_range *range = &w->draft->ranges[i];
		uint8_t bytes[MINIDUMP_MEMORY_SIZE];
		struct sink out = sink_open(bytes, sizeof(bytes));
		minidump_put_memory(&out, range->low,
		                    place_of(w->range_at[i], range->high - range->low));
		writing_put_sink(w, &out);
	}
}

void writing_put_names(struct writing *w)
{
	const struct snapshot *snapshot = w->snapshot;
	size_t count = 0;

	for (size_t i = 0; i < snapshot->thread_count; i++)
		count += snapshot->threads[i].name.size > 0;
	if (count == 0)
		return;
	put_count(w, count);
	for (size_t i = 0; i < snapshot->thread_count; i++) {
		uint8_t bytes[MINIDUMP_NAME_SIZE];
		struct sink out = sink_open(bytes, sizeof(bytes));
		if (snapshot->threads[i].name.size == 0)
			continue;
		minidump_put_thread_name(&out, (uint32_t)snapshot->threads[i].tid, w->name_at[i]);
		writing_put_sink(w, &out);
	}
}

static bool is_linked(const struct writing *w, size_t module)
{
	return w->draft->dynamics && w->draft->dynamics[module] != 0 &&
	       writing_lists_module(&w->snapshot->modules[module]);
}

void writing_put_dso(struct writing *w)
{
	const size_t count = (size_t)(w->part[WRITING_DSO_MAP].size / MINIDUMP_DSO_SIZE);
	const size_t program = w->draft->program;
	uint8_t bytes[MINIDUMP_DSO_HEAD_SIZE];
	struct sink out = sink_open(bytes, sizeof(bytes));

	if (program >= w->snapshot->module_count || !is_linked(w, program))
		return; /* the program is statically linked */
	minidump_put_dso_head(&out, (uint32_t)w->part[WRITING_DSO_MAP].offset, (uint32_t)count,
	                      w->draft->loader_break, w->draft->loader,
	                      w->draft->dynamics[program]);
	writing_put_sink(w, &out);
	writing_put(w, w->draft->dynamic.data, w->draft->dynamic.size);
}

void writing_put_dso_map(struct writing *w)
{
	for (size_t i = 0; i < w->snapshot->module_count; i++) {
		const size_t number = writing_module(w, i);
		uint8_t bytes[MINIDUMP_DSO_SIZE];
		struct sink out = sink_open(bytes, sizeof(bytes));
		if (!is_linked(w, number))
			continue;
		minidump_put_dso(&out, w->snapshot->modules[number].bias,
		                 (uint32_t)w->text_at[number], w->draft->dynamics[number]);
		writing_put_sink(w, &out);
	}
}

void writing_put_auxv(struct writing *w)
{
	writing_put(w, w->snapshot->auxv.data, w->snapshot->auxv.size);
}

void writing_put_command(struct writing *w)
{
	writing_put(w, w->snapshot->command_line.data, w->snapshot->command_line.size);
}

void writing_put_contexts(struct writing *w)
{
	for (size_t i = 0; i < w->snapshot->thread_count; i++) {
		const struct snapshot_thread *thread = &w->snapshot->threads[writing_thread(w, i)];
		struct minidump_context_rest rest;
		uint8_t bytes[RECORD];
		struct sink out = sink_open(bytes, sizeof(bytes));
		const struct minidump_registers registers = writing_registers(w, thread, &rest);
		if (has_registers(thread))
			minidump_put_context(&out, &registers, &rest);
		else
			sink_zeros(&out, minidump_context_size(w->machine));
		writing_put_sink(w, &out);
	}
}

/* Write a UTF-16 string, aligned to 4 bytes, and return its offset. */
static uint64_t put_text(struct writing *w, struct cairn_bytes text)
{
	uint8_t bytes[4 + 2 * WRITING_TEXT_MAX + 2];
	struct sink out = sink_open(bytes, sizeof(bytes));

	writing_put_zeros(w, (size_t)((4 - w->at % 4) % 4));
	const uint64_t at = w->at;
	if (text.size > WRITING_TEXT_MAX)
		text.size = WRITING_TEXT_MAX;
	minidump_put_text16(&out, text);
	writing_put_sink(w, &out);
	return at;
}

static struct cairn_bytes name_module(const struct snapshot_module *module)
{
	return module->path.size == sizeof(vdso_path) - 1 &&
	                       memcmp(module->path.data, vdso_path, sizeof(vdso_path) - 1) == 0
	               ? (struct cairn_bytes){ (const uint8_t *)vdso_name, sizeof(vdso_name) - 1 }
	               : module->path;
}

void writing_put_texts(struct writing *w)
{
	const struct snapshot *snapshot = w->snapshot;

	put_text(w, (struct cairn_bytes){ (const uint8_t *)SYSTEM_TEXT, sizeof(SYSTEM_TEXT) - 1 });
	for (size_t i = 0; i < snapshot->module_count; i++)
		if (writing_lists_module(&snapshot->modules[i]))
			w->text_at[i] = put_text(w, name_module(&snapshot->modules[i]));
	for (size_t i = 0; i < snapshot->thread_count; i++)
		if (snapshot->threads[i].name.size > 0)
			w->name_at[i] = put_text(w, snapshot->threads[i].name);
}

void writing_put_codeviews(struct writing *w)
{
	for (size_t i = 0; i < w->snapshot->module_count; i++) {
		const struct cairn_bytes id = w->snapshot->modules[i].build_id;
		uint8_t bytes[RECORD];
		struct sink out = sink_open(bytes, sizeof(bytes));
		if (id.size == 0 || !writing_lists_module(&w->snapshot->modules[i]))
			continue;
		writing_put_zeros(w, (size_t)((4 - w->at % 4) % 4));
		w->codeview_at[i] = w->at;
		minidump_put_codeview(&out, id);
		writing_put_sink(w, &out);
	}
}

/* Write the memory of a range. Memory that has become unreadable is written as zeros. */
static void put_range(struct writing *w, const struct cairn_range *range)
{
	const struct cairn_target *memory = w->draft->memory;
	uint8_t bytes[PIECE];

	for (uint64_t at = range->low; at < range->high && w->error == 0;) {
		const uint64_t left = range->high - at;
		const size_t size = left < PIECE ? (size_t)left : PIECE;
		if (memory->read_memory(memory->context, at, bytes, size) != CAIRN_OK)
			memset(bytes, 0, size);
		writing_put(w, bytes, size);
		at += size;
	}
}

void writing_put_bytes(struct writing *w)
{
	for (size_t i = 0; i < w->draft->range_count; i++) {
		const struct cairn_range *range = &w->draft->ranges[i];
		w->range_at[i] = w->at;
		if (w->counts)
			w->at += range->high - range->low;
		else
			put_range(w, range);
	}
}
