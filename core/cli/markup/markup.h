/* SPDX-License-Identifier: MIT */
/* The parts of `cairn markup`: its options, the lookup of symbols, and JSON output. */
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
#include "symbols/names/demangle.h"

#include <regex.h>

enum {
	MARKUP_REASON = 160,
	MARKUP_ID_MAX = 1024,  /* bytes; longer build IDs are not searched for */
	MARKUP_MADE_ID = 5,    /* bytes of a build ID made up for a program without one */
	MARKUP_BASES_MAX = 16, /* load addresses of --exe programs that one log can show */
	MARKUP_PATHS_MAX = 128,
	/*
	 * Allowance of demangling steps, shared by all frames: a fixed amount for any log, and more
	 * for each byte of the log and of the symbol files.
	 */
	MARKUP_NAMING_LEAST = 1 << 27,
	MARKUP_NAMING_TIMES = 64,
};

enum markup_functions {
	FUNCTIONS_LINKAGE,
	FUNCTIONS_SHORT,
	FUNCTIONS_NONE,
};

/* Mappings of a module in the log, as linked addresses. Begins zeroed. */
struct markup_places {
	bool any, lowest_is_code, any_code;
	uint64_t lowest;
	/* from the start of the lowest code mapping to the end of the highest */
	struct cairn_range code;
};

/*
 * A program of --exe, or a file at a path in the log, when reports are read. It resolves offsets
 * that a report gives in the module.
 */
struct markup_exe {
	bool opened;
	struct os_file file;
	struct cairn_markup_file *places;
	/* addresses to infer the load base from; NULL if the base is known */
	struct captured_returns *returns;
	struct cairn_range span;           /* linked addresses */
	struct cairn_bytes name, build_id; /* name in the log, and build ID, made up if necessary */
	uint8_t made[MARKUP_MADE_ID];
	bool is_used; /* the log has locations in this module */
	char *path;   /* path in the log; the file may not exist */
};

/* Load addresses of --exe programs without BASE, inferred from addresses in the log. */
struct markup_bases {
	struct {
		size_t exe;
		struct load_base base;
	} found[MARKUP_BASES_MAX];
	size_t count, lent; /* number found, and number that the filters know already */
};

/*
 * Symbols of modules, found by build ID in the given files or the system's files.
 *
 * Files are opened when the first address of their module is looked up. A file of another build is
 * rejected, except when following llvm-symbolizer, which accepts every file.
 */
struct markup_symbols {
	struct option_words exes;
	const char *folders; /* DIR:DIR... with symbols and debug files */
	bool symbols_first;  /* with any_build: use symbol files too, before debug files */
	/* do not search the system's debug directories, as in llvm-symbolizer */
	bool no_system_folders;
	const char *functions_word;
	bool raw_names, basenames, relative_names, by_path, use_debuginfod;
	struct debuginfod debuginfod;
	bool reports;
	/* with `reports`: one per --exe, then the files at paths in the log */
	struct markup_exe *report_exe;
	size_t report_exes;
	struct markup_bases bases;
	bool any_build; /* accept files of other builds and print names as llvm-symbolizer does */
	enum markup_functions functions;
	struct cairn_symbolizer *symbolizer;
	char *programs[OPTION_WORDS_MAX];
	const struct cairn_markup_module *asked;
	const char *why; /* special reason why `asked` has no symbols; NULL for the usual reason */
	char no_file[MARKUP_REASON]; /* buffer for `why` after a debuginfod request */
	const char *flaw;            /* first error in any DWARF, or NULL */
	struct interner told;        /* modules without symbols that were already reported */
	char readable[DEMANGLE_TEXT_MAX];
	struct text_cache names;
	struct cairn_location locations[MARKUP_LOCATIONS];
	char *texts[MARKUP_LOCATIONS]; /* demangled names of the last answer */
	uint64_t missing;
	struct allowance *printed; /* limit of the output; raised for each input that is read */
	struct allowance naming;   /* limit of demangling steps; raised with `printed` */
	void (*say)(void *context, const struct cairn_markup_module *module, const char *why);
	/* Return what the address of the current frame without markup refers to. */
	enum captured_pc (*report_pc)(void *context);
	struct markup_places (*places)(void *context, const struct cairn_markup_module *module);
	void *context;
};

/* Return false if memory is short. Call markup_symbols_close() in either case. */
bool markup_symbols_open(struct markup_symbols *symbols);
void markup_symbols_close(struct markup_symbols *symbols);

