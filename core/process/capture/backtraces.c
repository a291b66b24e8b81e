/* SPDX-License-Identifier: MIT */
/*
 * Reads backtraces in JSON and in the Compact Backtrace Format, fills a snapshot with the threads
 * of a textual backtrace in any format, and writes the snapshot as a minidump.
 */
#include "backtraces.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/sized.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "formats/cbf.h"
#include "formats/codable.h"
#include "formats/imagemap.h"
#include "formats/markup.h"
#include "formats/minidump.h"
#include "output/record.h"
#include "output/recorded.h"
#include "process/snapshot/core_file.h"
#include "writers/capture/minidump_writer.h"

#include <stdlib.h>
#include <string.h>

/*
 * Reads Swift backtraces as threads of frames. The input is either a single backtrace in the
 * Compact Backtrace Format, which names no modules, or a log with backtraces written by Swift's
 * JSON encoder. Each backtrace in such a log consists of a Compact Backtrace and optionally an
 * image map, both in base64 (docs/formats/cbf.md).
 */

enum {
	IMAGES_MAX = 1024,
	IMAGE_ID_MAX = 64,
	/* maximum nesting of objects and arrays at the end of a truncated report */
	CUT_DEPTH_MAX = 16,
};

/*
 * Append a backtrace's frames to c->steps, and describe their thread in *thread. Return false if
 * the backtrace is empty.
 */
static bool captured_take_cbf(struct captured *c, struct cairn_bytes bytes,
                              struct captured_thread *thread)
{
	struct captured_frame frame = captured_bare_frame(c->options->text.data);
	struct cairn_trace trace;
	struct cairn_frame run;

	*thread = (struct captured_thread){ .first = c->step_count, .name = frame.text };
	cairn_trace_open(bytes, &trace);
	while (cairn_trace_next(&trace, &run)) {
		frame.pc = run.kind == CAIRN_FRAME_PC      ? CAPTURED_PC_EXACT
		           : run.kind == CAIRN_FRAME_ASYNC ? CAPTURED_PC_RESUME
		                                           : CAPTURED_PC_RETURN;
		frame.address = run.value;
		if (run.kind != CAIRN_FRAME_OMITTED)
			captured_add_steps(c, thread, &frame, run.times);
	}
	return thread->count > 0;
}

/*
 * Decode base64. Return NULL if the input is damaged or empty, or if allocation fails. The caller
 * frees the result.
 */
static uint8_t *decode_member(const struct codable_member *member, struct cairn_bytes *bytes)
{
	uint8_t *memory = member->there ? malloc(base64_capacity(member->text) + 1) : NULL;
	const struct base64_result result =
		memory ? base64_decode(member->text, memory) : (struct base64_result){ 0 };

	if (memory && !(result.problems & BASE64_DAMAGED) && result.size > 0) {
		*bytes = (struct cairn_bytes){ memory, result.size };
		return memory;
	}
	free(memory);
	return NULL;
}

/*
 * Return a copy of a string that lives as long as `c`. Return an empty string if all such copies
 * would exceed CAPTURED_KEPT_MAX or allocation fails.
 */
static struct cairn_bytes keep_text(struct captured *c, const void *text, size_t size)
{
	struct captured_kept *kept =
		size <= CAPTURED_KEPT_MAX - c->kept_size ? malloc(sizeof(*kept) + size) : NULL;

	if (!kept)
		return (struct cairn_bytes){ c->options->text.data, 0 };
	memcpy(kept->text, text, size);
	kept->next = c->kept;
	c->kept = kept;
	c->kept_size += size;
	return (struct cairn_bytes){ kept->text, size };
}

static struct cairn_bytes keep_id(struct captured *c, struct cairn_bytes id)
{
	char digits[2 * IMAGE_ID_MAX + 1];

	if (id.size > IMAGE_ID_MAX)
		id.size = 0;
	hex_encode(id, digits);
	return keep_text(c, digits, 2 * id.size);
}

