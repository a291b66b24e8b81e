/* SPDX-License-Identifier: MIT */
/* What `cairn markup` is made of: its options, its symbols, and its JSON. */
#ifndef CAIRN_CLI_MARKUP_MARKUP_H
#define CAIRN_CLI_MARKUP_MARKUP_H

#include "base/table/interner.h"
#include "base/table/text_cache.h"
#include "cli/front/cli.h"
#include "cli/front/printed.h"
#include "formats/elf/elf_load_base.h"
#include "markup/filter.h"
#include "os/debuginfod/debuginfod.h"
#include "output/json.h"
#include "symbols/names/demangle.h"

enum {
	MARKUP_REASON = 160,    /* bytes of the reason why a module has no symbols */
	MARKUP_ID_MAX = 1024,   /* bytes of a build ID that files are looked for by */
	MARKUP_MADE_ID = 5,     /* bytes of one that is made for a program without */
	MARKUP_BASES_MAX = 16,  /* places at which programs have been, one after the other */
	MARKUP_PATHS_MAX = 128, /* files at paths of a log that are opened */
	/*
	 * Steps of making names readable, which frames share: for any log, and for each byte of it and of files
	 * with symbols.
	 */
	MARKUP_NAMING_LEAST = 1 << 27,
	MARKUP_NAMING_TIMES = 64,
};

/* What an option says about functions. */
enum markup_functions {
	FUNCTIONS_LINKAGE,
	FUNCTIONS_SHORT,
	FUNCTIONS_NONE,
};

/* Where a module is mapped in the log, in addresses as linked; begins with zeros. */
struct markup_places {
	bool any, lowest_is_code, any_code;
	uint64_t lowest;
	struct cairn_range code; /* from the lowest mapping of code to the end of the highest */
};

/* A program of --exe, or a file at the path that a log has, while reports are read: of which places in it they have the offsets. */
struct markup_exe {
	bool opened;
	struct os_file file;
	struct cairn_markup_file *places;
	struct captured_returns *returns; /* if it may have been anywhere: addresses that tell */
	struct cairn_range span;          /* addresses as linked */
	struct cairn_bytes name,
		build_id; /* the last part of its path; the build ID is made if it has none */
	uint8_t made[MARKUP_MADE_ID];
	bool is_used; /* the log named places in it */
	char *path;   /* of a file at a path of the log; the file may not be there */
};

/* Where programs of --exe without BASE have been, by the addresses in the log. */
struct markup_bases {
	struct {
		size_t exe;
		struct load_base base;
	} found[MARKUP_BASES_MAX];
	size_t count, lent; /* all of them, and those that the filters have */
};

/*
 * Symbols of modules by their build IDs, from files that were given or that the system has.
 *
 * Files are opened when the first address of a module is asked for.  A file that is not of this
 * build is refused, unless llvm-symbolizer is to be followed, which takes every one.
 */
struct markup_symbols {
	struct option_words exes;
	const char *folders; /* with symbols and debug files, DIR:DIR... */
	bool symbols_first; /* with any_build: files of symbols are asked, and before debug files */
	bool no_system_folders; /* of debug files; as llvm-symbolizer's option has it */
	const char *functions_word;
	bool raw_names, basenames, relative_names, by_path, use_debuginfod;
	struct debuginfod debuginfod;
	bool reports;                  /* frames without markup are named */
	struct markup_exe *report_exe; /* one for each --exe then, and files at paths of the log */
	size_t report_exes;
	struct markup_bases bases;
	bool any_build; /* take a file of another build, and give names as llvm-symbolizer does */
	enum markup_functions functions;
	struct cairn_symbolizer *symbolizer;
	char *programs[OPTION_WORDS_MAX];
	const struct cairn_markup_module
		*asked;                   /* the last module, and why nothing is known of it, */
	const char *why;                  /* if that is not the usual reason */
	char no_file[MARKUP_REASON];      /* `why` when debuginfod was asked */
	const char *flaw;                 /* why not all of some DWARF was read; NULL: it was */
	struct interner told;             /* build IDs without symbols, which were reported */
	char readable[DEMANGLE_TEXT_MAX]; /* the last readable name */
	struct text_cache names;          /* readable ones of answers */
	struct cairn_location locations[MARKUP_LOCATIONS];
	char *texts[MARKUP_LOCATIONS]; /* readable names of the last answer */
	uint64_t missing;              /* questions without an answer */
	struct allowance *printed;     /* gets credit for each file */
	struct allowance naming;       /* steps of making names readable; so does it */
	void (*say)(void *context, const struct cairn_markup_module *module, const char *why);
	/* What the address is of the frame without markup that is being resolved. */
	enum captured_pc (*report_pc)(void *context);
	/* Where the log has mapped it. */
	struct markup_places (*places)(void *context, const struct cairn_markup_module *module);
	void *context;
};

