/* SPDX-License-Identifier: MIT */
/*
 * Writes a symbol object. Receives functions, numbers names and paths, and packs rows and calls
 * into records until all functions have been added:
 *
 *	record = row* call*
 *	row    = step:uleb path:uleb line:sleb         differences of address and line
 *	call   = depth:uleb name:uleb path:uleb line:uleb entry:uleb ranges:uleb
 *	         (from:uleb size:uleb)*ranges
 *
 * The low bits of a row's path are flags (ELF_WRITER_ROW_BITS). `entry` and `from` are relative to
 * the function's start.
 */
#include "object_writer.h"

#include "elf_builder.h"
#include "internal.h"

#include "base/memory.h"
#include "base/sized.h"
#include "symbols/gsym.h"
#include "symbols/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct elf_writer *elf_writer_new(const struct cairn_object_options *options,
                                  const struct frame_table *frames, size_t limit)
{
	struct elf_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->options = *options;
	w->frames = frames;
	w->limit = limit == 0 || limit > ELF_WRITER_LIMIT ? ELF_WRITER_LIMIT : limit;
	w->word = options->narrow ? 4 : 8;
	w->records.limit = w->limit;
	/* make the buffer non-NULL even without rows and calls */
	byte_buffer_u8(&w->records, 0);
	w->records.limit = w->info.limit = w->abbrev.limit = w->lines.limit = w->ranges.limit =
		w->aranges.limit = w->locations.limit = w->limit;
	w->info.big = w->abbrev.big = w->lines.big = w->ranges.big = w->aranges.big =
		w->locations.big = options->big_endian;
	if (interner_init(&w->names, w->limit) && interner_init(&w->paths, w->limit)) {
		w->here = interner_add_copy(&w->paths,
		                            (struct cairn_bytes){ (const uint8_t *)".", 1 });
		return w;
	}
	elf_writer_free(w);
	return NULL;
}

void elf_writer_free(struct elf_writer *w)
{
	if (!w)
		return;
	byte_buffer_finish(&w->records);
	byte_buffer_finish(&w->info);
	byte_buffer_finish(&w->abbrev);
	byte_buffer_finish(&w->lines);
	byte_buffer_finish(&w->ranges);
	byte_buffer_finish(&w->aranges);
	byte_buffer_finish(&w->locations);
	for (size_t i = 0; i < ELF_WRITER_INDEX_PARTS; i++)
		byte_buffer_finish(&w->index[i]);
	interner_finish(&w->names);
	interner_finish(&w->paths);
	free(w->function);
	free(w->file);
	free(w->path);
	free(w->clean);
	free(w->parts_at);
	free(w->parts);
	file_map_finish(&w->map);
	free(w->piece);
	free(w->own);
	free(w->unit);
	free(w->unit_ranges);
	free(w);
}

static bool clean_path(struct elf_writer *w, size_t *size)
{
	struct cairn_bytes text = { (const uint8_t *)w->path, *size };

	if (!elf_writer_clean_text(w, &text))
		return false;
	if (text.data == (const uint8_t *)w->path)
		return true;
	if (!array_grow(&w->path, &w->path_capacity, text.size + 2, 1))
		return false;
	memcpy(w->path, text.data, text.size);
	*size = text.size;
	return true;
}

static uint32_t path_number(struct elf_writer *w, const struct function_file *file)
{
	struct cairn_location location = { .directory = file->directory, .file = file->name };
	size_t size = cairn_location_path(&location, w->path, w->path_capacity);

	if (size + 1 > w->path_capacity) {
		if (!array_grow(&w->path, &w->path_capacity, size + 2, 1)) {
			w->failed = true;
			return 0;
		}
		cairn_location_path(&location, w->path, w->path_capacity);
	}
	if (!clean_path(w, &size)) {
		w->failed = true;
		return 0;
	}
	return interner_add_copy(&w->paths, (struct cairn_bytes){ (const uint8_t *)w->path, size });
}

static bool more_files(struct elf_writer *w)
{
	size_t capacity = w->file_capacity;

	if (!array_grow(&w->file, &w->file_capacity, w->paths.count + 1, sizeof(*w->file)))
		w->failed = true;
	else if (w->file_capacity > capacity)
		memset(w->file + capacity, 0, (w->file_capacity - capacity) * sizeof(*w->file));
	return !w->failed;
}