static void place_in_image(struct captured *c, const struct captured_thread *thread,
                           const struct imagemap_image *image)
{
	struct cairn_bytes path = { image->path.data, 0 }, id = path;

	for (size_t i = thread->first; i < thread->first + thread->count; i++) {
		struct captured_frame *frame = &c->steps[i].frame;
		if (!captured_frame_is_in(frame, image->base, image->end) || frame->module.size > 0)
			continue;
		if (path.size == 0) {
			path = keep_text(c, image->path.data, image->path.size);
			id = keep_id(c, image->build_id);
		}
		captured_frame_assign(frame, image->base, path, id);
	}
}

static void place_in_map(struct captured *c, const struct captured_thread *thread,
                         struct cairn_bytes bytes)
{
	const size_t capacity = imagemap_prefixes(bytes);
	struct imagemap_prefix *prefixes = calloc(capacity + 1, sizeof(*prefixes));
	struct imagemap map;
	struct imagemap_image image;

	if (!prefixes)
		return;
	imagemap_open(&map, bytes, prefixes, capacity);
	for (size_t i = 0; i < IMAGES_MAX && imagemap_next(&map, &image); i++)
		if (image.path.size > 0)
			place_in_image(c, thread, &image);
	free(prefixes);
}

static bool take_object(struct captured *c, const struct codable_object *object)
{
	struct captured_thread thread;
	struct cairn_bytes bytes;
	uint8_t *trace = decode_member(&object->backtrace, &bytes), *map;
	const bool read = trace && cbf_may_begin(bytes) && c->thread_count < CAPTURED_THREADS_MAX &&
	                  captured_take_cbf(c, bytes, &thread);

	free(trace);
	if (!read)
		return false;
	map = decode_member(&object->image_map, &bytes);
	if (map)
		place_in_map(c, &thread, bytes);
	free(map);
	captured_add_thread(c, &thread);
	return true;
}

static bool captured_read_codable(struct captured *c)
{
	struct codable *codable = calloc(1, sizeof(*codable));
	struct codable_object object;
	bool any = false;

	if (!codable) {
		c->scarce = true;
		return false;
	}
	codable_open(codable, c->options->text);
	while (!c->scarce && codable_next(codable, &object))
		any = take_object(c, &object) || any;
	free(codable);
	return any;
}

/* Reads stack records and recorded backtraces into threads and frames. */

static void read_images(struct captured *c, const struct json_reader_value *document)
{
	struct json_reader_value list, object;
	struct recorded_image image;

	if (!json_reader_member(document, "images", &list))
		return;
	for (size_t at = 0; json_reader_element(&list, &at, &object);)
		if (recorded_image_read(&object, &image))
			captured_add_image(c, &(struct captured_image){ .base = image.base,
			                                                .end = image.end,
			                                                .path = image.path,
			                                                .id = image.id });
}

static void take_place(const struct record_frame *frame, struct captured_frame *out)
{
	if (frame->module.data)
		out->module = frame->module;
	if (frame->build_id.data)
		out->id = frame->build_id;
	if (frame->function.data)
		out->function = frame->function;
	if (out->id.size % 2 != 0)
		out->id.size = 0;
	for (size_t i = 0; i < out->id.size; i++)
		if (hex_digit(out->id.data[i]) == HEX_NO_DIGIT)
			out->id.size = 0;
	if (out->module.size == 0)
		return;
	if (frame->va.known)
		out->origin = CAPTURED_FROM_ZERO;
	else if (frame->module_offset.known)
		out->origin = CAPTURED_FROM_MODULE;
	out->offset = frame->va.known ? frame->va.value : frame->module_offset.value;
}

void captured_add_steps(struct captured *c, struct captured_thread *thread,
                        const struct captured_frame *frame, uint64_t times)
{
	for (; times > 0 && c->step_count < CAPTURED_FRAMES_MAX; times--) {
		if (!ARRAY_APPEND(c->steps, c->step_count, c->step_capacity,
		                  (struct captured_step){ .frame = *frame })) {
			c->scarce = true;
			return;
		}
		thread->count++;
	}
	c->left_out += times <= UINT64_MAX - c->left_out ? times : 0;
}

