/* SPDX-License-Identifier: MIT */
/*
 * Opens the tables of an .sframe section and finds the unwind rule for an address through a cache,
 * an index or the FDEs.
 */
#include "sframe_rules.h"

#include "base/memory.h"
#include "base/sort.h"

#include "sframe_row_index.h"

#include <stdlib.h>

static bool add_table(struct cairn_rules *rules, const struct sframe_table *table)
{
	/* most sections have one table */
	if (!array_grow_from(&rules->tables, &rules->table_room, rules->table_count + 1,
	                     sizeof(*rules->tables), 2))
		return false;
	rules->tables[rules->table_count++] = *table;
	return true;
}

/* Open all tables. A damaged one ends the list. */
static bool walk_tables(struct cairn_rules *rules)
{
	struct sframe_table table;
	struct cairn_fault fault;
	size_t at = 0;

	while (rules->table_count < RULES_TABLES_MAX) {
		enum cairn_status status =
			sframe_next_table(rules->section, rules->address, &at, &table, &fault);
		if (status == CAIRN_NOT_FOUND)
			return true;
		if (status != CAIRN_OK) {
			rules->walk = fault;
			return true;
		}
		if (!add_table(rules, &table))
			return false;
	}
	return true;
}

struct cairn_rules *cairn_rules_new(struct cairn_bytes section, uint64_t address)
{
	struct cairn_rules *rules = calloc(1, sizeof(*rules));

	if (!rules)
		return NULL;
	rules->section = section;
	rules->address = address;
	if (!walk_tables(rules)) {
		cairn_rules_free(rules);
		return NULL;
	}
	return rules;
}

void cairn_rules_free(struct cairn_rules *rules)
{
	if (!rules)
		return;
	row_index_free(rules->flat);
	free(rules->functions);
	free(rules->starts);
	free(rules->tables);
	free(rules);
}

void rules_correct_base(struct cairn_rules *rules, uint64_t low, uint64_t high)
{
	for (size_t i = 0; i < rules->table_count; i++)
		if (sframe_correct_base(&rules->tables[i], low, high))
			rules->rebased = true;
}

static void keep_first_fault(struct cairn_fault *first, struct cairn_fault fault)
{
	if (first->status == CAIRN_OK && fault.status != CAIRN_NOT_FOUND)
		*first = fault;
}

static enum cairn_status find_rule_in_function(const struct sframe_table *table, uint32_t index,
                                               uint64_t va, struct cairn_rule *rule,
                                               struct cairn_fault *first)
{
	struct sframe_function function;
	struct cairn_fault fault;
	enum cairn_status status = sframe_function(table, index, &function, &fault);

	if (status == CAIRN_OK)
		status = sframe_find_rule(table, &function, va, rule, &fault);
	if (status != CAIRN_OK)
		keep_first_fault(first, fault);
	return status;
}

/* End the rule where the next function begins, even if the function claims to be larger. */
static void clip_rule_end(struct cairn_rule *rule, uint64_t next)
{
	if (next - rule->start < rule->end - rule->start)
		rule->end = next;
}

static enum cairn_status find_in_place(const struct cairn_rules *rules, uint64_t va,
                                       struct cairn_rule *rule, struct cairn_fault *first)
{
	const struct sframe_table *table = &rules->tables[0];
	uint32_t index, size = 0;
	uint64_t next;

	if (!sframe_find(table, va, &index))
		return CAIRN_NOT_FOUND;
	enum cairn_status status = find_rule_in_function(table, index, va, rule, first);
	while (status == CAIRN_OK && size == 0 && ++index < table->functions) {
		sframe_extent(table, index, &next, &size);
		if (size > 0)
			clip_rule_end(rule, next);
	}
	return status;
}

/* Find the rule in the last function at or before `va`, even if that is too short or damaged. */
static enum cairn_status find_in_list(const struct cairn_rules *rules, uint64_t va,
                                      struct cairn_rule *rule, struct cairn_fault *first)
{
	const size_t next = SORTED_UP_TO(rules->functions, rules->function_count, start, va);

	if (next == 0)
		return CAIRN_NOT_FOUND;
	const struct rules_function *f = &rules->functions[next - 1];
	if (va - f->start >= f->size)
		return CAIRN_NOT_FOUND;
	enum cairn_status status =
		find_rule_in_function(&rules->tables[f->table], f->index, va, rule, first);
	if (status == CAIRN_OK && next < rules->function_count)
		clip_rule_end(rule, f[1].start);
	return status;
}

/*
 * Return true if there is a single table and it is sorted. Its flag is not trusted: the order is
 * verified once.
 */
static bool searchable_in_place(struct cairn_rules *rules)
{
	const struct sframe_table *table = rules->tables;

	if (rules->table_count != 1 || !(table->flags & SFRAME_FLAG_SORTED) ||
	    table->base == SFRAME_BASE_GIVEN)
		return false;
	if (!rules->checked)
		rules->sorted = sframe_is_sorted(table);
	rules->checked = true;
	return rules->sorted;
}

static enum cairn_status find_rule_in_tables(struct cairn_rules *rules, uint64_t va,
                                             struct cairn_rule *rule, struct cairn_fault *first)
{
	if (rules->table_count == 0)
		return CAIRN_NOT_FOUND;
	if (!rules->functions && searchable_in_place(rules))
		return find_in_place(rules, va, rule, first);
	if (!rules->functions && rules_list_functions(rules) != CAIRN_OK) {
		keep_first_fault(first,
		                 (struct cairn_fault){ CAIRN_NO_MEMORY, 0, "out of memory" });
		return CAIRN_NO_MEMORY;
	}
	return find_in_list(rules, va, rule, first);
}

static void make_flat(struct cairn_rules *rules)
{
	rules->flat_tried = true;
	if (rules->functions || rules_list_functions(rules) == CAIRN_OK)
		rules->flat = row_index_new(rules);
}

void cairn_rules_build_index(struct cairn_rules *rules)
{
	if (!rules->flat_tried)
		make_flat(rules);
}

static enum cairn_status find_uncached(struct cairn_rules *rules, uint64_t va,
                                       struct cairn_rule *rule, struct cairn_fault *fault)
{
	struct cairn_fault first = { .status = CAIRN_OK };

	if (!rules->flat_tried && ++rules->uncached >= RULES_INDEX_AFTER)
		make_flat(rules);
	if (rules->flat && row_index_find(rules->flat, rules, va, rule))
		return CAIRN_OK;
	if (find_rule_in_tables(rules, va, rule, &first) == CAIRN_OK)
		return CAIRN_OK;
	keep_first_fault(&first, rules->walk);
	if (first.status == CAIRN_OK)
		first = (struct cairn_fault){ CAIRN_NOT_FOUND, 0, "no row covers the address" };
	if (fault)
		*fault = first;
	return first.status;
}

static bool is_inside_rule(const struct cairn_rule *rule, uint64_t va)
{
	return va - rule->start < rule->end - rule->start;
}

enum cairn_status cairn_rules_find(struct cairn_rules *rules, uint64_t va,
                                   const struct cairn_rule **rule, struct cairn_fault *fault)
{
	struct cairn_rule *slot = rules->cache[(va ^ va >> 10) % RULES_CACHE];

	if (!is_inside_rule(slot, va) && !is_inside_rule(++slot, va)) {
		slot -= rules->turn ^= 1;
		enum cairn_status status = find_uncached(rules, va, slot, fault);
		if (status != CAIRN_OK)
			return status;
	}
	*rule = slot;
	return CAIRN_OK;
}
