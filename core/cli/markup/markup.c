/* SPDX-License-Identifier: MIT */
/* `cairn markup`: parses the options and sets up the filter. */
#include "run.h"

#include "output/escape.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char about[] =
	"Reads a log with symbolizer markup from FILE or standard input, and writes it with "
	"names,\n"
	"files and lines in the place of addresses; other text is not changed.  Symbols are "
	"looked\n"
	"for by build ID, in the files of debug information that the system has and those that "
	"the\n"
	"options name; what is missing is told on standard error, once for each module.";

/*
 * Return the run. The filter's callbacks get the symbols as their context, which point to the run.
 */
static struct run *run_of(void *symbols)
{
	return ((struct markup_symbols *)symbols)->context;
}

static void write_all(void *symbols, const void *text, size_t size)
{
	struct run *run = run_of(symbols);
	const char *at = text;

	if (!printed_take(&run->printed, size))
		return;
	while (size > 0 && !run->output_failed) {
		ssize_t wrote = write(STDOUT_FILENO, at, size);
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0) {
			print_diagnostic("standard output", "cannot write: %s", strerror(errno));
			run->output_failed = true;
			return;
		}
		at += wrote;
		size -= (size_t)wrote;
	}
}

static void write_block(void *symbols, const void *text, size_t size)
{
	struct run *run = run_of(symbols);

	if (printed_take(&run->printed, size))
		fwrite(text, 1, size, stdout);
}

static void begin_complaint(struct run *run, uint64_t line)
{
	progress_end(&run->progress);
	print_string_between(stderr, "cairn: ", run->name, "");
	fprintf(stderr, ":%" PRIu64 ":", line);
}

static void complain_element(void *symbols, uint64_t line, uint64_t column, const char *what,
                             struct cairn_bytes found)
{
	struct run *run = run_of(symbols);

	run->complaints++;
	begin_complaint(run, line);
	fprintf(stderr, "%" PRIu64 ": error: %s", column, what);
	if (found.size > 0)
		print_text_between(stderr, ": '", found, "'");
	fputc('\n', stderr);
}

static void report_missing_symbols(void *context, const struct cairn_markup_module *module,
                                   const char *why)
{
	struct run *run = context;

	begin_complaint(run, cairn_markup_line(run->split.process[run->split.current].markup));
	if (module->build_id.size > 0)
		fprintf(stderr, " module #0x%" PRIx64 " '", module->id);
	else
		fputs(" module '", stderr);
	print_text(stderr, module->name);
	fputs(module->build_id.size > 0 ? "' (build ID " : "' (no build ID", stderr);
	print_hex(stderr, module->build_id);
	fprintf(stderr, "): %s\n", why);
}

static struct markup_places find_places(void *context, const struct cairn_markup_module *module)
{
	struct run *run = context;
	const struct address_map *map =
		&markup_context_of(run->split.process[run->split.current].markup)->mappings;
	struct markup_places places = { .any = false };

	for (size_t b = 0; b < map->blocks; b++)
		for (size_t i = 0; i < map->block[b]->count; i++) {
			const struct context_mapping *m = map->block[b]->entry[i].value;
			const struct cairn_range vas = { m->relative,
				                         m->size > UINT64_MAX - m->relative
				                                 ? UINT64_MAX
				                                 : m->relative + m->size };
			if (m->module->told.id == module->id)
				markup_places_add(&places, vas, m->mode & MARKUP_EXECUTE);
		}
	return places;
}

static enum captured_pc find_report_pc(void *context)
{
	struct run *run = context;

	return run->split.process[run->split.current].markup->resolver.report_pc;
}

static void write_event(void *context, const struct markup_facts *event)
{
	struct run *run = context;
	const struct markup_context *known =
		markup_context_of(run->split.process[run->split.current].markup);

	if (!printed_take(&run->printed, markup_json_size(event, known)))
		return;
	if (run->form == FORM_JSON) {
		run->json.process = run->split.current;
		run->json.context = known;
		markup_json_event(&run->json, event);
	}
	if (run->dumps.out) {
		run->dumps.context = known;
		markup_dumps_event(&run->dumps, event);
	}
}

static uint64_t write_lines(void *context, uint64_t first, struct cairn_bytes lines)
{
	struct run *run = context;

	run->json.process = run->split.current;
	return markup_json_lines(&run->json, first, lines);
}