/* Raise the limits by `size` bytes that were read from the log or a file. */
static inline void markup_symbols_credit(struct markup_symbols *symbols, uint64_t size)
{
	printed_credit(symbols->printed, size);
	allowance_add(&symbols->naming, MARKUP_NAMING_TIMES, size);
}

/* Answer questions of the filter. Callbacks of struct cairn_markup_host. */
bool markup_symbols_code(void *symbols, const struct cairn_markup_query *question,
                         struct cairn_markup_result *answer);
bool markup_symbols_data(void *symbols, const struct cairn_markup_query *question,
                         struct cairn_location *location);
struct cairn_bytes markup_symbols_readable(void *symbols, struct cairn_bytes name);

/*
 * Add the programs of --exe FILE[@BASE] to a filter. On failure print a diagnostic and return
 * false. With reports, a position-independent program without BASE is not added; it is found by
 * name and build ID instead.
 */
bool markup_exes_add_modules(struct markup_symbols *symbols, struct cairn_markup *markup);

/* Return true if `build_id` was made up for one of these programs, and store its path. */
bool markup_exe_made_path(const struct markup_symbols *symbols, struct cairn_bytes build_id,
                          char *path);

/*
 * Return true if `name` is a path whose file was opened because the log does not identify the
 * module otherwise.
 */
bool markup_is_opened_path(const struct markup_symbols *symbols, struct cairn_bytes name);

/*
 * Open the programs of --exe to resolve frames without markup (reports.c). On failure print a
 * diagnostic and return false.
 */
bool markup_report_exes_open(struct markup_symbols *symbols);
void markup_report_exes_close(struct markup_symbols *symbols);

/*
 * Read lines of the log ahead of the filter and infer the load addresses of --exe programs without
 * BASE. markup_exes_add_bases() adds them to a filter.
 */
void markup_bases_read(struct markup_symbols *symbols, struct cairn_bytes lines);
void markup_exes_add_bases(struct markup_symbols *symbols, struct cairn_markup *markup);

bool markup_symbols_locate(void *symbols, const struct cairn_markup_place *place,
                           struct cairn_markup_module *module, uint64_t *va);

/* Report a module without symbols, once. */
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

/* Write complete lines of plain text, and return their number. */
uint64_t markup_json_lines(struct markup_json *json, uint64_t first, struct cairn_bytes lines);

/* Return the bytes of names and paths in the JSON of an event, including the modules of a dump. */
uint64_t markup_json_size(const struct markup_facts *event, const struct markup_context *context);

/* File of the dumps that a log mentions, each with the modules and mappings known at that point. */
struct markup_dumps {
	FILE *out;
	bool begun;
	const struct markup_context *context;
};

bool markup_dumps_open(struct markup_dumps *dumps, const char *path);
void markup_dumps_event(struct markup_dumps *dumps, const struct markup_facts *event);
bool markup_dumps_close(struct markup_dumps *dumps);

/*
 * Splits a log into processes, each with its own filter. A regular expression finds the process of
 * a line: its first group if it has one, otherwise the whole match. A line that does not match
 * belongs to the process of the line before. Without an expression there is a single process.
 */

enum {
	SPLIT_PROCESSES = 32,
	SPLIT_KEY = 64,
	SPLIT_HEAD = 4096, /* bytes of a line that are matched */
};

struct split_process {
	struct cairn_markup *markup;
	char key[SPLIT_KEY];
	uint64_t used; /* number of the last line of this process */
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
	bool inside;              /* in the middle of a line whose process is known */
	uint8_t head[SPLIT_HEAD]; /* beginning of an incomplete line */
	size_t held;
};

/* State of one run of `cairn markup`. */

struct run {
	const char *name;
	struct markup_symbols symbols;
	struct markup_split split;
	struct markup_json json;
	struct markup_dumps dumps;
	const char *style, *colour, *flush, *compat, *dump_path, *pattern;
	enum form form;
	bool strict, interactive, quiet;
	uint64_t looked_at; /* bytes of the log that were searched for frames without markup */
	bool has_frames, has_markup; /* the result of that search */
	bool learns;                 /* infer load addresses from the log while it is read */
	bool in_blocks;              /* output may be buffered in blocks */
	uint64_t complaints;
	struct allowance printed;
	struct progress progress;
	uint64_t size, done; /* bytes of the log; `size` is 0 if unknown */
	bool output_failed;
};

#endif
