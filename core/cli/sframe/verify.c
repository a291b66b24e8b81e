/* SPDX-License-Identifier: MIT */
/*
 * `cairn sframe verify`: checks the structure of tables, and compares their rules with call frame
 * information.
 */
#include "sframe.h"

#include "base/rule_places.h"
#include "base/text_table.h"
#include "cli/front/printed.h"
#include "cli/front/progress.h"
#include "debuginfo/cfi.h"
#include "formats/rowtable.h"
#include "output/escape.h"
#include "output/json.h"
#include "output/rule.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum verify_class {
	VERIFY_EQUAL,
	VERIFY_RULE,      /* the two rules differ in the CFA, RA or FP */
	VERIFY_OUTERMOST, /* only one of the two rules marks the frame as outermost */
	VERIFY_SIGNAL,    /* only one of the two rules marks the frame as a signal frame */
	VERIFY_ONLY_SFRAME,
	VERIFY_ONLY_EH_FRAME,
	VERIFY_CLASSES,
};

enum { VERIFY_CODE_MAX = 64 }; /* maximum number of executable segments; real files have a few */

struct verify_code {
	uint64_t start, size;
};

struct verify {
	struct sframe_input *input;
	/* file whose call frame information is compared with the tables; NULL for `input` itself */
	const char *against;
	/* row table to verify instead of the SFrame section; may be NULL */
	const struct rowtable *row_table;
	enum form form;
	struct json json;
	struct progress progress;
	struct verify_code code[VERIFY_CODE_MAX];
	unsigned code_count;
	int status;
	uint64_t tables, functions, rows, faults, notes;
	/*
	 * limit on printed faults and notes, which would otherwise be repeated by all functions
	 * that share rows
	 */
	struct allowance printed;
	uint64_t unprinted;
	uint64_t bytes[VERIFY_CLASSES];
	bool compared;
	/* why the rules were not compared; valid if `compared` is false */
	const char *not_compared;
};

static const char *class_name(enum verify_class what)
{
	static const char texts[][TEXT_CAPACITY] = {
		[VERIFY_EQUAL] = "equal",
		[VERIFY_RULE] = "rule",
		[VERIFY_OUTERMOST] = "outermost",
		[VERIFY_SIGNAL] = "signal",
		[VERIFY_ONLY_SFRAME] = "only-in-sframe",
		[VERIFY_ONLY_EH_FRAME] = "only-in-eh_frame",
	};

	return TEXT_AT(texts, what, "?");
}

static void begin_text(const struct verify *verify)
{
	print_string_between(stdout, "", verify->input->path, ": ");
}

static void begin_json(struct verify *verify, const char *type)
{
	json_object(&verify->json, NULL);
	json_string(&verify->json, "type", type);
	json_string(&verify->json, "file", verify->input->path);
}

enum { AROUND_FINDING = 100 };

/*
 * Print a fault, with its status, or a note about an offset in the section. Once the print limit is
 * reached, findings are only counted.
 */
static void print_finding(struct verify *verify, const char *status, uint64_t offset,
                          const char *what)
{
	if (!printed_take(&verify->printed,
	                  strlen(verify->input->path) + strlen(what) + AROUND_FINDING)) {
		verify->unprinted++;
		return;
	}
	if (verify->form == FORM_TEXT) {
		begin_text(verify);
		printf(".sframe byte %" PRIu64 " (0x%" PRIx64 "): %s%s\n", offset, offset,
		       status ? "" : "note: ", what);
	} else if (verify->form == FORM_LINES) {
		if (status)
			printf("E\t%" PRIu64 "\t%s\t%s\n", offset, status, what);
		else
			printf("N\t%" PRIu64 "\t%s\n", offset, what);
	} else {
		begin_json(verify, status ? "fault" : "note");
		json_number(&verify->json, "offset", offset);
		if (status)
			json_string(&verify->json, "status", status);
		json_string(&verify->json, "what", what);
		json_end(&verify->json);
	}
}

/* Print a finding in the chosen format; docs/cli.md describes the three formats. */
static void verify_print_fault(struct verify *verify, const struct cairn_fault *fault)
{
	verify->status = EXIT_BROKEN;
	verify->faults++;
	print_finding(verify, cairn_status_name(fault->status), fault->offset, fault->what);
}

