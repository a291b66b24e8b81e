/* SPDX-License-Identifier: MIT */
/*
 * Receives functions. Numbers names and paths, and packs rows and calls until all functions are
 * known:
 *
 *	record = row* call*
 *	row    = step:uleb path:uleb line:sleb         differences of address and line
 *	call   = depth:uleb name:uleb path:uleb line:uleb entry:uleb ranges:uleb
 *	         (from:uleb size:uleb)*ranges
 *
 * The low bits of a row's path are flags, see ELF_WRITER_ROW_BITS. `entry` and `from` are relative
 * to the function's start.
 */
#include "parts.h"

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
	byte_buffer_u8(&w->records, 0); /* avoids a NULL pointer if there are no rows and calls */
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

/* Escape w->path in place. Return false if memory is short. */
static bool clean_path(struct elf_writer *w, size_t *size)
{
	struct cairn_bytes text = { (const uint8_t *)w->path, *size };

	if (!elf_writer_clean_text(w, &text))
		return false;
	if (text.data == (const uint8_t *)w->path)
		return true;
	if (!array_grow(&w->path, &w->path_room, text.size + 2, 1))
		return false;
	memcpy(w->path, text.data, text.size);
	*size = text.size;
	return true;
}

/* Return the number of a file's path, or 0 if it is empty or memory is short. */
static uint32_t path_number(struct elf_writer *w, const struct function_file *file)
{
	struct cairn_location location = { .directory = file->directory, .file = file->name };
	size_t size = cairn_location_path(&location, w->path, w->path_room);

	if (size + 1 > w->path_room) {
		if (!array_grow(&w->path, &w->path_room, size + 2, 1)) {
			w->failed = true;
			return 0;
		}
		cairn_location_path(&location, w->path, w->path_room);
	}
	if (!clean_path(w, &size)) {
		w->failed = true;
		return 0;
	}
	return interner_add_copy(&w->paths, (struct cairn_bytes){ (const uint8_t *)w->path, size });
}

static bool more_files(struct elf_writer *w)
{
	size_t room = w->file_room;

	if (!array_grow(&w->file, &w->file_room, w->paths.count + 1, sizeof(*w->file)))
		w->failed = true;
	else if (w->file_room > room)
		memset(w->file + room, 0, (w->file_room - room) * sizeof(*w->file));
	return !w->failed;
}

/*
 * Add a file and split its path at the last slash. If the path ends with a slash, it is not split.
 * Return the path number, or 0.
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
		/* the root directory keeps its slash */
		struct cairn_bytes text = { (const uint8_t *)w->path, name > 1 ? name - 1 : 1 };
		directory = interner_add_copy(&w->paths, text);
	}
	w->file[path] = (struct elf_writer_file){ path, name, directory, 0 };
	return path;
}

/* Return the path number of a file of the unit, which is assigned on first use. */
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
		 * gcc writes these only for optimized code; a row that merely repeats a line occurs
		 * in any code.
		 */
		kept->is_marked =
			kept->is_marked ||
			(f->statements && (!row.statement || row.apart || (i > 0 && row.va == va)));
		va = row.va;
		line = next;
	}
}

/* Return the number of a name. A name with a path can also be found by its path. */
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
 * Return true if the function is to be kept, and clip it to the range that is kept. `end` is set to
 * 0 if unknown.
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
	    !array_grow(&w->function, &w->function_room, w->functions + 1, sizeof(kept)))
		return CAIRN_NO_MEMORY;
	keep_rows(w, f, &kept);
	for (size_t i = 0; i < f->inline_count; i++)
		kept.ranges += f->inlines[i].ranges;
	kept.calls_at = w->records.size;
	keep_calls(w, f);
	if (w->failed || w->records.failed || w->names.text.failed || w->paths.text.failed)
		return CAIRN_NO_MEMORY;
	w->function[w->functions++] = kept;
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
		return CAIRN_NO_MEMORY;
	return elf_writer_build_elf(w, bytes, size);
}
