/* SPDX-License-Identifier: MIT */
/* `cairn symbolize`: reads one request, or one per line, and prints an answer to each. */
#include "symbolize.h"

#include "cli/front/line_reader.h"
#include "cli/front/rights.h"
#include "os/debuginfod/fetch_line.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char about[] =
	"Answers a request for names on standard input with an object on a line: a thread as "
	"'cairn\n"
	"bt --json' prints it, a report of 'cairn crash', "
	"{\"frames\":[{\"build_id\":..,\"address\":\n"
	"..,\"kind\":..}]}, or a reference to a core, minidump or log. Only symbols below the "
	"folders, "
	"or\n"
	"of the servers, that are named here are used, so that equal requests have equal answers.\n"
	"Exit status: 0 done; 1 no symbols, or not yet; 3 rejected; 75 try again. With --each: 0 "
	"if\n"
	"all lines were answered.";

static void take_status(struct symbolize_answer *answer, enum cairn_status status,
                        const struct cairn_fault *fault, bool has_offset)
{
	if (status == CAIRN_OK)
		return;
	if (status == CAIRN_NO_MEMORY) {
		symbolize_try_again(answer, "out of memory");
		return;
	}
	symbolize_reject(answer, fault->what);
	answer->has_offset = has_offset;
	answer->offset = fault->offset;
}

static bool has_failed(const struct symbolize_answer *answer)
{
	return answer->result == REQUEST_REJECTED || answer->result == REQUEST_TRY_AGAIN;
}

static void name_request(struct symbolize *run, struct symbolize_answer *answer)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };

	if (answer->request.kind == REQUEST_REFERENCE)
		symbolize_read_body(run, answer);
	if (has_failed(answer))
		return;
	take_status(answer, request_ask(&answer->request, run->symbolizer, run->sysroot, &fault),
	            &fault, false);
	if (has_failed(answer))
		return;
	answer->result = request_judge(&answer->request);
	if (run->debuginfod.unanswered)
		symbolize_try_again(answer, run->debuginfod.unanswered);
}

static int choose_status(enum request_result result)
{
	switch (result) {
	case REQUEST_DONE:
		return EXIT_CLEAN;
	case REQUEST_NO_SYMBOLS:
	case REQUEST_NOT_YET:
		return EXIT_MISSING;
	case REQUEST_REJECTED:
		return EXIT_BROKEN;
	case REQUEST_TRY_AGAIN:
		break;
	}
	return SYMBOLIZE_TRY_AGAIN;
}

static int answer_request(struct symbolize *run, struct cairn_bytes text)
{
	static struct symbolize_answer answer; /* too large for the stack */
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };

	answer = (struct symbolize_answer){ .is_hashed = true, .result = REQUEST_DONE };
	run->debuginfod.unanswered = NULL;
	debuginfod_recover(&run->debuginfod);
	take_status(&answer, request_open(&answer.request, text, &fault), &fault, true);
	if (!has_failed(&answer))
		name_request(run, &answer);
	symbolize_print(&answer, text.size);
	request_close(&answer.request);
	free(answer.stacks);
	return choose_status(answer.result);
}

static void answer_long_line(void)
{
	static struct symbolize_answer answer;

	answer = (struct symbolize_answer){ .result = REQUEST_DONE };
	symbolize_reject(&answer, "a line of more than 128 MiB");
	symbolize_print(&answer, 0);
}

/*
 * Answer each line. Answers are flushed before the next request is read, because the peer may be
 * waiting for them. Rejections are not flushed while further complete lines are buffered, so that
 * many rejections are written at once.
 */
static int answer_lines(struct symbolize *run)
{
	static char buffer[SYMBOLIZE_BUFFER];
	struct debuginfod_counts told = { .hits = 0 };
	struct line_reader lines = { .fd = STDIN_FILENO };
	enum line_reader_kind kind;
	struct cairn_bytes line;
	int error;

	(void)setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	while ((kind = line_reader_next(&lines, &line)) != LINE_READER_END) {
		int status = EXIT_BROKEN;
		if (kind == LINE_READER_TOO_LONG)
			answer_long_line();
		else
			status = answer_request(run, line);
		if (run->tell_fetches)
			fetch_line_write(stdout, &run->debuginfod.counts, &told);
		told = run->debuginfod.counts;
		const bool may_wait = status == EXIT_BROKEN && line_reader_has_line(&lines);
		if ((!may_wait && fflush(stdout) != 0) || run->origin.is_lost)
			break;
	}
	error = lines.error;
	line_reader_finish(&lines);
	if (error)
		print_diagnostic("-", "cannot read: %s", strerror(error));
	return error || run->origin.is_lost ? EXIT_BROKEN : EXIT_CLEAN;
}

static int answer_whole(struct symbolize *run)
{
	struct os_file file;

	if (!input_open("-", &file))
		return EXIT_BROKEN;
	const int status = answer_request(run, file.bytes);
	os_file_close(&file);
	return status;
}

static int run_symbolize(struct symbolize *run)
{
	int status = EXIT_BROKEN;

	if (!run->folders && !run->sysroot && !run->bodies && !run->use_debuginfod)
		rights_expect_files(0);
	if (!symbolize_open_symbols(run))
		print_diagnostic(NULL, "out of memory");
	else
		status = run->each ? answer_lines(run) : answer_whole(run);
	cairn_symbolizer_free(run->symbolizer);
	debuginfod_close(&run->debuginfod);
	return status;
}

static int start_origin(void *context)
{
	struct symbolize *run = context;

	if (run->origin.seconds == 0 || run->origin.seconds > ORIGIN_SECONDS_MAX) {
		print_diagnostic(NULL, "--origin-deadline must be from 1 to 3600");
		return EXIT_USAGE;
	}
	return origin_start(&run->origin);
}

int verb_symbolize(int argc, char **argv)
{
	struct symbolize run = { .origin = { .seconds = ORIGIN_SECONDS },
		                 .debuginfod = { .deadline = DEBUGINFOD_DEADLINE } };
	const struct option options[] = {
		OPTION_FLAG("each", "answer each line of standard input with a line", &run.each),
		OPTION_DIRECTORY(&run.folders),
		OPTION_WITH(RIGHT_DIRECTORY, text, 0, "sysroot", "DIR",
		            "look for the files of modules by their paths below DIR", &run.sysroot),
		OPTION_TEXT("bodies", "DIR",
		            "read the files of references, whose paths are below DIR", &run.bodies),
		OPTION_TEXT("origin", "URL",
		            "fetch the files of references, whose URLs are below URL",
		            &run.origin.url),
		OPTION_NUMBER("origin-deadline", "SECONDS", "seconds for each of them (30)",
		              &run.origin.seconds),
		OPTION_WITH(RIGHT_NETWORK | RIGHT_FETCHES, flag, 0, "debuginfod", NULL,
		            "also ask the servers in DEBUGINFOD_URLS", &run.use_debuginfod),
		OPTION_DEBUGINFOD_DEADLINE(&run.debuginfod.deadline),
		OPTION_FLAG("fetches", "with --each: a line after an answer says what was fetched",
		            &run.tell_fetches),
	};
	const struct command command = { "cairn symbolize [OPTION...]", about, options,
		                         COUNT(options), .rights = 0 };
	const struct options_before before = { start_origin, &run };
	int status = EXIT_CLEAN;

	if (!options_parse_then(&command, &argc, argv, &before, &status))
		return status;
	status = run_symbolize(&run);
	origin_stop(&run.origin);
	return status;
}