static void CLI_FORMAT(3)
	verify_print_note(struct verify *verify, uint64_t offset, const char *format, ...)
{
	va_list arguments;
	char text[120];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	verify->notes++;
	print_finding(verify, NULL, offset, text);
}

static void print_places_json(struct json *json, const char *key, const struct rule_text *text)
{
	json_object(json, key);
	json_string(json, "cfa", text->cfa);
	json_string(json, "fp", text->fp);
	json_string(json, "ra", text->ra);
	json_end(json);
}

static const char *describe_signal(const struct cairn_rule *rule)
{
	return rule->signal ? " in a signal frame" : "";
}

static void verify_print_difference(struct verify *verify, uint64_t low, uint64_t high,
                                    enum verify_class what, const struct cairn_rule *truth,
                                    const struct cairn_rule *stored)
{
	struct rule_text t = rule_text(truth), s = rule_text(stored);

	verify->status = choose_worse(verify->status, EXIT_MISSING);
	if (verify->form == FORM_TEXT) {
		begin_text(verify);
		printf("0x%" PRIx64 "..0x%" PRIx64
		       ": %s: .eh_frame says %s %s %s%s, .sframe %s %s %s%s\n",
		       low, high, class_name(what), t.cfa, t.fp, t.ra, describe_signal(truth),
		       s.cfa, s.fp, s.ra, describe_signal(stored));
	} else if (verify->form == FORM_LINES) {
		printf("D\t0x%" PRIx64 "\t0x%" PRIx64 "\t%s\t%s %s %s\t%s %s %s\n", low, high,
		       class_name(what), t.cfa, t.fp, t.ra, s.cfa, s.fp, s.ra);
	} else {
		begin_json(verify, "difference");
		json_address(&verify->json, "start", low);
		json_address(&verify->json, "end", high);
		json_string(&verify->json, "class", class_name(what));
		print_places_json(&verify->json, "eh_frame", &t);
		print_places_json(&verify->json, "sframe", &s);
		json_end(&verify->json);
	}
}

static void print_summary_text(const struct verify *verify)
{
	uint64_t all = 0;

	begin_text(verify);
	printf("tables %" PRIu64 ", functions %" PRIu64 ", rows %" PRIu64 ", faults %" PRIu64
	       ", notes %" PRIu64 "\n",
	       verify->tables, verify->functions, verify->rows, verify->faults, verify->notes);
	if (verify->unprinted > 0) {
		begin_text(verify);
		printf("%" PRIu64 " faults and notes are counted, but not printed: functions share "
		       "the rows that they are in\n",
		       verify->unprinted);
	}
	begin_text(verify);
	if (!verify->compared) {
		printf("not compared with .eh_frame: %s\n", verify->not_compared);
		return;
	}
	for (int i = 0; i < VERIFY_CLASSES; i++)
		all += verify->bytes[i];
	printf("%" PRIu64 " bytes of code compared with .eh_frame\n", all);
	for (int i = 0; i < VERIFY_CLASSES; i++)
		printf("  %-16s %10" PRIu64 "  %8.4f %%\n", class_name((enum verify_class)i),
		       verify->bytes[i],
		       all ? 100.0 * (double)verify->bytes[i] / (double)all : 0.0);
}

static void print_summary_json(struct verify *verify)
{
	struct json *j = &verify->json;

	begin_json(verify, "summary");
	json_number(j, "tables", verify->tables);
	json_number(j, "functions", verify->functions);
	json_number(j, "rows", verify->rows);
	json_number(j, "faults", verify->faults);
	json_number(j, "notes", verify->notes);
	if (verify->unprinted > 0)
		json_number(j, "unprinted", verify->unprinted);
	json_bool(j, "compared", verify->compared);
	if (!verify->compared)
		json_string(j, "why", verify->not_compared);
	for (int i = 0; verify->compared && i < VERIFY_CLASSES; i++)
		json_number(j, class_name((enum verify_class)i), verify->bytes[i]);
	json_end(j);
}

