/* SPDX-License-Identifier: MIT */
/* Internals of `cairn markup`: options, symbol lookups, and JSON output. */
#ifndef CAIRN_CLI_MARKUP_MARKUP_H
#define CAIRN_CLI_MARKUP_MARKUP_H

#include "base/table.h"
#include "cli/front/cli.h"
#include "cli/front/printed.h"
#include "cli/front/progress.h"
#include "formats/elf/elf.h"
#include "markup/filter.h"
#include "os/debuginfod.h"
#include "output/json.h"
#include "symbols/demangle.h"

#include <regex.h>

enum {
	MARKUP_REASON = 160,
	/*
	 * maximum size of a build ID in bytes; symbols of modules with a longer one are not
	 * searched for
	 */
	MARKUP_ID_MAX = 1024,
	MARKUP_MADE_ID = 5, /* size in bytes of the build ID generated for a program without one */
	/* maximum number of load addresses of --exe programs inferred from one log */
	MARKUP_BASES_MAX = 16,
	MARKUP_PATHS_MAX = 128,
	/*
	 * Limit on demangling steps for all frames together: a minimum, plus a multiple of the size
	 * of the log and of the symbol files.
	 */
	MARKUP_NAMING_LEAST = 1 << 27,
	MARKUP_NAMING_TIMES = 64,
};

enum markup_functions {
	FUNCTIONS_LINKAGE,
	FUNCTIONS_SHORT,
	FUNCTIONS_NONE,
};

/* A module's mappings in the log, converted to link-time addresses. Zero-initialize it. */
struct markup_places {
	bool any, lowest_is_code, any_code;
	uint64_t lowest;
	/* range from the lowest start to the highest end of the code mappings */
	struct cairn_range code;
};

/*
 * With --reports: a program from --exe, or a file at a path in the log. It resolves offsets in a
 * module to link-time addresses.
 */
struct markup_exe {
	bool opened;
	struct os_file file;
	struct cairn_markup_file *places;
	/* runtime addresses from which the load address is inferred; NULL if it is known */
	struct captured_returns *returns;
	struct cairn_range span;
	/* name as in the log, and build ID, which is generated if the program lacks one */
	struct cairn_bytes name, build_id;
	uint8_t made[MARKUP_MADE_ID];
	bool is_used; /* true if the log has locations in this module */
	char *path;   /* path in the log; there may be no such file */
};

/* Load addresses of --exe programs without BASE, inferred from the log. */
struct markup_bases {
	struct {
		size_t exe;
		struct load_base base;
	} found[MARKUP_BASES_MAX];
	/* number of load addresses, and number already added to the filters */
	size_t count, lent;
};

/*
 * Symbols of the modules, found by build ID in the user's files or the system's files.
 *
 * Files are opened when the first address in their module is looked up. A file from a different
 * build is rejected, except when imitating llvm-symbolizer, which accepts every file.
 */
struct markup_symbols {
	struct option_words exes;
	const char *directories; /* DIR:DIR... with symbol and debug files */
	/* with any_build: also use symbol files, and query them before debug files */
	bool symbols_first;
	/* like llvm-symbolizer, do not search the system's debug directories */
	bool no_system_folders;
	const char *functions_word;
	bool raw_names, basenames, relative_names, by_path, use_debuginfod;
	struct debuginfod debuginfod;
	bool reports;
	/* with `reports`: one element per --exe, followed by one per file at a path in the log */
	struct markup_exe *report_exe;
	size_t report_exes;
	struct markup_bases bases;
	/* like llvm-symbolizer, accept files from other builds, and print names in its style */
	bool any_build;
	enum markup_functions functions;
	struct cairn_symbolizer *symbolizer;
	char *programs[OPTION_WORDS_MAX];
	const struct cairn_markup_module *asked;
	/* why `asked` has no symbols; NULL for the default reason */
	const char *why;
	char no_file[MARKUP_REASON]; /* buffer for `why` after a query to debuginfod */
	const char *flaw;            /* why some DWARF was ignored, or NULL */
	struct interner told;        /* modules without symbols that have been reported */
	char readable[DEMANGLE_TEXT_MAX];
	struct text_cache names;
	struct cairn_location locations[MARKUP_LOCATIONS];
	char *texts[MARKUP_LOCATIONS]; /* demangled names in the latest result */
	uint64_t missing;
	/* limits on printed bytes and on demangling steps, raised by the size of each input */
	struct allowance *printed;
	struct allowance naming;
	void (*say)(void *context, const struct cairn_markup_module *module, const char *why);
	/*
	 * Returns the kind of the address in the current frame without markup: exact, or a return
	 * address.
	 */
	enum captured_pc (*report_pc)(void *context);
	struct markup_places (*places)(void *context, const struct cairn_markup_module *module);
	void *context;
};

/*
 * Create the symbolizer. Return false if allocation fails; the caller must call
 * markup_symbols_close() even then.
 */
bool markup_symbols_open(struct markup_symbols *symbols);
void markup_symbols_close(struct markup_symbols *symbols);

/* Raise the limits by `size` bytes read from the log or a file. */
static inline void markup_symbols_credit(struct markup_symbols *symbols, uint64_t size)
{
	printed_credit(symbols->printed, size);
	allowance_add(&symbols->naming, MARKUP_NAMING_TIMES, size);
}

