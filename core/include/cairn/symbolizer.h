/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: symbolizes addresses in any number of modules, with all files that have
 * symbols for them. The functions in symbols.h query one file that the host has opened; these
 * functions find the files first.
 */
#ifndef CAIRN_INCLUDE_SYMBOLIZER_H
#define CAIRN_INCLUDE_SYMBOLIZER_H

#include <cairn/base.h>
#include <cairn/symbols.h>

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
 *	cairn_symbolizer_add(symbolizer, cairn_dwarf_source());     with libcairn-dwarf (cairn/dwarf.h)
 *	module.path = "/usr/bin/true";
 *	if (cairn_symbolizer_find(symbolizer, &module, &va, 1, &answer) == CAIRN_OK)
 *		for (size_t i = 0; i < answer.count; i++)
 *			... answer.locations[i], the innermost inlined call first
 *	cairn_symbolizer_free(symbolizer);
 *
 * It starts with these sources:
 *
 *	rank 100  "symbols"  symbol files found by cairn_symbol_file_find(); 300 if symbols_late
 *	rank 300  "go"       the function table of a Go program
 *	rank 400  "table"    the symbol tables of the separate debug file and of the module's own file
 *	rank 500  "stubs"    the PLT stubs of the module ("puts@plt")
 *
 * libcairn-dwarf adds DWARF with rank 200. Only one thread at a time may use a symbolizer.
 */
struct cairn_symbolizer;

/* A module whose addresses are looked up. Initialize with CAIRN_SYMBOL_MODULE. */
struct cairn_symbol_module {
	size_t size;
	const char *path;            /* path of the module's file in its process; NULL if unknown */
	struct cairn_bytes build_id; /* if empty, the build ID is read from the file at `path` */
	/*
	 * Contents of the module's file and of its separate debug file, if the host has them; cairn
	 * searches for the files if these are empty. The bytes are not checked against the build
	 * ID, and are borrowed until the symbolizer is freed or cairn_symbolizer_forget() is
	 * called.
	 */
	struct cairn_bytes file, debug_file;
	/* va of the module's first byte in memory, which is the base address in a Breakpad file */
	uint64_t lowest;
	bool has_lowest;  /* if false, `lowest` is read from the module's file */
	bool from_lowest; /* addresses are offsets from `lowest` instead of va */
};
#define CAIRN_SYMBOL_MODULE                                                               \
	{                                                                                 \
		sizeof(struct cairn_symbol_module), NULL, CAIRN_NO_BYTES, CAIRN_NO_BYTES, \
			CAIRN_NO_BYTES, 0, false, false                                   \
	}

/* roles of a module's files */
enum cairn_module_file {
	CAIRN_FILE_PROGRAM, /* the module's own file */
	CAIRN_FILE_DEBUG,   /* the module's separate debug file */
	/* file shared by several debug files (.gnu_debugaltlink, created by dwz) */
	CAIRN_FILE_ALTERNATE,
	CAIRN_FILE_PACKAGE, /* the module's split DWARF package (.dwp) */
	CAIRN_FILE_SPLIT,   /* the split DWARF of one compilation unit (.dwo) */
};

/* A file in memory. */
struct cairn_open_file {
	struct cairn_bytes bytes;
	const char *path; /* path of the file; NULL if the host has lent the bytes */
	void *handle;     /* private to the function that has opened the file */
	/* the bytes are mapped, so released pages are read from the file again */
	bool mapped;
};

/*
 * Callbacks for opening files, for hosts that map files or get them from elsewhere. open() returns
 * 0 or an errno value and must reject anything but regular files. It sets file->bytes, and may set
 * file->handle and file->mapped. close() releases the file. If both are NULL, the library copies
 * files into memory, so that changes to a file cannot crash the host.
 */
struct cairn_file_access {
	int (*open)(void *context, const char *path, struct cairn_open_file *file);
	void (*close)(void *context, struct cairn_open_file *file);
	void *context;
};

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
	const char *folders;
	const char *sysroot; /* prefix for the modules' paths, or NULL */
	/* candidate files for modules, matched by build ID; ends with NULL */
	const char *const *programs;
	size_t program_count;
	enum cairn_build_policy builds;
	enum cairn_ranking ranking;
	bool only_files_given; /* do not use the modules' paths or the system directories */
	bool bare;             /* do not add the built-in sources */
	size_t modules_max;    /* maximum number of open modules; 0 selects 256 */
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
	bool no_system_folders; /* search only `folders`, not /usr/lib/debug */
	bool symbols_late;      /* query symbol files after DWARF instead of before it */
	/* if only an address's line is known, return a location without a function name */
	bool lines_alone;
	/*
	 * Find a module's lowest va (`lowest` in struct cairn_symbol_module) if a Breakpad file has
	 * been found for the module but none of the module's own files. If it returns false, the
	 * Breakpad file is not used. If NULL, such modules start at 0.
	 */
	bool (*place)(void *context, const struct cairn_symbol_module *module,
	              const struct cairn_symbols *symbols, uint64_t *lowest);
	void *place_context;
	bool no_cache; /* ignore symbol files that cairn has created or fetched */
	/*
	 * Promise to look up addresses module by module, many per call, and in ascending order. The
	 * symbolizer then does not keep one call's data, including pages of mapped files, in memory
	 * for the next call. Addresses in any other order are still looked up, but more slowly.
	 */
	bool in_order;
};
#define CAIRN_SYMBOLIZER_OPTIONS                                                                   \
	{                                                                                          \
		sizeof(struct cairn_symbolizer_options), NULL, NULL, NULL, 0, CAIRN_BUILD_PROVEN,  \
			CAIRN_RANK_LINES, false, false, 0, 0, { NULL, NULL, NULL }, NULL, NULL,    \
			NULL, NULL, CAIRN_NAMES_QUALIFIED, CAIRN_PATHS_WHOLE, false, false, false, \
			NULL, NULL, false, false                                                   \
	}

