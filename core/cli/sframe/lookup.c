/* SPDX-License-Identifier: MIT */
/* `cairn sframe lookup`: prints the unwind rule for each address. */
#include "sframe.h"

#include "cli/front/rights.h"

#include "output/escape.h"
#include "output/json.h"
#include "output/rule.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const char about[] =
	"Print the unwind rule for each ADDRESS, or for each address on standard input. Addresses\n"
	"are as linked, decimal or 0x and hexadecimal; in relocatable files they are\n"
	"SECTION+OFFSET. +N or -N may follow: 0x401035-1 is the call before a return address.";

enum { LINE_MAX_BYTES = 1024 };

struct lookup {
	struct sframe_input input;
	enum form form;
	struct json json;
	int status;
};

struct rule_lookup {
	uint64_t va;
	enum cairn_status outcome;
	const struct cairn_rule *rule;
	struct cairn_fault fault;
};

/* Print a range. In relocatable files, the section name is printed only once. */
static void print_va_range(const struct lookup *lookup, const char *before, uint64_t low,
                           uint64_t high)
{
	fputs(before, stdout);
	sframe_print_va(&lookup->input, low);
	printf("..0x%" PRIx64, sframe_offset(&lookup->input, high));
}

static void print_answer_text(struct lookup *lookup, const struct rule_lookup *a)
{
	sframe_print_va(&lookup->input, a->va);
	if (a->outcome != CAIRN_OK) {
		puts(a->outcome == CAIRN_NOT_FOUND ? ": no row covers it"
		                                   : ": no answer, because the data is damaged");
		return;
	}
	struct rule_text text = rule_text(a->rule);
	printf(": CFA %s, FP %s, RA %s", text.cfa, text.fp, text.ra);
	for (unsigned i = 0; i < RULE_FLAGS; i++) {
		const char *name = rule_flag_name(a->rule, i);
		if (name)
			printf(", %s", name);
	}
	print_va_range(lookup, "; rows ", a->rule->start, a->rule->end);
	print_va_range(lookup, ", function ", a->rule->function, a->rule->function_end);
	putchar('\n');
}

static void print_answer_lines(struct lookup *lookup, const struct rule_lookup *a)
{
	sframe_print_va(&lookup->input, a->va);
	printf(" %s ", cairn_status_name(a->outcome));
	if (a->outcome == CAIRN_OK || a->outcome == CAIRN_NOT_FOUND)
		putchar('-');
	else
		printf("%" PRIu64, a->fault.offset);
	if (a->outcome != CAIRN_OK) {
		puts(" - - - - - -");
		return;
	}
	struct rule_text text = rule_text(a->rule);
	putchar(' ');
	sframe_print_va(&lookup->input, a->rule->start);
	putchar(' ');
	sframe_print_va(&lookup->input, a->rule->end);
	printf(" %s %s %s %s\n", text.cfa, text.fp, text.ra, text.flags);
}

static void print_rule_json(struct json *j, const struct sframe_input *input,
                            const struct cairn_rule *rule)
{
	struct rule_text text = rule_text(rule);

	json_address(j, "start", sframe_offset(input, rule->start));
	json_address(j, "end", sframe_offset(input, rule->end));
	json_address(j, "function", sframe_offset(input, rule->function));
	json_address(j, "function_end", sframe_offset(input, rule->function_end));
	json_string(j, "cfa", text.cfa);
	json_string(j, "fp", text.fp);
	json_string(j, "ra", text.ra);
	json_array(j, "flags");
	for (unsigned i = 0; i < RULE_FLAGS; i++) {
		const char *name = rule_flag_name(rule, i);
		if (name)
			json_string(j, NULL, name);
	}
	json_end(j);
}

static void print_answer_json(struct lookup *lookup, const struct rule_lookup *a)
{
	struct json *j = &lookup->json;
	struct cairn_bytes section;

	json_object(j, NULL);
	json_address(j, "address", sframe_offset(&lookup->input, a->va));
	if (sframe_section_name(&lookup->input, a->va, &section))
		json_text(j, "section", section);
	else
		json_null(j, "section");
	json_string(j, "outcome", cairn_status_name(a->outcome));
	if (a->outcome == CAIRN_OK) {
		print_rule_json(j, &lookup->input, a->rule);
	} else if (a->outcome != CAIRN_NOT_FOUND) {
		json_number(j, "offset", a->fault.offset);
		json_string(j, "what", a->fault.what);
	}
	json_end(j);
}