/* Answer queries from the filter. These are callbacks of struct cairn_markup_host. */
bool markup_symbols_code(void *symbols, const struct cairn_markup_query *question,
                         struct cairn_markup_result *answer);
bool markup_symbols_data(void *symbols, const struct cairn_markup_query *question,
                         struct cairn_location *location);
struct cairn_bytes markup_symbols_readable(void *symbols, struct cairn_bytes name);

/*
 * Add the programs from --exe FILE[@BASE] to a filter. With --reports, a position-independent
 * program without BASE is not added, because it will be found by name and build ID. On failure,
 * print a diagnostic and return false.
 */
bool markup_exes_add_modules(struct markup_symbols *symbols, struct cairn_markup *markup);

/*
 * Return true if `build_id` was generated for one of the programs from --exe, and store that
 * program's path.
 */
bool markup_exe_made_path(const struct markup_symbols *symbols, struct cairn_bytes build_id,
                          char *path);

/*
 * Return true if `name` is the path of a file that was opened by its path, because the log contains
 * no build ID for its module.
 */
bool markup_is_opened_path(const struct markup_symbols *symbols, struct cairn_bytes name);

/*
 * Open the programs from --exe to resolve frames without markup (reports.c). On failure, print a
 * diagnostic and return false.
 */
bool markup_report_exes_open(struct markup_symbols *symbols);
void markup_report_exes_close(struct markup_symbols *symbols);

/*
 * Read lines of the log before the filter does, to infer the load addresses of --exe programs
 * without BASE. markup_exes_add_bases() adds these programs to a filter.
 */
void markup_bases_read(struct markup_symbols *symbols, struct cairn_bytes lines);
void markup_exes_add_bases(struct markup_symbols *symbols, struct cairn_markup *markup);

bool markup_symbols_locate(void *symbols, const struct cairn_markup_place *place,
                           struct cairn_markup_module *module, uint64_t *va);

/* Report that a module has no symbols. Each module is reported only once. */
void markup_symbols_miss(struct markup_symbols *symbols, const struct cairn_markup_module *module,
                         const char *why);

void markup_places_add(struct markup_places *places, struct cairn_range vas, bool code);

struct markup_json {
	struct json json;
	uint64_t process; /* index of the process with --split-by */
	bool split;
	const struct markup_context *context;
};

void markup_json_event(void *json, const struct markup_facts *event);

/* Write complete lines without markup. Return their number. */
uint64_t markup_json_lines(struct markup_json *json, uint64_t first, struct cairn_bytes lines);

/*
 * Return the size of the names, paths and build IDs in the JSON for an event, including all modules
 * and mappings for a dumpfile element.
 */
uint64_t markup_json_size(const struct markup_facts *event, const struct markup_context *context);

/*
 * The output file for the dumpfile elements in the log. For each element, the modules and mappings
 * known at that position in the log are written.
 */
struct markup_dumps {
	FILE *out;
	bool begun;
	const struct markup_context *context;
};

bool markup_dumps_open(struct markup_dumps *dumps, const char *path);
void markup_dumps_event(struct markup_dumps *dumps, const struct markup_facts *event);
bool markup_dumps_close(struct markup_dumps *dumps);

/*
 * Splits a log by process, and gives each process its own filter. A regular expression extracts the
 * process from a line: its first group or, if it has no groups, the whole match. A line that does
 * not match belongs to the same process as the previous line. Without an expression there is only
 * one process.
 */

enum {
	SPLIT_PROCESSES = 32,
	SPLIT_KEY = 64,
	/* maximum number of bytes of a line that are matched against the expression */
	SPLIT_HEAD = 4096,
};

struct split_process {
	struct cairn_markup *markup;
	char key[SPLIT_KEY];
	uint64_t used; /* number of the last log line that belongs to the process */
};

struct markup_split {
	const struct cairn_markup_options *options;
	const struct cairn_markup_host *host;
	const struct markup_observer *observer;
	struct markup_symbols *symbols;
	bool has_pattern;
	regex_t pattern;
	struct split_process process[SPLIT_PROCESSES];
	size_t count, current;
	uint64_t line;
	bool inside; /* the start of the line has been read, and its process is known */
	uint8_t head[SPLIT_HEAD]; /* start of the current line, until its process is known */
	size_t held;
};

struct run {
	const char *name;
	struct markup_symbols symbols;
	struct markup_split split;
	struct markup_json json;
	struct markup_dumps dumps;
	const char *style, *colour, *flush, *compat, *dump_path, *pattern;
	enum form form;
	bool strict, interactive, quiet;
	/* number of bytes of the log that have been checked for frames without markup */
	uint64_t looked_at;
	/*
	 * true if the checked bytes contain frames without markup, or markup elements, respectively
	 */
	bool has_frames, has_markup;
	bool learns;    /* infer load addresses while reading the log */
	bool in_blocks; /* output may be block-buffered */
	uint64_t complaints;
	struct allowance printed;
	struct progress progress;
	uint64_t size, done; /* size of the log, or 0 if it is unknown, and number of bytes read */
	bool output_failed;
};

#endif