void captured_add_thread(struct captured *c, const struct captured_thread *thread)
{
	if (thread->count > 0 &&
	    !ARRAY_APPEND(c->threads, c->thread_count, c->thread_capacity, *thread))
		c->scarce = true;
}

void captured_add_image(struct captured *c, const struct captured_image *image)
{
	if (c->image_count == CAPTURED_IMAGES_MAX)
		return;
	if (ARRAY_APPEND(c->images, c->image_count, c->image_capacity, *image))
		c->images[c->image_count - 1].report = c->report;
	else
		c->scarce = true;
}

/*
 * Find the image that contains the frame's address. A return address may be the first byte after
 * its image, if the call was the last instruction. For a frame without an address, find the image
 * by its name.
 */
static void find_image(const struct captured *c, struct captured_frame *frame)
{
	for (size_t i = c->report_image; i < c->image_count; i++) {
		const struct captured_image *image = &c->images[i];
		if (!frame->has_address && bytes_equal(base_name(image->path), frame->module)) {
			frame->module = image->path;
			frame->id = image->id;
			return;
		}
		if (frame->has_address && captured_frame_is_in(frame, image->base, image->end)) {
			captured_frame_assign(frame, image->base, image->path, image->id);
			return;
		}
	}
}

void captured_end_report(struct captured *c)
{
	for (; c->report_step < c->step_count; c->report_step++) {
		struct captured_frame *frame = &c->steps[c->report_step].frame;
		if (frame->id.size == 0)
			find_image(c, frame);
	}
	c->report_image = c->image_count;
	c->report++;
}

static void take_report_frame(struct captured *c, struct captured_thread *thread,
                              const struct record_frame *frame)
{
	struct captured_frame out = captured_bare_frame(frame->object.text.data);
	struct recorded_frame recorded;
	uint64_t times = 1;

	if (frame->inlined == RECORD_YES)
		return;
	if (frame->pc.known) {
		out.address = frame->pc.value;
		take_place(frame, &out);
		out.pc = frame->async == RECORD_YES ? CAPTURED_PC_RESUME
		         : thread->count == 0       ? CAPTURED_PC_EXACT
		                                    : CAPTURED_PC_RETURN;
	} else {
		recorded_frame_read(&frame->object, &recorded);
		times = recorded.times;
		if (!recorded.has_address) {
			thread->next += times;
			return;
		}
		out.address = recorded.address;
		out.pc = recorded.kind == RECORDED_PC      ? CAPTURED_PC_EXACT
		         : recorded.kind == RECORDED_ASYNC ? CAPTURED_PC_RESUME
		                                           : CAPTURED_PC_RETURN;
	}
	out.numbered = true;
	out.number = thread->next;
	thread->next += times;
	captured_add_steps(c, thread, &out, times);
}

static bool captured_read_report(struct captured *c)
{
	const struct cairn_bytes text = bytes_trim(c->options->text, " \t\r\n", "");
	struct record_input input = record_input_of(text);
	struct record_thread document, record;
	struct record_frame frame;
	struct cairn_fault fault;
	bool any = false;

	if (text.size == 0 || *text.data != '{')
		return false;
	while (!c->scarce && record_next_document(&input, &document, &fault)) {
		any = any || document.object.kind == JSON_READER_OBJECT;
		read_images(c, &document.object);
		for (size_t at = 0; record_next_thread(&document, &at, &record);) {
			struct captured_thread thread = { .name = record.name,
				                          .crashed = record.crashed == RECORD_YES,
				                          .report = c->report,
				                          .first = c->step_count };
			if (c->thread_count >= CAPTURED_THREADS_MAX)
				break;
			for (size_t k = 0; record_next_frame(&record, &k, &frame);)
				take_report_frame(c, &thread, &frame);
			captured_add_thread(c, &thread);
		}
		captured_end_report(c);
	}
	return any;
}

/*
 * Implements cairn_captured_write(): fills a snapshot with the threads of a textual backtrace, and
 * writes it as a minidump.
 */

enum {
	PAGE = 4096,
	WORD = 8,
	SP = 7,
	FP = 6,
	KNOWN = 0xffff,
	BUILD_ID_MAX = 64,
	TEXT_MAX = 4096,
};