static void verify_print_summary(struct verify *verify)
{
	if (verify->form == FORM_JSON)
		print_summary_json(verify);
	else if (verify->form == FORM_LINES) {
		printf("S\ttables\t%" PRIu64 "\nS\tfunctions\t%" PRIu64 "\nS\trows\t%" PRIu64 "\n",
		       verify->tables, verify->functions, verify->rows);
		if (verify->unprinted > 0)
			printf("S\tunprinted\t%" PRIu64 "\n", verify->unprinted);
		for (int i = 0; verify->compared && i < VERIFY_CLASSES; i++)
			printf("S\t%s\t%" PRIu64 "\n", class_name((enum verify_class)i),
			       verify->bytes[i]);
		if (!verify->compared)
			printf("S\tnot-compared\t%s\n", verify->not_compared);
	} else
		print_summary_text(verify);
}

enum { ROWS_FIELD = 12, FLAGS_FIELD = 3 };

struct row_check {
	const struct sframe_table *table;
	const struct sframe_function *function;
	uint32_t previous;
	bool any;
};

static void check_rows(struct verify *verify, const struct sframe_table *table,
                       const struct sframe_function *function, uint64_t *left)
{
	struct row_check check = { .table = table, .function = function };
	struct sframe_rows rows = sframe_rows(table, function);
	struct cairn_fault fault;
	struct cairn_rule rule;
	struct sframe_row row;

	for (; *left > 0 && sframe_next_row(&rows, &row); --*left) {
		verify->rows++;
		const struct sframe_function *f = check.function;
		uint32_t limit = f->masked ? f->repeat : f->size;
		uint64_t at = check.table->offset + row.at;
		if (!check.any && row.start > 0)
			verify_print_note(verify, at,
			                  "the first row begins 0x%" PRIx32 " bytes late",
			                  row.start);
		if (check.any && row.start == check.previous)
			verify_print_note(verify, at,
			                  "two rows at one address: the later one applies");
		if (row.start >= limit && f->size > 0)
			verify_print_note(verify, at, "a row at or past the end of its %s",
			                  f->masked ? "block" : "function");
		check.previous = row.start;
		check.any = true;
		if (sframe_rule(table, function, &row, &rule, &fault) != CAIRN_OK)
			verify_print_fault(verify, &fault);
	}
	if (rows.fault.status != CAIRN_OK)
		verify_print_fault(verify, &rows.fault);
}

/*
 * List the executable segments. If no segment or too many segments are executable, code_count
 * remains 0, and every address counts as code.
 */
static void find_code(struct verify *verify)
{
	struct elf_segment s;

	if (!verify->input->is_elf)
		return;
	for (uint32_t i = 0; elf_segment(&verify->input->elf, i, &s); i++) {
		if (s.type != ELF_PT_LOAD || !(s.flags & ELF_PF_EXECUTE))
			continue;
		if (verify->code_count == VERIFY_CODE_MAX) {
			verify->code_count = 0;
			return;
		}
		verify->code[verify->code_count++] = (struct verify_code){ s.va, s.memory_size };
	}
}

static bool is_in_code(const struct verify *verify, uint64_t start, uint64_t size)
{
	for (unsigned i = 0; i < verify->code_count; i++) {
		const struct verify_code *code = &verify->code[i];
		if (start - code->start <= code->size && size <= code->size - (start - code->start))
			return true;
	}
	return verify->code_count == 0;
}

static void check_function(struct verify *verify, const struct sframe_table *table,
                           const struct sframe_function *f)
{
	const struct sframe_input *input = verify->input;
	const struct cairn_rule *rule;

	if (!sframe_is_placed(table, f->start))
		verify_print_note(verify, f->record, "a function without a relocation");
	else if (!is_in_code(verify, f->start, f->size))
		verify_print_note(verify, f->record,
		                  "the function at 0x%" PRIx64
		                  " is outside the executable segments",
		                  f->start);
	if (f->rows == 0 && !table->layout->outermost)
		verify_print_note(verify, f->record, "a function without rows");
	if (f->masked && sframe_is_placed(table, f->start) &&
	    cairn_rules_find(input->rules, f->start, &rule, NULL) == CAIRN_OK && rule->patched)
		verify_print_note(verify, f->record,
		                  "a wrong row of the linker, corrected in lookups (.plt.got)");
}

