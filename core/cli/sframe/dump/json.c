/* SPDX-License-Identifier: MIT */
/* `cairn sframe dump --json`; docs/cli.md lists the keys. */
#include "dump.h"

#include <inttypes.h>

static void print_table_json(struct dump *dump, const struct sframe_table *t)
{
	struct json *j = &dump->json;

	json_object(j, NULL);
	json_string(j, "type", "table");
	json_string(j, "file", dump->input->path);
	json_number(j, "offset", t->offset);
	json_number(j, "version", t->version);
	json_string(j, "machine", sframe_machine_name(t));
	json_number(j, "flags", t->flags);
	json_signed(j, "fixed_ra", t->fixed_ra);
	json_signed(j, "fixed_fp", t->fixed_fp);
	json_number(j, "aux_size", t->aux_size);
	json_number(j, "functions", t->functions);
	json_number(j, "rows", t->claimed_rows);
	json_number(j, "rows_size", t->rows_size);
	json_string(j, "base", sframe_base_name(t->base));
	json_bool(j, "rebased", sframe_was_rebased(dump->input, t));
	json_end(j);
}

/* Start and, in relocatable files, section; null when not known. */
static void print_start_json(struct dump *dump, const struct sframe_table *table, uint64_t start)
{
	bool placed = sframe_is_placed(table, start);
	struct json *j = &dump->json;
	struct cairn_bytes section;

	if (placed)
		json_address(j, "start", sframe_offset(dump->input, start));
	else
		json_null(j, "start");
	if (placed && sframe_section_name(dump->input, start, &section))
		json_text(j, "section", section);
	else
		json_null(j, "section");
}

static void print_fde_json(struct dump *dump, const struct sframe_table *table,
                           const struct sframe_function *f)
{
	struct json *j = &dump->json;

	json_object(j, NULL);
	json_string(j, "type", "function");
	json_string(j, "file", dump->input->path);
	json_number(j, "table", table->offset);
	json_number(j, "offset", f->record);
	print_start_json(dump, table, f->start);
	json_number(j, "size", f->size);
	json_number(j, "repeat", f->repeat);
	json_bool(j, "flexible", f->flexible);
	json_bool(j, "signal", f->signal);
	json_bool(j, "key_b", f->key_b);
	json_array(j, "rows");
}

static void print_fre_json(struct dump *dump, const struct sframe_function *function,
                           const struct sframe_row *row, const struct cairn_rule *rule)
{
	struct rule_text text = rule_text(rule);
	struct json *j = &dump->json;

	(void)function;
	json_object(j, NULL);
	json_number(j, "offset", row->start);
	json_string(j, "cfa", text.cfa);
	json_string(j, "fp", text.fp);
	json_string(j, "ra", text.ra);
	json_bool(j, "mangled", rule->mangled);
	json_bool(j, "outermost", rule->outermost);
	json_end(j);
}

static void end_fde_json(struct dump *dump, bool sound)
{
	json_end(&dump->json);
	json_bool(&dump->json, "sound", sound);
	json_end(&dump->json);
}

const struct dump_form dump_json = {
	.table = print_table_json,
	.function = print_fde_json,
	.row = print_fre_json,
	.end = end_fde_json,
};
