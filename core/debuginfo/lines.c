/* SPDX-License-Identifier: MIT */
/*
 * Reads the line table of a unit: its files, its rows in sorted sequences, and the rows for an
 * address range.
 */
#include "lines.h"

#include "base/range.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* directory paths up to this length are free; longer ones count against the budget for each file */
enum { PATH_USUAL = 256 };

static const uint8_t nothing[1];
static const struct cairn_bytes slash = { (const uint8_t *)"/", 1 };

static bool is_absolute(struct cairn_bytes path)
{
	return path.size > 0 && (path.data[0] == '/' || path.data[0] == '\\' ||
	                         (path.size > 2 && path.data[1] == ':' &&
	                          (path.data[2] == '\\' || path.data[2] == '/')));
}

static bool join_path(struct string_store *texts, struct cairn_bytes left, struct cairn_bytes right,
                      struct cairn_bytes *joined)
{
	bool ends = left.size > 0 && left.data[left.size - 1] == '/';
	bool apart = left.size > 0 && right.size > 0 && !ends;
	struct cairn_bytes parts[] = { left, apart ? slash : (struct cairn_bytes){ nothing, 0 },
		                       right };

	return string_store_add(texts, parts, 3, joined);
}

static struct cairn_bytes read_entry_path(const struct lines_source *source,
                                          const struct dwarf_line_entry *entry)
{
	struct cairn_bytes text = { nothing, 0 };

	if (!dwarf_text(source->sections, source->unit, source->bases, &entry->path, &text))
		text = (struct cairn_bytes){ nothing, 0 };
	return text;
}

/*
 * Add a directory, joined with the compilation directory. In DWARF 5, the first directory is the
 * compilation directory itself and is not joined.
 */
static bool add_directory(struct lines *lines, const struct lines_source *source,
                          struct cairn_bytes path, bool first)
{
	struct cairn_bytes whole = path;

	if (!budget_capacity(lines->budget, &lines->directory, &lines->directory_capacity,
	                     lines->directories + 1, sizeof(*lines->directory)))
		return false;
	if (lines->relative && first)
		whole = (struct cairn_bytes){ nothing, 0 };
	else if (!is_absolute(path) && !first && !lines->relative &&
	         !join_path(source->texts, source->comp_dir, path, &whole))
		return false;
	lines->directory[lines->directories++] = whole;
	return true;
}

static bool split_name(const struct lines_source *source, struct function_file *file)
{
	size_t base = file->name.size;
	struct cairn_bytes front = { file->name.data, 0 };

	while (base > 0 && file->name.data[base - 1] != '/')
		base--;
	if (base == 0)
		return true;
	front.size = base > 1 ? base - 1 : 1;
	if (is_absolute(file->name))
		file->directory = front;
	else if (!join_path(source->texts, file->directory, front, &file->directory))
		return false;
	file->name.data += base;
	file->name.size -= base;
	return true;
}

/*
 * Count the path against the budget. Writers join directory and name, so a long directory with many
 * files becomes many long strings.
 */
static bool charge_path(struct lines *lines, const struct function_file *file)
{
	size_t size = file->directory.size > PATH_USUAL ? file->directory.size : 0;

	return budget_memory(lines->budget, size) && budget_text(lines->budget, size) &&
	       budget_charge_text(lines->budget, file->name);
}

static bool append_file(struct lines *lines, struct function_file file)
{
	if (lines->files == UINT32_MAX ||
	    !budget_capacity(lines->budget, &lines->file, &lines->file_capacity, lines->files + 1,
	                     sizeof(*lines->file)))
		return false;
	lines->file[lines->files++] = file;
	return true;
}

static bool lines_add_file(struct lines *lines, const struct lines_source *source,
                           const struct dwarf_line_entry *entry)
{
	struct function_file file = { { nothing, 0 }, read_entry_path(source, entry) };

	if (!budget_text(lines->budget, file.name.size))
		return false;
	if (entry->directory < lines->directories)
		file.directory = lines->directory[entry->directory];
	return split_name(source, &file) && charge_path(lines, &file) && append_file(lines, file);
}

