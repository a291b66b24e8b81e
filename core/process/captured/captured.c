/* SPDX-License-Identifier: MIT */
/* Writes the threads that were made of a text as a minidump: cairn_captured_write(). */
#include "captured_stacks.h"
#include "process/capture/dump_file.h"

#include "base/base_name.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/sort.h"
#include "formats/cbf/cbf.h"
#include "formats/markup/markup.h"
#include "model/snapshot.h"
#include "unwind/target/core_file.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, WORD = 8, SP = 7, FP = 6, BUILD_ID_MAX = 64 };

/* Memory of the minidump: the words, and the first pages of modules, which tell what they are. */
struct made_memory {
	uint8_t *words;
	struct corefile_range *ranges;
	struct cairn_range *places;
	size_t count;
	struct corefile core;
};

static void add_piece(struct made_memory *memory, uint64_t address, const uint8_t *bytes,
                      size_t size)
{
	memory->ranges[memory->count++] = (struct corefile_range){ address, { bytes, size }, true };
}

/* Words that lie side by side are one piece. */
static void add_made_word(struct made_memory *memory, uint64_t address, const uint8_t *bytes)
{
	struct corefile_range *last = memory->count > 0 ? &memory->ranges[memory->count - 1] : NULL;

	if (last && address - last->address == last->bytes.size)
		last->bytes.size += WORD;
	else
		add_piece(memory, address, bytes, WORD);
}

static void add_words(struct made_memory *memory, struct captured *c)
{
	SORT_BY_FIRST(c->words, c->word_count, address);
	for (size_t i = 0, at = 0; i < c->word_count; i++) {
		uint8_t *bytes = memory->words + at * WORD;
		if (i > 0 && c->words[i].address - c->words[i - 1].address < WORD)
			continue;
		for (size_t k = 0; k < WORD; k++)
			bytes[k] = (uint8_t)(c->words[i].value >> 8 * k);
		add_made_word(memory, c->words[i].address, bytes);
		at++;
	}
}

static bool open_memory(struct made_memory *memory, struct captured *c)
{
	const size_t most = c->word_count + c->module_count + 1;

	*memory = (struct made_memory){ .words = calloc(c->word_count + 1, WORD),
		                        .ranges = calloc(most, sizeof(*memory->ranges)),
		                        .places = calloc(most, sizeof(*memory->places)) };
	if (!memory->words || !memory->ranges || !memory->places)
		return false;
	if (c->word_count > 0)
		add_words(memory, c);
	for (size_t i = 0; i < c->module_count; i++) {
		const struct captured_module *m = &c->modules[i];
		if (m->has_file && m->high - m->low >= PAGE && m->file.bytes.size >= PAGE)
			add_piece(memory, m->low, m->file.bytes.data, PAGE);
	}
	corefile_adopt(&memory->core, memory->ranges, memory->count);
	memory->count = memory->core.count;
	for (size_t i = 0; i < memory->count; i++)
		memory->places[i] = (struct cairn_range){ memory->ranges[i].address,
			                                  memory->ranges[i].address +
			                                          memory->ranges[i].bytes.size };
	return true;
}

static void add_thread(struct snapshot *snapshot, const struct captured *c, size_t number)
{
	const struct captured_thread *from = &c->threads[number];
	const struct captured_step *first = &c->steps[from->first];
	struct snapshot_thread *thread = snapshot_add_thread(snapshot);

	if (!thread)
		return;
	thread->tid = number + 1;
	thread->name = from->name;
	thread->crashed = number == 0;
	thread->registers.machine = CAIRN_MACHINE_AMD64;
	thread->registers.pc = first->pc;
	register_set(&thread->registers, SP, from->sp);
	if (from->has_fp)
		register_set(&thread->registers, FP, from->fp);
}

static struct cairn_bytes keep_build_id(struct snapshot *snapshot, struct cairn_bytes digits)
{
	uint8_t id[BUILD_ID_MAX];
	size_t size = 0;

	if (!markup_build_id(digits, id, sizeof(id), &size))
		size = 0;
	return snapshot_keep(snapshot, (struct cairn_bytes){ id, size });
}

static void add_made_module(struct snapshot *snapshot, const struct captured_module *from)
{
	struct snapshot_module *module =
		from->low < from->high ? snapshot_add_module(snapshot) : NULL;

	if (!module)
		return;
	module->low = from->low;
	module->high = from->high;
	module->bias = from->bias;
	module->has_bias = true;
	module->path = from->name;
	if (!from->has_file) {
		module->build_id = keep_build_id(snapshot, from->id);
		return;
	}
	module->path =
		(struct cairn_bytes){ (const uint8_t *)from->file.path, strlen(from->file.path) };
	module->build_id = from->build_id;
}