static void check_table(struct verify *verify, const struct sframe_table *table)
{
	uint64_t left = sframe_rows_allowed(table), before = verify->rows;
	struct sframe_function function;
	struct cairn_fault fault;

	for (uint32_t i = 0; i < table->functions && left > 0; i++) {
		verify->functions++;
		if (sframe_function(table, i, &function, &fault) == CAIRN_OK) {
			check_function(verify, table, &function);
			check_rows(verify, table, &function, &left);
		} else {
			verify_print_fault(verify, &fault);
		}
	}
	if (left == 0) {
		fault = (struct cairn_fault){ CAIRN_MALFORMED, table->offset + table->rows_at,
			                      "functions share their rows too often" };
		verify_print_fault(verify, &fault);
	}
	const uint64_t rows = verify->rows - before;
	if (rows != table->claimed_rows)
		verify_print_note(verify, table->offset + ROWS_FIELD,
		                  "the header counts %" PRIu32 " rows, there are %" PRIu64,
		                  table->claimed_rows, rows);
	if ((table->flags & SFRAME_FLAG_SORTED) && table->base != SFRAME_BASE_GIVEN &&
	    !sframe_is_sorted(table))
		verify_print_note(
			verify, table->offset + FLAGS_FIELD,
			"the functions are not sorted, but the header claims that they are");
	if (sframe_was_rebased(verify->input, table))
		verify_print_note(verify, table->offset,
		                  "starts count from the %s, or no function would lie in code",
		                  sframe_base_name(table->base));
}

static void check_overlaps(struct verify *verify)
{
	struct cairn_rules *rules = verify->input->rules;
	uint64_t reach = 0;

	if (!rules->functions && rules_list_functions(rules) != CAIRN_OK)
		return;
	for (size_t i = 0; i < rules->function_count; i++) {
		const struct rules_function *f = &rules->functions[i];
		const struct sframe_table *t = &rules->tables[f->table];
		if (f->size > 0 && f->start < reach)
			verify_print_note(
				verify,
				t->offset + t->records_at + (uint64_t)f->index * t->record_size,
				"the function at 0x%" PRIx64 " overlaps the one before it",
				f->start);
		if (f->size > 0 && f->start + f->size > reach)
			reach = f->start + f->size;
	}
}

/*
 * Compares .sframe with .eh_frame for every byte of code. A run consists of adjacent bytes with the
 * same kind of difference.
 */
struct run {
	uint64_t low, high; /* the run is empty if low == high */
	enum verify_class what;
	struct cairn_rule truth, stored;
};

struct comparison {
	struct verify *verify;
	struct debuginfo_cfi *cfi;
	uint64_t budget;
	struct run run;
	/*
	 * rules from the last lookups in call frame information and in the table, each valid in its
	 * own range
	 */
	struct cairn_rule truth, stored;
	bool has_truth, has_stored;
};

/*
 * Compare two rules. Ignore register locations in an outermost frame, and in a trampoline without a
 * rule, because they have no meaning there.
 */
static enum verify_class classify_rules(const struct cairn_rule *truth,
                                        const struct cairn_rule *stored)
{
	if (truth->outermost != stored->outermost)
		return VERIFY_OUTERMOST;
	if (!truth->outermost && !stored->trampoline && !rule_has_same_locations(truth, stored))
		return VERIFY_RULE;
	if (!truth->outermost && truth->signal != stored->signal)
		return VERIFY_SIGNAL;
	return VERIFY_EQUAL;
}

static void finish_run(struct comparison *c)
{
	if (c->run.low != c->run.high)
		verify_print_difference(c->verify, c->run.low, c->run.high, c->run.what,
		                        &c->run.truth, &c->run.stored);
	c->run.low = c->run.high;
}

static bool find_stored(const struct verify *verify, uint64_t va, struct cairn_rule *stored)
{
	const struct cairn_rule *found;

	if (verify->row_table)
		return rowtable_find(verify->row_table, va, stored) == CAIRN_OK;
	if (cairn_rules_find(verify->input->rules, va, &found, NULL) != CAIRN_OK)
		return false;
	*stored = *found;
	return true;
}