/* Print a result for a line that is not an address, too, so that there is one result per line. */
static void print_no_address(struct lookup *lookup, const char *text)
{
	if (lookup->form == FORM_JSON) {
		json_object(&lookup->json, NULL);
		json_string(&lookup->json, "address", text);
		json_string(&lookup->json, "outcome", "bad-address");
		json_end(&lookup->json);
		return;
	}
	print_word(stdout, borrow_string(text));
	puts(lookup->form == FORM_LINES ? " bad-address - - - - - - -" : ": no address");
}

static void refuse_address(struct lookup *lookup, const char *text, const char *why)
{
	print_no_address(lookup, text);
	print_word_diagnostic(lookup->input.path, text, why);
	lookup->status = choose_worse(lookup->status, EXIT_USAGE);
}

static void look_up_rule(struct lookup *lookup, const char *text)
{
	struct rule_lookup a = { .outcome = CAIRN_OK };
	bool relocatable = sframe_is_relocatable(&lookup->input);

	if (!sframe_parse_va(&lookup->input, text, &a.va)) {
		refuse_address(lookup, text,
		               relocatable
		                       ? "expected SECTION+OFFSET for a relocatable file"
		                       : "expected an address (decimal, or hexadecimal with 0x)");
		return;
	}
	a.outcome = cairn_rules_find(lookup->input.rules, a.va, &a.rule, &a.fault);
	if (lookup->form == FORM_JSON)
		print_answer_json(lookup, &a);
	else if (lookup->form == FORM_LINES)
		print_answer_lines(lookup, &a);
	else
		print_answer_text(lookup, &a);
	if (a.outcome == CAIRN_NOT_FOUND) {
		lookup->status = choose_worse(lookup->status, EXIT_MISSING);
	} else if (a.outcome != CAIRN_OK) {
		sframe_print_fault(&lookup->input, &a.fault,
		                   "lookups of other addresses may succeed");
		lookup->status = EXIT_BROKEN;
	}
}

static size_t skip_line(void)
{
	size_t count = 0;
	int c;

	while ((c = getchar()) != EOF && c != '\n')
		count++;
	return count;
}

int sframe_lookup(int argc, char **argv)
{
	struct sframe_source source = { .raw = false };
	struct lookup lookup = { .form = FORM_TEXT, .json = json_to(stdout) };
	const struct option options[] = { OPTION_LINES(&lookup.form), OPTION_JSON(&lookup.form),
		                          OPTIONS_SOURCE(&source) };
	const struct command command =
		COMMAND("cairn sframe lookup [OPTION...] FILE [ADDRESS...]", about, options,
	                OPERANDS(1, OPERANDS_MANY, "FILE", "ADDRESS"));
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (argc == 1 && strcmp(argv[0], "-") == 0)
		return usage_error(&command,
		                   "FILE and the addresses cannot both come from standard input");
	rights_expect_files(1);
	if (!sframe_input_open(argv[0], &source, &lookup.input, &status))
		return status;
	lookup.status = EXIT_CLEAN;
	for (int i = 1; i < argc; i++)
		look_up_rule(&lookup, argv[i]);
	if (argc == 1) {
		/*
		 * Print each result immediately, because a program may write one address and wait
		 * for the result.
		 */
		char line[LINE_MAX_BYTES];
		setvbuf(stdout, NULL, _IOLBF, 0);
		while (fgets(line, sizeof(line), stdin)) {
			bool whole = strchr(line, '\n') || skip_line() == 0;
			line[strcspn(line, "\r\n")] = '\0';
			if (whole)
				look_up_rule(&lookup, line);
			else
				refuse_address(&lookup, line, "the line is too long");
		}
		if (ferror(stdin))
			lookup.status =
				fail_with("-", "cannot read addresses: %s", strerror(errno));
	}
	sframe_input_close(&lookup.input);
	return lookup.status;
}
