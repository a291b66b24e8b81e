/* SPDX-License-Identifier: MIT */
/*
 * Reads a unit's line number program into file paths and sorted sequences and selects the rows of
 * an address range.
 */
#include "lines.h"

#include <stdlib.h>
#include <string.h>

/* Code that was folded lies in a few sequences.  More are made by damage, and cost time. */
enum {
	LOOK_SEQUENCES = 64, /* that hold one address */
	LOOK_BACK = 1024,    /* that begin before it */
	LOOK_ROWS = 1024,    /* of one sequence */
	PATH_USUAL = 256,    /* bytes of a directory; what is longer counts for each of its files */
};

static const uint8_t nothing[1];
static const struct cairn_bytes slash = { (const uint8_t *)"/", 1 };

void lines_clear(struct lines *lines)
{
	lines->files = lines->directories = lines->rows = lines->sequences = 0;
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

static bool is_absolute(struct cairn_bytes path)
{
	return path.size > 0 && (path.data[0] == '/' || path.data[0] == '\\' ||
	                         (path.size > 2 && path.data[1] == ':' &&
	                          (path.data[2] == '\\' || path.data[2] == '/')));
}

/* `left`/`right`, kept. */
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
 * The directory `path` of the table, as seen from where the compiler ran.  In DWARF 5 the first one
 * is that place itself, and is taken as it is.
 */
static bool add_directory(struct lines *lines, const struct lines_source *source,
                          struct cairn_bytes path, bool first)
{
	struct cairn_bytes whole = path;

	if (!budget_room(lines->budget, &lines->directory, &lines->directory_room,
	                 lines->directories + 1, sizeof(*lines->directory)))
		return false;
	if (!is_absolute(path) && !first &&
	    !join_path(source->texts, source->comp_dir, path, &whole))
		return false;
	lines->directory[lines->directories++] = whole;
	return true;
}

/* A name may hold directories of its own: they go to the directory, so that paths are comparable. */
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

/* Writers join directory and name, so that many names in one long directory are much text. */
static bool charge_path(struct lines *lines, const struct function_file *file)
{
	size_t size = file->directory.size > PATH_USUAL ? file->directory.size : 0;

	return budget_memory(lines->budget, size) && budget_text(lines->budget, size) &&
	       budget_charge_text(lines->budget, file->name);
}

static bool append_file(struct lines *lines, struct function_file file)
{
	if (lines->files == UINT32_MAX ||
	    !budget_room(lines->budget, &lines->file, &lines->file_room, lines->files + 1,
	                 sizeof(*lines->file)))
		return false;
	lines->file[lines->files++] = file;
	return true;
}

static bool add_line_file(struct lines *lines, const struct lines_source *source,
                          const struct dwarf_line_entry *entry)
{
	struct function_file file = { { nothing, 0 }, read_entry_path(source, entry) };

	if (!budget_text(lines->budget, file.name.size))
		return false;
	if (entry->directory < lines->directories)
		file.directory = lines->directory[entry->directory];
	return split_name(source, &file) && charge_path(lines, &file) && append_file(lines, file);
}

static bool read_files(struct lines *lines, const struct lines_source *source,
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
		    !add_line_file(lines, source, &entry))
			return false;
	return true;
}

uint32_t lines_file(const struct lines *lines, uint64_t number)
{
	if (lines->from_zero)
		return number < lines->files - (lines->files > 0) ? (uint32_t)number + 1 : 0;
	return number < lines->files ? (uint32_t)number : 0;
}

/* It goes on with what the last of `count` rows says, and begins no statement. */
static bool repeats_last_row(const struct function_row *rows, size_t count,
                             const struct function_row *row)
{
	return !row->statement && function_row_repeats(rows, count, row);
}

/*
 * Of rows at one address the last tells where its instruction belongs.  Those before it are of use
 * to debuggers only, and only where a statement begins.
 */
static bool append_line_row(struct lines *lines, size_t first, struct function_row row)
{
	const struct function_row *last = lines->rows > first ? &lines->row[lines->rows - 1] : NULL;

	if (last && last->va == row.va && !last->statement) {
		lines->rows--;
		row.prologue_end |= last->prologue_end;
		last = lines->rows > first ? last - 1 : NULL;
	}
	if (last && repeats_last_row(lines->row + first, lines->rows - first, &row))
		return true;
	if (!budget_room(lines->budget, &lines->row, &lines->row_room, lines->rows + 1,
	                 sizeof(row)))
		return false;
	lines->row[lines->rows++] = row;
	return true;
}

/* The rows from `sequence->first` on are one, up to `high`; those of no use are forgotten. */
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
	if (!budget_room(lines->budget, &lines->sequence, &lines->sequence_room,
	                 lines->sequences + 1, sizeof(sequence)))
		return false;
	lines->sequence[lines->sequences++] = sequence;
	return true;
}

