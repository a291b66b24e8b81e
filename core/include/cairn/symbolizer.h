/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: the names of addresses in any number of modules, from all files that have
 * them. symbols.h answers from one file that the host opened; the functions here find the files
 * first.
 */
#ifndef CAIRN_INCLUDE_SYMBOLIZER_H
#define CAIRN_INCLUDE_SYMBOLIZER_H

#include <cairn/base.h>
#include <cairn/symbols.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A symbolizer queries its sources in the order of their ranks until one knows the line of an
 * address:
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
 *	rank 100  "symbols"  files of symbols, as cairn_symbol_file_find() finds them; or 300, by the options
 *	rank 300  "go"       the table of a Go program
 *	rank 400  "table"    the symbol tables of the separate debug file and of the module's own file
 *	rank 500  "stubs"    the stubs of its PLT ("puts@plt")
 *
 * libcairn-dwarf adds DWARF with rank 200. One thread at a time may use a symbolizer.
 */
struct cairn_symbolizer;

/* A module whose addresses are looked up. Begin with CAIRN_SYMBOL_MODULE. */
struct cairn_symbol_module {
	size_t size;                 /* sizeof(struct cairn_symbol_module) */
	const char *path;            /* path of its file, as its process saw it; NULL if unknown */
	struct cairn_bytes build_id; /* if empty, it is read from the file at `path` */
	/*
	 * The whole file and the whole separate debug file, if the host has them; empty lets cairn
	 * look for them. They are not checked, and are borrowed until the symbolizer is freed or
	 * cairn_symbolizer_forget() is called.
	 */
	struct cairn_bytes file, debug_file;
	/* va of the module's first byte in memory, the base address of a Breakpad file */
	uint64_t lowest;
	bool has_lowest;  /* if false, it is read from the module's file */
	bool from_lowest; /* addresses are offsets from that byte, not vas */
};
#define CAIRN_SYMBOL_MODULE                                                               \
	{                                                                                 \
		sizeof(struct cairn_symbol_module), NULL, CAIRN_NO_BYTES, CAIRN_NO_BYTES, \
			CAIRN_NO_BYTES, 0, false, false                                   \
	}

/* Role of a file for a module. */
enum cairn_module_file {
	CAIRN_FILE_PROGRAM, /* the module's own file */
	CAIRN_FILE_DEBUG,   /* the module's separate debug file */
	/* file shared by several debug files (.gnu_debugaltlink, made by dwz) */
	CAIRN_FILE_ALTERNATE,
	CAIRN_FILE_PACKAGE, /* the split DWARF of the module (.dwp) */
	CAIRN_FILE_SPLIT,   /* the split DWARF of one unit (.dwo) */
};

/* A file in memory, and its path. */
struct cairn_open_file {
	struct cairn_bytes bytes;
	const char *path; /* NULL if the host lent the bytes */
	void *handle;     /* private to the function that opened the file */
	/* the bytes are mapped, so pages that were given back are read from the file again */
	bool mapped;
};

/*
 * How to open files, for a host that maps them or opens them elsewhere. open() returns 0 or an
 * errno value and must open regular files only; it sets file->bytes, and may set file->handle and
 * file->mapped. close() gives the bytes back. Without these functions the library copies a file
 * into memory, so that no change to the file can crash the host.
 */
struct cairn_file_access {
	int (*open)(void *context, const char *path, struct cairn_open_file *file);
	void (*close)(void *context, struct cairn_open_file *file);
	void *context;
};

/* Requirements on the build ID of a file. */
enum cairn_build_policy {
	/*
	 * A file must have the module's build ID. For a module without one, only the file at its
	 * path is used.
	 */
	CAIRN_BUILD_PROVEN,
	/*
	 * Like PROVEN, but for a module without a build ID only a given program of the same name is
	 * used.
	 */
	CAIRN_BUILD_NAMED,
	/*
	 * A file in the right location is accepted whatever its build ID. Build-ID trees are then
	 * searched only for separate debug files, as llvm-symbolizer does.
	 */
	CAIRN_BUILD_ANY,
};

/* How to choose among the answers of several sources. */
enum cairn_ranking {
	/*
	 * The first source that knows the line, otherwise the one whose function begins nearest
	 * before the address.
	 */
	CAIRN_RANK_LINES,
	CAIRN_RANK_FIRST, /* the first source that knows the function */
};

/* Form of the function names from DWARF. */
enum cairn_name_style {
	/* Linkage name; a C++ function without one is qualified by its namespaces and classes. */
	CAIRN_NAMES_QUALIFIED,
	/* like QUALIFIED, but a function without a linkage name is named as in the source */
	CAIRN_NAMES_PLAIN,
	CAIRN_NAMES_SHORT, /* all names as in the source, without namespaces and arguments */
	/*
	 * The linkage name or the plain name in DWARF, even if the linker's symbol has another
	 * name.
	 */
	CAIRN_NAMES_DWARF,
};