static bool lines_read_files(struct lines *lines, const struct lines_source *source,
                             struct dwarf_line *line)
{
	struct dwarf_line_entry entry;
	struct cairn_bytes empty = { nothing, 0 };

	lines->from_zero = line->unit.version >= 5;
	if (!append_file(lines, (struct function_file){ empty, empty }) ||
	    (!lines->from_zero && !add_directory(lines, source, source->comp_dir, true)))
		return false;
	while (dwarf_next_directory(line, &entry)) {
		struct cairn_bytes path = read_entry_path(source, &entry);
		if (!budget_work(lines->budget, line->directories.formats) ||
		    !budget_text(lines->budget, path.size) ||
		    !add_directory(lines, source, path,
		                   lines->from_zero && lines->directories == 0))
			return false;
	}
	while (dwarf_next_file(line, &entry))
		if (!budget_work(lines->budget, line->files.formats) ||
		    !lines_add_file(lines, source, &entry))
			return false;
	return true;
}

uint32_t lines_file(const struct lines *lines, uint64_t number)
{
	if (lines->from_zero)
		return number < lines->files - (lines->files > 0) ? (uint32_t)number + 1 : 0;
	return number < lines->files ? (uint32_t)number : 0;
}

void lines_clear(struct lines *lines)
{
	lines->files = lines->directories = lines->rows = lines->sequences = 0;
	lines->bytes = 0;
	lines->passed = 0;
	lines->file_set++;
	lines->fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
}

void lines_finish(struct lines *lines)
{
	free(lines->file);
	free(lines->directory);
	free(lines->row);
	free(lines->sequence);
	free(lines->cut);
	*lines = (struct lines){ .file = NULL };
}

/*
 * Return true if the row is redundant after the last of `count` rows. With ->every_row, a row at a
 * new address is never redundant: when debuggers step, they look up each row's address to see
 * whether they are still in the same line.
 */
static bool lines_repeats_last_row(const struct lines *lines, const struct function_row *rows,
                                   size_t count, const struct function_row *row)
{
	return !row->statement && function_row_repeats(rows, count, row) &&
	       (!lines->every_row || rows[count - 1].va == row->va);
}

/*
 * Append a row. The last row at an address determines its line; an earlier row is kept, for
 * debuggers, only if it begins a statement.
 */
static bool append_line_row(struct lines *lines, size_t first, struct function_row row)
{
	const struct function_row *last = lines->rows > first ? &lines->row[lines->rows - 1] : NULL;

	if (last && last->va == row.va && !last->statement) {
		lines->rows--;
		row.prologue_end |= last->prologue_end;
		last = lines->rows > first ? last - 1 : NULL;
	}
	if (last && lines_repeats_last_row(lines, lines->row + first, lines->rows - first, &row))
		return true;
	if (!budget_capacity(lines->budget, &lines->row, &lines->row_capacity, lines->rows + 1,
	                     sizeof(row)))
		return false;
	lines->row[lines->rows++] = row;
	return true;
}

static bool store_sequence(struct lines *lines, struct lines_sequence sequence)
{
	if (!budget_capacity(lines->budget, &lines->sequence, &lines->sequence_capacity,
	                     lines->sequences + 1, sizeof(sequence)))
		return false;
	sequence.order = lines->sequences;
	lines->sequence[lines->sequences++] = sequence;
	return true;
}

/*
 * Append a sequence that consists of the rows starting at sequence.first and ends at `high`. Drop
 * the rows if the sequence is empty or outside the code.
 */
static bool append_sequence(struct lines *lines, const struct lines_source *source,
                            struct lines_sequence sequence, uint64_t high)
{
	sequence.count = lines->rows - sequence.first;
	sequence.high = high;
	if (sequence.count > 0)
		sequence.low = lines->row[sequence.first].va;
	if (sequence.count == 0 || high <= sequence.low ||
	    !code_ranges_find(source->text, sequence.low)) {
		lines->rows = sequence.first;
		return true;
	}
	return store_sequence(lines, sequence);
}

