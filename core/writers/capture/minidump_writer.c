/* SPDX-License-Identifier: MIT */
/*
 * Writes a minidump in two passes over the same code: the first pass only measures each part of the
 * file, which determines all offsets, and the second writes the parts.
 */
#include "minidump_writer.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/linux_sets.h"
#include "base/sort.h"
#include "formats/minidump_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Parts of the file, in file order. The parts before WRITING_STREAMS are streams and are listed in
 * the stream directory.
 */
enum writing_part {
	WRITING_SYSTEM,
	WRITING_MISC,
	WRITING_EXCEPTION,
	WRITING_THREADS,
	WRITING_MODULES,
	WRITING_MEMORY,
	WRITING_NAMES,
	WRITING_DSO,
	WRITING_AUXV,
	WRITING_COMMAND,
	WRITING_MAPS,
	WRITING_STREAMS,
	WRITING_CONTEXTS = WRITING_STREAMS,
	WRITING_TEXTS,
	WRITING_CODEVIEWS,
	WRITING_DSO_MAP,
	WRITING_BYTES,
	WRITING_PARTS,
};

enum { WRITING_BUFFER = 1 << 14, WRITING_TEXT_MAX = 4096 };

struct writing {
	const struct minidump_draft *draft;
	const struct snapshot *snapshot;
	int (*write)(void *context, const void *bytes, size_t size);
	void *context;
	int error;
	enum minidump_machine machine;
	size_t first_thread; /* index of the crashed thread; thread count if none crashed */
	bool counts;
	uint64_t at;
	uint8_t buffer[WRITING_BUFFER];
	size_t used;
	struct {
		uint64_t offset, size;
	} part[WRITING_PARTS];
	uint64_t *text_at;
	uint64_t *codeview_at;
	uint64_t *name_at;
	uint64_t *range_at;
};

/*
 * Return true if the module gets an entry. A remapped module does not, because it is only another
 * mapping of a listed module.
 */
static inline bool writing_lists_module(const struct snapshot_module *module)
{
	return !module->remapped && module->high > module->low;
}

static void writing_flush(struct writing *w)
{
	if (w->used > 0 && w->error == 0)
		w->error = w->write(w->context, w->buffer, w->used);
	w->used = 0;
}

static void writing_put(struct writing *w, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;

	w->at += size;
	while (!w->counts && size > 0) {
		const size_t left = sizeof(w->buffer) - w->used, piece = size < left ? size : left;
		memcpy(w->buffer + w->used, from, piece);
		w->used += piece;
		from += piece;
		size -= piece;
		if (w->used == sizeof(w->buffer))
			writing_flush(w);
	}
}

static inline void writing_put_sink(struct writing *w, const struct sink *out)
{
	writing_put(w, out->data, out->size);
}

static void writing_put_zeros(struct writing *w, size_t size)
{
	static const uint8_t zeros[8] = { 0 };

	for (; size > sizeof(zeros); size -= sizeof(zeros))
		writing_put(w, zeros, sizeof(zeros));
	writing_put(w, zeros, size);
}

/*
 * Return the index of the item that is at `position` after item `first` has been moved to the
 * front.
 */
static size_t choose_number(size_t first, size_t count, size_t position)
{
	if (first >= count)
		return position;
	if (position == 0)
		return first;
	return position <= first ? position - 1 : position;
}

/*
 * Return the index of the thread or module at `position` in the file, where the crashed thread or
 * the program comes first.
 */
static size_t writing_thread(const struct writing *w, size_t position)
{
	return choose_number(w->first_thread, w->snapshot->thread_count, position);
}

static size_t writing_module(const struct writing *w, size_t position)
{
	return choose_number(w->draft->program, w->snapshot->module_count, position);
}

enum { LINE_HEAD = 100 };

/*
 * Write a path for the list of mappings. Like the kernel in /proc/PID/maps, escape newlines as
 * \012, because a newline would end the line.
 */
static void put_path(struct writing *w, struct cairn_bytes path)
{
	for (size_t at = 0; at < path.size;) {
		const uint8_t *newline = memchr(path.data + at, '\n', path.size - at);
		const size_t length =
			newline ? (size_t)(newline - (path.data + at)) : path.size - at;
		writing_put(w, path.data + at, length);
		if (newline)
			writing_put(w, "\\012", 4);
		at += length + (newline ? 1 : 0);
	}
}

static void writing_put_maps(struct writing *w)
{
	for (size_t i = 0; i < w->snapshot->mapping_count; i++) {
		const struct snapshot_mapping *mapping = &w->snapshot->mappings[i];
		char head[LINE_HEAD];
		const int size = snprintf(
			head, sizeof(head),
			"%" PRIx64 "-%" PRIx64 " %c%c%cp %08" PRIx64 " 00:00 %c", mapping->low,
			mapping->high, mapping->access & SNAPSHOT_READ ? 'r' : '-',
			mapping->access & SNAPSHOT_WRITE ? 'w' : '-',
			mapping->access & SNAPSHOT_EXECUTE ? 'x' : '-',
			mapping->has_file ? mapping->offset : 0, mapping->has_file ? '1' : '0');
		writing_put(w, head, (size_t)size);
		if (mapping->path.size > 0)
			writing_put(w, " ", 1);
		put_path(w, mapping->path);
		if (mapping->deleted)
			writing_put(w, " (deleted)", 10);
		writing_put(w, "\n", 1);
	}
}

/*
 * Converts Linux's register sets to the registers in a minidump context, except for the integer
 * registers.
 */

static uint64_t take_word(struct cairn_bytes set, size_t number)
{
	return bytes_u64(set.data + number * LINUX_WORD, false);
}

