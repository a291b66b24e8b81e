/* SPDX-License-Identifier: MIT */
/* `cairn sframe dump` for people. */
#include "dump.h"

#include "base/text_table.h"
#include "output/escape.h"

#include <inttypes.h>

static const char *choose_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void print_file_text(struct dump *dump, bool several)
{
	const struct sframe_input *input = dump->input;

	(void)several;
	print_string(stdout, input->path);
	printf(": .sframe of %zu bytes", input->section.bytes.size);
	if (!sframe_is_relocatable(input))
		printf(" at 0x%" PRIx64, input->section.address);
	if (input->is_elf && input->section.section == 0)
		fputs(", found by its segment, which may be longer than the tables", stdout);
	printf(", %zu table%s\n", input->rules->table_count,
	       choose_plural(input->rules->table_count));
}

static void print_flags_text(uint8_t flags)
{
	printf("0x%x", flags);
	if (flags & SFRAME_FLAG_SORTED)
		fputs(" sorted", stdout);
	if (flags & SFRAME_FLAG_FRAME_POINTER)
		fputs(" frame-pointers", stdout);
	if (flags & SFRAME_FLAG_FIELD_RELATIVE)
		fputs(" field-relative", stdout);
}

static const char *describe_base(enum sframe_base base)
{
	static const char texts[][TEXT_ROOM] = {
		[SFRAME_BASE_SECTION] = "the first byte of the table",
		[SFRAME_BASE_FIELD] = "the field that holds them",
		[SFRAME_BASE_GIVEN] = "nothing: they come from relocations",
	};

	return TEXT_AT(texts, base, "?");
}

static void print_fixed_offset(const char *what, int8_t offset)
{
	if (offset)
		printf(", %s at cfa%+d", what, offset);
}

static void print_table_text(struct dump *dump, const struct sframe_table *t)
{
	printf("\nTable at offset 0x%zx: SFrame version %u, %s, %s-endian\n", t->offset, t->version,
	       sframe_machine_name(t), t->big ? "big" : "little");
	fputs("  flags ", stdout);
	print_flags_text(t->flags);
	print_fixed_offset("return address", t->fixed_ra);
	print_fixed_offset("frame pointer", t->fixed_fp);
	if (t->aux_size)
		printf(", auxiliary header of %u bytes", t->aux_size);
	printf("\n  %" PRIu32 " function%s, %" PRIu32 " row%s in %zu bytes\n", t->functions,
	       choose_plural(t->functions), t->claimed_rows, choose_plural(t->claimed_rows),
	       t->rows_size);
	printf("  starts count from %s%s\n", describe_base(t->base),
	       sframe_was_rebased(dump->input, t)
	               ? ", not from what the flags say: no function would lie in code"
	               : "");
}

static void print_fde_text(struct dump *dump, const struct sframe_table *table,
                           const struct sframe_function *f)
{
	fputs("\n  ", stdout);
	sframe_print_va(dump->input, f->start);
	if (sframe_is_placed(table, f->start))
		printf("..0x%" PRIx64, sframe_offset(dump->input, f->start) + f->size);
	printf("  %" PRIu32 " byte%s", f->size, choose_plural(f->size));
	if (f->masked)
		printf(" in blocks of %u", f->repeat);
	printf(", %" PRIu32 " %srow%s%s%s\n", f->rows, f->flexible ? "flexible " : "",
	       choose_plural(f->rows), f->signal ? ", signal frame" : "",
	       f->key_b ? ", key B" : "");
	if (f->rows)
		printf("    %-18s %-12s %-12s %s\n", "ADDRESS", "CFA", "FP", "RA");
	else if (table->version == 3)
		printf("    %s\n",
		       f->signal ? "signal trampoline" : "outermost: there is no caller");
}

/* Where there is no one address the offset stands, from the function or in the block. */
static void print_fre_text(struct dump *dump, const struct sframe_function *f,
                           const struct sframe_row *row, const struct cairn_rule *rule)
{
	struct rule_text text = rule_text(rule);
	bool offset = f->masked || sframe_is_relocatable(dump->input);
	char address[24];

	snprintf(address, sizeof(address), "%s0x%" PRIx64, offset ? "+" : "",
	         offset ? row->start : f->start + row->start);
	printf("    %-18s %-12s %-12s %s", address, text.cfa, text.fp, text.ra);
	for (unsigned i = 0; i < RULE_FLAGS; i++) {
		const char *name = rule_flag_name(rule, i);
		if (name)
			printf("  %s", name);
	}
	putchar('\n');
}

const struct dump_form dump_text = {
	.file = print_file_text,
	.table = print_table_text,
	.function = print_fde_text,
	.row = print_fre_text,
};
