/* SPDX-License-Identifier: MIT */
/* `cairn group`: reads one crash per line, and counts how often each signature occurs. */
#include "group.h"

#include "base/bytes.h"
#include "cli/front/cli.h"
#include "cli/front/line_reader.h"
#include "cli/front/rights.h"
#include "groups/groups.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static void print_id(struct json *json, uint64_t id)
{
	char text[2 * sizeof(id) + 1];

	snprintf(text, sizeof(text), "%016" PRIx64, id);
	json_string(json, "id", text);
}

/* Print the crash hashes of a group, so that groups from overlapping inputs can be merged later. */
static void print_hashes(struct json *json, const struct group_entry *group)
{
	if (group->hash_count == 0)
		return;
	json_array(json, "hashes");
	for (size_t i = 0; i < group->hash_count; i++)
		json_hex(json, NULL,
		         (struct cairn_bytes){ group->hashes[i].bytes, GROUP_HASH_SIZE });
	json_end(json);
}

void group_print(struct json *json, const struct group_rules *rules,
                 const struct group_entry *group)
{
	json_object(json, NULL);
	print_id(json, group->id);
	if (rules)
		json_string(json, "rules", rules->version);
	else
		json_number(json, "rules", SIGNATURE_RULES);
	json_string(json, "names", signature_names_word(group->names));
	json_number(json, "count", group->count);
	struct cairn_bytes text = group->text;
	json_array(json, "signature");
	while (text.size > 0)
		json_text(json, NULL, bytes_take_part(&text, '\n'));
	json_end(json);
	if (group->has_time) {
		json_number(json, "first", group->first);
		json_number(json, "last", group->last);
	}
	json_object(json, "example");
	json_hex(json, "hash", (struct cairn_bytes){ group->hash, sizeof(group->hash) });
	if (group->core.size > 0)
		json_text(json, "core", group->core);
	json_end(json);
	print_hashes(json, group);
	json_end(json);
}

void group_print_id(struct json *json, const struct group_entry *entry, const char *why)
{
	json_object(json, NULL);
	if (entry) {
		print_id(json, entry->id);
	} else {
		json_null(json, "id");
		json_string(json, "why", why);
	}
	json_end(json);
}

static const char about[] =
	"Count equal crashes. Each input line is a thread of 'cairn bt --json', a report of\n"
	"'cairn crash', an answer of 'cairn symbolize' to either, or a group that this verb\n"
	"printed. Each output line is a group: the function names its stacks share, the\n"
	"number of crashes, and one example. Threads that did not crash are not counted. The\n"
	"order of the input does not matter, and the groups of several parts add up to the\n"
	"groups of the whole. Exit status 1: some crashes have no stack, or there are no\n"
	"crashes; 3: a line or the rules could not be read.";
enum { MESSAGES_MAX = 10 }; /* maximum number of messages about skipped lines per file */

struct group_run {
	struct group_reader reader;
	struct groups groups;
	struct json json;
	const char *path;
	/* number of lines in the current file, by kind */
	uint64_t counted, wrong, stackless, healthy;
	const char *rules_path;
	struct os_file rules_file;
	struct group_rules rules;
	bool each, scarce;
	int status;
};

static void answer_line(struct group_run *run, const struct group_entry *entry, const char *why)
{
	if (run->each)
		group_print_id(&run->json, entry, why);
}

static void leave_out_line(struct group_run *run, uint64_t offset, struct cairn_fault *fault)
{
	answer_line(run, NULL, fault->what);
	fault->offset += offset;
	if (run->wrong++ < MESSAGES_MAX)
		print_fault_diagnostic(run->path, NULL, fault, "the line is omitted");
	run->status = choose_worse(run->status, EXIT_BROKEN);
}

static void count_entry(struct group_run *run, const struct group_entry *entry, uint64_t offset)
{
	struct cairn_fault fault = { CAIRN_MALFORMED, 0,
		                     "a group without hashes, which --hashes cannot merge" };

	/*
	 * Reject a group without hashes. It is unknown which crashes the group contains, so a crash
	 * that also occurs elsewhere in the input would be counted twice.
	 */
	if (!run->each && run->groups.keeps_hashes && entry->is_group && entry->hash_count == 0) {
		leave_out_line(run, offset, &fault);
		return;
	}
	run->counted++;
	answer_line(run, entry, NULL);
	if (!run->each && !groups_add(&run->groups, entry))
		run->scarce = true;
}

static void take_line(struct group_run *run, struct cairn_bytes line, uint64_t offset)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct group_entry entry;

	switch (group_line_read(&run->reader, line, &entry, &fault)) {
	case GROUP_LINE_COUNTED:
		count_entry(run, &entry, offset);
		break;
	case GROUP_LINE_NOT_CRASHED:
		run->healthy++;
		answer_line(run, NULL, "the thread did not crash");
		break;
	case GROUP_LINE_NO_STACK:
		run->stackless++;
		answer_line(run, NULL, "no stack");
		break;
	case GROUP_LINE_WRONG:
		leave_out_line(run, offset, &fault);
		break;
	case GROUP_LINE_NO_MEMORY:
		run->scarce = true;
		break;
	}
}

static bool is_blank(struct cairn_bytes line)
{
	for (size_t i = 0; i < line.size; i++)
		if (line.data[i] != ' ' && line.data[i] != '\t' && line.data[i] != '\r')
			return false;
	return true;
}

