/* SPDX-License-Identifier: MIT */
/*
 * A section of any bytes, read from end to end and asked for addresses.  Always:
 *   - a range of a rule holds the address that was asked for, and lies in its function;
 *   - lookups in place, through the index, and again from the cache agree with a scan of the whole;
 *   - a fault lies in the section or just at its end;
 *   - a function has no more rows than there are bytes.
 */
#include "fuzz.h"

#include "scan.h"

#include "unwind/tables/sframe_rules.h"

enum {
	ADDRESS = 0x10000,
	QUESTIONS = 24, /* functions asked about, and rows of each */
};

struct rules_pair {
	struct cairn_rules *plain, *indexed;
};

static void check_fault(const struct cairn_rules *rules, const struct cairn_fault *fault,
                        enum cairn_status status)
{
	ALWAYS(fault->status == status && fault->what);
	ALWAYS(status == CAIRN_NOT_FOUND || fault->offset <= rules->section.size);
}

static void ask(struct cairn_rules *rules, uint64_t va)
{
	struct cairn_rule expected;
	struct cairn_fault fault, expected_fault;
	const struct cairn_rule *rule;
	enum cairn_status scanned =
		scan_find(rules->section, ADDRESS, va, &expected, &expected_fault);
	enum cairn_status status = cairn_rules_find(rules, va, &rule, &fault);

	ALWAYS(status == scanned);
	if (status != CAIRN_OK) {
		check_fault(rules, &fault, status);
		ALWAYS(status == CAIRN_NOT_FOUND || fault.offset == expected_fault.offset);
		return;
	}
	ALWAYS(scan_same_rule(rule, &expected));
	ALWAYS(va - rule->start < rule->end - rule->start);
	ALWAYS(rule->start - rule->function < rule->function_end - rule->function);
	ALWAYS(rule->end - rule->function <= rule->function_end - rule->function);
	ALWAYS(cairn_rules_find(rules, va, &rule, NULL) == CAIRN_OK);
	ALWAYS(scan_same_rule(rule, &expected));
}

static void ask_around(const struct rules_pair *pair, uint64_t va)
{
	for (uint64_t i = 0; i < 3; i++) {
		ask(pair->plain, va + i - 1);
		ask(pair->indexed, va + i - 1);
	}
}

static void walk_function(const struct sframe_table *table, uint32_t index,
                          const struct rules_pair *pair, unsigned questions)
{
	struct sframe_function f;
	struct cairn_fault fault;
	struct sframe_row row;
	struct cairn_rule rule;
	uint32_t count = 0;

	if (sframe_function(table, index, &f, &fault) != CAIRN_OK) {
		check_fault(pair->plain, &fault, fault.status);
		return;
	}
	struct sframe_rows rows = sframe_rows(table, &f);
	while (sframe_next_row(&rows, &row)) {
		if (sframe_rule(table, &f, &row, &rule, &fault) != CAIRN_OK)
			check_fault(pair->plain, &fault, fault.status);
		if (count++ < questions)
			ask_around(pair, f.start + row.start);
	}
	ALWAYS(count <= table->rows_size);
	ALWAYS(count == f.rows || rows.fault.status != CAIRN_OK);
	if (rows.fault.status != CAIRN_OK)
		check_fault(pair->plain, &rows.fault, rows.fault.status);
}

/* Many functions may claim the same rows; only some are walked over. */
static void walk_table(const struct sframe_table *table, const struct rules_pair *pair)
{
	uint32_t index;

	ALWAYS(table->records_at + (uint64_t)table->functions * table->record_size <=
	       table->rows_at);
	ALWAYS(table->rows_at + table->rows_size == table->bytes.size);
	for (uint32_t i = 0; i < table->functions && i < QUESTIONS; i++) {
		uint64_t start;
		uint32_t size;
		sframe_extent(table, i, &start, &size);
		ask_around(pair, start);
		ask_around(pair, start + size);
		ask_around(pair, start + size / 2);
		walk_function(table, i, pair, QUESTIONS);
		if (sframe_find(table, start, &index))
			ALWAYS(index < table->functions);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes section = { data, size };
	struct rules_pair pair = { cairn_rules_new(section, ADDRESS),
		                   cairn_rules_new(section, ADDRESS) };
	struct sframe_table table;
	struct cairn_fault fault;
	size_t at = 0, before = 0;

	ALWAYS(pair.plain && pair.indexed);
	cairn_rules_build_index(pair.indexed);
	while (sframe_next_table(section, ADDRESS, &at, &table, &fault) == CAIRN_OK) {
		ALWAYS(at >= before + SFRAME_HEADER);
		before = at;
		walk_table(&table, &pair);
	}
	check_fault(pair.plain, &fault, fault.status);
	ask_around(&pair, 0);
	cairn_rules_free(pair.plain);
	cairn_rules_free(pair.indexed);
	return 0;
}
