/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a core that comes as a stream. Always:
 *   - no more memory is held at a time than the promise allows, and none is left;
 *   - it is taken as a file, too, and mappings are sorted and not empty;
 *   - where neither has a problem, both have the same threads, and what the stream has kept of memory is
 *     what the file has.
 */
#include "held.h"

#include "base/target_memory.h"
#include "process/snapshot/core_snapshot.h"

#include <string.h>

struct bytes_left {
	const uint8_t *data;
	size_t size;
};

static size_t read_bytes(void *context, void *buffer, size_t size)
{
	struct bytes_left *left = context;
	size_t part = size < left->size ? size : left->size;

	if (part > 0)
		memcpy(buffer, left->data, part);
	left->data += part;
	left->size -= part;
	return part;
}

static uint64_t skip_bytes(void *context, uint64_t size)
{
	struct bytes_left *left = context;
	size_t part = size < left->size ? (size_t)size : left->size;

	left->data += part;
	left->size -= part;
	return part;
}

static void check_memory(const struct snapshot *stream, const struct snapshot *file,
                         uint64_t address)
{
	uint8_t here[16], there[16];

	if (memory_read(&stream->memory, address, here, sizeof(here)))
		ALWAYS(memory_read(&file->memory, address, there, sizeof(there)) &&
		       memcmp(here, there, sizeof(here)) == 0);
}

static void compare(const struct snapshot *stream, const struct snapshot *file)
{
	ALWAYS(stream->thread_count == file->thread_count);
	ALWAYS(stream->pid == file->pid);
	for (size_t i = 0; i < file->thread_count; i++) {
		ALWAYS(stream->threads[i].tid == file->threads[i].tid);
		ALWAYS(stream->threads[i].registers.pc == file->threads[i].registers.pc);
		check_memory(stream, file, stream->threads[i].registers.value[7]);
	}
	for (size_t i = 0; i < stream->mapping_count; i++)
		check_memory(stream, file, stream->mappings[i].low);
}

/* Of ranges that overlap, which of them counts may differ. */
static bool is_apart(const struct snapshot *snapshot)
{
	for (size_t i = 1; i < snapshot->mapping_count; i++)
		if (snapshot->mappings[i].low < snapshot->mappings[i - 1].high)
			return false;
	return true;
}

static void check_mappings(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->mapping_count; i++) {
		const struct snapshot_mapping *m = &snapshot->mappings[i];
		ALWAYS(m->low < m->high);
		ALWAYS(i == 0 || m[-1].low <= m->low);
	}
}

static void take_input(const uint8_t *data, size_t size)
{
	struct bytes_left left = { data, size };
	const struct cairn_stacks_stream input = { read_bytes, skip_bytes, NULL, &left, false };
	uint64_t taken;
	struct snapshot stream, file;
	struct cairn_fault fault;
	struct elf elf;

	if (core_stream_open(&stream, &input, false, &taken, &fault) != CAIRN_OK) {
		ALWAYS(fault.what && fault.offset <= size);
		return;
	}
	check_mappings(&stream);
	ALWAYS(elf_open((struct cairn_bytes){ data, size }, &elf, &fault) == CAIRN_OK);
	ALWAYS(core_snapshot_open(&file, &elf, &fault) == CAIRN_OK);
	if (stream.problem_count == 0 && file.problem_count == 0 && is_apart(&stream) &&
	    is_apart(&file) && elf.segments < 0xffff)
		compare(&stream, &file);
	snapshot_close(&file);
	snapshot_close(&stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	held_begin();
	take_input(data, size);
	held_end(size, HELD_PLAIN);
	return 0;
}
