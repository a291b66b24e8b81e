/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: the names of addresses in any number of modules, from all files that know them.
 * symbols.h answers from one file that the host opened; the functions here find the files first.
 */
#ifndef CAIRN_INCLUDE_SYMBOLIZER_H
#define CAIRN_INCLUDE_SYMBOLIZER_H

#include <cairn/base.h>
#include <cairn/symbols.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A symbolizer asks its sources in the order of their ranks until one knows the line of an address:
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
 * It has these sources from the beginning:
 *
 *	rank 100  "symbols"  files of symbols, as cairn_symbol_file_find() finds them; or 300, by the options
 *	rank 300  "go"       the table of a Go program
 *	rank 400  "table"    the symbol tables of the separate debug file and of the module's own file
 *	rank 500  "stubs"    the stubs of its PLT ("puts@plt")
 *
 * libcairn-dwarf adds DWARF with rank 200.  One thread at a time may use a symbolizer.
 */
struct cairn_symbolizer;

/* A module whose addresses are asked about.  Begin with CAIRN_SYMBOL_MODULE. */
struct cairn_symbol_module {
	size_t size;                 /* sizeof(struct cairn_symbol_module) */
	const char *path;            /* of its file, as its process saw it; NULL: not known */
	struct cairn_bytes build_id; /* empty: the file at `path` tells it */
	/*
	 * Its file and its separate debug file, whole, if the host has them: they are believed, and borrowed until
	 * the symbolizer is freed or cairn_symbolizer_forget() is called.  Empty: cairn looks for them.
	 */
	struct cairn_bytes file, debug_file;
	/* va of the module's first byte in memory, from which a Breakpad file counts */
	uint64_t lowest;
	bool has_lowest;  /* false: the module's file tells it */
	bool from_lowest; /* addresses are offsets from that byte, not vas */
};
#define CAIRN_SYMBOL_MODULE                                                               \
	{                                                                                 \
		sizeof(struct cairn_symbol_module), NULL, CAIRN_NO_BYTES, CAIRN_NO_BYTES, \
			CAIRN_NO_BYTES, 0, false, false                                   \
	}

/* What a file may be to a module. */
enum cairn_module_file {
	CAIRN_FILE_PROGRAM,   /* its own file */
	CAIRN_FILE_DEBUG,     /* its separate debug file */
	CAIRN_FILE_ALTERNATE, /* what several debug files share (.gnu_debugaltlink, made by dwz) */
	CAIRN_FILE_PACKAGE,   /* its split DWARF (.dwp) */
	CAIRN_FILE_SPLIT,     /* the split DWARF of one unit (.dwo) */
};

/* A file in memory, and where it is. */
struct cairn_open_file {
	struct cairn_bytes bytes;
	const char *path; /* NULL: the host lent the bytes */
	void *handle;     /* of whoever opened it */
	bool mapped;      /* pages that were given back are read from the file again */
};

/*
 * How files are opened, for a host that maps them or opens them elsewhere.  open() returns 0 or an errno value, and
 * opens nothing but a regular file; it sets file->bytes, and file->handle and file->mapped if it wants.  close() gives the
 * bytes back.  Without these functions the library copies a file into memory, so that nothing that happens to it can
 * crash the host.
 */
struct cairn_file_access {
	int (*open)(void *context, const char *path, struct cairn_open_file *file);
	void (*close)(void *context, struct cairn_open_file *file);
	void *context;
};

/* Which files are believed. */
enum cairn_build_policy {
	/* A file must have the module's build ID.  A module without one is served by the file at its path alone. */
	CAIRN_BUILD_PROVEN,
	/* The same, but one without a build ID is served by a given program of the same name alone. */
	CAIRN_BUILD_NAMED,
	/*
	 * A file at the right place is believed whatever its build ID.  Trees of build IDs are then asked for
	 * separate debug files alone, as llvm-symbolizer does.
	 */
	CAIRN_BUILD_ANY,
};

/* Which answer is the best one. */
enum cairn_ranking {
	/* The first source that knows the line, else the one whose function begins nearest before the address. */
	CAIRN_RANK_LINES,
	CAIRN_RANK_FIRST, /* the first source that knows the function */
};

/* Which names DWARF's functions have. */
enum cairn_name_style {
	/* The name that the linker knows; C++ without one has its namespaces and classes before it. */
	CAIRN_NAMES_QUALIFIED,
	CAIRN_NAMES_PLAIN, /* the same, but a name that the linker does not know is as the source has it */
	CAIRN_NAMES_SHORT, /* all names are as the source has them, without namespaces and arguments */
	/* The linkage name or the plain name in DWARF, even where the symbol of the linker has another one. */
	CAIRN_NAMES_DWARF,
};

