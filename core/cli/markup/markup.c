/* SPDX-License-Identifier: MIT */
/* `cairn markup`: parses the options, reads the log, splits it by process, and filters it. */
#include "markup.h"

#include "base/bytes.h"
#include "locate/captured_files.h"
#include "output/escape.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool open_process(struct markup_split *s, struct split_process *p)
{
	p->markup = cairn_markup_new(s->options, s->host);
	if (!p->markup)
		return refuse_with(NULL, "out of memory");
	if (s->observer)
		markup_observe(p->markup, s->observer);
	return markup_exes_add_modules(s->symbols, p->markup);
}

/*
 * Compile the regular expression `pattern`, which may be NULL. If it is invalid, print a diagnostic
 * and return false.
 */
static bool markup_split_pattern(struct markup_split *s, const char *pattern)
{
	char why[256];
	int error = pattern ? regcomp(&s->pattern, pattern, REG_EXTENDED) : 0;

	if (error) {
		regerror(error, &s->pattern, why, sizeof(why));
		return refuse_with(NULL, "--split-by: %s", why);
	}
	s->has_pattern = pattern != NULL;
	return true;
}

static bool markup_split_open(struct markup_split *s)
{
	s->count = 1;
	return open_process(s, &s->process[0]);
}

static void markup_split_close(struct markup_split *s)
{
	for (size_t i = 0; i < s->count; i++)
		cairn_markup_free(s->process[i].markup);
	if (s->has_pattern)
		regfree(&s->pattern);
}

/* Find the least recently used process, whose slot is given to a new process. */
static size_t find_oldest_process(const struct markup_split *s)
{
	size_t found = 0;

	for (size_t i = 1; i < s->count; i++)
		if (s->process[i].used < s->process[found].used)
			found = i;
	return found;
}

static bool find_process(struct markup_split *s, const char *key, size_t *index)
{
	for (*index = 0; *index < s->count; ++*index)
		if (strcmp(s->process[*index].key, key) == 0)
			return true;
	if (s->count < SPLIT_PROCESSES) {
		*index = s->count;
		if (!open_process(s, &s->process[s->count]))
			return false;
		s->count++;
	} else {
		*index = find_oldest_process(s);
		if (cairn_markup_finish(s->process[*index].markup) != CAIRN_OK)
			return false;
	}
	snprintf(s->process[*index].key, SPLIT_KEY, "%s", key);
	return true;
}

static bool choose_process(struct markup_split *s, struct cairn_bytes line)
{
	char key[SPLIT_KEY];
	size_t index;

	static char text[SPLIT_HEAD + 1];
	regmatch_t found[2];
	size_t size = line.size < SPLIT_HEAD ? line.size : SPLIT_HEAD;
	memcpy(text, line.data, size);
	text[size] = '\0';
	if (regexec(&s->pattern, text, 2, found, 0) != 0)
		return true;
	const regmatch_t *m = s->pattern.re_nsub > 0 && found[1].rm_so >= 0 ? &found[1] : &found[0];
	snprintf(key, SPLIT_KEY, "%.*s", (int)(m->rm_eo - m->rm_so), text + m->rm_so);
	if (!find_process(s, key, &index))
		return false;
	if (index != s->current) {
		/*
		 * finish an open module line first, because otherwise the output for the next
		 * process would be appended to it
		 */
		module_line_end(&s->process[s->current].markup->renderer);
		cairn_markup_pause(s->process[s->current].markup);
	}
	s->current = index;
	return true;
}

static enum cairn_status feed_line_piece(struct markup_split *s, struct cairn_bytes piece)
{
	struct split_process *p = &s->process[s->current];
	bool ends = piece.data[piece.size - 1] == '\n';

	p->markup->reporter.position.lines = s->line;
	p->used = s->line;
	s->inside = !ends;
	s->line += ends;
	return cairn_markup_feed(p->markup, piece);
}

static enum cairn_status begin_line(struct markup_split *s, struct cairn_bytes piece)
{
	return choose_process(s, piece) ? feed_line_piece(s, piece) : CAIRN_NO_MEMORY;
}

/* Feed the buffered line, which is complete or fills the buffer, to the filter of its process. */
static enum cairn_status feed_line_head(struct markup_split *s)
{
	struct cairn_bytes head = { s->head, s->held };

	s->held = 0;
	return head.size > 0 ? begin_line(s, head) : CAIRN_OK;
}