/*
 * Add a file, and split its path at the last slash unless the path ends there. Returns the path
 * number, or 0.
 */
static uint32_t add_object_file(struct elf_writer *w, const struct function_file *file)
{
	uint32_t path = path_number(w, file);

	if (path == 0 || !more_files(w))
		return 0;
	if (w->file[path].path)
		return path;
	const size_t size = w->paths.entry[path].size;
	size_t slash = size;
	while (slash > 0 && w->path[slash - 1] != '/')
		slash--;
	uint32_t directory = 0, name = slash < size ? (uint32_t)slash : 0;
	if (name > 0) {
		struct cairn_bytes text = { (const uint8_t *)w->path, name > 1 ? name - 1 : 1 };
		directory = interner_add_copy(&w->paths, text);
	}
	w->file[path] = (struct elf_writer_file){ path, name, directory, 0 };
	return path;
}

static uint32_t find_file_path(struct elf_writer *w, const struct function *f, uint32_t number)
{
	uint32_t *path = w->map.number + number;

	if (number == 0 || number >= f->file_count)
		return 0;
	if (*path == FILE_MAP_NONE)
		*path = add_object_file(w, &f->files[number]);
	return *path;
}

static uint64_t row_flags(const struct function_row *row)
{
	return (row->statement ? ELF_WRITER_STATEMENT : 0u) |
	       (row->prologue_end ? ELF_WRITER_PROLOGUE_END : 0u) |
	       (row->apart ? ELF_WRITER_BREAKPOINT_ROW : 0u);
}

static bool has_prologue_end(const struct function *f)
{
	for (size_t i = 0; i < f->row_count; i++)
		if (f->rows[i].prologue_end)
			return true;
	return false;
}

static void keep_rows(struct elf_writer *w, const struct function *f,
                      struct elf_writer_function *kept)
{
	uint64_t va = f->start;
	int64_t line = 0;
	bool guess = !f->statements && w->options.by_clang;
	bool at_once = !has_prologue_end(f) && object_stops_at_start(w, kept->start);

	for (size_t i = 0; i < f->row_count; i++) {
		struct function_row row = f->rows[i];
		/*
		 * clang begins a statement wherever the line changes, and ends the prologue with
		 * the second row.
		 */
		row.statement = row.statement || guess;
		row.prologue_end = guess ? i == 1 : row.prologue_end;
		row.prologue_end = row.prologue_end || (at_once && i == 0);
		uint32_t path = find_file_path(w, f, row.file);
		int64_t next = path ? (int64_t)row.line : 0;
		uint8_t *to = byte_buffer_reserve(&w->records, 3 * BYTE_BUFFER_LEB_MAX);
		if (!to)
			return;
		to = byte_buffer_put_uleb(to, row.va - va);
		to = byte_buffer_put_uleb(to,
		                          (uint64_t)path << ELF_WRITER_ROW_BITS | row_flags(&row));
		byte_buffer_took(&w->records, byte_buffer_put_sleb(to, next - line));
		kept->ends_prologue = kept->ends_prologue || row.prologue_end;
		kept->has_apart = kept->has_apart || row.apart;
		/*
		 * gcc writes statement flags only for optimized code; rows that merely repeat a
		 * line occur in any code.
		 */
		kept->is_marked =
			kept->is_marked ||
			(f->statements && (!row.statement || row.apart || (i > 0 && row.va == va)));
		va = row.va;
		line = next;
	}
}

/*
 * Add a name to the name table and return its number. If a Rust path follows the name in memory,
 * debuggers can also find the function by that path.
 */
static uint32_t number_name(struct elf_writer *w, struct cairn_bytes name, uint32_t path_size)
{
	const uint32_t number = elf_writer_clean_name(w, name);

	if (path_size > 0)
		elf_writer_set_path(w, number, function_path(name, path_size));
	return number;
}

