/* SPDX-License-Identifier: MIT */
/* `cairn sframe dump`: prints tables as text, lines or JSON. */
#include "sframe.h"

#include "base/text_table.h"
#include "cli/front/progress.h"
#include "cli/front/rights.h"
#include "output/escape.h"
#include "output/json.h"
#include "output/rule.h"

#include <inttypes.h>

struct dump {
	const struct sframe_input *input;
	const struct dump_form *form;
	struct json json;
	struct progress progress;
	int status;
};

/*
 * An output format: one callback per kind of item, called in file order. Flags that apply to a
 * whole function are not set in the rules of its rows. `end` is called after each function. `file`
 * and `end` may be NULL.
 */
struct dump_form {
	void (*file)(struct dump *dump, bool several);
	void (*table)(struct dump *dump, const struct sframe_table *table);
	void (*function)(struct dump *dump, const struct sframe_table *table,
	                 const struct sframe_function *function);
	void (*row)(struct dump *dump, const struct sframe_function *function,
	            const struct sframe_row *row, const struct cairn_rule *rule);
	void (*end)(struct dump *dump, bool sound);
};

extern const struct dump_form dump_text, dump_lines, dump_json;

static const char about[] =
	"Print the SFrame tables of programs, libraries and relocatable files: each table,\n"
	"its functions, and their rows as stored. A damaged part is reported on standard\n"
	"error with its offset in the section, and the rest is printed.";

static void report_dump_fault(struct dump *dump, const struct cairn_fault *fault, const char *next)
{
	progress_end(&dump->progress);
	sframe_print_fault(dump->input, fault, next);
}

/*
 * Print the rows of a function. Return false if the function is damaged or the row limit is
 * reached.
 */
static bool dump_rows(struct dump *dump, const struct sframe_table *table,
                      const struct sframe_function *function, uint64_t *left)
{
	struct sframe_rows rows = sframe_rows(table, function);
	struct cairn_fault fault;
	struct cairn_rule rule;
	struct sframe_row row;
	bool sound = true;

	while (*left > 0 && sframe_next_row(&rows, &row)) {
		--*left;
		if (sframe_rule(table, function, &row, &rule, &fault) == CAIRN_OK) {
			rule.signal = rule.key_b = false;
			dump->form->row(dump, function, &row, &rule);
			continue;
		}
		report_dump_fault(dump, &fault, "this row is omitted");
		sound = false;
	}
	if (rows.fault.status != CAIRN_OK)
		report_dump_fault(dump, &rows.fault, "the function's remaining rows are omitted");
	return sound && rows.fault.status == CAIRN_OK && *left > 0;
}

static void dump_functions(struct dump *dump, const struct sframe_table *table)
{
	uint64_t left = sframe_rows_allowed(table);
	struct sframe_function function;
	struct cairn_fault fault;

	for (uint32_t i = 0; i < table->functions && left > 0; i++) {
		progress_update(&dump->progress, i, table->functions);
		bool sound = false;
		if (sframe_function(table, i, &function, &fault) == CAIRN_OK) {
			dump->form->function(dump, table, &function);
			sound = dump_rows(dump, table, &function, &left);
			if (dump->form->end)
				dump->form->end(dump, sound);
		} else {
			report_dump_fault(dump, &fault, "this function is omitted");
		}
		if (!sound)
			dump->status = EXIT_BROKEN;
	}
	if (left == 0) {
		fault = (struct cairn_fault){ CAIRN_MALFORMED, table->offset + table->rows_at,
			                      "functions share their rows too often" };
		report_dump_fault(dump, &fault, "the table's remaining functions are omitted");
	}
}

struct settings {
	struct sframe_source source;
	enum form form;
	bool quiet;
};

static int dump_sframe_file(const char *path, const struct settings *s, bool several)
{
	const struct dump_form *form = s->form == FORM_JSON    ? &dump_json
	                               : s->form == FORM_LINES ? &dump_lines
	                                                       : &dump_text;
	struct sframe_input input;
	struct dump dump = { .form = form,
		             .json = json_to(stdout),
		             .progress = progress_begin_aside(path, "functions", s->quiet) };

	if (!sframe_input_open(path, &s->source, &input, &dump.status))
		return dump.status;
	dump.input = &input;
	if (form->file)
		form->file(&dump, several);
	for (size_t i = 0; i < input.rules->table_count; i++) {
		form->table(&dump, &input.rules->tables[i]);
		dump_functions(&dump, &input.rules->tables[i]);
	}
	if (input.rules->walk.status != CAIRN_OK) {
		report_dump_fault(&dump, &input.rules->walk,
		                  "the section's remaining tables are omitted");
		dump.status = EXIT_BROKEN;
	}
	progress_end(&dump.progress);
	sframe_input_close(&input);
	return dump.status;
}

int sframe_dump(int argc, char **argv)
{
	struct settings s = { .form = FORM_TEXT };
	const struct option options[] = { OPTION_LINES(&s.form), OPTION_JSON(&s.form),
		                          OPTIONS_SOURCE(&s.source), OPTION_NO_PROGRESS(&s.quiet) };
	const struct command command = COMMAND("cairn sframe dump [OPTION...] FILE...", about,
	                                       options, OPERANDS(1, OPERANDS_MANY, "FILE"));
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	rights_expect_files((unsigned)argc);
	for (int i = 0; i < argc; i++)
		status = choose_worse(status, dump_sframe_file(argv[i], &s, argc > 1));
	return status;
}

/* JSON output; docs/cli.md lists the keys. */

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

/*
 * Print the start of a function and, in relocatable files, its section. An unknown start is null.
 */
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

/* Output of --lines; docs/cli.md describes it. */

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

static const char *describe_base(enum sframe_base base)
{
	static const char texts[][TEXT_CAPACITY] = {
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
	printf("0x%x", t->flags);
	if (t->flags & SFRAME_FLAG_SORTED)
		fputs(" sorted", stdout);
	if (t->flags & SFRAME_FLAG_FRAME_POINTER)
		fputs(" frame-pointers", stdout);
	if (t->flags & SFRAME_FLAG_FIELD_RELATIVE)
		fputs(" field-relative", stdout);
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
	else if (table->layout->outermost)
		printf("    %s\n",
		       f->signal ? "signal trampoline" : "outermost: there is no caller");
}

/*
 * Print a row with its address, or with its offset in the function if the address is not unique (in
 * a repeated block) or unknown (in a relocatable file).
 */
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