static enum cairn_status buffer_line_head(struct markup_split *s, struct cairn_bytes piece,
                                          size_t *taken)
{
	size_t capacity = SPLIT_HEAD - s->held;

	*taken = piece.size < capacity ? piece.size : capacity;
	memcpy(s->head + s->held, piece.data, *taken);
	s->held += *taken;
	if (s->held < SPLIT_HEAD && s->head[s->held - 1] != '\n')
		return CAIRN_OK;
	return feed_line_head(s);
}

static enum cairn_status markup_split_feed(struct markup_split *s, struct cairn_bytes text)
{
	enum cairn_status status = CAIRN_OK;

	if (!s->has_pattern)
		return cairn_markup_feed(s->process[0].markup, text);
	while (text.size > 0 && status == CAIRN_OK) {
		const uint8_t *end = memchr(text.data, '\n', text.size);
		size_t size = end ? (size_t)(end + 1 - text.data) : text.size;
		struct cairn_bytes piece = { text.data, size };
		if (s->inside)
			status = feed_line_piece(s, piece);
		else if (s->held == 0 && (end || size >= SPLIT_HEAD))
			status = begin_line(s, piece);
		else
			status = buffer_line_head(s, piece, &size);
		text.data += size;
		text.size -= size;
	}
	return status;
}

/* Process an incomplete line now, because no more input is available for the moment. */
static enum cairn_status markup_split_pause(struct markup_split *s)
{
	enum cairn_status status = feed_line_head(s);

	cairn_markup_pause(s->process[s->current].markup);
	return status;
}

static enum cairn_status markup_split_finish(struct markup_split *s)
{
	enum cairn_status status = feed_line_head(s);

	for (size_t i = 0; i < s->count; i++) {
		enum cairn_status one = cairn_markup_finish(s->process[i].markup);
		status = one != CAIRN_OK ? one : status;
	}
	return status;
}

/*
 * Reads the log. Output is flushed after each read, so that lines appear as soon as they are
 * complete even if the input arrives slowly.
 */

enum {
	INPUT_CAPACITY = 1 << 18,
	LOOK_MAX = 1 << 16,
};

static void learn_bases(struct run *run, struct cairn_bytes lines)
{
	struct markup_symbols *s = &run->symbols;

	markup_bases_read(s, lines);
	for (; s->bases.lent < s->bases.count; s->bases.lent++) {
		progress_end(&run->progress);
		const struct load_base *base = &s->bases.found[s->bases.lent].base;
		print_diagnostic(s->programs[s->bases.found[s->bases.lent].exe],
		                 CAPTURED_FILES_LOADED, base->first, base->follow, base->inside);
		for (size_t i = 0; i < run->split.count; i++)
			markup_exes_add_bases(s, run->split.process[i].markup);
	}
}

/*
 * Infer load addresses from a regular file before the file is read again to filter it, because the
 * frames that reveal a load address may come after frames that need it. Return false if the file is
 * not regular.
 */
static bool learn_bases_of_file(struct run *run, int input)
{
	struct os_file file;

	if (run->size == 0 || os_file_open_descriptor(input, run->name, &file) != 0)
		return false;
	learn_bases(run, file.bytes);
	os_file_close(&file);
	return true;
}

/*
 * Check whether the start of the log has frames without markup but no markup elements; if so,
 * --reports is suggested. For speed, parse only lines that contain "0x".
 */
static void look_for_frames(struct run *run, struct cairn_bytes piece)
{
	struct captured_text text = captured_text_open();
	struct captured_line line;

	piece.size =
		piece.size > LOOK_MAX - run->looked_at ? LOOK_MAX - run->looked_at : piece.size;
	run->looked_at += piece.size;
	while (piece.size > 0 && !run->has_markup && !run->has_frames) {
		struct cairn_bytes part = bytes_take_part(&piece, '\n'), rest = part;
		const uint8_t *x, *brace = memchr(part.data, '{', part.size);
		run->has_markup = run->has_markup || (brace && part.data + part.size - brace >= 3 &&
		                                      memcmp(brace, "{{{", 3) == 0);
		while (rest.size > 0 && (x = memchr(rest.data, 'x', rest.size))) {
			rest.size -= (size_t)(x + 1 - rest.data);
			rest.data = x + 1;
			if (x == part.data || x[-1] != '0')
				continue;
			run->has_frames = run->has_frames ||
			                  captured_text_line(&text, part, &line) == CAPTURED_FRAME;
			break;
		}
	}
}

/*
 * Filter a piece of the log. If the output exceeds the print limit, print a diagnostic and return
 * false.
 */