static void keep_calls(struct elf_writer *w, const struct function *f)
{
	for (size_t i = 0; i < f->inline_count; i++) {
		const struct function_inline *call = &f->inlines[i];
		uint32_t path = find_file_path(w, f, call->call_file);
		static const struct cairn_bytes unnamed = { (const uint8_t *)"??", 2 };
		byte_buffer_uleb(&w->records, call->depth);
		byte_buffer_uleb(&w->records, call->name.size
		                                      ? number_name(w, call->name, call->path_size)
		                                      : elf_writer_clean_name(w, unnamed));
		byte_buffer_uleb(&w->records, path);
		byte_buffer_uleb(&w->records, path ? call->call_line : 0);
		uint64_t low = f->range[call->range].low, entry = call->entry ? call->entry : low;
		w->entries = w->entries || entry != low;
		byte_buffer_uleb(&w->records, entry - f->start);
		byte_buffer_uleb(&w->records, call->ranges);
		for (uint32_t r = 0; r < call->ranges; r++) {
			const struct cairn_range *range = &f->range[call->range + r];
			byte_buffer_uleb(&w->records, range->low - f->start);
			byte_buffer_uleb(&w->records, range->high - range->low);
		}
	}
}

/*
 * Clip the function to options.keep. Returns false if the function is outside that range or has no
 * name. Sets kept->end to 0 if the function's end is unknown.
 */
static bool clip_to_kept_range(const struct elf_writer *w, const struct function *f,
                               struct elf_writer_function *kept)
{
	const struct cairn_range *keep = &w->options.keep;
	const uint64_t start = f->start + w->options.shift;
	bool all = keep->low == keep->high;
	uint64_t highest = w->options.narrow ? UINT32_MAX : UINT64_MAX;

	if (!all && keep->high < highest)
		highest = keep->high;
	if (f->name.size == 0 || start >= highest || (!all && start < keep->low))
		return false;
	kept->start = start;
	kept->end = f->size ? start + f->size : 0;
	if (f->size > highest - start)
		kept->end = highest;
	return true;
}

static enum cairn_status explain_failure(const struct elf_writer *w)
{
	const bool full = w->records.full || w->names.text.full || w->paths.text.full ||
	                  w->info.full || w->abbrev.full || w->lines.full || w->ranges.full ||
	                  w->aranges.full || w->locations.full;

	return full ? CAIRN_LIMIT : CAIRN_NO_MEMORY;
}

static enum cairn_status receive_object_function(void *context, const struct function *f)
{
	struct elf_writer *w = context;
	struct elf_writer_function kept = { .start = 0 };

	if (!clip_to_kept_range(w, f, &kept))
		return CAIRN_OK;
	kept.name = number_name(w, f->name, f->path_size);
	kept.record = w->records.size;
	kept.order = (uint32_t)w->functions;
	kept.rows = (uint32_t)f->row_count;
	kept.statements = f->statements || w->options.by_clang;
	kept.is_marked = f->statements && f->inline_count > 0;
	kept.is_parted = f->parted;
	kept.calls = (uint32_t)f->inline_count;
	if (w->functions >= UINT32_MAX || f->row_count > UINT32_MAX ||
	    f->inline_count > UINT32_MAX || !file_map_begin(&w->map, f) ||
	    !array_grow(&w->function, &w->function_capacity, w->functions + 1, sizeof(kept)))
		return CAIRN_NO_MEMORY;
	keep_rows(w, f, &kept);
	for (size_t i = 0; i < f->inline_count; i++)
		kept.ranges += f->inlines[i].ranges;
	kept.calls_at = w->records.size;
	keep_calls(w, f);
	if (w->failed || w->records.failed || w->names.text.failed || w->paths.text.failed)
		return explain_failure(w);
	w->function[w->functions++] = kept;
	return CAIRN_OK;
}

/*
 * Lays out the ELF file: a shared object without code or data, like the output of `objcopy
 * --only-keep-debug`. All addresses are link-time addresses. Symbols and DWARF use the same names,
 * so .strtab and .debug_str are stored in the same bytes.
 */
enum { SYMBOL_LOCAL_FUNCTION = 0x02, SYMBOL_GLOBAL_FUNCTION = 0x12 };

_Static_assert((int)ELF_WRITER_CODE_SECTIONS <= (int)CAIRN_SECTIONS,
               "sections of code have no room");

