/* SPDX-License-Identifier: MIT */
/* `cairn doctor`: checks the installation and the settings of the machine. */
#include "doctor.h"

#include "output/escape.h"
#include "output/json.h"

#include <stdio.h>

static const char *const states[] = {
	[FINDING_OK] = "ok",
	[FINDING_NOTE] = "note",
	[FINDING_FAULT] = "fault",
};

static const struct {
	const char *name;
	void (*run)(struct finding *finding);
} checks[] = {
	{ "gdb", doctor_gdb },
	{ "gdb script", doctor_gdb_script },
	{ "gdb module", doctor_gdb_module },
	{ "gdb start-up", doctor_gdb_start },
	{ "lldb plugin", doctor_lldb },
	{ "lldb start-up", doctor_lldb_start },
	{ "libraries", doctor_parts },
	{ "cache", doctor_cache },
	{ "debuginfod", doctor_debuginfod },
	{ "ptrace", doctor_ptrace },
	{ "core files", doctor_cores },
};

static void print_finding(const struct finding *finding)
{
	printf("%-5s  %-13s  ", states[finding->state], finding->check);
	print_string(stdout, finding->seen);
	if (finding->advice[0]) {
		printf("\n%22s", "");
		print_string(stdout, finding->advice);
	}
	putchar('\n');
}

static void print_finding_json(struct json *json, const struct finding *finding)
{
	json_object(json, NULL);
	json_string(json, "check", finding->check);
	json_string(json, "state", states[finding->state]);
	json_string(json, "seen", finding->seen);
	json_string(json, "advice", finding->advice);
	json_end(json);
}

int verb_doctor(int argc, char **argv)
{
	enum form form = FORM_TEXT;
	const struct option options[] = { OPTION_JSON(&form) };
	const struct command command = { "cairn doctor [OPTION...]",
		                         "Checks whether debuggers find and load this cairn, what "
		                         "it was built with, and what the\n"
		                         "machine allows.\n"
		                         "Exit status 1: the installation has a fault.",
		                         options, COUNT(options), .rights = RIGHT_ALL };
	struct json json = json_to(stdout);
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	for (size_t i = 0; i < COUNT(checks); i++) {
		struct finding finding = { .check = checks[i].name };
		checks[i].run(&finding);
		if (form == FORM_JSON)
			print_finding_json(&json, &finding);
		else
			print_finding(&finding);
		if (finding.state == FINDING_FAULT)
			status = EXIT_MISSING;
	}
	return status;
}