static bool filter_piece(struct run *run, struct cairn_bytes piece, enum cairn_status *status)
{
	const bool tired = run->symbols.naming.over;

	if (run->learns)
		learn_bases(run, piece);
	if (!run->symbols.reports && run->looked_at < LOOK_MAX && !run->has_markup &&
	    !run->has_frames)
		look_for_frames(run, piece);
	markup_symbols_credit(&run->symbols, piece.size);
	*status = markup_split_feed(&run->split, piece);
	if (run->symbols.naming.over && !tired) {
		progress_end(&run->progress);
		print_diagnostic(
			run->name,
			"demangling exceeds the work limit; the remaining names stay mangled");
	}
	if (run->printed.over) {
		progress_end(&run->progress);
		print_diagnostic(run->name,
		                 "names exceed the size limit; the rest of the log is omitted");
	}
	return !run->printed.over;
}

static bool read_input(struct run *run, int input)
{
	static uint8_t buffer[INPUT_CAPACITY];
	struct pollfd more = { .fd = input, .events = POLLIN };
	enum cairn_status status = CAIRN_OK;
	struct stat about;
	bool within = true;
	ssize_t got = 1;

	/* progress needs the size of the input, which is known only for regular files */
	if (fstat(input, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0)
		run->size = (uint64_t)about.st_size;
	run->progress = progress_begin_aside(run->name, "bytes", run->quiet);
	for (size_t i = 0; i < run->symbols.exes.count && run->symbols.reports; i++)
		run->learns = run->learns || run->symbols.report_exe[i].returns;
	if (run->learns && learn_bases_of_file(run, input))
		run->learns = false;
	while (status == CAIRN_OK && got > 0 && within && !run->output_failed) {
		progress_update(&run->progress, run->done, run->size);
		got = read(input, buffer, sizeof(buffer));
		if (got < 0 && errno == EINTR) {
			got = 1;
			continue;
		}
		if (got < 0)
			print_diagnostic(run->name, "cannot read: %s", strerror(errno));
		/*
		 * a log may contain any bytes, so recognize other file types only by their magic
		 * numbers
		 */
		if (got >= 4 && run->done == 0 && !run->compat &&
		    (memcmp(buffer, "\177ELF", 4) == 0 || memcmp(buffer, "MDMP", 4) == 0))
			print_diagnostic(run->name,
			                 "not text; expected a log with symbolizer markup");
		run->done += got > 0 ? (uint64_t)got : 0;
		if (got > 0)
			within = filter_piece(run, (struct cairn_bytes){ buffer, (size_t)got },
			                      &status);
		if (status == CAIRN_OK && run->interactive && poll(&more, 1, 0) == 0)
			status = markup_split_pause(&run->split);
		if (!run->in_blocks)
			fflush(stdout);
	}
	progress_end(&run->progress);
	if (status == CAIRN_OK)
		status = markup_split_finish(&run->split);
	if (status != CAIRN_OK)
		print_diagnostic(run->name, "%s", cairn_status_text(status));
	return status == CAIRN_OK && got == 0 && !run->output_failed;
}

/* Filter the log at `path`, or standard input if `path` is NULL. Return the exit status. */
static int markup_filter_file(struct run *run, const char *path)
{
	int input = STDIN_FILENO;

	run->name = "standard input";
	if (path && strcmp(path, "-") != 0) {
		run->name = path;
		input = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (input < 0)
		return fail_with(path, "cannot read: %s", strerror(errno));
	bool good = read_input(run, input);
	if (input != STDIN_FILENO)
		close(input);
	if (!good)
		return EXIT_BROKEN;
	for (size_t i = 0; run->symbols.reports && i < run->symbols.exes.count; i++) {
		const struct captured_returns *r = run->symbols.report_exe[i].returns;
		if (r && r->bare > 0 && !run->symbols.report_exe[i].is_used &&
		    run->symbols.bases.count == 0)
			print_diagnostic(
				run->symbols.programs[i],
				"the log does not record the load address, and its %zu addresses "
				"are ambiguous; specify the load address with --exe FILE@BASE",
				r->bare);
	}
	if (run->has_frames && !run->has_markup && !run->symbols.any_build)
		print_diagnostic(run->name,
		                 "contains frames without markup; use --reports to symbolize them");
	return run->strict && (run->complaints || run->symbols.missing) ? EXIT_MISSING : EXIT_CLEAN;
}

static const char about[] =
	"Read a log with symbolizer markup from FILE or standard input and replace addresses\n"
	"by names, files and lines; other text is unchanged. Symbols are searched by build\n"
	"ID, in the debug information of the system and in the files that options name. Each\n"
	"module without symbols is reported once on standard error.";
/*
 * Return the struct run that contains `symbols`. The filter's callbacks get `symbols` as their
 * context.
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
 * Parse an option value that must be one of `words`. If `word` is NULL, *chosen is unchanged.
 * Return false if `word` is not one of them.
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
		usage_error(command, "--style must be cairn, llvm or fuchsia");
	else if (!parse_choice(run->colour, colours, 3, &other))
		usage_error(command, "--color must be auto, always or never");
	else if (!parse_choice(run->flush, flushes, 3, &flush))
		usage_error(command, "--flush must be auto, line or block");
	else if (!parse_choice(run->compat, compats, 2, &compat))
		usage_error(command, "--compat must be llvm");
	else if (!parse_choice(run->symbols.functions_word, functions, 3, &function))
		usage_error(command, "--functions must be linkage, short or none");
	else if (options->reports && (compat || style == CAIRN_MARKUP_LLVM))
		usage_error(command, "--reports cannot be used with --compat llvm or --style llvm");
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
		.size = sizeof(struct cairn_markup_host),
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

#define DIRECTORIES(word, symbols, set, what)                                                    \
	{                                                                                        \
		.name = word, .argument = "DIR[:DIR...]", .help = what,                          \
		.rights = RIGHT_FINDS | RIGHT_DIRECTORY, .directories = &(symbols)->directories, \
		.flag = (set)                                                                    \
	}
#define OPTIONS_NAMES(symbols)                                                                    \
	OPTION_FLAG("linkage-names", "print mangled names", &(symbols)->raw_names),               \
		OPTION_FLAG("no-demangle", NULL,                                                  \
	                    &(symbols)->raw_names), /* llvm-symbolizer's name for this option */  \
		OPTION_FLAG("basenames", "print files without directories",                       \
	                    &(symbols)->basenames),                                               \
		OPTION_FLAG("relativenames", "print files relative to the compilation directory", \
	                    &(symbols)->relative_names),                                          \
		OPTION_TEXT("functions", "KIND", "linkage, short or none",                        \
	                    &(symbols)->functions_word)

int verb_markup(int argc, char **argv)
{
	static struct run run = { .symbols = { .debuginfod = { .deadline = DEBUGINFOD_DEADLINE },
		                               .printed = &run.printed } };
	struct cairn_markup_options markup = { .size = sizeof(struct cairn_markup_options),
		                               .style = CAIRN_MARKUP_CAIRN };
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
		            "also name frames without markup: of sanitizers, glibc, Rust, Swift, "
		            "kernels, systemd",
		            &markup.reports),
		OPTION_FLAG("interactive", "show the beginning of an incomplete line",
		            &run.interactive),
		OPTION_WITH(RIGHT_FINDS, words, 0, "exe", "FILE[@BASE]",
		            "program loaded at BASE, used if the log names no modules", &s->exes),
		OPTION_TEXT("split-by", "REGEX",
		            "keep a context per string that REGEX (or its group) matches",
		            &run.pattern),
		DIRECTORIES("directory", s, &s->symbols_first,
		            "search these directories for symbols and debug files"),
		DIRECTORIES("debug-file-directory", s, &s->no_system_folders, NULL),
		DIRECTORIES("gsym-directory", s, &s->symbols_first, NULL),
		OPTION_FLAG("module-paths",
		            "also open modules at the path in the log, if the build ID matches",
		            &s->by_path),
		OPTION_DEBUGINFOD("also ask the servers in DEBUGINFOD_URLS", &s->use_debuginfod),
		OPTION_DEBUGINFOD_DEADLINE(&s->debuginfod.deadline),
		OPTION_OUTPUT(0, "dumpfile-output", "FILE",
		              "write dumps and their context to FILE, as JSON", &run.dump_path),
		OPTION_TEXT("color", "WHEN", "auto, always or never", &run.colour),
		OPTION_FLAG("strict", "exit with 1 if something was malformed or not found",
		            &run.strict),
		OPTIONS_NAMES(s),
		OPTION_FLAG("repeat-prefix",
		            "repeat the prefix of a frame before its inlined calls",
		            &markup.repeat_prefix),
		OPTION_FLAG("adjusted",
		            "addresses without ra or pc are inside the call (sanitizers)",
		            &markup.already_before),
		OPTION_NO_PROGRESS(&run.quiet),
	};
	const struct command command = COMMAND("cairn markup [OPTION...] [FILE]", about, options,
	                                       OPERANDS(0, 1, "FILE"), .rights = RIGHT_FINDS);
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (!check_words(&command, &run, &markup))
		return EXIT_USAGE;
	return run_filter(&run, &markup, argc > 0 ? argv[0] : NULL);
}
