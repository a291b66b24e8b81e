/* SPDX-License-Identifier: MIT */
/* `cairn gsym verify`: prints every structural fault in a file, with its offset. */
#include "gsym.h"

#include "cli/front/progress.h"
#include "formats/gsym/gsym.h"
#include "output/escape.h"
#include "symbols/gsym.h"

#include <inttypes.h>

static const char about[] =
	"Check the structure of each FILE: its tables, and the record, line table, inlined calls,\n"
	"merged functions and call sites of every function. Print each fault with its offset from\n"
	"the start of the GSYM data, then a summary. Exit status 3: there are faults.";

struct verify {
	struct gsym_input input;
	enum form form;
	struct json json;
	struct gsym_names names;
	struct progress progress;
	uint64_t faults;
};

static void report_gsym_fault(struct verify *v, const struct cairn_fault *fault,
                              const struct gsym_function *f)
{
	struct cairn_bytes name = { (const uint8_t *)"", 0 };

	v->faults++;
	progress_end(&v->progress);
	if (f && v->form != FORM_LINES)
		gsym_names_read(&v->names, f->name, &name);
	if (v->form == FORM_JSON) {
		json_object(&v->json, NULL);
		json_string(&v->json, "file", v->input.path);
		json_string(&v->json, "fault", cairn_status_name(fault->status));
		json_number(&v->json, "offset", fault->offset);
		json_string(&v->json, "what", fault->what);
		if (f)
			json_text(&v->json, "function", name);
		json_end(&v->json);
		return;
	}
	if (v->form == FORM_LINES) {
		printf("F\t%s\t%" PRIu64 "\t%s\n", cairn_status_name(fault->status), fault->offset,
		       fault->what);
		return;
	}
	print_string(stdout, v->input.path);
	printf(": %s at byte %" PRIu64 " (0x%" PRIx64 ")", fault->what, fault->offset,
	       fault->offset);
	if (f) {
		print_text_between(stdout, " in ", name, "");
		printf(" at 0x%" PRIx64, f->start);
	}
	putchar('\n');
}

static void report_flaws(struct verify *v, const struct gsym_flaws *flaws,
                         const struct gsym_function *f)
{
	for (unsigned i = 0; i < flaws->count; i++)
		report_gsym_fault(v, &flaws->list[i], f);
	v->faults += flaws->more;
}

static void verify_functions(struct verify *v)
{
	static struct gsym_nodes scratch;
	const struct gsym *g = v->input.gsym;
	struct gsym_flaws flaws;
	struct gsym_function f;
	struct cairn_fault fault;
	struct gsym_walk walk = gsym_walk(g);

	for (uint32_t i = 0; i < g->functions; i++) {
		progress_update(&v->progress, i, g->functions);
		if (!gsym_walk_take(&walk, i, &fault)) {
			report_gsym_fault(v, &fault, NULL);
			continue;
		}
		gsym_check_function(g, i, &scratch, &flaws);
		bool known = gsym_function(g, i, &f, &fault) == CAIRN_OK;
		report_flaws(v, &flaws, known ? &f : NULL);
	}
}

static void print_gsym_summary(struct verify *v, uint32_t functions)
{
	if (v->form == FORM_JSON) {
		json_object(&v->json, NULL);
		json_string(&v->json, "file", v->input.path);
		json_number(&v->json, "functions", functions);
		json_number(&v->json, "faults", v->faults);
		json_end(&v->json);
	} else if (v->form == FORM_LINES) {
		printf("S\t%" PRIu32 "\t%" PRIu64 "\n", functions, v->faults);
	} else {
		print_string(stdout, v->input.path);
		printf(": %" PRIu32 " function%s, ", functions, functions == 1 ? "" : "s");
		if (v->faults)
			printf("%" PRIu64 " fault%s\n", v->faults, v->faults == 1 ? "" : "s");
		else
			puts("sound");
	}
}

static const struct cairn_fault conflict = { CAIRN_MISMATCH, 0,
	                                     "the embedded GSYM data belongs to another build" };

struct settings {
	enum form form;
	bool quiet;
};

static int verify_file(const char *path, const void *settings)
{
	const struct settings *s = settings;
	struct verify v = { .form = s->form,
		            .json = json_to(stdout),
		            .progress = progress_begin(path, "functions", s->quiet) };
	struct cairn_fault fault;
	int status;

	if (!gsym_input_try(path, &v.input, &fault, &status)) {
		if (fault.status == CAIRN_OK)
			return status;
		report_gsym_fault(&v, &fault, NULL);
		print_gsym_summary(&v, 0);
		return fault.status == CAIRN_NOT_FOUND || fault.status == CAIRN_MISMATCH
		               ? EXIT_MISSING
		               : status;
	}
	v.names = gsym_names(v.input.gsym);
	if (v.input.symbols->image.conflicts)
		report_gsym_fault(&v, &conflict, NULL);
	struct gsym_flaws flaws;
	uint32_t next = 0;
	do {
		gsym_check_tables(v.input.gsym, &next, &flaws);
		report_flaws(&v, &flaws, NULL);
	} while (next);
	verify_functions(&v);
	progress_end(&v.progress);
	print_gsym_summary(&v, v.input.gsym->functions);
	gsym_input_close(&v.input);
	return v.faults ? EXIT_BROKEN : EXIT_CLEAN;
}

int gsym_verify(int argc, char **argv)
{
	struct settings s = { .form = FORM_TEXT };
	const struct for_each_file each = { .take = verify_file, .context = &s, .form = &s.form };
	const struct option options[] = { OPTION_LINES(&s.form), OPTION_JSON(&s.form),
		                          OPTION_NO_PROGRESS(&s.quiet) };
	const struct command command = COMMAND("cairn gsym verify [OPTION...] FILE...", about,
	                                       options, OPERANDS(1, OPERANDS_MANY, "FILE"));

	return for_each_file(&command, argc, argv, &each);
}