static void take_amd64(const struct snapshot_thread *thread, struct minidump_context_rest *rest)
{
	rest->known = thread->general.size >= LINUX_AMD64_WORDS * LINUX_WORD;
	for (size_t i = 0; rest->known && i < LINUX_AMD64_SEGMENTS; i++)
		rest->segment[i] = (uint16_t)take_word(thread->general, linux_amd64_segments[i]);
	rest->flags = rest->known ? (uint32_t)take_word(thread->general, LINUX_AMD64_FLAGS) : 0;
	if (thread->floats.size >= LINUX_AMD64_FXSAVE)
		rest->vectors = (struct cairn_bytes){ thread->floats.data, LINUX_AMD64_FXSAVE };
}

static void take_arm64(const struct snapshot_thread *thread, struct minidump_context_rest *rest)
{
	rest->known = thread->general.size >= LINUX_ARM64_WORDS * LINUX_WORD;
	rest->flags = rest->known ? (uint32_t)take_word(thread->general, LINUX_ARM64_PSTATE) : 0;
	if (thread->floats.size < LINUX_ARM64_VECTORS + LINUX_WORD)
		return;
	rest->vectors = (struct cairn_bytes){ thread->floats.data, LINUX_ARM64_VECTORS };
	rest->fp_status = bytes_u32(thread->floats.data + LINUX_ARM64_VECTORS, false);
	rest->fp_control = bytes_u32(thread->floats.data + LINUX_ARM64_VECTORS + 4, false);
}

/* Return the integer registers, and set *rest to the other registers from Linux's register sets. */
static struct minidump_registers writing_registers(const struct writing *w,
                                                   const struct snapshot_thread *thread,
                                                   struct minidump_context_rest *rest)
{
	struct minidump_registers registers = { .machine = w->machine,
		                                .pc = thread->registers.pc,
		                                .known = thread->registers.known };

	memcpy(registers.value, thread->registers.value, sizeof(registers.value));
	*rest = (struct minidump_context_rest){ .known = false };
	if (w->machine == MINIDUMP_MACHINE_AMD64)
		take_amd64(thread, rest);
	else
		take_arm64(thread, rest);
	return registers;
}

enum {
	RECORD = 2048, /* maximum size of a record; contexts are the longest records */
	PIECE = 1 << 13,
};

/* Breakpad's name for the vDSO, which replaces "[vdso]". */
static const char vdso_path[] = "[vdso]", vdso_name[] = "linux-gate.so";

#define SYSTEM_TEXT "Linux"

static struct minidump_location place_of(uint64_t offset, uint64_t size)
{
	return size > 0 ? (struct minidump_location){ (uint32_t)offset, (uint32_t)size }
	                : (struct minidump_location){ 0, 0 };
}

static void put_count(struct writing *w, size_t count)
{
	uint8_t bytes[MINIDUMP_COUNT_SIZE];
	struct sink out = sink_open(bytes, sizeof(bytes));

	sink_little(&out, count, sizeof(bytes));
	writing_put_sink(w, &out);
}

static void writing_put_system(struct writing *w)
{
	uint8_t bytes[MINIDUMP_SYSTEM_SIZE];
	struct sink out = sink_open(bytes, sizeof(bytes));

	minidump_put_system(&out, w->machine, (uint32_t)w->part[WRITING_TEXTS].offset);
	writing_put_sink(w, &out);
}

static void writing_put_misc(struct writing *w)
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

static struct minidump_location find_context(const struct writing *w, size_t position)
{
	const size_t size = minidump_context_size(w->machine);

	return has_registers(&w->snapshot->threads[writing_thread(w, position)])
	               ? place_of(w->part[WRITING_CONTEXTS].offset + position * size, size)
	               : place_of(0, 0);
}

static void writing_put_exception(struct writing *w)
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

/* Return the file location of `wanted`, or zeros unless a single captured range contains it. */
static struct minidump_location find_bytes(const struct writing *w, struct cairn_range wanted)
{
	const size_t next = SORTED_UP_TO(w->draft->ranges, w->draft->range_count, low, wanted.low);

	if (next == 0 || wanted.high <= wanted.low || wanted.high > w->draft->ranges[next - 1].high)
		return place_of(0, 0);
	return place_of(w->range_at[next - 1] + (wanted.low - w->draft->ranges[next - 1].low),
	                wanted.high - wanted.low);
}

static void writing_put_threads(struct writing *w)
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

static void writing_put_modules(struct writing *w)
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

static void writing_put_memory(struct writing *w)
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

static void writing_put_names(struct writing *w)
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

static void writing_put_dso(struct writing *w)
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

static void writing_put_dso_map(struct writing *w)
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

static void writing_put_auxv(struct writing *w)
{
	writing_put(w, w->snapshot->auxv.data, w->snapshot->auxv.size);
}

static void writing_put_command(struct writing *w)
{
	writing_put(w, w->snapshot->command_line.data, w->snapshot->command_line.size);
}

static void writing_put_contexts(struct writing *w)
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

/* Write a string as UTF-16, aligned to 4 bytes, and return its offset. */
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

static void writing_put_texts(struct writing *w)
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

static void writing_put_codeviews(struct writing *w)
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

/* Write the memory of a range. Memory that has become unreadable is replaced with zeros. */
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

static void writing_put_bytes(struct writing *w)
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

enum { ALIGNMENT = 8 };

static const struct {
	uint32_t type;
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
			                   (struct minidump_location){ (uint32_t)w->part[i].offset,
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
	                            "minidumps can be written for amd64 and aarch64 only")
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