struct object {
	struct elf_writer *w;
	struct elf_builder file;
	/* indices of the first loaded section and of the section after the last loaded one */
	unsigned loaded, behind_loaded;
	unsigned codes;
};

/*
 * Add a buffer as a section, and free the buffer immediately, so that the contents are not in
 * memory twice.
 */
static struct elf_section *add_contents(struct object *o, const char *name,
                                        struct byte_buffer *contents)
{
	if (contents->size == 0)
		return NULL;
	struct elf_section *s =
		elf_builder_contents(&o->file, name, ELF_SHT_PROGBITS, byte_buffer_view(contents));
	byte_buffer_finish(contents);
	return s;
}

static void add_loaded(struct object *o, const struct cairn_section *loaded)
{
	struct elf_section *s = elf_builder_section(&o->file, loaded->name, ELF_SHT_NOBITS);

	s->flags = loaded->flags;
	s->va = loaded->range.low;
	s->size = loaded->range.high - loaded->range.low;
	if (o->w->options.for_lldb) /* LLDB compares section alignments with the module's */
		s->alignment = loaded->alignment;
	else
		o->codes += (loaded->flags & ELF_SHF_EXECUTE) != 0;
}

/*
 * Add the module's own sections or, if they are unknown, sections that cover the code. They have no
 * contents.
 */
static void add_all_loaded(struct object *o)
{
	const struct cairn_object_options *options = &o->w->options;
	struct cairn_section text = { .name = ".text", .flags = ELF_SHF_ALLOC | ELF_SHF_EXECUTE };

	text.alignment = 1;
	o->loaded = o->file.count;
	for (size_t i = 0; i < options->sections; i++)
		add_loaded(o, &options->section[i]);
	for (size_t i = 0; i < o->w->texts && options->sections == 0; i++) {
		if (i > 0)
			snprintf(text.name, sizeof(text.name), ".text.%zu", i);
		text.range = o->w->text[i].range;
		add_loaded(o, &text);
	}
	o->behind_loaded = o->file.count;
}

static unsigned find_text_section(const struct object *o, uint64_t va)
{
	for (unsigned i = o->loaded; i < o->behind_loaded; i++) {
		const struct elf_section *s = &o->file.section[i].header;
		if ((s->flags & ELF_SHF_EXECUTE) && va - s->va < s->size)
			return i;
	}
	return 0;
}

/* Add a symbol, truncated to its section because a symbol must not extend past it. */
static void add_symbol(struct object *o, const struct elf_writer_function *f, unsigned text,
                       uint8_t info)
{
	const struct elf_section *s = &o->file.section[text].header;
	const uint64_t high = s->va + s->size, end = f->end > high ? high : f->end;

	elf_file_symbol(
		o->file.out, o->file.wide,
		&(struct elf_file_symbol){
			.name = o->w->names.entry[elf_writer_symbol_name(o->w, f->name)].offset,
			.section = (uint16_t)text,
			.info = info,
			.va = f->start,
			.size = end - f->start });
}

static void add_symbols_of(struct object *o, bool local)
{
	const uint8_t info = local ? SYMBOL_LOCAL_FUNCTION : SYMBOL_GLOBAL_FUNCTION;

	for (size_t i = 0; i < o->w->functions; i++) {
		const struct elf_writer_function *f = &o->w->function[i];
		unsigned text = find_text_section(o, f->start);
		if (text && elf_writer_has_local_symbol(o->w, f->name) == local)
			add_symbol(o, f, text, info);
	}
}

static void add_symbols(struct object *o)
{
	struct elf_section *s = elf_builder_begin_symbols(&o->file);

	add_symbols_of(o, true);
	s->info = (uint32_t)((o->file.out->size - s->offset) / s->entry_size);
	add_symbols_of(o, false);
	elf_builder_end_symbols(&o->file);
}

static void add_strings(struct object *o)
{
	struct byte_buffer *text = &o->w->names.text;

	elf_builder_section(&o->file, ".strtab", ELF_SHT_STRTAB)->size = text->size;
	elf_builder_are_strings(elf_builder_contents(&o->file, ".debug_str", ELF_SHT_PROGBITS,
	                                             byte_buffer_view(text)));
	byte_buffer_finish(text);
	elf_builder_are_strings(add_contents(o, ".debug_line_str", &o->w->paths.text));
}