#define GATE "linux-gate.so"

/*
 * Memory of the snapshot: the stacks, and the first page of each module, which identifies the
 * module.
 */
struct made_memory {
	struct corefile core; /* must be first, because corefile_free() frees the whole struct */
	uint8_t bytes[];
};

static bool has_first_page(const struct captured_module *m)
{
	return m->has_file && m->high - m->low >= PAGE && m->file.bytes.size >= PAGE;
}

/*
 * Build the snapshot's memory. Copies the first pages of modules, because their files are closed
 * before the snapshot. Return NULL if allocation fails.
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

/* Store an input string in the form that minidumps require: UTF-8 without NUL. */
static struct cairn_bytes keep_repaired(struct snapshot *snapshot, struct cairn_bytes text)
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
	thread->name = keep_repaired(snapshot, from->name);
	thread->registers.machine = CAIRN_MACHINE_AMD64;
	thread->registers.pc = first->pc;
	/*
	 * Declare all registers as known, because debuggers show unknown registers as 0 and unwind
	 * with them.
	 */
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
	/* assume a link address of 0 until the file is found */
	module->low = module->bias = from->low;
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
	module->path = keep_repaired(snapshot, module->path);
	module->build_id = snapshot_keep(snapshot, debug.id);
	module->debug_name = base_name(module->path);
	module->debug_id = snapshot_keep(
		snapshot, (struct cairn_bytes){ (const uint8_t *)debug_id,
	                                        minidump_debug_id(&little, &debug, debug_id) });
	if (bytes_are(module->path, GATE))
		module->path = snapshot_keep_string(snapshot, "[vdso]");
}

/* Return true if the file is linked as a program: it has an interpreter or a fixed address. */
static bool is_made_program(const struct captured_module *module)
{
	struct elf_segment segment;

	return module->has_file && module->low < module->high &&
	       (elf_find_segment(&module->elf, ELF_PT_INTERP, &segment) ||
	        module->elf.type == ELF_TYPE_EXEC);
}

static bool is_named_as_program(const struct captured_module *module)
{
	const struct cairn_bytes name = base_name(module->name);

	for (size_t i = 0; i + 3 <= name.size; i++)
		if (memcmp(name.data + i, ".so", 3) == 0)
			return false;
	return module->low < module->high;
}

/*
 * Return the lowest address of the program, or UINT64_MAX if no module can be the program. Prefer a
 * module whose file and name both look like a program, then one whose name does. The file alone is
 * the weakest evidence, because the C library has an interpreter too.
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

/*
 * Replace the input with a copy that has `more` bytes of spare capacity. Return NULL if allocation
 * fails.
 */
static struct cairn_bytes *own_text(struct captured *c, size_t more)
{
	const struct cairn_bytes text = c->options->text;

	c->plain = malloc(text.size + more);
	c->scarce = c->scarce || !c->plain;
	if (!c->plain)
		return NULL;
	memcpy(c->plain, text.data, text.size);
	c->plain_options = *c->options;
	c->plain_options.text.data = c->plain;
	c->options = &c->plain_options;
	return &c->plain_options.text;
}

/* Remove color sequences, because they may interrupt frames. */
static void strip_colors(struct captured *c)
{
	struct cairn_bytes *text = captured_is_colored(c->options->text) ? own_text(c, 0) : NULL;

	if (text)
		text->size = captured_strip_colors(*text, c->plain);
}

/*
 * Complete a truncated JSON report: keep everything up to the end of the last complete object or
 * array, and close the objects and arrays that enclose it. Return false if nothing can be
 * completed.
 */