static void take_lines(struct group_run *run, struct line_reader *lines)
{
	struct cairn_fault too_long = { CAIRN_UNSUPPORTED, 0, "a line of more than 128 MiB" };
	struct cairn_bytes line;
	enum line_reader_kind kind;

	while (!run->scarce && (kind = line_reader_next(lines, &line)) != LINE_READER_END) {
		too_long.offset = 0;
		if (kind == LINE_READER_TOO_LONG) {
			leave_out_line(run, lines->offset, &too_long);
		} else if (is_blank(line)) {
			answer_line(run, NULL, "an empty line");
		} else if (!run->each && memchr(line.data, '\0', line.size)) {
			run->status = fail_with(
				run->path,
				"not text; expected JSON lines written by 'cairn bt --json CORE'");
			return;
		} else {
			take_line(run, line, lines->offset);
		}
	}
}

static void report_file(struct group_run *run)
{
	if (run->wrong > MESSAGES_MAX)
		print_diagnostic(run->path, "%" PRIu64 " more invalid lines are not reported",
		                 run->wrong - MESSAGES_MAX);
	if (run->stackless > 0)
		print_diagnostic(run->path, "%" PRIu64 " reports have no stack and are not counted",
		                 run->stackless);
	if (run->counted == 0 && run->healthy > 0)
		print_diagnostic(run->path, "contains %" PRIu64 " threads, none of which crashed",
		                 run->healthy);
	if (run->counted + run->healthy + run->stackless + run->wrong == 0 &&
	    run->status != EXIT_BROKEN)
		print_diagnostic(run->path, "contains no crashes; expected lines written by 'cairn "
		                            "bt --json' or 'cairn crash'");
	if (run->stackless > 0 || run->counted == 0)
		run->status = choose_worse(run->status, EXIT_MISSING);
}

static void take_file_of_lines(struct group_run *run, const char *path)
{
	const bool standard = strcmp(path, "-") == 0;
	const int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	const int error = errno;

	run->path = path;
	rights_count_file();
	if (fd < 0) {
		print_diagnostic(path, "cannot read: %s", strerror(error));
		run->status = choose_worse(run->status, EXIT_BROKEN);
		return;
	}
	struct line_reader lines = { .fd = fd };
	run->counted = run->wrong = run->stackless = run->healthy = 0;
	take_lines(run, &lines);
	run->scarce = run->scarce || lines.error == ENOMEM;
	if (lines.error) {
		print_diagnostic(run->path, "cannot read: %s", strerror(lines.error));
		run->status = choose_worse(run->status, EXIT_BROKEN);
	}
	report_file(run);
	line_reader_finish(&lines);
	if (!standard)
		close(fd);
}

/*
 * Read the user's rules. Invalid rules are fatal, because ignoring them would silently change the
 * grouping.
 */
static bool read_rules(struct group_run *run)
{
	struct group_rules_fault fault;

	if (!run->rules_path)
		return true;
	if (!input_open(run->rules_path, &run->rules_file))
		return false;
	if (group_rules_read(&run->rules, run->rules_file.bytes, &fault)) {
		run->reader.rules = &run->rules;
		return true;
	}
	if (fault.line > 0)
		print_diagnostic(run->rules_path, "line %" PRIu64 ": %s; no groups are printed",
		                 fault.line, fault.what);
	else
		print_diagnostic(run->rules_path, "%s; no groups are printed", fault.what);
	group_rules_finish(&run->rules);
	os_file_close(&run->rules_file);
	return false;
}

int verb_group(int argc, char **argv)
{
	static struct group_run run; /* static, because it is too large for the stack */
	static char standard[] = "-", *inputs[] = { standard };
	const struct option options[] = {
		OPTION_FLAG("each", "print the ID of each line instead", &run.each),
		OPTION_FLAG("hashes", "keep the hash of each crash, so parts may overlap",
		            &run.groups.keeps_hashes),
		OPTION_TEXT("rules", "FILE", "skip the functions in FILE too, one rule per line",
		            &run.rules_path),
	};
	const struct command command = COMMAND("cairn group [OPTION...] [FILE...]", about, options,
	                                       OPERANDS(0, OPERANDS_MANY, "FILE"));

	run.json = json_to(stdout);
	run.each = run.scarce = false;
	run.status = EXIT_CLEAN;
	if (!options_parse(&command, &argc, argv, &run.status))
		return run.status;
	if (argc == 0) {
		argc = 1;
		argv = inputs;
	}
	if (!read_rules(&run))
		return EXIT_BROKEN;
	for (int i = 0; i < argc && !run.scarce; i++) {
		rights_expect_files((unsigned)(argc - i));
		take_file_of_lines(&run, argv[i]);
	}
	/*
	 * Print the groups only if all input was counted, because partial counts would look
	 * complete.
	 */
	if (run.scarce || !groups_sort(&run.groups)) {
		run.status = fail_with(NULL, "out of memory; no groups are printed");
	} else {
		for (size_t i = 0; i < run.groups.count; i++)
			group_print(&run.json, run.reader.rules, &run.groups.group[i]);
	}
	groups_finish(&run.groups);
	group_line_finish(&run.reader);
	group_rules_finish(&run.rules);
	if (run.rules_path)
		os_file_close(&run.rules_file);
	return run.status;
}