/*
 * Look up both rules at `va`. Return the end of the range in which both are valid, at most `high`.
 */
static uint64_t ask_both(struct comparison *c, uint64_t va, uint64_t high)
{
	if (!c->has_stored || va - c->stored.start >= c->stored.end - c->stored.start)
		c->has_stored = find_stored(c->verify, va, &c->stored);
	if (!c->has_truth || va - c->truth.start >= c->truth.end - c->truth.start)
		c->has_truth = debuginfo_cfi_find(c->cfi, va, &c->truth) == CAIRN_OK;
	if (!c->has_stored || !c->has_truth)
		return va + 1;
	uint64_t end = c->stored.end < c->truth.end ? c->stored.end : c->truth.end;
	return end < high ? end : high;
}

static void compare_range(struct comparison *c, uint64_t low, uint64_t high)
{
	uint64_t next;

	for (uint64_t va = low; va != high && !debuginfo_cfi_exhausted(c->cfi); va = next) {
		enum verify_class what = VERIFY_ONLY_SFRAME;
		progress_update(&c->verify->progress, va - low, high - low);
		next = ask_both(c, va, high);
		if (!c->has_truth && !c->has_stored)
			continue;
		if (c->has_truth)
			what = c->has_stored ? classify_rules(&c->truth, &c->stored)
			                     : VERIFY_ONLY_EH_FRAME;
		c->verify->bytes[what] += next - va;
		if (what == VERIFY_RULE || what == VERIFY_OUTERMOST || what == VERIFY_SIGNAL) {
			struct run *run = &c->run;
			if (run->low == run->high || run->high != va || run->what != what ||
			    !rule_has_same_locations(&run->truth, &c->truth) ||
			    !rule_has_same_locations(&run->stored, &c->stored)) {
				finish_run(c);
				*run = (struct run){ va, va, what, c->truth, c->stored };
			}
			run->high = next;
		}
	}
	finish_run(c);
}

static void compare_with(struct verify *verify, struct cairn_bytes file, const struct elf *elf)
{
	struct comparison c = { .verify = verify, .budget = file.size };

	verify->not_compared = "relocatable: its .eh_frame has no addresses yet";
	if (elf->type == ELF_TYPE_REL)
		return;
	c.cfi = debuginfo_cfi_open(file, elf_machine(elf), &verify->not_compared);
	if (!c.cfi)
		return;
	/*
	 * Compare the rules for the addresses in executable segments. Use the sizes in memory,
	 * because the segments of a debug file have no contents. These sizes cannot be trusted, so
	 * stop when their sum exceeds the size of the file.
	 */
	struct elf_segment s;
	for (uint32_t i = 0; elf_segment(elf, i, &s); i++) {
		if (s.type != ELF_PT_LOAD || !(s.flags & ELF_PF_EXECUTE))
			continue;
		uint64_t size = s.memory_size < c.budget ? s.memory_size : c.budget;
		c.budget -= size;
		compare_range(&c, s.va, s.va + size);
	}
	verify->compared = !debuginfo_cfi_exhausted(c.cfi);
	if (!verify->compared)
		verify->not_compared =
			"its .eh_frame takes more work to read than the file's size allows";
	debuginfo_cfi_close(c.cfi);
}

static bool is_other_build(const struct verify *verify, const struct elf *elf)
{
	const struct cairn_bytes other = elf_build_id(elf);

	if (!verify->row_table && !verify->input->is_elf)
		return false;
	const struct cairn_bytes own =
		verify->row_table ? verify->row_table->build_id : elf_build_id(&verify->input->elf);
	return own.size > 0 && other.size > 0 &&
	       (own.size != other.size || memcmp(own.data, other.data, own.size) != 0);
}

/* Compare with .eh_frame, or with the call frame information in the file given by --against. */
static void verify_against_cfi(struct verify *verify)
{
	const struct sframe_input *input = verify->input;

	if (verify->against) {
		struct os_file file;
		struct elf elf;
		verify->not_compared = "the file to compare with cannot be read";
		if (input_open_elf(verify->against, &file, &elf)) {
			if (is_other_build(verify, &elf))
				verify->not_compared = "another build: the build IDs differ";
			else
				compare_with(verify, file.bytes, &elf);
			os_file_close(&file);
		}
		/* the user has asked for the comparison, so a failure is an error */
		if (!verify->compared)
			verify->status = EXIT_BROKEN;
		return;
	}
	verify->not_compared = verify->row_table
	                               ? "a row table has none: give the program with --against"
	                               : "bare bytes have no .eh_frame";
	if (input->is_elf)
		compare_with(verify, input->file.bytes, &input->elf);
}