/* False: memory is short.  It is closed in either case. */
bool markup_symbols_open(struct markup_symbols *symbols);
void markup_symbols_close(struct markup_symbols *symbols);

/* So many bytes more were read, of the log or a file. */
static inline void markup_symbols_credit(struct markup_symbols *symbols, uint64_t size)
{
	printed_credit(symbols->printed, size);
	allowance_add(&symbols->naming, MARKUP_NAMING_TIMES, size);
}

/* These three are for struct cairn_markup_host. */
bool markup_symbols_code(void *symbols, const struct cairn_markup_query *question,
                         struct cairn_markup_result *answer);
bool markup_symbols_data(void *symbols, const struct cairn_markup_query *question,
                         struct cairn_location *location);
struct cairn_bytes markup_symbols_readable(void *symbols, struct cairn_bytes name);

/* A copy of the readable name, kept in texts[index] until the next answer. */
struct cairn_bytes markup_keep_readable(struct markup_symbols *symbols, size_t index,
                                        struct cairn_bytes name);

/*
 * Lends the programs of --exe FILE[@BASE] to the filter; false after a complaint.  With reports, a program that can be loaded
 * anywhere has no place without a BASE, and is found by name and build ID.
 */
bool markup_exes_add_modules(struct markup_symbols *symbols, struct cairn_markup *markup);

/* Is it one of these programs that has no build ID, but one that was made for it?  Then its path is that. */
bool markup_exe_made_path(const struct markup_symbols *symbols, struct cairn_bytes build_id,
                          char *path);

/* Is it the path of a file that was opened because the log tells no more of its module? */
bool markup_is_opened_path(const struct markup_symbols *symbols, struct cairn_bytes name);

/* The build ID that stands for program number `index` if it has none. */
struct cairn_bytes markup_exe_make_id(size_t index, uint8_t made[MARKUP_MADE_ID]);

/* The programs of --exe as modules that reports name (reports.c); false after a message. */
bool markup_report_exes_open(struct markup_symbols *symbols);
void markup_report_exes_close(struct markup_symbols *symbols);

/*
 * Reads lines of the log ahead of the filter, and infers from their addresses where programs of --exe without a BASE have been;
 * markup_exes_add_bases() lends them to a filter.
 */
void markup_bases_read(struct markup_symbols *symbols, struct cairn_bytes lines);
void markup_exes_add_bases(struct markup_symbols *symbols, struct cairn_markup *markup);

/* For struct cairn_markup_host. */
bool markup_symbols_locate(void *symbols, const struct cairn_markup_place *place,
                           struct cairn_markup_module *module, uint64_t *va);

/* Reports once that nothing is known of a module. */
void markup_symbols_miss(struct markup_symbols *symbols, const struct cairn_markup_module *module,
                         const char *why);

void markup_places_add(struct markup_places *places, struct cairn_range vas, bool code);

/* Where the first byte of the module of a Breakpad file is linked; false: that cannot be said (first_byte.c). */
bool markup_first_byte(const struct markup_places *places, const struct cairn_symbols *symbols,
                       uint64_t *va);

/* JSON: a line for each event. */
struct markup_json {
	struct json json;
	uint64_t process; /* with --split-by: which one */
	bool split;
	const struct markup_context *context; /* of the element that is reported */
};

void markup_json_event(void *json, const struct markup_facts *event);

/* Complete lines of text alone; returns how many. */
uint64_t markup_json_lines(struct markup_json *json, uint64_t first, struct cairn_bytes lines);

/* Bytes of names and paths in the answer to an event, and of the modules in a dump. */
uint64_t markup_json_size(const struct markup_facts *event, const struct markup_context *context);

/* The dumps that a log mentions, with the modules and mappings known then. */
struct markup_dumps {
	FILE *out;
	bool begun;
	const struct markup_context *context;
};

bool markup_dumps_open(struct markup_dumps *dumps, const char *path);
void markup_dumps_event(struct markup_dumps *dumps, const struct markup_facts *event);
bool markup_dumps_close(struct markup_dumps *dumps);

#endif
