/* SPDX-License-Identifier: MIT */
/*
 * A row table of any bytes.  Always:
 *   - a fault lies in the file;
 *   - a rule holds at the address that was asked for, and the row table that is written of the rules says the same.
 */
#include "fuzz.h"

#include "base/rule_places.h"
#include "formats/rowtable.h"

#include <string.h>

enum { ROWS_MAX = 1 << 12 };

static void check_rule(const struct rowtable *table, uint64_t va)
{
	uint8_t bytes[ROWTABLE_HEADER + ROWTABLE_ID_MAX + 16 + 2 * ROWTABLE_ROW];
	struct rowtable one = *table, again;
	enum cairn_sframe_loss loss;
	struct cairn_rule rule, same;
	struct cairn_fault fault;

	if (rowtable_find(table, va, &rule) != CAIRN_OK)
		return;
	ALWAYS(rule.start <= va && rule.machine == table->machine);
	if (!rowtable_can_say(&rule, &loss))
		return;
	one.base = rule.start;
	one.rows = 2;
	one.rows_at = (ROWTABLE_HEADER + table->build_id.size + 15) / 16 * 16;
	struct sink out = sink_open(bytes, sizeof(bytes));
	rowtable_write_head(&out, &one);
	rowtable_write_row(&out, one.big, 0, &rule);
	rowtable_write_row(&out, one.big, 1, NULL);
	ALWAYS(sink_fits(&out));
	ALWAYS(rowtable_open((struct cairn_bytes){ bytes, out.size }, &again, &fault) == CAIRN_OK);
	ALWAYS(rowtable_find(&again, rule.start, &same) == CAIRN_OK);
	ALWAYS(rowtable_find(&again, rule.start + 1, &same) == CAIRN_NOT_FOUND ||
	       rule.start == UINT64_MAX);
	ALWAYS(same.outermost == rule.outermost && same.signal == rule.signal &&
	       same.mangled == rule.mangled && same.key_b == rule.key_b);
	ALWAYS(rule.outermost || rule_has_same_locations(&same, &rule));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_fault fault;
	struct rowtable table;
	struct cairn_rule rule;

	if (rowtable_open((struct cairn_bytes){ data, size }, &table, &fault) != CAIRN_OK) {
		ALWAYS(fault.status != CAIRN_OK && fault.what && fault.offset <= size);
		return 0;
	}
	ALWAYS(table.rows_at + table.rows * ROWTABLE_ROW <= size);
	ALWAYS(rowtable_find(&table, table.base - 1, &rule) == CAIRN_NOT_FOUND || table.rows == 0 ||
	       table.base == 0);
	for (uint64_t i = 0; i < table.rows && i < ROWS_MAX; i++)
		for (uint64_t around = 0; around < 3; around++)
			check_rule(&table, table.base + i * 16 + around - 1);
	check_rule(&table, table.base + UINT32_MAX);
	return 0;
}
