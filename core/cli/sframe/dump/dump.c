/* SPDX-License-Identifier: MIT */
/*
 * Walks the tables, FDEs and FREs of an SFrame section and passes them to the chosen output form.
 */
#include "dump.h"

#include "cli/front/rights.h"

static const char about[] =
	"Prints the SFrame tables of programs, libraries and relocatable files: each table, its\n"
	"functions, and their rows as they are stored.  A damaged part is reported on "
	"standard\nerror with its offset in the section, and the rest is printed.";

static void report_dump_fault(struct dump *dump, const struct cairn_fault *fault, const char *next)
{
	progress_end(&dump->progress);
	sframe_print_fault(dump->input, fault, next);
}

/* False when the function is damaged, or there have been too many rows. */
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
		report_dump_fault(dump, &fault, "this row is left out");
		sound = false;
	}
	if (rows.fault.status != CAIRN_OK)
		report_dump_fault(dump, &rows.fault, "the function's other rows are lost");
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
			report_dump_fault(dump, &fault, "this function is left out");
		}
		if (!sound)
			dump->status = EXIT_BROKEN;
	}
	if (left == 0) {
		fault = (struct cairn_fault){ CAIRN_MALFORMED, table->offset + table->rows_at,
			                      "functions share their rows too often" };
		report_dump_fault(dump, &fault, "the table's other functions are left out");
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
		report_dump_fault(&dump, &input.rules->walk, "the section's other tables are lost");
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
	const struct command command = { "cairn sframe dump [OPTION...] FILE...", about, options,
		                         COUNT(options) };
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	rights_expect_files((unsigned)argc);
	for (int i = 0; i < argc; i++)
		status = choose_worse(status, dump_sframe_file(argv[i], &s, argc > 1));
	return status;
}
