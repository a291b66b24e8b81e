/* SPDX-License-Identifier: MIT */
/*
 * A .debug_line section of any bytes, looked up as cbf, markup and bt do, in both byte orders.  Always:
 *   - the row of an address is that of the first sequence to end among those that hold it, and there
 *     the last one at or below the address, as found by reading all rows;
 *   - memory and work are within the budget, and what is kept is less than the rows would take;
 *   - a path is one that its folder and name give.
 */
#include "fuzz.h"

#include "debuginfo/lookup/line_table.h"

#include <string.h>

enum { ROWS_MAX = 4096, SEQUENCES_MAX = 512, ADDRESSES = 64 };

struct plain_row {
	uint64_t va, file;
	uint32_t line, column;
};

struct plain_sequence {
	uint64_t high;
	size_t first, behind;
};

/* All rows of a table, those of sequences that end. */
struct plain {
	struct plain_row row[ROWS_MAX];
	size_t rows;
	struct plain_sequence sequence[SEQUENCES_MAX];
	size_t sequences;
	bool whole; /* there is room for all */
};

static void close_plain(struct plain *plain, size_t first, uint64_t high)
{
	if (plain->rows == first || high <= plain->row[first].va) {
		plain->rows = first;
		return;
	}
	plain->whole = plain->whole && plain->sequences < SEQUENCES_MAX;
	if (plain->whole)
		plain->sequence[plain->sequences++] =
			(struct plain_sequence){ high, first, plain->rows };
}

static void read_plain(struct plain *plain, struct dwarf_line line)
{
	struct dwarf_line_entry entry;
	struct dwarf_row row;
	size_t first = 0;

	*plain = (struct plain){ .whole = true };
	while (dwarf_next_directory(&line, &entry))
		continue;
	while (dwarf_next_file(&line, &entry))
		continue;
	while (plain->whole && dwarf_next_row(&line, &row)) {
		if (row.kind == DWARF_ROW_FILE)
			continue;
		bool back = plain->rows > first && row.va < plain->row[plain->rows - 1].va;
		if (back || row.kind == DWARF_ROW_END) {
			close_plain(plain, first, back ? plain->row[plain->rows - 1].va : row.va);
			first = plain->rows;
		}
		if (row.kind == DWARF_ROW_END)
			continue;
		plain->whole = plain->whole && plain->rows < ROWS_MAX;
		if (plain->whole)
			plain->row[plain->rows++] =
				(struct plain_row){ row.va, row.file, row.line, row.column };
	}
}

/* The sequence that ends first, of those that hold the address. */
static const struct plain_sequence *find_plain_sequence(const struct plain *plain, uint64_t va)
{
	const struct plain_sequence *best = NULL;

	for (size_t i = 0; i < plain->sequences; i++) {
		const struct plain_sequence *s = &plain->sequence[i];
		if (va >= plain->row[s->first].va && va < s->high &&
		    (!best || s->high < best->high))
			best = s;
	}
	return best;
}

static void check_address(const struct line_table *table, const struct plain *plain, uint64_t va,
                          struct budget *budget)
{
	const struct plain_sequence *sequence = find_plain_sequence(plain, va);
	struct dwarf_row row;
	size_t last;

	if (plain->sequences > LINE_TABLE_SEQUENCES)
		sequence = NULL; /* not all of them are tried */
	bool found = line_table_find(table, va, budget, &row);
	if (!sequence) {
		ALWAYS(!found || plain->sequences > LINE_TABLE_SEQUENCES);
		return;
	}
	for (last = sequence->first; last + 1 < sequence->behind && plain->row[last + 1].va <= va;)
		last++;
	ALWAYS(found || budget->exhausted);
	if (!found)
		return;
	ALWAYS(row.va == plain->row[last].va && row.file == plain->row[last].file);
	ALWAYS(row.line == plain->row[last].line && row.column == plain->row[last].column);
}

static void check_files(struct line_table *table, struct budget *budget)
{
	struct string_store texts = { .budget = budget };
	struct line_files *files = &table->files;

	for (size_t i = 0; i < files->files + 2 && i < ADDRESSES; i++) {
		struct cairn_bytes path = line_files_path(files, i, &texts);
		if (path.size == 0)
			continue;
		ALWAYS(i >= files->first && i - files->first < files->files);
		struct cairn_bytes name = files->file[i - files->first].name;
		ALWAYS(path.size >= name.size);
		ALWAYS(memcmp(path.data + path.size - name.size, name.data, name.size) == 0);
	}
	string_store_finish(&texts);
}

static void look_up(struct cairn_bytes section, const struct dwarf_sections *sections, uint64_t at)
{
	static struct plain plain;
	const struct cairn_bytes comp_dir = { (const uint8_t *)"/c", 2 };
	struct budget_pool pool;
	struct line_table table;

	budget_pool_open(&pool);
	struct budget budget = { .pool = &pool };
	ALWAYS(budget_credit(&pool, section));
	bool ok = line_table_read(&table, sections, at, 8, comp_dir, &budget);
	ALWAYS(ok || budget.exhausted);
	if (ok && table.program.sections) {
		/* a mark and a sequence need a byte at least */
		ALWAYS(table.marks <= section.size && table.sequences <= section.size);
		read_plain(&plain, table.program);
		size_t step = plain.rows / ADDRESSES + 1;
		for (size_t i = 0; plain.whole && i < plain.rows; i += step) {
			check_address(&table, &plain, plain.row[i].va, &budget);
			check_address(&table, &plain, plain.row[i].va + 1, &budget);
			check_address(&table, &plain, plain.row[i].va - 1, &budget);
		}
		check_files(&table, &budget);
	}
	line_table_finish(&table);
	budget_pool_close(&pool);
}

static void read_all(struct cairn_bytes section, bool big)
{
	struct cairn_bytes empty = { section.data, 0 };
	struct dwarf_sections sections = { empty, empty, section, section, section,
		                           empty, empty, empty,   empty,   big };
	struct cairn_fault fault;
	struct dwarf_line line;
	uint64_t at = 0;

	while (dwarf_open_line(&sections, at, 8, &line, &fault) == CAIRN_OK) {
		look_up(section, &sections, at);
		at = line.next;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes section = { data, size };

	read_all(section, false);
	read_all(section, true);
	return 0;
}