/*
 * Return true if the row continues the line of the previous row and has a discriminator. Must be
 * called for every row in order. GDB's record_line() skips such rows when it reads DWARF, but
 * symbol formats do not record discriminators, so GDB could not skip the rows if we provided
 * them.
 */
static bool passed_over(struct passed *before, const struct dwarf_row *row)
{
	const bool same = before->any && before->line == row->line && before->file == row->file;
	/*
	 * GDB ignores a row that is not a statement if a statement in another file precedes it at
	 * the same address. Later rows then continue the line of that statement.
	 */
	before->hides = before->any && before->va == row->va && !row->statement &&
	                before->statement && before->file != row->file;

	if (!before->hides) {
		before->file = row->file;
		before->line = row->line;
	}
	before->statement =
		row->statement || (before->any && before->va == row->va && before->statement);
	before->va = row->va;
	before->any = true;
	return same && row->discriminated;
}

/* Return true if GDB would skip the row and the row continues the last row that we stored. */
static bool is_passed_over(struct lines *lines, size_t first, const struct dwarf_row *row)
{
	const struct function_row *last = lines->rows > first ? &lines->row[lines->rows - 1] : NULL;

	return passed_over(&lines->before, row) && lines->every_row && last &&
	       last->line == row->line && last->file == lines_file(lines, row->file);
}

static bool split_sequence(struct lines *lines, const struct lines_source *source, uint64_t va,
                           struct lines_sequence *open)
{
	bool any = lines->rows > open->first;
	uint64_t last = any ? lines->row[lines->rows - 1].va : 0;

	if (!any || va >= last)
		return true;
	if (!append_sequence(lines, source, *open, last))
		return false;
	open->first = lines->rows;
	lines->before.any = false;
	return true;
}

static bool add_program_row(struct lines *lines, const struct lines_source *source,
                            const struct dwarf_row *row, struct lines_sequence *open)
{
	open->offset = row->sequence;
	if (!split_sequence(lines, source, row->va, open))
		return false;
	if (row->kind == DWARF_ROW) {
		/* keep a row whose column is needed, even if GDB would skip it */
		const bool passed = is_passed_over(lines, open->first, row);
		if (passed && !lines->columns)
			return true;
		/*
		 * GDB ignores this row because of the row before it; if we skipped that row, store
		 * it now
		 */
		if (lines->every_row && lines->before.hides && lines->rows > open->first &&
		    lines->row[lines->rows - 1].va != row->va) {
			const struct function_row hiding = {
				.va = row->va,
				.file = lines_file(lines, lines->before.file),
				.line = lines->before.line,
				.statement = true,
			};
			if (!append_line_row(lines, open->first, hiding))
				return false;
		}
		const bool marked = lines->every_row && !passed;
		struct function_row plain = { row->va,
			                      lines_file(lines, row->file),
			                      row->line,
			                      marked && row->statement,
			                      marked && row->prologue_end,
			                      false,
			                      lines->columns ? row->column : 0 };
		return append_line_row(lines, open->first, plain);
	}
	lines->before.any = false;
	if (!append_sequence(lines, source, *open, row->va))
		return false;
	open->first = lines->rows;
	return true;
}

/*
 * Append rows up to the first row that cannot be stored with only its file, line and column. Not
 * used with ->every_row, which also needs each row's flags.
 */
static bool read_places(struct lines *lines, struct dwarf_line *line, size_t first)
{
	struct dwarf_places places = { .files = lines->files,
		                       .first_file = lines->from_zero,
		                       .columns = lines->columns };

	if (lines->from_zero && lines->files > 0)
		places.files--;
	do {
		if (!budget_capacity(lines->budget, &lines->row, &lines->row_capacity,
		                     lines->rows + 1, sizeof(*lines->row)))
			return false;
		places.row = lines->row + first;
		places.count = lines->rows - first;
		places.capacity = lines->row_capacity - first;
		dwarf_append_places(line, &places);
		lines->rows = first + places.count;
	} while (places.count == places.capacity);
	return true;
}