/* Is it of no use to GDB, and does it go on with what we have? */
static bool is_passed_over(struct lines *lines, size_t first, const struct dwarf_row *row)
{
	const struct function_row *last = lines->rows > first ? &lines->row[lines->rows - 1] : NULL;

	return passed_over(&lines->before, row) && lines->every_row && last &&
	       last->line == row->line && last->file == lines_file(lines, row->file);
}

/* One row of the program.  Where addresses go back, a new sequence begins. */
static bool add_program_row(struct lines *lines, const struct lines_source *source,
                            const struct dwarf_row *row, struct lines_sequence *open)
{
	bool any = lines->rows > open->first;
	uint64_t last = any ? lines->row[lines->rows - 1].va : 0;

	open->offset = row->sequence;
	if (any && row->va < last) {
		if (!append_sequence(lines, source, *open, last))
			return false;
		open->first = lines->rows;
		lines->before.any = false;
	}
	if (row->kind == DWARF_ROW) {
		if (is_passed_over(lines, open->first, row))
			return true;
		struct function_row plain = { row->va,
			                      lines_file(lines, row->file),
			                      row->line,
			                      lines->every_row && row->statement,
			                      lines->every_row && row->prologue_end,
			                      false };
		return append_line_row(lines, open->first, plain);
	}
	lines->before.any = false;
	if (!append_sequence(lines, source, *open, row->va))
		return false;
	open->first = lines->rows;
	return true;
}

static bool read_rows(struct lines *lines, const struct lines_source *source,
                      struct dwarf_line *line)
{
	struct lines_sequence open = { .first = 0 };
	struct dwarf_row row;

	lines->before.any = false;
	while (dwarf_next_row(line, &row)) {
		bool ok = row.kind == DWARF_ROW_FILE ? add_line_file(lines, source, &row.added)
		                                     : add_program_row(lines, source, &row, &open);
		if (!ok)
			return false;
	}
	lines->rows = open.first; /* a sequence without its end: nobody knows how far it reaches */
	return true;
}

static int compare_sequences(const void *left, const void *right)
{
	const struct lines_sequence *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
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
	if (dwarf_open_line(source->sections, offset, source->unit->address_size, &line,
	                    &lines->fault) != CAIRN_OK)
		return true;
	if (!budget_work(lines->budget, (uint64_t)(line.end - line.at)) ||
	    !read_files(lines, source, &line) || !read_rows(lines, source, &line))
		return false;
	lines->fault = line.fault;
	sort_sequences(lines);
	return true;
}

/* The first sequence that begins behind `va`. */
static size_t find_sequence_after(const struct lines *lines, uint64_t va)
{
	size_t low = 0, high = lines->sequences;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (lines->sequence[middle].low <= va)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Does the line of the declaration begin the sequence?  *looked grows by the rows that were read. */
static bool has_declaration_line(const struct lines *lines, const struct lines_sequence *s,
                                 const struct lines_hint *wish, uint64_t *looked)
{
	const struct function_row *row = &lines->row[s->first];

	for (size_t i = 0; wish->line && i < s->count && i < LOOK_ROWS; i++, ++*looked)
		if (row[i].line == wish->line && row[i].file == wish->file)
			return true;
	return false;
}

/* The sequences that hold `va`, those of the program's end first; no more than there is room for. */
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
 * The sequence for `va`: the one that the function names, else one with the line of its
 * declaration, else the first of the program.  NULL when there is none, or the budget is used up.
 */
static const struct lines_sequence *choose_sequence(const struct lines *lines, uint64_t va,
                                                    const struct lines_hint *wish)
{
	const struct lines_sequence *found[LOOK_SEQUENCES], *first, *declared = NULL;
	uint64_t looked = 0;
	size_t count = collect_sequences(lines, va, found, &looked);

	first = count > 0 ? found[0] : NULL;
	for (size_t i = 0; count > 1 && i < count; i++) {
		const struct lines_sequence *s = found[i];
		if (wish->has_sequence && s->offset == wish->sequence)
			return s;
		if (s->first < first->first)
			first = s;
		if ((!declared || s->first < declared->first) &&
		    has_declaration_line(lines, s, wish, &looked))
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
	if (repeats_last_row(lines->cut, *count, &row))
		return true;
	if (!budget_room(lines->budget, &lines->cut, &lines->cut_room, *count + 1, sizeof(row)))
		return false;
	lines->cut[(*count)++] = row;
	return true;
}

/* The first row at `va`, which the sequence holds, or the last one before it. */
static size_t find_row_at(const struct lines *lines, const struct lines_sequence *s, uint64_t va)
{
	size_t low = s->first, high = s->first + s->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (lines->row[middle].va <= va)
			low = middle;
		else
			high = middle;
	}
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

bool lines_clip(struct lines *lines, struct cairn_range range, const struct lines_hint *wish,
                size_t *count)
{
	size_t used = 0;
	bool any = false;

	for (uint64_t at = range.low; at < range.high;) {
		const struct lines_sequence *s = choose_sequence(lines, at, wish);
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
	*count = any ? used : 0;
	return true;
}
