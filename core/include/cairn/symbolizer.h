/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: symbolizes addresses in any number of modules, with all files that have
 * symbols for them. The functions in symbols.h query one file that the host has opened; these
 * functions find the files first.
 */
#ifndef CAIRN_INCLUDE_SYMBOLIZER_H
#define CAIRN_INCLUDE_SYMBOLIZER_H

#include <cairn/base.h>
#include <cairn/symbol_source.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A symbolizer queries its sources in order of rank until one finds the line of an address:
 *
 *	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;
 *	struct cairn_symbol_module module = CAIRN_SYMBOL_MODULE;
 *	struct cairn_symbol_answer answer;
 *
 *	struct cairn_symbolizer *symbolizer = cairn_symbolizer_new(&options);
 *	module.path = "/usr/bin/true";
 *	status = cairn_symbolizer_find(symbolizer, &module, &va, 1, &answer, sizeof(answer));
 *	for (size_t i = 0; status == CAIRN_OK && i < answer.count; i++)
 *		... answer.locations[i], the innermost inlined call first
 *	cairn_symbolizer_free(symbolizer);
 *
 * It starts with these sources:
 *
 *	rank 100  "symbols"  symbol files found by cairn_symbols_search(); 300 if symbols_late
 *	rank 300  "go"       the function table of a Go program
 *	rank 400  "table"    the symbol tables of the separate debug file and the module's own file
 *	rank 500  "stubs"    the PLT stubs of the module ("puts@plt")
 *
 * libcairn-dwarf has a source for DWARF, of rank 200 (cairn/dwarf.h). Only one thread at a time may
 * use a symbolizer.
 */
struct cairn_symbolizer;

/* policies for accepting files by build ID */
enum cairn_build_policy {
	/*
	 * A file must have the module's build ID. For a module without a build ID, only the file at
	 * its path is used.
	 */
	CAIRN_BUILD_PROVEN,
	/*
	 * Like PROVEN, but for a module without a build ID only a file with the same name in
	 * `programs` is used.
	 */
	CAIRN_BUILD_NAMED,
	/*
	 * A file in the right location is accepted whatever its build ID. Build-ID trees are
	 * searched only for separate debug files, as in llvm-symbolizer.
	 */
	CAIRN_BUILD_ANY,
};

enum cairn_ranking {
	/*
	 * The first source that finds the line; if no source does, the source whose function begins
	 * closest below the address.
	 */
	CAIRN_RANK_LINES,
	CAIRN_RANK_FIRST, /* the first source that finds the function */
};

/* locations and sources to skip */
enum cairn_skip {
	CAIRN_SKIP_MODULE_PATHS = 1,    /* the modules' own paths */
	CAIRN_SKIP_SYSTEM = 2,          /* /usr/lib/debug and the system's other directories */
	CAIRN_SKIP_CACHE = 4,           /* symbol files that cairn has created or fetched */
	CAIRN_SKIP_BUILTIN_SOURCES = 8, /* the sources listed above; only added ones are queried */
};

/* forms of function names from DWARF */
enum cairn_name_style {
	/*
	 * the linkage name; a C++ function without one is qualified by its namespaces and classes
	 */
	CAIRN_NAMES_QUALIFIED,
	/* like QUALIFIED, but a function without a linkage name has its unqualified source name */
	CAIRN_NAMES_PLAIN,
	/* the name in the source for all functions, without namespaces and arguments */
	CAIRN_NAMES_SHORT,
	/*
	 * the linkage name or plain name in DWARF, even if the linker's symbol has a different name
	 */
	CAIRN_NAMES_DWARF,
};

/* forms of file paths from DWARF */
enum cairn_path_style {
	CAIRN_PATHS_WHOLE,
	CAIRN_PATHS_RELATIVE, /* relative to the compilation directory */
};

/* Search rules and limits. Initialize with CAIRN_SYMBOLIZER_OPTIONS. */
struct cairn_symbolizer_options {
	size_t size;
	/*
	 * Directories with symbol files of any kind, as "DIR:DIR"; may be NULL. Separate debug
	 * files are searched for in these directories before the system directories.
	 */
	const char *directories;
	const char *sysroot; /* prefix for the modules' paths, or NULL */
	/* candidate files for modules, matched by build ID; ends with NULL */
	const char *const *programs;
	size_t program_count;
	enum cairn_build_policy builds;
	enum cairn_ranking ranking;
	unsigned skip;      /* sum of CAIRN_SKIP_... values; 0 skips nothing */
	size_t modules_max; /* maximum number of open modules; 0 selects 256 */
	/*
	 * maximum memory of open modules in bytes, including files that are not mapped; 0 selects 1
	 * GiB
	 */
	uint64_t memory_max;
	/* callbacks for opening files; if they are NULL, the library opens files itself */
	struct cairn_file_access files;
	/*
	 * Download a file that is not on this machine, for example from debuginfod, and write its
	 * path to `path`, whose capacity is `size` bytes. Returns false if the file is unavailable.
	 * NULL disables the callback. The library itself never accesses the network.
	 */
	bool (*fetch)(void *context, enum cairn_module_file wanted, struct cairn_bytes build_id,
	              char *path, size_t size);
	void *fetch_context;
	/*
	 * Called with the size in bytes of each file that is opened for lookups. NULL disables the
	 * callback.
	 */
	void (*opened)(void *context, const char *path, uint64_t size);
	void *opened_context;
	enum cairn_name_style names;
	enum cairn_path_style paths;
	bool symbols_late; /* query symbol files after DWARF instead of before it */
	/* if only an address's line is known, return a location without a function name */
	bool accept_unnamed;
	/*
	 * Find a module's lowest va (`lowest` in struct cairn_symbol_module) if a Breakpad file has
	 * been found for the module but none of the module's own files. If it returns false, the
	 * Breakpad file is not used. If NULL, such modules start at 0.
	 */
	bool (*find_lowest)(void *context, const struct cairn_symbol_module *module,
	                    const struct cairn_symbols *symbols, uint64_t *lowest);
	void *find_lowest_context;
	/*
	 * Promise to look up addresses module by module, many per call, and in ascending order. The
	 * symbolizer then does not keep one call's data, including pages of mapped files, in memory
	 * for the next call. Addresses in any other order are still looked up, but more slowly.
	 */
	bool in_order;
};
#define CAIRN_SYMBOLIZER_OPTIONS CAIRN_SIZED(struct cairn_symbolizer_options)

