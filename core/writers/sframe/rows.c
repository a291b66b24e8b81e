/* SPDX-License-Identifier: MIT */
/*
 * Converts an SFrame table to a row table, which has a row for each change of the rule, and a row
 * without a rule where a gap begins.
 */
#include "work.h"

#include "base/allowance.h"
#include "base/byte_buffer.h"
#include "base/memory.h"
#include "base/rule_places.h"
#include "formats/rowtable.h"
#include "unwind/tables/sframe_rules.h"

#include <stdlib.h>

enum {
	/*
	 * Limit of the rows, plus one per byte of the file, because repeating blocks are expanded.
	 */
	ROWS_LEAST = 1 << 16,
	POLL_FUNCTIONS = 1 << 10,
};

struct flattening {
	struct elf elf;
	struct cairn_rules *rules;
	struct rowtable table;
	struct byte_buffer rows;
	struct byte_buffer out;
	struct allowance room;
	struct cairn_rule last;
	bool has_last;
	uint64_t reach; /* end of the last rule */
	uint64_t lost[CAIRN_SFRAME_LOSSES];
};

static void finish_flattening(struct flattening **flattening)
{
	struct flattening *f = *flattening;

	if (!f)
		return;
	cairn_rules_free(f->rules);
	byte_buffer_finish(&f->rows);
	byte_buffer_finish(&f->out);
	free(f);
}

static void put_row(struct flattening *f, uint64_t va, const struct cairn_rule *rule)
{
	uint8_t bytes[ROWTABLE_ROW];
	struct sink sink = sink_open(bytes, sizeof(bytes));

	if (!allowance_draw(&f->room, 1)) {
		f->rows.failed = true;
		return;
	}
	rowtable_write_row(&sink, f->table.big, (uint32_t)(va - f->table.base), rule);
	byte_buffer_bytes(&f->rows, bytes, sizeof(bytes));
	f->table.rows++;
	f->has_last = rule != NULL;
	if (rule)
		f->last = *rule;
}

static bool is_same_rule(const struct cairn_rule *a, const struct cairn_rule *b)
{
	return a->outermost == b->outermost && a->signal == b->signal && a->mangled == b->mangled &&
	       a->key_b == b->key_b && rule_has_same_places(a, b);
}

static void add_range(struct flattening *f, uint64_t start, uint64_t end,
                      const struct cairn_rule *rule)
{
	enum cairn_sframe_loss loss = CAIRN_SFRAME_LOSS_DISTANCE;

	if (f->table.rows == 0)
		f->table.base = start;
	if (end - f->table.base > UINT32_MAX || !rowtable_can_say(rule, &loss)) {
		f->lost[loss] += end - start;
		return;
	}
	if (f->has_last && f->reach != start)
		put_row(f, f->reach, NULL);
	if (!f->has_last || !is_same_rule(&f->last, rule))
		put_row(f, start, rule);
	f->reach = end;
}

static void flatten_function(struct flattening *f, const struct rules_function *function)
{
	const uint64_t end = function->start + function->size;
	const struct cairn_rule *rule;
	uint64_t va = function->start;

	while (va < end && !f->rows.failed &&
	       cairn_rules_find(f->rules, va, &rule, NULL) == CAIRN_OK) {
		const uint64_t next = rule->end < end ? rule->end : end;
		add_range(f, va, next, rule);
		va = next;
	}
}

static enum cairn_status open_made_table(struct flattening *f, struct cairn_bytes file,
                                         struct cairn_fault *fault)
{
	struct sframe_section section;
	enum cairn_status status = elf_open(file, &f->elf, fault);

	if (status == CAIRN_OK)
		status = sframe_section_find(&f->elf, &section);
	if (status != CAIRN_OK)
		return status;
	f->rules = sframe_section_rules(&f->elf, &section);
	if (!f->rules || rules_list_functions(f->rules) != CAIRN_OK)
		return CAIRN_NO_MEMORY;
	f->table.big = f->elf.big;
	f->table.machine = elf_machine(&f->elf);
	f->table.build_id = elf_build_id(&f->elf);
	if (f->table.build_id.size > ROWTABLE_ID_MAX)
		f->table.build_id.size = 0;
	f->table.rows_at = (ROWTABLE_HEADER + f->table.build_id.size + 15) & ~(size_t)15;
	f->room = allowance_of(ROWS_LEAST, 1, file.size);
	f->rows.limit = f->out.limit = UINT32_MAX;
	return CAIRN_OK;
}

static enum cairn_status write_table(struct flattening *f, struct cairn_sframe_file *made)
{
	uint8_t *head = byte_buffer_extend(&f->out, f->table.rows_at);

	if (!head || f->rows.failed)
		return CAIRN_NO_MEMORY;
	struct sink sink = sink_open(head, f->table.rows_at);
	rowtable_write_head(&sink, &f->table);
	byte_buffer_bytes(&f->out, f->rows.data, f->rows.size);
	if (f->out.failed)
		return CAIRN_NO_MEMORY;
	cairn_sframe_file_free(made);
	made->bytes = (struct cairn_bytes){ f->out.data, f->out.size };
	made->table = f->out.size;
	made->rows = f->table.rows;
	f->out.data = NULL;
	for (int i = 0; i < CAIRN_SFRAME_LOSSES; i++) {
		made->left_out[i] += f->lost[i];
		made->written -= f->lost[i];
	}
	return CAIRN_OK;
}

enum cairn_status rows_make(struct cairn_sframe_file *made,
                            const struct cairn_sframe_options *options, struct cairn_fault *fault)
{
	WITH_CLEANUP(finish_flattening) struct flattening *f = calloc(1, sizeof(*f));
	enum cairn_status status = f ? open_made_table(f, made->bytes, fault) : CAIRN_NO_MEMORY;

	for (size_t i = 0; status == CAIRN_OK && i < f->rules->function_count; i++) {
		if (options->poll && i % POLL_FUNCTIONS == 0)
			options->poll(options->poll_context);
		flatten_function(f, &f->rules->functions[i]);
	}
	if (status == CAIRN_OK && f->has_last)
		put_row(f, f->reach, NULL);
	if (status == CAIRN_OK && f->table.rows == 0)
		*fault = (struct cairn_fault){ status = CAIRN_NOT_FOUND, 0,
			                       "a row table can express none of its rules" };
	else if (status == CAIRN_OK)
		status = write_table(f, made);
	if (status == CAIRN_NO_MEMORY)
		*fault = (struct cairn_fault){
			status, 0, "out of memory, or the table is too large for the file"
		};
	return status;
}