static bool complete_report(struct captured *c)
{
	const struct cairn_bytes text = bytes_trim(c->options->text, " \t\r\n", "");
	char closing[CUT_DEPTH_MAX];
	size_t depth = 0, kept = 0, kept_depth = 0;
	bool in_string = false;

	if (c->scarce || text.size == 0 || *text.data != '{')
		return false;
	for (size_t i = 0; i < text.size; i++) {
		const uint8_t byte = text.data[i];
		if (in_string && byte == '\\') {
			i++;
		} else if (byte == '"') {
			in_string = !in_string;
		} else if (!in_string && (byte == '{' || byte == '[')) {
			if (depth == CUT_DEPTH_MAX)
				return false;
			closing[depth++] = byte == '{' ? '}' : ']';
		} else if (!in_string && (byte == '}' || byte == ']')) {
			if (depth == 0 || closing[depth - 1] != (char)byte)
				return false;
			kept_depth = --depth;
			kept = (size_t)(text.data - c->options->text.data) + i + 1;
		}
	}
	struct cairn_bytes *whole = kept_depth > 0 ? own_text(c, CUT_DEPTH_MAX) : NULL;
	if (!whole)
		return false;
	whole->size = kept;
	while (kept_depth > 0)
		c->plain[whole->size++] = (uint8_t)closing[--kept_depth];
	return true;
}

/* Move the crashed threads to the front, because debuggers show the first thread. */
static void order_threads(struct captured *c)
{
	size_t crashed = 0;

	for (size_t i = 0; i < c->thread_count; i++) {
		const struct captured_thread thread = c->threads[i];
		if (!thread.crashed)
			continue;
		memmove(&c->threads[crashed + 1], &c->threads[crashed],
		        (i - crashed) * sizeof(thread));
		c->threads[crashed++] = thread;
	}
}

void captured_read(struct captured *c, const struct cairn_captured_options *options)
{
	struct captured_thread thread;

	*c = (struct captured){ .options = options };
	if (cbf_may_begin(options->text)) {
		captured_take_cbf(c, options->text, &thread);
		captured_add_thread(c, &thread);
	} else if (!captured_read_codable(c) && !captured_read_report(c) &&
	           !(complete_report(c) && captured_read_report(c))) {
		if (!c->plain)
			strip_colors(c);
		captured_read_text(c);
	}
	order_threads(c);
}

/*
 * Fill the snapshot. Return the program's module index, or a value past the last module if the
 * program is unknown.
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
	 * Give the program a path that differs from the path of every module. Debuggers would
	 * otherwise take the vDSO for the program.
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

void captured_close(struct captured *c)
{
	for (size_t i = 0; i < c->module_count; i++)
		cairn_markup_file_free(c->modules[i].places);
	free(c->steps);
	free(c->threads);
	free(c->modules);
	free(c->images);
	free(c->words);
	free(c->ids);
	free(c->plain);
	for (struct captured_kept *kept = c->kept, *next; kept; kept = next) {
		next = kept->next;
		free(kept);
	}
}

static enum cairn_status make_snapshot(const struct cairn_captured_options *options,
                                       struct snapshot *snapshot, size_t *program,
                                       struct cairn_captured_summary *summary,
                                       struct cairn_error *error)
{
	struct captured c;
	enum cairn_status status = CAIRN_OK;

	captured_read(&c, options);
	captured_place_in_modules(&c);
	captured_find_modules(&c);
	captured_make_stacks(&c);
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
		                   "no frame has an address, and the module files needed to "
		                   "compute the addresses were not found");
	else if (!memory)
		status = error_set_memory(error, NULL);
	if (memory) {
		snapshot->memory = memory->core.target;
		snapshot->source = memory;
		snapshot->close_source = corefile_free;
	}
	fill_summary(&c, summary);
	captured_close(&c);
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

/*
 * Write all memory of the snapshot as plain memory, without declaring any range to be a thread's
 * stack.
 */
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
	struct cairn_captured_summary filled = { .size = sizeof(filled) };
	struct snapshot snapshot;
	size_t program;

	sized_take(&own, sizeof(own), options);
	bytes_fill(&own.text);
	enum cairn_status status = make_snapshot(&own, &snapshot, &program, &filled, error);
	if (status != CAIRN_OK)
		return status;
	status = write_dump(&snapshot, program, &own, error);
	snapshot_close(&snapshot);
	if (status == CAIRN_OK)
		sized_give(&filled, sizeof(filled), summary);
	return status;
}