/* The program is what the linker of programs made: it names its dynamic linker, or has its addresses. */
static bool is_made_program(const struct captured_module *module)
{
	struct elf_segment segment;

	return module->has_file && module->low < module->high &&
	       (elf_find_segment(&module->elf, ELF_PT_INTERP, &segment) ||
	        module->elf.type == ELF_TYPE_EXEC);
}

/* Names of libraries have the letters .so in them. */
static bool is_named_as_program(const struct captured_module *module)
{
	const struct cairn_bytes name = base_name(module->name);

	for (size_t i = 0; i + 3 <= name.size; i++)
		if (memcmp(name.data + i, ".so", 3) == 0)
			return false;
	return module->low < module->high;
}

/* By its file and its name, by its name, or by its file alone: the C library names a dynamic linker, too. */
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

static void fill_snapshot(struct snapshot *snapshot, const struct captured *c)
{
	for (size_t i = 0; i < c->thread_count; i++)
		if (c->steps[c->threads[i].first].known)
			add_thread(snapshot, c, i);
	for (size_t i = 0; i < c->module_count; i++)
		add_made_module(snapshot, &c->modules[i]);
	snapshot_sort_modules(snapshot);
}

static enum cairn_status write_dump(const struct captured *c, const struct snapshot *snapshot,
                                    struct made_memory *memory, struct cairn_error *error)
{
	struct cairn_range *stacks = calloc(snapshot->thread_count + 1, sizeof(*stacks));
	uint64_t *dynamics = calloc(snapshot->module_count + 1, sizeof(*dynamics)), size;
	struct minidump_draft draft = { .snapshot = snapshot,
		                        .memory = &memory->core.target,
		                        .ranges = memory->places,
		                        .range_count = memory->count,
		                        .stacks = stacks,
		                        .dynamics = dynamics,
		                        .dynamic = { memory->words, 0 } };
	const uint64_t program = find_program_start(c);
	enum cairn_status status;

	while (draft.program < snapshot->module_count &&
	       snapshot->modules[draft.program].low != program)
		draft.program++;
	if (stacks && dynamics)
		status = dump_file_write(&draft, c->options->write, c->options->context, &size,
		                         error);
	else
		status = error_set_memory(error, NULL);
	free(stacks);
	free(dynamics);
	return status;
}

static enum cairn_status write_captured(struct captured *c, struct cairn_error *error)
{
	struct snapshot snapshot = { .kind = CAIRN_STACKS_MINIDUMP,
		                     .system = SNAPSHOT_SYSTEM_LINUX,
		                     .machine = CAIRN_MACHINE_AMD64,
		                     .machine_name = "amd64",
		                     .word = WORD };
	struct made_memory memory;
	enum cairn_status status;

	fill_snapshot(&snapshot, c);
	const bool opened = open_memory(&memory, c);
	if (snapshot.thread_count == 0)
		status = error_set(error, CAIRN_NOT_FOUND, NULL,
		                   "no frame of a backtrace has an address, or a module whose file "
		                   "is here");
	else if (!opened || c->scarce)
		status = error_set_memory(error, NULL);
	else
		status = write_dump(c, &snapshot, &memory, error);
	free(memory.ranges);
	free(memory.words);
	free(memory.places);
	snapshot_close(&snapshot);
	return status;
}

static void fill_summary(const struct captured *c, struct cairn_captured_summary *summary)
{
	struct cairn_captured_summary filled = {
		.size = summary->size, .lost = c->lost, .left_out = c->left_out, .stacks = c->stacks
	};

	if (c->word_count > 0) {
		filled.word_at = c->words[0].address;
		filled.word = c->words[0].value;
	}
	for (size_t i = 0; i < c->thread_count; i++) {
		filled.threads += c->steps[c->threads[i].first].known;
		filled.frames += c->threads[i].count;
		filled.ended += c->threads[i].ended;
	}
	for (size_t i = 0; i < c->module_count; i++)
		filled.modules += c->modules[i].low < c->modules[i].high;
	memcpy(summary, &filled, summary->size < sizeof(filled) ? summary->size : sizeof(filled));
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

enum cairn_status cairn_captured_write(const struct cairn_captured_options *options,
                                       struct cairn_captured_summary *summary,
                                       struct cairn_error *error)
{
	struct cairn_captured_options own = CAIRN_CAPTURED_OPTIONS;
	struct captured c = { .options = &own };
	struct captured_thread thread;

	memcpy(&own, options, options->size < sizeof(own) ? options->size : sizeof(own));
	if (cbf_may_begin(own.text)) {
		captured_take_cbf(&c, own.text, &thread);
		captured_add_thread(&c, &thread);
	} else if (!captured_read_codable(&c) && !captured_read_report(&c)) {
		captured_read_text(&c);
	}
	captured_place_in_modules(&c);
	captured_find_modules(&c);
	captured_make_stacks(&c);
	const enum cairn_status status = write_captured(&c, error);
	if (summary && status == CAIRN_OK)
		fill_summary(&c, summary);
	close_captured(&c);
	return status;
}