static const char about[] =
	"Check the structure of every SFrame table, function and row, and compare the rule for\n"
	"every byte of code with .eh_frame if the file has it. Print faults with their offset in\n"
	"the section, notes on deviations that readers tolerate, and the ranges that differ. Exit\n"
	"status 1: there are differences; 3: there are faults.";

struct settings {
	struct sframe_source source;
	enum form form;
	const char *against;
	const char *as; /* "rows" for a row table; NULL for an SFrame table */
	bool quiet;
};

static int verify_file(const char *path, const struct settings *s)
{
	struct sframe_input input;
	struct verify verify = { .input = &input,
		                 .against = s->against,
		                 .form = s->form,
		                 .json = json_to(stdout),
		                 .progress =
		                         progress_begin_aside(path, "bytes of code", s->quiet) };

	if (!sframe_input_open(path, &s->source, &input, &verify.status))
		return verify.status;
	verify.printed = printed_of(input.file.bytes.size);
	struct cairn_rules *rules = verify.input->rules;
	find_code(&verify);
	verify.tables = rules->table_count;
	for (size_t i = 0; i < rules->table_count; i++)
		check_table(&verify, &rules->tables[i]);
	check_overlaps(&verify);
	if (rules->walk.status != CAIRN_OK)
		verify_print_fault(&verify, &rules->walk);
	verify_against_cfi(&verify);
	progress_end(&verify.progress);
	verify_print_summary(&verify);
	sframe_input_close(&input);
	return verify.status;
}

/* Verify a row table. rowtable_open() has already checked every row. */
static int verify_rows(const char *path, const struct settings *s)
{
	struct sframe_input input = { .path = path };
	struct rowtable table;
	struct cairn_fault fault;
	struct verify verify = { .input = &input,
		                 .row_table = &table,
		                 .against = s->against,
		                 .form = s->form,
		                 .json = json_to(stdout),
		                 .tables = 1,
		                 .progress =
		                         progress_begin_aside(path, "bytes of code", s->quiet) };

	if (!input_open(path, &input.file))
		return EXIT_BROKEN;
	if (rowtable_open(input.file.bytes, &table, &fault) != CAIRN_OK) {
		print_fault_diagnostic(path, NULL, &fault, "expected a row table");
		verify.status = EXIT_BROKEN;
	} else {
		verify.rows = table.rows;
		verify_against_cfi(&verify);
		progress_end(&verify.progress);
		verify_print_summary(&verify);
	}
	os_file_close(&input.file);
	return verify.status;
}

static int verify_one(const char *path, const void *settings)
{
	const struct settings *s = settings;

	if (s->as && strcmp(s->as, "rows") != 0) {
		print_diagnostic(NULL, "--as must be rows");
		return EXIT_USAGE;
	}
	return s->as ? verify_rows(path, s) : verify_file(path, s);
}

int sframe_verify(int argc, char **argv)
{
	struct settings s = { .form = FORM_TEXT };
	const struct for_each_file each = { verify_one, &s, &s.form, &s.against };
	const struct option options[] = {
		OPTION_TEXT("against", "PROGRAM",
		            "compare with the call frame information of this file instead",
		            &s.against),
		OPTION_TEXT("as", "rows", "FILE is a row table; --against says what it is made of",
		            &s.as),
		OPTION_LINES(&s.form),
		OPTION_JSON(&s.form),
		OPTIONS_SOURCE(&s.source),
		OPTION_NO_PROGRESS(&s.quiet),
	};
	const struct command command = COMMAND("cairn sframe verify [OPTION...] FILE...", about,
	                                       options, OPERANDS(1, OPERANDS_MANY, "FILE"));

	return for_each_file(&command, argc, argv, &each);
}