static bool wants_colour(const char *word)
{
	const char *none = getenv("NO_COLOR");

	if (word && strcmp(word, "auto") != 0)
		return strcmp(word, "always") == 0;
	return isatty(STDOUT_FILENO) && !(none && *none);
}

/*
 * Parse one of the given words; *chosen keeps its value if `word` is NULL. Return false for any
 * other word.
 */
static bool parse_choice(const char *word, const char *const words[], unsigned count,
                         unsigned *chosen)
{
	for (unsigned i = 0; word && i < count; i++)
		if (strcmp(word, words[i]) == 0) {
			*chosen = i;
			return true;
		}
	return !word;
}

static bool check_words(const struct command *command, struct run *run,
                        struct cairn_markup_options *options)
{
	static const char *const styles[] = { "cairn", "llvm", "fuchsia" },
				 *const colours[] = { "auto", "always", "never" },
				 *const flushes[] = { "auto", "line", "block" },
				 *const compats[] = { "none", "llvm" },
				 *const functions[] = { "linkage", "short", "none" };
	unsigned style = 0, other = 0, flush = 0, function = 0, compat = 0;

	if (!parse_choice(run->style, styles, 3, &style))
		usage_error(command, "--style is cairn, llvm or fuchsia");
	else if (!parse_choice(run->colour, colours, 3, &other))
		usage_error(command, "--color is auto, always or never");
	else if (!parse_choice(run->flush, flushes, 3, &flush))
		usage_error(command, "--flush is auto, line or block");
	else if (!parse_choice(run->compat, compats, 2, &compat))
		usage_error(command, "--compat is llvm");
	else if (!parse_choice(run->symbols.functions_word, functions, 3, &function))
		usage_error(command, "--functions is linkage, short or none");
	else if (options->reports && (compat || style == CAIRN_MARKUP_LLVM))
		usage_error(command, "--reports adds to what llvm-symbolizer prints");
	else {
		options->style = compat ? CAIRN_MARKUP_LLVM : (enum cairn_markup_style)style;
		options->colour = wants_colour(run->colour);
		options->end_lines = flush == 1;
		run->in_blocks = flush == 2;
		run->symbols.functions = (enum markup_functions)function;
		run->symbols.reports = options->reports;
		run->symbols.any_build = options->style == CAIRN_MARKUP_LLVM;
		if (options->style == CAIRN_MARKUP_LLVM && isatty(STDOUT_FILENO))
			options->style = CAIRN_MARKUP_LLVM_TERMINAL;
		return true;
	}
	return false;
}

static int run_filter(struct run *run, const struct cairn_markup_options *options, const char *path)
{
	const struct cairn_markup_host host = {
		.context = &run->symbols,
		.write = run->in_blocks ? write_block : write_all,
		.code = markup_symbols_code,
		.data = markup_symbols_data,
		.readable = markup_symbols_readable,
		.complain = complain_element,
		.locate = markup_symbols_locate,
	};
	const bool json = run->form == FORM_JSON;
	const struct markup_observer observer = { run, json, json, write_event,
		                                  json ? write_lines : NULL };
	int status = EXIT_BROKEN;

	run->printed = printed_of(0);
	run->symbols.naming = allowance_of(MARKUP_NAMING_LEAST, 0, 0);
	run->symbols.say = report_missing_symbols;
	run->symbols.places = find_places;
	run->symbols.report_pc = find_report_pc;
	run->symbols.context = run;
	run->json.json = json_to(stdout);
	run->json.split = run->pattern != NULL;
	run->split.options = options;
	run->split.host = &host;
	run->split.symbols = &run->symbols;
	if (run->form == FORM_JSON || run->dump_path)
		run->split.observer = &observer;
	bool ready = !run->dump_path || markup_dumps_open(&run->dumps, run->dump_path);
	if (ready && !markup_symbols_open(&run->symbols)) {
		print_diagnostic(NULL, "out of memory");
		ready = false;
	}
	if (ready && !markup_report_exes_open(&run->symbols))
		ready = false;
	if (ready && !markup_split_pattern(&run->split, run->pattern))
		status = EXIT_USAGE;
	else if (ready && markup_split_open(&run->split))
		status = markup_filter_file(run, path);
	if (run->dumps.out && !markup_dumps_close(&run->dumps))
		status = fail_with(run->dump_path, "cannot write");
	markup_split_close(&run->split);
	markup_report_exes_close(&run->symbols);
	markup_symbols_close(&run->symbols);
	return status;
}

