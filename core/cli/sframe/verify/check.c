/* SPDX-License-Identifier: MIT */
/* `cairn sframe verify`: is the structure sound, and what in it is odd. */
#include "verify.h"

#include <inttypes.h>

enum { ROWS_FIELD = 12, FLAGS_FIELD = 3 };

/* What a row is checked against. */
struct row_check {
	const struct sframe_table *table;
	const struct sframe_function *function;
	uint32_t previous;
	bool any;
};

static void check_row(struct verify *verify, struct row_check *check, const struct sframe_row *row)
{
	const struct sframe_function *f = check->function;
	uint32_t limit = f->masked ? f->repeat : f->size;
	uint64_t at = check->table->offset + row->at;

	if (!check->any && row->start > 0)
		verify_print_note(verify, at, "the first row begins 0x%" PRIx32 " bytes late",
		                  row->start);
	if (check->any && row->start == check->previous)
		verify_print_note(verify, at, "two rows at one address: the later counts");
	if (row->start >= limit && f->size > 0)
		verify_print_note(verify, at, "a row at or past the end of its %s",
		                  f->masked ? "block" : "function");
	check->previous = row->start;
	check->any = true;
}

static void check_rows(struct verify *verify, const struct sframe_table *table,
                       const struct sframe_function *function, uint64_t *left)
{
	struct row_check check = { .table = table, .function = function };
	struct sframe_rows rows = sframe_rows(table, function);
	struct cairn_fault fault;
	struct cairn_rule rule;
	struct sframe_row row;

	for (; *left > 0 && sframe_next_row(&rows, &row); --*left) {
		verify->rows++;
		check_row(verify, &check, &row);
		if (sframe_rule(table, function, &row, &rule, &fault) != CAIRN_OK)
			verify_print_fault(verify, &fault);
	}
	if (rows.fault.status != CAIRN_OK)
		verify_print_fault(verify, &rows.fault);
}

/* Without any, or with more than we keep, nothing is known of where functions are. */
static void find_code(struct verify *verify)
{
	struct elf_segment s;

	if (!verify->input->is_elf)
		return;
	for (uint32_t i = 0; elf_segment(&verify->input->elf, i, &s); i++) {
		if (s.type != ELF_PT_LOAD || !(s.flags & ELF_PF_EXECUTE))
			continue;
		if (verify->code_count == VERIFY_CODE_MAX) {
			verify->code_count = 0;
			return;
		}
		verify->code[verify->code_count++] = (struct verify_code){ s.va, s.memory_size };
	}
}

/* Is [start, start + size) in one executable segment? */
static bool is_in_code(const struct verify *verify, uint64_t start, uint64_t size)
{
	for (unsigned i = 0; i < verify->code_count; i++) {
		const struct verify_code *code = &verify->code[i];
		if (start - code->start <= code->size && size <= code->size - (start - code->start))
			return true;
	}
	return verify->code_count == 0;
}

static void check_function(struct verify *verify, const struct sframe_table *table,
                           const struct sframe_function *f)
{
	const struct sframe_input *input = verify->input;
	const struct cairn_rule *rule;

	if (!sframe_is_placed(table, f->start))
		verify_print_note(verify, f->record, "a function without a relocation");
	else if (!is_in_code(verify, f->start, f->size))
		verify_print_note(verify, f->record,
		                  "the function at 0x%" PRIx64
		                  " is outside the executable segments",
		                  f->start);
	if (f->rows == 0 && table->version < 3)
		verify_print_note(verify, f->record, "a function without rows");
	if (f->masked && sframe_is_placed(table, f->start) &&
	    cairn_rules_find(input->rules, f->start, &rule, NULL) == CAIRN_OK && rule->patched)
		verify_print_note(verify, f->record,
		                  "a wrong row of the linker, corrected in lookups (.plt.got)");
}

/* Compares the header's counts with what was found. */
static void check_claims(struct verify *verify, const struct sframe_table *table, uint64_t rows)
{
	if (rows != table->claimed_rows)
		verify_print_note(verify, table->offset + ROWS_FIELD,
		                  "the header counts %" PRIu32 " rows, there are %" PRIu64,
		                  table->claimed_rows, rows);
	if ((table->flags & SFRAME_FLAG_SORTED) && table->base != SFRAME_BASE_GIVEN &&
	    !sframe_is_sorted(table))
		verify_print_note(
			verify, table->offset + FLAGS_FIELD,
			"the functions are not sorted, but the header claims that they are");
	if (sframe_was_rebased(verify->input, table))
		verify_print_note(verify, table->offset,
		                  "starts count from the %s, or no function would lie in code",
		                  sframe_base_name(table->base));
}

static void check_table(struct verify *verify, const struct sframe_table *table)
{
	uint64_t left = sframe_rows_allowed(table), before = verify->rows;
	struct sframe_function function;
	struct cairn_fault fault;

	for (uint32_t i = 0; i < table->functions && left > 0; i++) {
		verify->functions++;
		if (sframe_function(table, i, &function, &fault) == CAIRN_OK) {
			check_function(verify, table, &function);
			check_rows(verify, table, &function, &left);
		} else {
			verify_print_fault(verify, &fault);
		}
	}
	if (left == 0) {
		fault = (struct cairn_fault){ CAIRN_MALFORMED, table->offset + table->rows_at,
			                      "functions share their rows too often" };
		verify_print_fault(verify, &fault);
	}
	check_claims(verify, table, verify->rows - before);
}

/* Functions in order of their addresses, over all tables. */
static void check_overlaps(struct verify *verify)
{
	struct cairn_rules *rules = verify->input->rules;
	uint64_t reach = 0;

	if (!rules->functions && rules_list_functions(rules) != CAIRN_OK)
		return;
	for (size_t i = 0; i < rules->function_count; i++) {
		const struct rules_function *f = &rules->functions[i];
		const struct sframe_table *t = &rules->tables[f->table];
		if (f->size > 0 && f->start < reach)
			verify_print_note(
				verify,
				t->offset + t->records_at + (uint64_t)f->index * t->record_size,
				"the function at 0x%" PRIx64 " overlaps the one before it",
				f->start);
		if (f->size > 0 && f->start + f->size > reach)
			reach = f->start + f->size;
	}
}

void verify_structure(struct verify *verify)
{
	struct cairn_rules *rules = verify->input->rules;

	find_code(verify);
	verify->tables = rules->table_count;
	for (size_t i = 0; i < rules->table_count; i++)
		check_table(verify, &rules->tables[i]);
	check_overlaps(verify);
	if (rules->walk.status != CAIRN_OK)
		verify_print_fault(verify, &rules->walk);
}