enum reading { READING_FAILED, READING_ON, READING_OVER };

static enum reading read_sequence(struct lines *lines, const struct lines_source *source,
                                  struct dwarf_line *line)
{
	struct lines_sequence open = { .first = lines->rows };
	struct dwarf_row row = { .kind = DWARF_ROW };

	lines->before.any = false;
	while (row.kind != DWARF_ROW_END) {
		if (!lines->every_row && !read_places(lines, line, open.first))
			return READING_FAILED;
		if (!dwarf_next_row(line, &row)) {
			/* drop a sequence without an end, because its extent is unknown */
			lines->rows = open.first;
			return READING_OVER;
		}
		bool ok = row.kind == DWARF_ROW_FILE ? lines_add_file(lines, source, &row.added)
		                                     : add_program_row(lines, source, &row, &open);
		if (!ok)
			return READING_FAILED;
	}
	return READING_ON;
}

enum passing {
	PASSING_DONE,
	PASSING_OVER,
	/* the sequence cannot be skipped, because its addresses decrease or it adds files */
	PASSING_ODD,
};

/* Skip a sequence, determining only its first and last address. */
static enum passing pass_sequence(struct dwarf_line *line, struct lines_sequence *passed)
{
	struct dwarf_row row = { .kind = DWARF_ROW };
	bool any = false;

	while (row.kind != DWARF_ROW_END) {
		if (any)
			dwarf_pass_places(line);
		if (!dwarf_next_row(line, &row))
			return PASSING_OVER;
		if (row.kind == DWARF_ROW_FILE || (any && row.va < passed->high))
			return PASSING_ODD;
		passed->low = any ? passed->low : row.va;
		passed->high = row.va;
		passed->offset = row.sequence;
		any = true;
	}
	return PASSING_DONE;
}

static bool is_asked(const struct lines *lines, const struct lines_sequence *sequence)
{
	const struct cairn_range range = { sequence->low, sequence->high };

	return range_touches(range, lines->asked, lines->asked_count);
}

/* Read a sequence, or skip its rows if lines->asked does not include them. */
static enum reading read_asked_sequence(struct lines *lines, const struct lines_source *source,
                                        struct dwarf_line *line)
{
	const struct dwarf_line start = *line;
	struct lines_sequence passed = { .first = lines->rows };
	enum passing passing = pass_sequence(line, &passed);

	if (passing == PASSING_OVER)
		return READING_OVER;
	if (passing == PASSING_ODD || is_asked(lines, &passed)) {
		*line = start;
		return read_sequence(lines, source, line);
	}
	if (passed.high <= passed.low || !code_ranges_find(source->text, passed.low))
		return READING_ON;
	lines->passed++;
	return store_sequence(lines, passed) ? READING_ON : READING_FAILED;
}

static bool read_rows(struct lines *lines, const struct lines_source *source,
                      struct dwarf_line *line)
{
	const bool is_whole = lines->every_row || lines->asked_count == 0;
	enum reading reading = READING_ON;

	while (reading == READING_ON)
		reading = is_whole ? read_sequence(lines, source, line)
		                   : read_asked_sequence(lines, source, line);
	return reading == READING_OVER;
}

static int compare_sequences(const void *left, const void *right)
{
	const struct lines_sequence *a = left, *b = right;

	return ORDER_BY(a->low, b->low, ORDER_BY(a->order, b->order, 0));
}

static void sort_sequences(struct lines *lines)
{
	uint64_t reach = 0;

	if (lines->sequences > 1)
		qsort(lines->sequence, lines->sequences, sizeof(*lines->sequence),
		      compare_sequences);
	for (size_t i = 0; i < lines->sequences; i++) {
		reach = lines->sequence[i].high > reach ? lines->sequence[i].high : reach;
		lines->sequence[i].reach = reach;
	}
}