/*
 * Argument of a source's open() function. file() finds a file of the module, or returns false; it
 * searches for each file only once. Found files live as long as the object that the source opens,
 * even if they are requested later through a copy of this struct. `directory` and `name` identify a
 * CAIRN_FILE_SPLIT and are empty for other files.
 */
struct cairn_symbol_search {
	size_t size; /* sizeof(struct cairn_symbol_search) */
	const struct cairn_symbol_module *module;
	const struct cairn_symbolizer_options *options;
	bool (*file)(struct cairn_symbol_search *search, enum cairn_module_file wanted,
	             struct cairn_bytes directory, struct cairn_bytes name,
	             struct cairn_open_file *file);
	void *context; /* private to cairn */
};

/*
 * A source's result for one address. It consists of `count` locations in the function at the
 * address, innermost first, then the locations in functions that the linker folded into the same
 * code. `all` is the total number of locations. For each function, only the last location is not
 * inlined. Strings live until the source is closed or released.
 */
struct cairn_symbol_found {
	const struct cairn_location *locations;
	size_t count, all;
	/* damage in the data, or NULL; if set, only the readable locations are listed */
	const struct cairn_fault *fault;
};

/*
 * Receives a source's results. take() is called at most once for each address, with the address's
 * index in the query; the data in `found` is borrowed during the call.
 */
struct cairn_symbol_taker {
	void (*take)(void *context, size_t index, const struct cairn_symbol_found *found);
	void *context;
};

/*
 * A source of symbols. open() creates an object for one module's symbols and stores it in *opened;
 * close() frees the object. open() returns NOT_FOUND if the source has no data for the module.
 * find() looks up `count` addresses and calls taker->take() for each address that it finds. The
 * functions after find() may be NULL.
 */
struct cairn_symbol_source {
	size_t size;      /* sizeof(struct cairn_symbol_source) */
	unsigned rank;    /* sources with lower ranks are queried first */
	const char *name; /* identifier, such as "dwarf" */
	void *context;
	enum cairn_status (*open)(void *context, struct cairn_symbol_search *search, void **opened,
	                          struct cairn_fault *fault);
	void (*find)(void *opened, const uint64_t *vas, size_t count,
	             const struct cairn_symbol_taker *taker);
	void (*close)(void *opened);
	/* return the path of the file that results come from */
	const char *(*path)(const void *opened);
	/* return the memory used by the object in bytes, not counting files */
	uint64_t (*memory)(const void *opened);
	void (*release)(void *opened); /* free memory whose contents can be read again */
	/* return a reason why some of the data is ignored; NULL if all data is read */
	const char *(*flaw)(const void *opened);
	/*
	 * the source's data includes the data of all later sources, which are not queried once this
	 * source is open
	 */
	bool whole;
	/* return true if data needed for a result is damaged or missing */
	bool (*damaged)(const void *opened);
	bool (*complete)(const void *opened); /* return true if `whole` applies to this module */
};

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
 * that have been looked up before. Returns NO_MEMORY if there are already 16 sources.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbolizer_add(
	struct cairn_symbolizer *symbolizer, const struct cairn_symbol_source *source);

/*
 * Look up `count` addresses in a module, in any order, and fill one answer per address. The first
 * lookup searches for the module's files. When the limits in the options are reached, the least
 * recently used module is closed. Therefore strings in answers live only until the next call,
 * unless modules_max is SIZE_MAX and memory_max is UINT64_MAX; then they live as long as the
 * symbolizer. Returns OK or NO_MEMORY; problems with an address are reported in its answer.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbolizer_find(
	struct cairn_symbolizer *symbolizer, const struct cairn_symbol_module *module,
	const uint64_t *vas, size_t count, struct cairn_symbol_answer *answers);

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

/*
 * Set *source to a source that looks up all modules in symbols that the host has opened. The
 * symbols are borrowed as long as the source is used.
 */
CAIRN_API void cairn_symbols_as_source(struct cairn_symbols *symbols, unsigned rank,
                                       struct cairn_symbol_source *source);

#ifdef __cplusplus
}
#endif

#endif
