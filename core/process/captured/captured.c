/* SPDX-License-Identifier: MIT */
/*
 * Fills a snapshot with the threads read from a text, and writes it as a minidump:
 * cairn_captured_write().
 */
#include "captured_stacks.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "formats/cbf.h"
#include "formats/markup.h"
#include "formats/minidump.h"
#include "unwind/target/core_file.h"
#include "writers/minidump/minidump_writer.h"

#include <stdlib.h>
#include <string.h>

enum {
	PAGE = 4096,
	WORD = 8,
	SP = 7,
	FP = 6,
	KNOWN = 0xffff,
	BUILD_ID_MAX = 64,
	TEXT_MAX = 4096,
};

/* Breakpad's name of the vDSO, which does not have a file, in minidumps. */
#define GATE "linux-gate.so"

/*
 * Memory of the snapshot: the words of stacks, and the first pages of modules, which identify them.
 */
struct made_memory {
	struct corefile core; /* must be first: corefile_free() frees the whole struct */
	uint8_t bytes[];
};

static bool has_first_page(const struct captured_module *m)
{
	return m->has_file && m->high - m->low >= PAGE && m->file.bytes.size >= PAGE;
}

/*
 * Build the memory. Copies the pages, because the files are closed before the snapshot. Return NULL
 * if memory is short.
 */
static struct made_memory *open_memory(struct captured *c)
{
	const size_t most = c->word_count + c->module_count;
	size_t size = c->word_count * WORD, count = 0;

	for (size_t i = 0; i < c->module_count; i++)
		size += has_first_page(&c->modules[i]) ? PAGE : 0;
	struct made_memory *memory = malloc(sizeof(*memory) + size);
	struct corefile_range *ranges = calloc(most + 1, sizeof(*ranges));
	if (!memory || !ranges) {
		free(memory);
		free(ranges);
		return NULL;
	}
	uint8_t *next = memory->bytes;
	if (c->word_count > 0)
		SORT_BY_FIRST(c->words, c->word_count, address);
	for (size_t i = 0; i < c->word_count; i++) {
		const struct captured_word *word = &c->words[i];
		struct corefile_range *last = count > 0 ? &ranges[count - 1] : NULL;
		if (i > 0 && word->address - word[-1].address < WORD)
			continue;
		if (last && word->address - last->address == last->bytes.size)
			last->bytes.size += WORD;
		else
			ranges[count++] =
				(struct corefile_range){ word->address, { next, WORD }, true };
		for (size_t k = 0; k < WORD; k++)
			*next++ = (uint8_t)(word->value >> 8 * k);
	}
	for (size_t i = 0; i < c->module_count; i++)
		if (has_first_page(&c->modules[i])) {
			memcpy(next, c->modules[i].file.bytes.data, PAGE);
			ranges[count++] =
				(struct corefile_range){ c->modules[i].low, { next, PAGE }, true };
			next += PAGE;
		}
	corefile_adopt(&memory->core, ranges, count);
	return memory;
}

/* Store a string of the input so that it is valid in a minidump: UTF-8 without NUL. */
static struct cairn_bytes keep_text(struct snapshot *snapshot, struct cairn_bytes text)
{
	uint8_t repaired[TEXT_MAX * UTF8_GROWTH];
	struct sink out = sink_open(repaired, sizeof(repaired));

	if (text.size > TEXT_MAX)
		text.size = TEXT_MAX;
	utf8_put_repaired(&out, bytes_before(text, '\0'));
	return snapshot_keep(snapshot, (struct cairn_bytes){ repaired, out.size });
}

static void add_thread(struct snapshot *snapshot, const struct captured *c, size_t number)
{
	const struct captured_thread *from = &c->threads[number];
	const struct captured_step *first = &c->steps[from->first];
	struct snapshot_thread *thread = first->known ? snapshot_add_thread(snapshot) : NULL;

	if (!thread)
		return;
	thread->tid = number + 1;
	thread->name = keep_text(snapshot, from->name);
	thread->registers.machine = CAIRN_MACHINE_AMD64;
	thread->registers.pc = first->pc;
	/* Declare all as known: debuggers show unknown registers as 0 and unwind with them. */
	thread->registers.known = KNOWN;
	register_set(&thread->registers, SP, from->sp);
	if (from->has_fp)
		register_set(&thread->registers, FP, from->fp);
}