#define FOLDERS(word, symbols, set, what)                                                \
	{                                                                                \
		.name = word, .argument = "DIR[:DIR...]", .help = what,                  \
		.rights = RIGHT_FINDS | RIGHT_DIRECTORY, .folders = &(symbols)->folders, \
		.flag = (set)                                                            \
	}

#define OPTIONS_NAMES(symbols)                                                                  \
	OPTION_FLAG("linkage-names", "print mangled names", &(symbols)->raw_names),             \
		OPTION_FLAG("no-demangle", NULL,                                                \
	                    &(symbols)->raw_names), /* name of the option in llvm-symbolizer */ \
		OPTION_FLAG("basenames", "print files without folders", &(symbols)->basenames), \
		OPTION_FLAG("relativenames",                                                    \
	                    "print files relative to the folder of the compilation",            \
	                    &(symbols)->relative_names),                                        \
		OPTION_TEXT("functions", "KIND", "linkage, short or none",                      \
	                    &(symbols)->functions_word)

int verb_markup(int argc, char **argv)
{
	static struct run run = { .symbols = { .debuginfod = { .deadline = DEBUGINFOD_DEADLINE },
		                               .printed = &run.printed } };
	struct cairn_markup_options markup = { .style = CAIRN_MARKUP_CAIRN };
	struct markup_symbols *s = &run.symbols;
	const struct option options[] = {
		OPTION_TEXT("compat", "llvm", "print exactly what llvm-symbolizer prints",
		            &run.compat),
		OPTION_TEXT("style", "STYLE",
		            "cairn (default), llvm, or frames in the style of fuchsia", &run.style),
		OPTION_JSON(&run.form),
		OPTION_TEXT("flush", "WHEN", "when to write: auto (after each read), line or block",
		            &run.flush),
		OPTION_FLAG("reports",
		            "also name frames without markup: of sanitizers, glibc, Rust, kernels, "
		            "systemd",
		            &markup.reports),
		OPTION_FLAG("interactive", "show the beginning of an incomplete line",
		            &run.interactive),
		OPTION_WITH(RIGHT_FINDS, words, 0, "exe", "FILE[@BASE]",
		            "a program loaded at BASE, used when the log names no modules",
		            &s->exes),
		OPTION_TEXT("split-by", "REGEX",
		            "keep a context for each text that REGEX (or its group) matches",
		            &run.pattern),
		FOLDERS("directory", s, &s->symbols_first,
		        "search these folders for symbols and debug files"),
		FOLDERS("debug-file-directory", s, &s->no_system_folders, NULL),
		FOLDERS("gsym-directory", s, &s->symbols_first, NULL),
		OPTION_FLAG("module-paths",
		            "also open modules at the path in the log, if the build ID matches",
		            &s->by_path),
		OPTION_WITH(RIGHT_NETWORK | RIGHT_FETCHES, flag, 0, "debuginfod", NULL,
		            "also ask the servers in DEBUGINFOD_URLS", &s->use_debuginfod),
		OPTION_DEBUGINFOD_DEADLINE(&s->debuginfod.deadline),
		OPTION_OUTPUT(0, "dumpfile-output", "FILE",
		              "write dumps and their context to FILE, as JSON", &run.dump_path),
		OPTION_TEXT("color", "WHEN", "auto, always or never", &run.colour),
		OPTION_FLAG("strict", "exit with 1 when something was malformed or not found",
		            &run.strict),
		OPTIONS_NAMES(s),
		OPTION_FLAG("repeat-prefix",
		            "repeat the text before a frame before its inlined calls",
		            &markup.repeat_prefix),
		OPTION_FLAG("adjusted",
		            "addresses without ra or pc are inside the call (sanitizers)",
		            &markup.already_before),
		OPTION_NO_PROGRESS(&run.quiet),
	};
	const struct command command = { "cairn markup [OPTION...] [FILE]",
		                         about,
		                         options,
		                         COUNT(options),
		                         .operands = { 0, 1, { "FILE" } },
		                         .rights = RIGHT_FINDS };
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (!check_words(&command, &run, &markup))
		return EXIT_USAGE;
	return run_filter(&run, &markup, argc > 0 ? argv[0] : NULL);
}