bool lines_read(struct lines *lines, const struct lines_source *source, uint64_t offset)
{
	struct dwarf_line line;

	lines_clear(lines);
	lines->source = *source;
	lines->unit = *source->unit;
	lines->bases = *source->bases;
	lines->offset = offset;
	if (dwarf_open_line(source->sections, offset, source->unit->address_size, &line,
	                    &lines->fault) != CAIRN_OK)
		return true;
	lines->bytes = (uint64_t)(line.end - line.at);
	if (!budget_work(lines->budget, lines->bytes) || !lines_read_files(lines, source, &line) ||
	    !read_rows(lines, source, &line))
		return false;
	lines->fault = line.fault;
	sort_sequences(lines);
	return true;
}

/*
 * Read the table again, with all rows. The sections and strings that lines_read() was given must
 * still exist.
 */
static bool lines_read_all(struct lines *lines)
{
	const struct dwarf_unit unit = lines->unit;
	const struct dwarf_bases bases = lines->bases;
	const size_t asked_count = lines->asked_count;
	struct lines_source source = lines->source;

	source.unit = &unit;
	source.bases = &bases;
	lines->asked_count = 0;
	const bool ok = lines_read(lines, &source, lines->offset);
	lines->asked_count = asked_count;
	return ok;
}

/*
 * Limits on overlapping sequences. Even folded code is in only a few sequences; a larger number
 * indicates damage and would cost time.
 */
enum {
	LOOK_SEQUENCES = 64,
	/* maximum number of sequences to examine before the address */
	LOOK_BACK = 1024,
	LOOK_ROWS = 1024,
};

static size_t find_sequence_after(const struct lines *lines, uint64_t va)
{
	return SORTED_UP_TO(lines->sequence, lines->sequences, low, va);
}

/*
 * Return true if a row in the sequence has the file and line of the function's declaration. Adds
 * the number of examined rows to *looked.
 */
static bool has_declaration_line(const struct lines *lines, const struct lines_sequence *s,
                                 const struct lines_hint *hint, uint64_t *looked)
{
	const struct function_row *row = &lines->row[s->first];

	for (size_t i = 0; hint->line && i < s->count && i < LOOK_ROWS; i++, ++*looked)
		if (row[i].line == hint->line && row[i].file == hint->file)
			return true;
	return false;
}

static size_t collect_sequences(const struct lines *lines, uint64_t va,
                                const struct lines_sequence *found[LOOK_SEQUENCES],
                                uint64_t *looked)
{
	size_t count = 0;

	for (size_t i = find_sequence_after(lines, va); i-- > 0 && lines->sequence[i].reach > va;) {
		if (count == LOOK_SEQUENCES || ++*looked > LOOK_BACK)
			break;
		if (lines->sequence[i].high > va)
			found[count++] = &lines->sequence[i];
	}
	return count;
}

/*
 * Return the sequence for `va`. Prefers the sequence in the hint, then a sequence with the line of
 * the declaration, then the first one in the line program. Returns NULL if no sequence covers `va`
 * or the budget is exhausted.
 */
static const struct lines_sequence *choose_sequence(const struct lines *lines, uint64_t va,
                                                    const struct lines_hint *hint)
{
	const struct lines_sequence *found[LOOK_SEQUENCES], *first, *declared = NULL;
	uint64_t looked = 0;
	size_t count = collect_sequences(lines, va, found, &looked);

	first = count > 0 ? found[0] : NULL;
	for (size_t i = 0; count > 1 && i < count; i++) {
		const struct lines_sequence *s = found[i];
		if (hint->has_sequence && s->offset == hint->sequence)
			return s;
		if (s->order < first->order)
			first = s;
		if ((!declared || s->order < declared->order) &&
		    has_declaration_line(lines, s, hint, &looked))
			declared = s;
	}
	if (!budget_work(lines->budget, looked))
		return NULL;
	return declared ? declared : first;
}