static void add_made_module(struct snapshot *snapshot, const struct captured_module *from)
{
	const struct minidump little = { .big = false };
	struct minidump_debug debug = { .kind = MINIDUMP_DEBUG_ELF };
	char debug_id[MINIDUMP_ID_MAX];
	uint8_t build_id[BUILD_ID_MAX];
	struct snapshot_module *module =
		from->low < from->high ? snapshot_add_module(snapshot) : NULL;

	if (!module)
		return;
	module->low = module->bias = from->low; /* provisional bias until the file is found */
	module->high = from->high - from->low > UINT32_MAX ? from->low + UINT32_MAX : from->high;
	module->has_bias = true;
	if (from->has_file) {
		const char *path = from->file.path;
		module->path = (struct cairn_bytes){ (const uint8_t *)path, strlen(path) };
		debug.id = from->build_id;
	} else {
		module->path = from->name;
		debug.id.data = build_id;
		if (!markup_build_id(from->id, build_id, sizeof(build_id), &debug.id.size))
			debug.id.size = 0;
	}
	module->path = keep_text(snapshot, module->path);
	module->build_id = snapshot_keep(snapshot, debug.id);
	module->debug_name = base_name(module->path);
	module->debug_id = snapshot_keep(
		snapshot, (struct cairn_bytes){ (const uint8_t *)debug_id,
	                                        minidump_debug_id(&little, &debug, debug_id) });
	if (bytes_are(module->path, GATE))
		module->path = snapshot_keep_string(snapshot, "[vdso]");
}

/* Return true if the file was linked as a program: it has an interpreter or a fixed address. */
static bool is_made_program(const struct captured_module *module)
{
	struct elf_segment segment;

	return module->has_file && module->low < module->high &&
	       (elf_find_segment(&module->elf, ELF_PT_INTERP, &segment) ||
	        module->elf.type == ELF_TYPE_EXEC);
}

/* Return true if the name does not contain ".so", as names of libraries do. */
static bool is_named_as_program(const struct captured_module *module)
{
	const struct cairn_bytes name = base_name(module->name);

	for (size_t i = 0; i + 3 <= name.size; i++)
		if (memcmp(name.data + i, ".so", 3) == 0)
			return false;
	return module->low < module->high;
}

/*
 * Return the lowest address of the program, or UINT64_MAX if no module can be the program. Prefer
 * the module whose file and name both look like a program, then a module with such a name. The file
 * alone is the weakest evidence, because the C library has an interpreter, too.
 */
static uint64_t find_program_start(const struct captured *c)
{
	for (unsigned pass = 0; pass < 3; pass++)
		for (size_t i = 0; i < c->module_count; i++) {
			const struct captured_module *module = &c->modules[i];
			if ((pass == 1 || is_made_program(module)) &&
			    (pass == 2 || is_named_as_program(module)))
				return module->low;
		}
	return UINT64_MAX;
}

/* Read the text. The caller closes *c. */
static void read_captured(struct captured *c)
{
	struct captured_thread thread;

	if (cbf_may_begin(c->options->text)) {
		captured_take_cbf(c, c->options->text, &thread);
		captured_add_thread(c, &thread);
	} else if (!captured_read_codable(c) && !captured_read_report(c)) {
		captured_read_text(c);
	}
	captured_place_in_modules(c);
	captured_find_modules(c);
	captured_make_stacks(c);
}

/*
 * Fill the snapshot. Return the index of the program's module, or a larger number if it is unknown.
 */
static size_t fill_snapshot(struct snapshot *snapshot, const struct captured *c)
{
	const uint64_t start = find_program_start(c);
	size_t program = 0;

	for (size_t i = 0; i < c->thread_count; i++)
		add_thread(snapshot, c, i);
	for (size_t i = 0; i < c->module_count; i++)
		add_made_module(snapshot, &c->modules[i]);
	snapshot_sort_modules(snapshot);
	while (program < snapshot->module_count && snapshot->modules[program].low != start)
		program++;
	if (snapshot->module_count > 0)
		snapshot->program =
			snapshot->modules[program < snapshot->module_count ? program : 0].path;
	/*
	 * Rename the program so that its path differs from every module: debuggers would take the
	 * vDSO for the program.
	 */
	if (bytes_are(snapshot->program, "[vdso]"))
		snapshot->program = snapshot_keep_string(snapshot, GATE);
	return program;
}