/* flags for missing data that makes results less complete */
enum cairn_missing {
	CAIRN_MISSING_PROGRAM = 1, /* the module's own file has not been found */
	/* the module's own file lacks DWARF, and no separate debug file has been found */
	CAIRN_MISSING_DEBUG = 2,
	CAIRN_MISSING_LINE = 4,  /* no source has found the line */
	CAIRN_MISSING_BUILD = 8, /* a file has been found, but it is from a different build */
	CAIRN_MISSING_ALL = 16,  /* no source has any data for the module */
	CAIRN_MISSING_PART = 32, /* a source has needed data that is damaged or missing */
};

/* Answer for one address. It is valid until the next call with the same symbolizer. */
struct cairn_symbol_answer {
	/* OK; NOT_FOUND if no source covers the address; otherwise the kind of damage */
	enum cairn_status status;
	const struct cairn_location *locations; /* see struct cairn_symbol_found */
	size_t count, all;
	const char *source; /* name of the source that has found the address, or NULL */
	const char *path;   /* path of the file that the source has read; NULL if unknown */
	unsigned missing;   /* sum of CAIRN_MISSING_... values */
	const char *flaw;   /* reason why a queried source ignores some of its data, or NULL */
	struct cairn_fault fault; /* damage in the data; fault.status is OK if the data is intact */
};

/*
 * Create a symbolizer; the caller frees it. Strings and arrays in `options` are borrowed until
 * then. Returns NULL if allocation fails.
 */
CAIRN_API struct cairn_symbolizer *cairn_symbolizer_new(
	const struct cairn_symbolizer_options *options);

/* Close all files and free the symbolizer. NULL is allowed. */
CAIRN_API void cairn_symbolizer_free(struct cairn_symbolizer *symbolizer);

/*
 * Add a source after all sources with the same rank; *source is copied. It is not used for modules
 * that have been looked up before. Returns LIMIT if there are already 16 sources.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbolizer_add(
	struct cairn_symbolizer *symbolizer, const struct cairn_symbol_source *source);

/*
 * Look up `count` addresses in a module, in any order, and fill one answer per address.
 * `answer_size` is sizeof(struct cairn_symbol_answer), so that the struct can grow. The first
 * lookup searches for the module's files. When the limits in the options are reached, the least
 * recently used module is closed. Therefore strings in answers live only until the next call,
 * unless modules_max is SIZE_MAX and memory_max is UINT64_MAX; then they live as long as the
 * symbolizer. Returns OK or NO_MEMORY; problems with an address are reported in its answer.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbolizer_find(
	struct cairn_symbolizer *symbolizer, const struct cairn_symbol_module *module,
	const uint64_t *vas, size_t count, struct cairn_symbol_answer *answers, size_t answer_size);

/*
 * Find the function, variable or other label at an address, or the nearest label below it, in the
 * module's symbol tables. If several labels begin at the same address, the largest is chosen. The
 * location has no line, and has a source file only if the symbol is local. Returns false if there
 * is no label. The strings live as long as strings in answers.
 */
CAIRN_API bool cairn_symbolizer_label(struct cairn_symbolizer *symbolizer,
                                      const struct cairn_symbol_module *module, uint64_t va,
                                      struct cairn_location *location);

/*
 * Find a file of the module, as lookups do. Returns false if no acceptable file is found. The file
 * lives as long as the module is kept open.
 */
CAIRN_API bool cairn_symbolizer_file(struct cairn_symbolizer *symbolizer,
                                     const struct cairn_symbol_module *module,
                                     enum cairn_module_file wanted, struct cairn_open_file *file);

/* Close a module, or all modules if `module` is NULL. */
CAIRN_API void cairn_symbolizer_forget(struct cairn_symbolizer *symbolizer,
                                       const struct cairn_symbol_module *module);

#ifdef __cplusplus
}
#endif

#endif
