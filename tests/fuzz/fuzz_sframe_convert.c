/* SPDX-License-Identifier: MIT */
/*
 * A section of any bytes as one table of version 2 or 3, which its last byte chooses with other options.  Always:
 *   - the result is sound: one table, sorted, no row that cannot be read;
 *   - an address that has a rule afterwards had it before, and one that has none is among what was counted as lost;
 *   - the result converted to the same version is the same bytes;
 *   - no more memory is held than the promise allows.
 */
#include "held.h"

#include "base/rule_places.h"
#include "unwind/tables/sframe_rules.h"

#include <string.h>

enum {
	ADDRESS = 0x10000,
	OPTION_OLD = 1,
	OPTION_SECTION = 2,
	OPTION_SHARE = 4,
	OPTION_JOIN = 8,
	FUNCTIONS = 64, /* asked about, and rows of each */
	INPUT_MAX = 1 << 15,
};

struct pair {
	struct cairn_rules *before, *after;
	const struct cairn_sframe_file *made;
	uint64_t lost;
};

static void check_same(const struct cairn_rule *before, const struct cairn_rule *after)
{
	ALWAYS(before->outermost == after->outermost && before->trampoline == after->trampoline);
	ALWAYS(before->signal == after->signal && before->machine == after->machine);
	ALWAYS(before->key_b == after->key_b);
	if (before->outermost || before->trampoline)
		return;
	ALWAYS(before->mangled == after->mangled && rule_has_same_locations(before, after));
}

static void ask(struct pair *pair, uint64_t va)
{
	const struct cairn_rule *found;
	struct cairn_rule before = { .outermost = false };
	struct cairn_fault fault;
	enum cairn_status status = cairn_rules_find(pair->before, va, &found, &fault);
	const bool was_there = status == CAIRN_OK;

	if (was_there)
		before = *found;
	status = cairn_rules_find(pair->after, va, &found, &fault);
	ALWAYS(status == CAIRN_OK || status == CAIRN_NOT_FOUND);
	ALWAYS(status != CAIRN_OK || was_there);
	ALWAYS(status == CAIRN_OK || !was_there || pair->lost > 0);
	if (status == CAIRN_OK)
		check_same(&before, found);
}

static void ask_around(struct pair *pair, uint64_t va)
{
	for (uint64_t i = 0; i < 3; i++)
		ask(pair, va + i - 1);
}

static void ask_function(struct pair *pair, const struct sframe_table *table, uint32_t index)
{
	struct sframe_function f;
	struct cairn_fault fault;
	struct sframe_row row;

	if (sframe_function(table, index, &f, &fault) != CAIRN_OK)
		return;
	ask_around(pair, f.start);
	ask_around(pair, f.start + f.size);
	struct sframe_rows rows = sframe_rows(table, &f);
	for (unsigned i = 0; i < FUNCTIONS && sframe_next_row(&rows, &row); i++)
		ask_around(pair, f.start + row.start);
}

static void ask_tables(struct pair *pair, const struct cairn_rules *rules)
{
	for (size_t t = 0; t < rules->table_count; t++)
		for (uint32_t i = 0; i < rules->tables[t].functions && i < FUNCTIONS; i++)
			ask_function(pair, &rules->tables[t], i);
}

/* Each function and row can be read, and they ascend. */
static void check_table(const struct cairn_rules *rules)
{
	struct sframe_function f;
	struct cairn_fault fault;
	struct cairn_rule rule;
	struct sframe_row row;
	uint64_t reach = 0, count = 0;

	ALWAYS(rules->table_count == 1 && rules->walk.status == CAIRN_OK);
	for (uint32_t i = 0; i < rules->tables->functions; i++) {
		ALWAYS(sframe_function(rules->tables, i, &f, &fault) == CAIRN_OK);
		ALWAYS(f.size > 0 && (i == 0 || f.start >= reach));
		reach = f.start + f.size;
		struct sframe_rows rows = sframe_rows(rules->tables, &f);
		for (; sframe_next_row(&rows, &row); count++)
			ALWAYS(sframe_rule(rules->tables, &f, &row, &rule, &fault) == CAIRN_OK);
		ALWAYS(rows.fault.status == CAIRN_OK);
	}
	ALWAYS(count == rules->tables->claimed_rows);
}

static void check_again(const struct cairn_sframe_file *made, struct cairn_sframe_options options)
{
	struct cairn_sframe_file again = CAIRN_SIZED(struct cairn_sframe_file);
	struct cairn_fault fault;

	ALWAYS(cairn_sframe_file_convert(made->bytes, &options, &again, &fault) == CAIRN_OK);
	ALWAYS(again.bytes.size == made->bytes.size && again.written == made->written);
	ALWAYS(memcmp(again.bytes.data, made->bytes.data, made->bytes.size) == 0);
	cairn_sframe_file_free(&again);
}

static void check_made(struct cairn_bytes section, const struct cairn_sframe_file *made)
{
	struct pair pair = { cairn_rules_new(section, ADDRESS),
		             cairn_rules_new(made->bytes, ADDRESS), made, 0 };

	ALWAYS(pair.before && pair.after);
	for (int i = 0; i < CAIRN_SFRAME_LOSSES; i++)
		pair.lost += made->left_out[i];
	ALWAYS(made->written + pair.lost == made->described);
	check_table(pair.after);
	ask_tables(&pair, pair.before);
	ask_tables(&pair, pair.after);
	cairn_rules_free(pair.before);
	cairn_rules_free(pair.after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct cairn_bytes section = { data, size };
	struct cairn_sframe_file made = CAIRN_SIZED(struct cairn_sframe_file);
	struct cairn_fault fault;

	if (size == 0 || size > INPUT_MAX)
		return 0;
	const uint8_t last = data[size - 1];
	const struct cairn_sframe_options options = { .size = sizeof(struct cairn_sframe_options), .version = last & OPTION_OLD ? 2 : 3,
		                                      .by_section = (last & OPTION_SECTION) != 0,
		                                      .share_rows = (last & OPTION_SHARE) != 0,
		                                      .join_functions = (last & OPTION_JOIN) != 0,
		                                      .raw = true,
		                                      .address = ADDRESS };
	held_begin();
	if (cairn_sframe_file_convert(section, &options, &made, &fault) == CAIRN_OK) {
		check_made(section, &made);
		check_again(&made, options);
		cairn_sframe_file_free(&made);
	} else {
		ALWAYS(fault.status != CAIRN_OK && fault.what);
	}
	held_end(size, HELD_PLAIN);
	return 0;
}