static void fill_summary(const struct captured *c, struct cairn_captured_summary *summary)
{
	*summary = (struct cairn_captured_summary){
		.size = summary->size, .lost = c->lost, .left_out = c->left_out, .stacks = c->stacks
	};
	if (c->word_count > 0) {
		summary->word_at = c->words[0].address;
		summary->word = c->words[0].value;
	}
	for (size_t i = 0; i < c->thread_count; i++) {
		summary->threads += c->steps[c->threads[i].first].known;
		summary->frames += c->threads[i].count;
		summary->ended += c->threads[i].ended;
	}
	for (size_t i = 0; i < c->module_count; i++)
		summary->modules += c->modules[i].low < c->modules[i].high;
}

static void close_captured(struct captured *c)
{
	for (size_t i = 0; i < c->module_count; i++)
		cairn_markup_file_free(c->modules[i].places);
	free(c->steps);
	free(c->threads);
	free(c->modules);
	free(c->words);
	free(c->ids);
	for (struct captured_kept *kept = c->kept, *next; kept; kept = next) {
		next = kept->next;
		free(kept);
	}
}

/* Make a snapshot of the text. Set *program to the index of the program's module. */
static enum cairn_status make_snapshot(const struct cairn_captured_options *options,
                                       struct snapshot *snapshot, size_t *program,
                                       struct cairn_captured_summary *summary,
                                       struct cairn_error *error)
{
	struct captured c = { .options = options };
	enum cairn_status status = CAIRN_OK;

	read_captured(&c);
	struct made_memory *memory = c.scarce ? NULL : open_memory(&c);
	*snapshot = (struct snapshot){ .kind = CAIRN_STACKS_MINIDUMP,
		                       .system = SNAPSHOT_SYSTEM_LINUX,
		                       .machine = CAIRN_MACHINE_AMD64,
		                       .machine_name = "amd64",
		                       .word = WORD,
		                       .input = options->text.size };
	*program = fill_snapshot(snapshot, &c);
	if (snapshot->thread_count == 0)
		status = error_set(error, CAIRN_NOT_FOUND, NULL,
		                   "no frame of a backtrace has an address, or a module whose file "
		                   "is here");
	else if (!memory)
		status = error_set_memory(error, NULL);
	if (memory) {
		snapshot->memory = memory->core.target;
		snapshot->source = memory;
		snapshot->close_source = corefile_free;
	}
	fill_summary(&c, summary);
	close_captured(&c);
	if (status != CAIRN_OK)
		snapshot_close(snapshot);
	return status;
}

enum cairn_status captured_snapshot_open(const struct cairn_captured_options *options,
                                         struct snapshot *snapshot,
                                         struct cairn_captured_summary *summary,
                                         struct cairn_error *error)
{
	size_t program;

	return make_snapshot(options, snapshot, &program, summary, error);
}

/* Write all memory of the snapshot, without declaring any range to be the stack of a thread. */
static enum cairn_status write_dump(const struct snapshot *snapshot, size_t program,
                                    const struct cairn_captured_options *options,
                                    struct cairn_error *error)
{
	const struct corefile *core = snapshot->source;
	struct cairn_range *stacks = calloc(snapshot->thread_count, sizeof(*stacks));
	struct cairn_range *ranges = calloc(core->count + 1, sizeof(*ranges));
	const struct minidump_draft draft = { .snapshot = snapshot,
		                              .memory = &snapshot->memory,
		                              .ranges = ranges,
		                              .range_count = core->count,
		                              .stacks = stacks,
		                              .program = program };
	enum cairn_status status;
	uint64_t size;

	for (size_t i = 0; ranges && i < core->count; i++) {
		ranges[i].low = core->range[i].address;
		ranges[i].high = core->range[i].address + core->range[i].bytes.size;
	}
	status = stacks && ranges
	                 ? minidump_write(&draft, options->write, options->context, &size, error)
	                 : error_set_memory(error, NULL);
	free(stacks);
	free(ranges);
	return status;
}

enum cairn_status cairn_captured_write(const struct cairn_captured_options *options,
                                       struct cairn_captured_summary *summary,
                                       struct cairn_error *error)
{
	struct cairn_captured_options own = CAIRN_CAPTURED_OPTIONS;
	struct cairn_captured_summary filled = { .size = summary ? summary->size : 0 };
	struct snapshot snapshot;
	size_t program;

	memcpy(&own, options, options->size < sizeof(own) ? options->size : sizeof(own));
	enum cairn_status status = make_snapshot(&own, &snapshot, &program, &filled, error);
	if (status != CAIRN_OK)
		return status;
	status = write_dump(&snapshot, program, &own, error);
	snapshot_close(&snapshot);
	if (summary && status == CAIRN_OK)
		memcpy(summary, &filled,
		       filled.size < sizeof(filled) ? filled.size : sizeof(filled));
	return status;
}