/* How the paths of DWARF's files are written. */
enum cairn_path_style {
	CAIRN_PATHS_WHOLE,
	CAIRN_PATHS_RELATIVE, /* as seen from the folder in which the compiler ran */
};

/* The rules of the search, and its bounds.  Begin with CAIRN_SYMBOLIZER_OPTIONS. */
struct cairn_symbolizer_options {
	size_t size; /* sizeof(struct cairn_symbolizer_options) */
	const char *
		folders; /* "DIR:DIR" with symbols of any kind, separate debug files among them, which are then looked for
	                      * before those of the system; NULL: none */
	const char *sysroot;         /* before the paths of modules; NULL: none */
	const char *const *programs; /* files that may be those of modules, by their build IDs */
	size_t program_count;
	enum cairn_build_policy builds;
	enum cairn_ranking ranking;
	bool only_files_given; /* the path of a module leads to no file, nor do the system's folders */
	bool bare;             /* without the sources named above */
	size_t modules_max;    /* modules that are kept open; 0: 256 */
	uint64_t
		memory_max; /* bytes that they may hold, files that are not mapped among them; 0: 1 GiB */
	struct cairn_file_access files; /* functions NULL: the library opens files itself */
	/*
	 * Asked for a file that is not on this machine, such as debuginfod has: writes its path, which has room for
	 * `size` bytes.  NULL: nobody is asked.  The library opens no connection.
	 */
	bool (*fetch)(void *context, enum cairn_module_file wanted, struct cairn_bytes build_id,
	              char *path, size_t size);
	void *fetch_context;
	/* Told of each file that is opened to be asked, with its size in bytes.  NULL: nobody is told. */
	void (*opened)(void *context, const char *path, uint64_t size);
	void *opened_context;
	enum cairn_name_style names;
	enum cairn_path_style paths;
	bool no_system_folders; /* /usr/lib/debug is not searched, only `folders` */
	bool symbols_late;      /* files of symbols are asked after DWARF */
	bool lines_alone; /* code of which a line is known and no function has a location without a name */
	/*
	 * Asked where a module begins (struct cairn_symbol_module, `lowest`), if a Breakpad file is there for it and none of its
	 * own files.  False: the file is not used.  NULL: it begins at 0.
	 */
	bool (*place)(void *context, const struct cairn_symbol_module *module,
	              const struct cairn_symbols *symbols, uint64_t *lowest);
	void *place_context;
	bool no_cache; /* files of symbols that cairn has made or fetched are not used */
	/*
	 * Addresses come module by module, many in a call, and in their order: what was read for one call is not kept in memory for
	 * the next one, pages of mapped files among it. Others are answered as well, but more slowly.
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
 * What a source is opened for.  file() gives a file of the module, which is looked for once; it lives as long as
 * what the source opens, and so does a copy of this struct.  `directory` and `name` are those of a CAIRN_FILE_SPLIT, and empty for other files.  False: there
 * is none.
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
 * What a source knows of one address: `count` locations of the function there, innermost first, then those of functions
 * that the linker folded into the same code, `all` in total.  The list of each function ends with the one location
 * that is not inlined.  Texts live until the source is closed or released.
 */
struct cairn_symbol_found {
	const struct cairn_location *locations;
	size_t count, all;
	const struct cairn_fault *
		fault; /* NULL, or what is wrong in the data: the locations are what could be read */
};

/* Takes what a source knows of address number `index`, once at most; what `found` points to is borrowed. */
struct cairn_symbol_taker {
	void (*take)(void *context, size_t index, const struct cairn_symbol_found *found);
	void *context;
};

/*
 * A source of symbols.  open() makes of a search what knows the symbols of that module: *opened, which close() frees.
 * It returns NOT_FOUND if it has nothing for the module.  find() looks up `count` addresses, and calls taker->take() for
 * each of which it knows something.  The functions after these may be NULL.
 */
struct cairn_symbol_source {
	size_t size;      /* sizeof(struct cairn_symbol_source) */
	unsigned rank;    /* sources with a lower one are asked before it */
	const char *name; /* a word, such as "dwarf" */
	void *context;
	enum cairn_status (*open)(void *context, struct cairn_symbol_search *search, void **opened,
	                          struct cairn_fault *fault);
	void (*find)(void *opened, const uint64_t *vas, size_t count,
	             const struct cairn_symbol_taker *taker);
	void (*close)(void *opened);
	const char *(*path)(const void *opened); /* of the file that it answers from */
	uint64_t (*memory)(const void *opened);  /* bytes that it holds, without files */
	void (*release)(void *opened);           /* gives back what it can read again */
	const char *(*flaw)(const void *opened); /* why it does not read all; NULL: it does */
	bool whole; /* it was made of what the sources after it have: where it is opened, they are not asked */
	/* Was something damaged, or missing, that it wanted for an answer? */
	bool (*damaged)(const void *opened);
	bool (*complete)(
		const void *opened); /* the same as `whole`, of what was opened for one module */
};

/* What is missing for a better answer: the sum of these. */
enum cairn_missing {
	CAIRN_MISSING_PROGRAM = 1, /* the module's own file was looked for and not found */
	CAIRN_MISSING_DEBUG = 2,   /* there is no DWARF in it, nor a separate debug file */
	CAIRN_MISSING_LINE = 4,    /* no source knows the line */
	CAIRN_MISSING_BUILD = 8,   /* a file was found, but it is of another build */
	CAIRN_MISSING_ALL = 16,    /* no source has anything for the module */
	CAIRN_MISSING_PART = 32,   /* a source wanted something that is damaged, or missing */
};

/* The answer about one address.  It is valid until the next call with its symbolizer. */
struct cairn_symbol_answer {
	enum cairn_status
		status; /* OK; NOT_FOUND: no source knows it; else what is wrong in the data */
	const struct cairn_location *locations; /* as in struct cairn_symbol_found */
	size_t count, all;
	const char *source;       /* the name of the source; NULL: none */
	const char *path;         /* of the file that the source answers from; NULL: not known */
	unsigned missing;         /* CAIRN_MISSING_... */
	const char *flaw;         /* why a source that was asked does not read all; NULL: none */
	struct cairn_fault fault; /* what is wrong in the data; status OK: nothing */
};

/*
 * Creates a symbolizer; the caller frees it.  The texts and arrays of `options` are borrowed until then.  Returns NULL
 * if memory is short.
 */
CAIRN_API struct cairn_symbolizer *cairn_symbolizer_new(
	const struct cairn_symbolizer_options *options);

/* Closes all files, and frees the symbolizer.  NULL is allowed. */
CAIRN_API void cairn_symbolizer_free(struct cairn_symbolizer *symbolizer);

/*
 * Adds a source, after those with the same rank; `source` is copied.  Modules that were asked about before do not
 * get it.  Returns NO_MEMORY if there are 16 already.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbolizer_add(
	struct cairn_symbolizer *symbolizer, const struct cairn_symbol_source *source);

/*
 * Looks up `count` addresses of a module, in any order, and fills as many answers.  Files of the module are looked for when
 * its first address is asked for; the module that was not asked about for longest is closed when the bounds of the
 * options are reached, so that texts of answers live until the next call, or with modules_max SIZE_MAX and
 * memory_max UINT64_MAX as long as the symbolizer.  Returns OK, or NO_MEMORY; what is wrong with an address is in
 * its answer.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbolizer_find(
	struct cairn_symbolizer *symbolizer, const struct cairn_symbol_module *module,
	const uint64_t *vas, size_t count, struct cairn_symbol_answer *answers);

/*
 * Gives the function, variable or other label of the module's symbol tables at or below an address: of several at one
 * address the largest, with the source of a local one as its file, and without a line.  False: there is none.  Its texts live
 * as those of answers do.
 */
CAIRN_API bool cairn_symbolizer_label(struct cairn_symbolizer *symbolizer,
                                      const struct cairn_symbol_module *module, uint64_t va,
                                      struct cairn_location *location);

/*
 * Gives a file of the module, opened and checked as for its symbols; false if there is none.  It lives as long as the
 * module is kept open.
 */
CAIRN_API bool cairn_symbolizer_file(struct cairn_symbolizer *symbolizer,
                                     const struct cairn_symbol_module *module,
                                     enum cairn_module_file wanted, struct cairn_open_file *file);

/* Closes a module, or with NULL all of them. */
CAIRN_API void cairn_symbolizer_forget(struct cairn_symbolizer *symbolizer,
                                       const struct cairn_symbol_module *module);

/*
 * Makes *source answer from symbols that the host has opened, for whatever module is asked about.  The symbols are
 * borrowed as long as the source is used.
 */
CAIRN_API void cairn_symbols_as_source(struct cairn_symbols *symbols, unsigned rank,
                                       struct cairn_symbol_source *source);

#ifdef __cplusplus
}
#endif

#endif
