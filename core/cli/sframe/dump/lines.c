/* SPDX-License-Identifier: MIT */
/* `cairn sframe dump --lines`; docs/cli.md describes it. */
#include "dump.h"

#include <inttypes.h>

static void print_file_lines(struct dump *dump, bool several)
{
	if (several)
		print_file_name(dump->input->path);
}

static void print_table_lines(struct dump *dump, const struct sframe_table *t)
{
	(void)dump;
	printf("T 0x%zx v%u %s flags=0x%x ra=%d fp=%d aux=%u fdes=%" PRIu32 " rows=%" PRIu32
	       " frelen=%zu base=%s\n",
	       t->offset, t->version, sframe_machine_name(t), t->flags, t->fixed_ra, t->fixed_fp,
	       t->aux_size, t->functions, t->claimed_rows, t->rows_size, sframe_base_name(t->base));
}

static void print_fde_lines(struct dump *dump, const struct sframe_table *table,
                            const struct sframe_function *f)
{
	(void)table;
	fputs("F ", stdout);
	sframe_print_va(dump->input, f->start);
	printf(" %" PRIu32 " ", f->size);
	if (f->masked)
		printf("mask/%u", f->repeat);
	else
		fputs("inc", stdout);
	printf(" %s a%u rows=%" PRIu32 " %s%s%s\n", f->flexible ? "flex" : "default", f->width,
	       f->rows, f->signal ? "S" : "", f->key_b ? "B" : "",
	       f->signal || f->key_b ? "" : "-");
}

static void print_fre_lines(struct dump *dump, const struct sframe_function *function,
                            const struct sframe_row *row, const struct cairn_rule *rule)
{
	struct rule_text text = rule_text(rule);

	(void)dump;
	(void)function;
	printf("R 0x%" PRIx32 " %s %s %s %s\n", row->start, text.cfa, text.fp, text.ra, text.flags);
}

const struct dump_form dump_lines = {
	.file = print_file_lines,
	.table = print_table_lines,
	.function = print_fde_lines,
	.row = print_fre_lines,
};