static void add_name_index(struct object *o)
{
	struct byte_buffer *part = o->w->index, *out = o->file.out;

	if (part[0].size == 0)
		return;
	byte_buffer_align(out, 8);
	struct elf_section *s = elf_builder_section(&o->file, ".gdb_index", ELF_SHT_PROGBITS);
	s->alignment = 8;
	for (size_t i = 0; i < ELF_WRITER_INDEX_PARTS; i++) {
		byte_buffer_bytes(out, part[i].data, part[i].size);
		byte_buffer_finish(&part[i]);
	}
	s->size = out->size - s->offset;
}

/* Add .debug_frame. Its contents are borrowed because the caller may need them again. */
static void add_frames(struct object *o)
{
	const struct frame_table *frames = o->w->frames;

	if (!frames || frames->section.size == 0)
		return;
	byte_buffer_align(o->file.out, o->w->word);
	elf_builder_contents(&o->file, ".debug_frame", ELF_SHT_PROGBITS,
	                     byte_buffer_view(&frames->section))
		->alignment = o->w->word;
}

static void write_segments(struct object *o)
{
	const uint64_t size = o->file.wide ? ELF_SEGMENT_WIDE : ELF_SEGMENT_NARROW,
		       offset = o->file.out->size + o->codes * size;

	for (unsigned i = o->loaded; i < o->behind_loaded; i++) {
		struct elf_section *s = &o->file.section[i].header;
		s->offset = offset;
		if (o->codes > 0 && (s->flags & ELF_SHF_EXECUTE))
			elf_file_segment(
				o->file.out, o->file.wide,
				&(struct elf_segment){ .type = ELF_PT_LOAD,
			                               .flags = ELF_PF_READ | ELF_PF_EXECUTE,
			                               .offset = offset,
			                               .va = s->va,
			                               .memory_size = s->size,
			                               .align = 1 });
	}
}

static void write_object(struct object *o)
{
	struct elf_writer *w = o->w;

	elf_builder_section(&o->file, "", 0);
	add_all_loaded(o);
	elf_file_header(o->file.out, o->file.wide, w->options.machine, w->options.entry, o->codes);
	write_segments(o);
	elf_builder_build_id(&o->file, w->options.build_id);
	add_symbols(o);
	add_strings(o);
	add_contents(o, ".debug_abbrev", &w->abbrev);
	add_contents(o, ".debug_info", &w->info);
	add_contents(o, ".debug_line", &w->lines);
	add_contents(o, ".debug_rnglists", &w->ranges);
	add_contents(o, ".debug_aranges", &w->aranges);
	add_contents(o, ".debug_loclists", &w->locations);
	add_name_index(o);
	add_frames(o);
	elf_builder_finish(&o->file);
}

static enum cairn_status elf_writer_build_elf(struct elf_writer *w, uint8_t **bytes, size_t *size)
{
	struct byte_buffer out = { .limit = SIZE_MAX / 2, .big = w->options.big_endian };
	struct object o = { .w = w, .file = { .out = &out, .wide = w->word == 8 } };
	size_t parts = w->names.text.size + w->paths.text.size + w->info.size + w->lines.size +
	               w->ranges.size + w->aranges.size + w->locations.size +
	               w->functions * ELF_FILE_SYMBOL;
	for (size_t i = 0; i < ELF_WRITER_INDEX_PARTS; i++)
		parts += w->index[i].size;

	/* allocate everything at once, because growing the buffer would need twice the memory */
	if (!byte_buffer_extend(&out, parts))
		return CAIRN_NO_MEMORY;
	out.size = 0;
	write_object(&o);
	if (out.failed) {
		byte_buffer_finish(&out);
		return CAIRN_NO_MEMORY;
	}
	*bytes = out.data;
	*size = out.size;
	return CAIRN_OK;
}

struct function_sink elf_writer_sink(struct elf_writer *w)
{
	return (struct function_sink){ receive_object_function, w };
}

