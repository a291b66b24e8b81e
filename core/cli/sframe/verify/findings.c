/* SPDX-License-Identifier: MIT */
/* `cairn sframe verify`: the findings in their three forms. */
#include "verify.h"

#include "base/text_table.h"
#include "output/escape.h"
#include "output/rule.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

static const char *class_name(enum verify_class what)
{
	static const char texts[][TEXT_ROOM] = {
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

enum { AROUND_FINDING = 100 }; /* bytes that are printed beside its path and its text */

/* A fault (with its status) or a note at an offset of the section; it is counted alone where too many were printed. */
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

void verify_print_fault(struct verify *verify, const struct cairn_fault *fault)
{
	verify->status = EXIT_BROKEN;
	verify->faults++;
	print_finding(verify, cairn_status_name(fault->status), fault->offset, fault->what);
}

void verify_print_note(struct verify *verify, uint64_t offset, const char *format, ...)
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

void verify_print_difference(struct verify *verify, uint64_t low, uint64_t high,
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

static void print_summary_lines(const struct verify *verify)
{
	printf("S\ttables\t%" PRIu64 "\nS\tfunctions\t%" PRIu64 "\nS\trows\t%" PRIu64 "\n",
	       verify->tables, verify->functions, verify->rows);
	if (verify->unprinted > 0)
		printf("S\tunprinted\t%" PRIu64 "\n", verify->unprinted);
	for (int i = 0; verify->compared && i < VERIFY_CLASSES; i++)
		printf("S\t%s\t%" PRIu64 "\n", class_name((enum verify_class)i), verify->bytes[i]);
	if (!verify->compared)
		printf("S\tnot-compared\t%s\n", verify->not_compared);
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

void verify_print_summary(struct verify *verify)
{
	if (verify->form == FORM_JSON)
		print_summary_json(verify);
	else if (verify->form == FORM_LINES)
		print_summary_lines(verify);
	else
		print_summary_text(verify);
}