static bool append_cut_row(struct lines *lines, size_t *count, struct function_row row)
{
	if (!budget_work(lines->budget, 1))
		return false;
	if (lines_repeats_last_row(lines, lines->cut, *count, &row))
		return true;
	if (!budget_capacity(lines->budget, &lines->cut, &lines->cut_capacity, *count + 1,
	                     sizeof(row)))
		return false;
	lines->cut[(*count)++] = row;
	return true;
}

/* Return the first row at `va`, or the last row before `va`. The sequence must contain `va`. */
static size_t find_row_at(const struct lines *lines, const struct lines_sequence *s, uint64_t va)
{
	const size_t before = SORTED_UP_TO(lines->row + s->first, s->count, va, va);
	size_t low = s->first + (before > 0 ? before - 1 : 0);

	while (low > s->first && lines->row[low].va == va && lines->row[low - 1].va == va)
		low--;
	return low;
}

static bool cut_sequence(struct lines *lines, const struct lines_sequence *s,
                         struct cairn_range range, size_t *count)
{
	size_t end = s->first + s->count;

	for (size_t i = find_row_at(lines, s, range.low); i < end; i++) {
		struct function_row row = lines->row[i];
		if (row.va >= range.high)
			break;
		if (row.va < range.low)
			row.va = range.low;
		if (!append_cut_row(lines, count, row))
			return false;
	}
	return true;
}

/*
 * Return the rows of the range without copying, if a single sequence contains all of them and the
 * first row is at the start of the range.
 */
static bool find_whole_rows(const struct lines *lines, const struct lines_sequence *s,
                            struct cairn_range range, struct lines_cut *cut)
{
	if (lines->every_row || s->high < range.high)
		return false;
	size_t first = find_row_at(lines, s, range.low), end = s->first + s->count, i = first + 1;
	if (lines->row[first].va != range.low)
		return false;
	while (i < end && lines->row[i].va < range.high)
		i++;
	*cut = (struct lines_cut){ lines->row + first, i - first };
	return true;
}

static bool join_sequences(struct lines *lines, struct cairn_range range,
                           const struct lines_hint *hint, struct lines_cut *cut)
{
	size_t used = 0;
	bool any = false;

	for (uint64_t at = range.low; at < range.high;) {
		const struct lines_sequence *s = choose_sequence(lines, at, hint);
		size_t next = find_sequence_after(lines, at);
		uint64_t end = next < lines->sequences ? lines->sequence[next].low : range.high;
		struct function_row gap = { .va = at };
		if (s)
			end = s->high;
		if (end > range.high)
			end = range.high;
		any = any || s;
		if (s ? !cut_sequence(lines, s, (struct cairn_range){ at, end }, &used)
		      : !append_cut_row(lines, &used, gap))
			return false;
		at = end;
	}
	*cut = (struct lines_cut){ lines->cut, any ? used : 0 };
	return true;
}

static bool lacks_rows(const struct lines *lines, struct cairn_range range)
{
	size_t looked = 0;

	if (lines->passed == 0 || range.low >= range.high)
		return false;
	for (size_t i = find_sequence_after(lines, range.high - 1); i-- > 0; looked++) {
		const struct lines_sequence *s = &lines->sequence[i];
		if (looked == LOOK_BACK)
			return true;
		if (s->reach <= range.low)
			return false;
		if (s->count == 0 && s->high > range.low)
			return true;
	}
	return false;
}

bool lines_clip(struct lines *lines, struct cairn_range range, const struct lines_hint *hint,
                struct lines_cut *cut)
{
	if (lacks_rows(lines, range) && !lines_read_all(lines))
		return false;
	const struct lines_sequence *s =
		range.low < range.high ? choose_sequence(lines, range.low, hint) : NULL;

	if (s && find_whole_rows(lines, s, range, cut))
		return budget_work(lines->budget, cut->count);
	return join_sequences(lines, range, hint, cut);
}