/* Form of the file paths from DWARF. */
enum cairn_path_style {
	CAIRN_PATHS_WHOLE,
	CAIRN_PATHS_RELATIVE, /* relative to the compilation directory */
};

/* Search rules and limits. Begin with CAIRN_SYMBOLIZER_OPTIONS. */
struct cairn_symbolizer_options {
	size_t size; /* sizeof(struct cairn_symbolizer_options) */
	/*
	 * "DIR:DIR" with symbols of any kind, or NULL. Separate debug files are looked for here
	 * before the directories of the system.
	 */
	const char *folders;
	const char *sysroot;         /* prefix for the paths of modules, or NULL */
	const char *const *programs; /* candidate files for modules, matched by build ID */
	size_t program_count;
	enum cairn_build_policy builds;
	enum cairn_ranking ranking;
	bool only_files_given; /* ignore the paths of modules and the directories of the system */
	bool bare;             /* without the built-in sources */
	size_t modules_max;    /* maximum number of open modules; 0 selects 256 */
	/*
	 * maximum memory of open modules in bytes, including files that are not mapped; 0 selects 1
	 * GiB
	 */
	uint64_t memory_max;
	/* if the functions are NULL, the library opens files itself */
	struct cairn_file_access files;
	/*
	 * Get a file that is not on this machine, for example from debuginfod, and write its path
	 * to `path`, which has a capacity of `size` bytes. NULL disables the callback. The library
	 * itself opens no connection.
	 */
	bool (*fetch)(void *context, enum cairn_module_file wanted, struct cairn_bytes build_id,
	              char *path, size_t size);
	void *fetch_context;
	/*
	 * Called for each file that is opened for lookups, with its size in bytes. NULL disables
	 * the callback.
	 */
	void (*opened)(void *context, const char *path, uint64_t size);
	void *opened_context;
	enum cairn_name_style names;
	enum cairn_path_style paths;
	bool no_system_folders; /* search only `folders`, not /usr/lib/debug */
	bool symbols_late;      /* query symbol files after DWARF */
	bool lines_alone; /* if a line but no function is known, return a location without a name */
	/*
	 * Get the start of a module (`lowest` in struct cairn_symbol_module) when a Breakpad file
	 * was found for it but none of the module's own files. If it returns false, the Breakpad
	 * file is not used. If NULL, modules start at 0.
	 */
	bool (*place)(void *context, const struct cairn_symbol_module *module,
	              const struct cairn_symbols *symbols, uint64_t *lowest);
	void *place_context;
	bool no_cache; /* ignore symbol files that cairn has made or fetched */
	/*
	 * Addresses come module by module, many in a call, and in ascending order. Data that was
	 * read for one call, including pages of mapped files, is then not kept in memory for the
	 * next one. Other addresses are looked up as well, but more slowly.
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
 * Argument of a source's open(). file() finds a file of the module, searching only once, and
 * returns false if it finds no file. The file lives as long as the object that the source opens,
 * and so does a copy of this struct. `directory` and `name` describe a CAIRN_FILE_SPLIT and are
 * empty for other files.
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
 * A source's answer for one address: `count` locations of the function there, innermost first, then
 * the locations of functions that the linker folded into the same code, `all` in total. The list of
 * each function ends with its only location that is not inlined. Strings live until the source is
 * closed or released.
 */
struct cairn_symbol_found {
	const struct cairn_location *locations;
	size_t count, all;
	/* damage in the data, or NULL; if damaged, only the readable locations are listed */
	const struct cairn_fault *fault;
};

/*
 * Receiver of a source's answers. take() is called at most once for the address number `index`; the
 * data in `found` is borrowed.
 */
struct cairn_symbol_taker {
	void (*take)(void *context, size_t index, const struct cairn_symbol_found *found);
	void *context;
};

/*
 * A source of symbols. open() creates an object that knows the symbols of the module of the search
 * and stores it in *opened; close() frees it. open() returns NOT_FOUND if the source has no data
 * for the module. find() looks up `count` addresses and calls taker->take() for each known one. The
 * functions after these may be NULL.
 */
struct cairn_symbol_source {
	size_t size;      /* sizeof(struct cairn_symbol_source) */
	unsigned rank;    /* sources with lower ranks are queried first */
	const char *name; /* a word, such as "dwarf" */
	void *context;
	enum cairn_status (*open)(void *context, struct cairn_symbol_search *search, void **opened,
	                          struct cairn_fault *fault);
	void (*find)(void *opened, const uint64_t *vas, size_t count,
	             const struct cairn_symbol_taker *taker);
	void (*close)(void *opened);
	const char *(*path)(const void *opened); /* path of the file that the object answers from */
	/* size of its memory in bytes, without files */
	uint64_t (*memory)(const void *opened);
	void (*release)(void *opened); /* free memory that can be read again */
	/* reason why it does not read all data; NULL if it does */
	const char *(*flaw)(const void *opened);
	/*
	 * its data contains the data of the sources after it, which are not queried once it is
	 * opened
	 */
	bool whole;
	/* Return true if data that an answer needed was damaged or missing. */
	bool (*damaged)(const void *opened);
	bool (*complete)(const void *opened); /* same as `whole`, for one opened module */
};

/* Flags for the data whose absence limits an answer. */
enum cairn_missing {
	CAIRN_MISSING_PROGRAM = 1, /* the module's own file was not found */
	/* the module's own file lacks DWARF, and no separate debug file was found */
	CAIRN_MISSING_DEBUG = 2,
	CAIRN_MISSING_LINE = 4,  /* no source knows the line */
	CAIRN_MISSING_BUILD = 8, /* a file from another build was found */
	CAIRN_MISSING_ALL = 16,  /* no source has any data for the module */
	CAIRN_MISSING_PART = 32, /* a source needed data that is damaged or missing */
};

/* Answer for one address. Valid until the next call with its symbolizer. */
struct cairn_symbol_answer {
	/* OK; NOT_FOUND if no source knows the address; else the kind of damage */
	enum cairn_status status;
	const struct cairn_location *locations; /* see struct cairn_symbol_found */
	size_t count, all;
	const char *source;       /* name of the source, or NULL */
	const char *path;         /* file that the source answers from; NULL if unknown */
	unsigned missing;         /* sum of CAIRN_MISSING_... values */
	const char *flaw;         /* reason why a queried source does not read all data, or NULL */
	struct cairn_fault fault; /* damage in the data, or status OK */
};

/*
 * Create a symbolizer; the caller frees it. The strings and arrays of `options` are borrowed until
 * then. Returns NULL if memory is short.
 */
CAIRN_API struct cairn_symbolizer *cairn_symbolizer_new(
	const struct cairn_symbolizer_options *options);

/* Close all files and free the symbolizer. NULL is allowed. */
CAIRN_API void cairn_symbolizer_free(struct cairn_symbolizer *symbolizer);

/*
 * Add a source after the sources with the same rank; `source` is copied. Modules that were looked
 * up before do not use it. Returns NO_MEMORY if there are 16 sources already.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbolizer_add(
	struct cairn_symbolizer *symbolizer, const struct cairn_symbol_source *source);

/*
 * Look up `count` addresses of a module, in any order, and fill as many answers. Files of the
 * module are searched at the first lookup. When the limits of the options are reached, the least
 * recently used module is closed, so strings of answers live only until the next call; with
 * modules_max SIZE_MAX and memory_max UINT64_MAX they live as long as the symbolizer. Returns OK,
 * or NO_MEMORY; problems with an address are reported in its answer.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbolizer_find(
	struct cairn_symbolizer *symbolizer, const struct cairn_symbol_module *module,
	const uint64_t *vas, size_t count, struct cairn_symbol_answer *answers);

/*
 * Find the function, variable or other label in the module's symbol tables at or below an address.
 * If several begin at one address, the largest is chosen. The file of the location is the source
 * file of a local symbol; there is no line. Returns false if there is no label. The strings live as
 * long as the strings of answers.
 */
CAIRN_API bool cairn_symbolizer_label(struct cairn_symbolizer *symbolizer,
                                      const struct cairn_symbol_module *module, uint64_t va,
                                      struct cairn_location *location);

/*
 * Find a file of the module, opened and checked as for its symbols. Returns false if no acceptable
 * file is found. The file lives as long as the module is kept open.
 */
CAIRN_API bool cairn_symbolizer_file(struct cairn_symbolizer *symbolizer,
                                     const struct cairn_symbol_module *module,
                                     enum cairn_module_file wanted, struct cairn_open_file *file);

/* Close a module, or all modules if `module` is NULL. */
CAIRN_API void cairn_symbolizer_forget(struct cairn_symbolizer *symbolizer,
                                       const struct cairn_symbol_module *module);

/*
 * Make *source answer from symbols that the host has opened, whatever module is looked up. The
 * symbols are borrowed as long as the source is used.
 */
CAIRN_API void cairn_symbols_as_source(struct cairn_symbols *symbols, unsigned rank,
                                       struct cairn_symbol_source *source);

#ifdef __cplusplus
}
#endif

#endif