enum cairn_status elf_writer_finish(struct elf_writer *w, uint8_t **bytes, size_t *size)
{
	if (!elf_writer_add_frame_functions(w))
		return CAIRN_NO_MEMORY;
	if (w->functions == 0)
		return CAIRN_NOT_FOUND;
	if (!elf_writer_assign_code(w) || !elf_writer_build_dwarf(w))
		return explain_failure(w);
	return elf_writer_build_elf(w, bytes, size);
}

enum { ELF_AMD64 = 62 };
/* Number of functions, rows and inlined calls between two calls of the host's poll(). */
enum { POLL_WORK = 1 << 14 };

struct counter {
	struct function_sink to;
	const struct cairn_object_options *options;
	const struct frame_writer_options *how;
	uint64_t count;
	uint64_t work;
};

static enum cairn_status forward_counted_function(void *context, const struct function *function)
{
	struct counter *counter = context;

	if (frame_writer_excludes(counter->how, function->start))
		return CAIRN_OK;
	counter->count++;
	counter->work += 1 + function->row_count + function->inline_count;
	if (counter->options->poll && counter->work >= POLL_WORK) {
		counter->work = 0;
		counter->options->poll(counter->options->poll_context);
	}
	return counter->to.take(counter->to.context, function);
}

static enum cairn_status make_frames(const struct cairn_object_options *options,
                                     const struct frame_writer_options *how,
                                     struct frame_table *frames)
{
	enum cairn_status status = CAIRN_NOT_FOUND;
	if (options->program.size > 0 && options->for_lldb)
		status = frame_table_make(options->program, how, frames);
	if (options->program.size > 0 && status == CAIRN_NOT_FOUND) {
		frame_table_finish(frames);
		status = frame_table_make_go(options->program, how, frames);
	}
	if (options->jit.size > 0 && options->machine == ELF_AMD64)
		status = frame_table_make_jit(options->jit, how, frames);
	return status;
}

static void free_writer(struct elf_writer **writer)
{
	elf_writer_free(*writer);
}

enum cairn_status cairn_object_make(const struct cairn_symbols *symbols,
                                    const struct cairn_object_options *given,
                                    struct cairn_object *object)
{
	struct cairn_object_options own = CAIRN_OBJECT_OPTIONS;
	const struct cairn_object_options *const options = &own;
	sized_take(&own, sizeof(own), given);
	bytes_fill(&own.build_id);
	bytes_fill(&own.program);
	bytes_fill(&own.sframe_file);
	bytes_fill(&own.jit);
	const struct frame_writer_options how = { .limit = ELF_WRITER_LIMIT,
		                                  .poll = options->poll,
		                                  .poll_context = options->poll_context,
		                                  .excluded = options->excluded,
		                                  .excluded_count = options->excluded_count,
		                                  .sframe_file = options->sframe_file };
	WITH_CLEANUP(frame_table_finish) struct frame_table frames = { .functions = 0 };
	enum cairn_status status = make_frames(options, &how, &frames);
	const bool has_frames = status == CAIRN_OK;
	if (!has_frames && status != CAIRN_NOT_FOUND)
		return status;
	WITH_CLEANUP(free_writer)
	struct elf_writer *writer = elf_writer_new(options, has_frames ? &frames : NULL, 0);
	struct gsym_losses losses = { .count = 0 };
	uint8_t *bytes = NULL;
	size_t size = 0;

	if (!writer)
		return CAIRN_NO_MEMORY;
	struct counter counter = { elf_writer_sink(writer), options, &how, 0, POLL_WORK };
	const struct function_sink sink = { forward_counted_function, &counter };
	status = CAIRN_OK;
	if (symbols && !symbols->is_image)
		status = function_table_give(&symbols->functions.list, &sink);
	else if (symbols)
		status = gsym_functions(&symbols->image.gsym, &sink, true, &losses);
	if (status == CAIRN_OK)
		status = elf_writer_finish(writer, &bytes, &size);
	if (status == CAIRN_OK)
		*object = (struct cairn_object){
			{ bytes, size }, counter.count, losses.count, losses.first
		};
	return status;
}

void cairn_object_free(struct cairn_object *object)
{
	static const uint8_t nothing[1];

	if (object->bytes.data != nothing)
		free((void *)(uintptr_t)object->bytes.data);
	object->bytes = (struct cairn_bytes){ nothing, 0 };
}
