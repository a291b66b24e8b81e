/* SPDX-License-Identifier: MIT */
/* Finds the rule for an address by a linear scan over all FDEs and FREs of a section. */
#include "scan.h"

/* The function that answers for an address, and where the next one begins. */
struct covering_function {
	struct sframe_table table;
	uint32_t index;
	uint64_t start, next;
	uint32_t size;
	bool found, bounded;
};

/* The last function that is not empty and begins at or before `va`, over one table. */
static void scan_table(const struct sframe_table *table, uint64_t va,
                       struct covering_function *answer)
{
	uint64_t start;
	uint32_t size;

	for (uint32_t i = 0; i < table->functions; i++) {
		sframe_extent(table, i, &start, &size);
		if (size == 0)
			continue;
		if (start > va && (!answer->bounded || start < answer->next)) {
			answer->bounded = true;
			answer->next = start;
		}
		if (start > va || (answer->found && start < answer->start))
			continue;
		answer->found = true;
		answer->table = *table;
		answer->index = i;
		answer->start = start;
		answer->size = size;
	}
}

/* The rows of a function one by one, up to the first that begins too late. */
static enum cairn_status scan_rows(const struct sframe_table *table,
                                   const struct sframe_function *f, uint64_t offset,
                                   struct cairn_rule *rule, uint64_t *next,
                                   struct cairn_fault *fault)
{
	struct sframe_rows rows = sframe_rows(table, f);
	struct sframe_row row, last = { .start = 0 };
	bool met = false;

	*next = UINT64_MAX;
	while (*next == UINT64_MAX && sframe_next_row(&rows, &row)) {
		if (row.start > offset) {
			*next = row.start;
		} else {
			last = row;
			met = true;
		}
	}
	*fault = rows.fault;
	if (rows.fault.status != CAIRN_OK && met && rows.previous > offset)
		*next = rows.previous; /* of the row behind it the start alone matters */
	else if (rows.fault.status != CAIRN_OK)
		return rows.fault.status;
	if (!met)
		return CAIRN_NOT_FOUND;
	enum cairn_status status = sframe_rule(table, f, &last, rule, fault);
	rule->start = last.start;
	return status;
}

/* Functions without rows have an answer in version 3; that of masked ones may be put right. */
static enum cairn_status scan_function(const struct covering_function *answer, uint64_t va,
                                       struct cairn_rule *rule, struct cairn_fault *fault)
{
	struct sframe_function f;
	uint64_t next, limit, base;

	enum cairn_status status = sframe_function(&answer->table, answer->index, &f, fault);
	if (status != CAIRN_OK || f.rows == 0)
		return status == CAIRN_OK ? sframe_find_rule(&answer->table, &f, va, rule, fault)
		                          : status;
	uint64_t block = f.masked ? (va - f.start) / f.repeat * f.repeat : 0;
	status = scan_rows(&answer->table, &f, va - f.start - block, rule, &next, fault);
	if (status != CAIRN_OK)
		return status;
	base = f.start + block;
	limit = f.masked && f.size - block > f.repeat ? f.repeat : f.size - block;
	rule->start += base;
	rule->end = base + (next < limit ? next : limit);
	if (f.masked) {
		struct cairn_rule whole;
		status = sframe_find_rule(&answer->table, &f, va, &whole, fault);
		rule->patched = whole.patched;
		rule->cfa.offset -= whole.patched ? 8 : 0;
	}
	return status;
}

enum cairn_status scan_find(struct cairn_bytes section, uint64_t address, uint64_t va,
                            struct cairn_rule *rule, struct cairn_fault *fault)
{
	struct covering_function answer = { .found = false };
	struct cairn_fault walk, met = { .status = CAIRN_NOT_FOUND };
	struct sframe_table table;
	size_t at = 0;

	while (sframe_next_table(section, address, &at, &table, &walk) == CAIRN_OK)
		scan_table(&table, va, &answer);
	if (answer.found && va - answer.start < answer.size) {
		enum cairn_status status = scan_function(&answer, va, rule, &met);
		if (status == CAIRN_OK && answer.bounded &&
		    answer.next - rule->start < rule->end - rule->start)
			rule->end = answer.next;
		if (status == CAIRN_OK)
			return status;
		met.status = status;
	}
	*fault = met.status == CAIRN_NOT_FOUND ? walk : met;
	return fault->status;
}

static bool same_place(const struct cairn_register_rule *a, const struct cairn_register_rule *b)
{
	return a->kind == b->kind && a->base == b->base && a->offset == b->offset;
}

bool scan_same_rule(const struct cairn_rule *a, const struct cairn_rule *b)
{
	return same_place(&a->cfa, &b->cfa) && same_place(&a->ra, &b->ra) &&
	       same_place(&a->fp, &b->fp) && a->start == b->start && a->end == b->end &&
	       a->function == b->function && a->function_end == b->function_end &&
	       a->machine == b->machine && a->outermost == b->outermost && a->signal == b->signal &&
	       a->trampoline == b->trampoline && a->mangled == b->mangled && a->key_b == b->key_b &&
	       a->patched == b->patched;
}
