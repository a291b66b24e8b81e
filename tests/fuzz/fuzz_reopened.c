/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a core or minidump: a core becomes a minidump, and that a core with files that stand in for its modules. Always:
 *   - what is written as a minidump or a core opens again;
 *   - the core has the threads of the minidump, and each of its stacks ends with a reason;
 *   - each file that stands in is an ELF file with rules, and has a path of its own in the folder;
 *   - no more memory is held at a time than the promise allows, and none is left.
 * Files of modules are looked for where none is.
 */
#include "held.h"

#include "formats/elf/elf.h"

#include <string.h>

enum { OUT_MAX = 1 << 26, FRAMES = 64, THREADS = 8 };
static const char directory[] = "/core.modules";

struct written {
	uint8_t *bytes;
	size_t size, capacity;
};

struct opening {
	struct written core;
	uint64_t placed;
};

static int append_bytes(void *context, const void *bytes, size_t size)
{
	struct written *w = context;

	ALWAYS(size <= OUT_MAX && w->size <= OUT_MAX - size);
	if (size > w->capacity - w->size) {
		w->capacity = (w->size + size) * 2;
		w->bytes = __real_realloc(w->bytes, w->capacity);
		ALWAYS(w->bytes);
	}
	memcpy(w->bytes + w->size, bytes, size);
	w->size += size;
	return 0;
}

static int append_core(void *context, const void *bytes, size_t size)
{
	struct opening *opening = context;

	return append_bytes(&opening->core, bytes, size);
}

static int take_file(void *context, const char *path, const struct cairn_bytes *parts, size_t count)
{
	struct opening *opening = context;
	struct written file = { .bytes = NULL };
	struct elf_section section;
	struct cairn_fault fault;
	struct elf elf;

	opening->placed++;
	ALWAYS(strncmp(path, directory, sizeof(directory) - 1) == 0 &&
	       path[sizeof(directory) - 1] == '/' && !strchr(path + sizeof(directory), '/'));
	for (size_t i = 0; i < count; i++)
		append_bytes(&file, parts[i].data, parts[i].size);
	ALWAYS(elf_open((struct cairn_bytes){ file.bytes, file.size }, &elf, &fault) == CAIRN_OK);
	ALWAYS(elf_find_section(&elf, ".debug_frame", &section));
	__real_free(file.bytes);
	return 0;
}

static struct cairn_stacks *open_stacks(const uint8_t *data, size_t size)
{
	struct cairn_symbolizer_options search = CAIRN_SYMBOLIZER_OPTIONS;
	struct cairn_stacks_options options = CAIRN_STACKS_OPTIONS;
	struct cairn_stacks *stacks;
	struct cairn_error error;

	search.sysroot = "/nowhere";
	search.skip = CAIRN_SKIP_SYSTEM;
	options.search = &search;
	options.bytes = (struct cairn_bytes){ data, size };
	options.keep_registers = true;
	return size > 0 && cairn_stacks_open(&options, &stacks, &error) == CAIRN_OK ? stacks : NULL;
}

static void check_core(const struct written *core, uint64_t threads)
{
	struct cairn_stacks *stacks = open_stacks(core->bytes, core->size);
	struct cairn_stack_end end = CAIRN_SIZED(struct cairn_stack_end);

	ALWAYS(stacks && cairn_stacks_threads(stacks) <= threads);
	for (size_t i = 0; i < THREADS && i < cairn_stacks_threads(stacks); i++) {
		unsigned frames = 0;
		for (bool more = cairn_stacks_begin(stacks, i); more && frames < FRAMES; frames++)
			more = cairn_stacks_next(stacks);
		cairn_stacks_end(stacks, &end);
		ALWAYS(end.why && (end.kind != CAIRN_STACK_GOES_ON || frames == FRAMES));
	}
	cairn_stacks_close(stacks);
}

static void write_core(struct cairn_stacks *stacks)
{
	struct cairn_core_options options = CAIRN_CORE_OPTIONS;
	struct cairn_core_summary summary = { .size = sizeof(summary) };
	struct opening opening = { .placed = 0 };
	struct cairn_error error;

	options.write = append_core;
	options.write_file = take_file;
	options.directory = directory;
	options.context = &opening;
	const enum cairn_status status = cairn_core_write(stacks, &options, &summary, &error);
	ALWAYS(status == CAIRN_OK || status == CAIRN_NOT_FOUND || status == CAIRN_UNSUPPORTED);
	if (status == CAIRN_OK) {
		ALWAYS(summary.bytes == opening.core.size && summary.placed == opening.placed);
		check_core(&opening.core, summary.threads);
	}
	__real_free(opening.core.bytes);
}

/* A core as a minidump; NULL: it is of a machine of which none is written. */
static struct cairn_stacks *make_minidump(struct cairn_stacks *core, struct written *dump)
{
	struct cairn_minidump_options options = CAIRN_MINIDUMP_OPTIONS;
	struct cairn_stacks *stacks = NULL;
	struct cairn_error error;

	options.write = append_bytes;
	options.context = dump;
	if (cairn_minidump_write(core, &options, NULL, &error) == CAIRN_OK) {
		stacks = open_stacks(dump->bytes, dump->size);
		ALWAYS(stacks);
	}
	cairn_stacks_close(core);
	return stacks;
}

static void take_input(const uint8_t *data, size_t size)
{
	struct cairn_stacks *stacks = open_stacks(data, size);
	struct written dump = { .bytes = NULL };
	struct cairn_process process = CAIRN_SIZED(struct cairn_process);

	if (!stacks)
		return;
	cairn_stacks_process(stacks, &process);
	if (process.kind == CAIRN_STACKS_CORE)
		stacks = make_minidump(stacks, &dump);
	if (stacks)
		write_core(stacks);
	cairn_stacks_close(stacks);
	__real_free(dump.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	held_begin();
	take_input(data, size);
	held_end(size, HELD_PLAIN);
	return 0;
}
