/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: a module whose addresses are looked up, and the interface of a source that a
 * symbolizer queries about it. Hosts implement sources to add their own symbols.
 *
 *	struct cairn_symbol_source source = CAIRN_SIZED(struct cairn_symbol_source);
 *	source.rank = 150;              after symbol files, before DWARF
 *	source.name = "host";
 *	source.open = open_symbols;
 *	source.find = find_addresses;
 *	source.close = close_symbols;
 *	status = cairn_symbolizer_add(symbolizer, &source);
 */
#ifndef CAIRN_INCLUDE_SYMBOL_SOURCE_H
#define CAIRN_INCLUDE_SYMBOL_SOURCE_H

#include <cairn/base.h>
#include <cairn/location.h>
#include <cairn/symbols.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_symbolizer_options;

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
#define CAIRN_SYMBOL_MODULE CAIRN_SIZED(struct cairn_symbol_module)

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
