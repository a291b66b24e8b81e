/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: looks up addresses in one module's symbols, which the host has read into
 * memory. symbol_file.h finds and opens symbol files.
 */
#ifndef CAIRN_INCLUDE_SYMBOLS_H
#define CAIRN_INCLUDE_SYMBOLS_H

#include <cairn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A frame's source location. Its strings are borrowed from the symbols that contain it; unknown
 * strings are empty.
 */
struct cairn_location {
	struct cairn_bytes function; /* linkage name or demangled name, depending on the file */
	/* directory and file name, which cairn_location_path() joins */
	struct cairn_bytes directory, file;
	uint64_t start;  /* va where the function or the inlined call starts */
	uint64_t offset; /* number of bytes from `start` to the address that has been looked up */
	uint32_t line;   /* 0 if unknown */
	bool inlined;    /* this function is inlined into the function at the next location */
	uint32_t column; /* 0 if unknown */
	/*
	 * size of the function in bytes, counted from `start`; 0 for an inlined call, if unknown,
	 * or if the function has 4 GiB or more
	 */
	uint32_t size;
};

/*
 * Write a location's path to `path`, whose capacity is `size` bytes. The path is truncated if it
 * does not fit, and ends with a NUL unless `size` is 0. Returns the length of the whole path
 * without the NUL, like snprintf(). Components ".." are not resolved. The file
 * "<compiler-generated>", which Swift uses for code without a source, gets no directory.
 */
CAIRN_API size_t cairn_location_path(const struct cairn_location *location, char *path,
                                     size_t size);

/* One module's symbols: a file in a symbol format, and a bounded cache of decoded functions. */
struct cairn_symbols;

/* formats of symbol files; a file's first bytes identify its format unless noted */
enum cairn_symbol_format {
	CAIRN_SYMBOLS_GSYM,
	CAIRN_SYMBOLS_SYMBFILE, /* a symbfile with ranges */
	/* addresses are relative to the module's first byte, which has va 0 */
	CAIRN_SYMBOLS_BREAKPAD,
	CAIRN_SYMBOLS_GO,  /* the function table in a Go program */
	CAIRN_SYMBOLS_JIT, /* a jitdump or perf map; addresses are pc in the process */
	/* DWARF and symbol tables in an ELF file; only cairn/functions.h reads them */
	CAIRN_SYMBOLS_ELF,
};

/*
 * A callback that long operations call at least every 10 ms. `poll` may throw an exception, which
 * ends the operation without a result and without leaking memory.
 */
struct cairn_poll {
	void (*poll)(void *context);
	void *context;
};

/* Options for opening a symbol file. Initialize with CAIRN_SYMBOLS_OPTIONS. */
struct cairn_symbols_options {
	size_t size;
	/*
	 * The module's build ID. If empty, every file is accepted, so the caller must make sure
	 * that the file belongs to the module.
	 */
	struct cairn_bytes build_id;
	/*
	 * CAIRN_SYMBOLS_GO: `file` is a Go program's complete ELF file, whose function table is
	 * used. CAIRN_SYMBOLS_JIT: `file` is a complete jitdump or perf map
	 * (docs/formats/jitdump.md, perfmap.md), which has no build ID; functions that later
	 * functions have replaced are skipped. All other formats are recognized by the first bytes.
	 */
	enum cairn_symbol_format format;
	/* expected process ID in a jitdump, in the process's own namespace; 0 accepts any */
	uint64_t pid;
	/* called while a whole file is read; may be NULL */
	const struct cairn_poll *poll;
};
#define CAIRN_SYMBOLS_OPTIONS                                                                     \
	{                                                                                         \
		sizeof(struct cairn_symbols_options), CAIRN_NO_BYTES, CAIRN_SYMBOLS_GSYM, 0, NULL \
	}

/*
 * Open a module's symbols. If `options` is NULL, every build ID is accepted. `file` is
 *   - a GSYM file of either version, or an ELF or Mach-O file with GSYM in its section .gsym
 *     (__gsym). It is borrowed until cairn_symbols_free(). Only its headers are read, so a large
 *     file costs no more than a small one;
 *   - a symbfile of ranges, a Breakpad symbol file, or the format in options->format. The whole
 *     file is read now, in about 0.1 s per 30,000 functions, and kept in up to four times as much
 *     memory as the GSYM file of the same symbols takes; there is no cache then. The file is not
 *     used afterwards.
 *
 * The caller frees *symbols. Returns MISMATCH if the file belongs to a different build or process,
 * or if a build ID is required and the file does not record one, which a symbfile never does.
 * Returns NOT_FOUND if the file contains no function symbols (such as an ELF file without .gsym),
 * or if the format is CAIRN_SYMBOLS_GO and the file is not a Go program; UNSUPPORTED if cairn does
 * not read the file's version, or if the file is compressed; TRUNCATED or MALFORMED if it is
 * damaged or in an unknown format; NO_MEMORY. *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_open(
	struct cairn_bytes file, const struct cairn_symbols_options *options,
	struct cairn_symbols **symbols, struct cairn_fault *fault);

/*
 * Free the symbols, including the strings in locations from a symbfile or a Breakpad file. NULL is
 * allowed.
 */
CAIRN_API void cairn_symbols_free(struct cairn_symbols *symbols);

/* Return the build ID that the file records, or empty bytes. It lives as long as `symbols`. */
CAIRN_API struct cairn_bytes cairn_symbols_build_id(const struct cairn_symbols *symbols);

/*
 * Return true if the file records this build ID. A Breakpad file may record only the first 16 bytes
 * of a build ID, in which case only these are compared. Returns false if the file does not record a
 * build ID, which a symbfile never does. cairn_symbols_open() with a build ID makes the same check.
 */
CAIRN_API bool cairn_symbols_is_of_build(const struct cairn_symbols *symbols,
                                         struct cairn_bytes build_id);

CAIRN_API enum cairn_symbol_format cairn_symbols_format(const struct cairn_symbols *symbols);

/*
 * Return the fault at which cairn has stopped reading a symbfile or a Breakpad file; its status is
 * CAIRN_OK if the whole file has been read. Functions before the damage are used. GSYM files are
 * read during lookups, so each result has its own fault. The fault lives as long as `symbols`.
 */
CAIRN_API const struct cairn_fault *cairn_symbols_read_fault(const struct cairn_symbols *symbols);

/*
 * Empty the cache and set its new capacity in bytes. The initial capacity is four times the size of
 * the GSYM file, but at least CAIRN_SYMBOLS_CACHE and at most CAIRN_SYMBOLS_CACHE_MAX. This
 * capacity is used up only if all functions in a large file are looked up often.
 */
enum { CAIRN_SYMBOLS_CACHE = 64 << 20, CAIRN_SYMBOLS_CACHE_MAX = 1 << 30 };
CAIRN_API void cairn_symbols_set_cache(struct cairn_symbols *symbols, size_t bytes);

/*
 * Result for one address: its locations, innermost first, and the locations of other functions that
 * the linker folded into the same code.
 *
 *	struct cairn_lookup_result answer;
 *	struct cairn_location location;
 *	if (cairn_symbols_find(symbols, va, &answer) == CAIRN_OK)
 *		do
 *			while (cairn_lookup_result_next(&answer, &location))
 *				...
 *		while (cairn_lookup_result_next_folded(&answer));
 *
 * The struct is large and meant to be on the stack; there is nothing to free. It is valid until the
 * next call with the same symbols; strings in its locations are valid as long as the file.
 */
struct cairn_lookup_result {
	/*
	 * damage in the data, final after the last location; locations before the damage are
	 * returned
	 */
	struct cairn_fault fault;
	uint64_t va;
	const struct cairn_symbols *symbols;
	uint64_t state[640]; /* private to cairn */
};

/*
 * Look up `va` and fill *answer. Returns NOT_FOUND if no function covers `va`. If the data is
 * damaged, returns the status of the fault; *answer then contains the fault but no locations.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find(struct cairn_symbols *symbols,
                                                              uint64_t va,
                                                              struct cairn_lookup_result *answer);

/*
 * Look up `va` without the cache. This is slower, but allocates nothing and writes only to *answer.
 * It is safe to call from signal handlers, and from several threads with the same symbols. The
 * results are the same as from cairn_symbols_find().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find_uncached(
	const struct cairn_symbols *symbols, uint64_t va, struct cairn_lookup_result *answer);

/*
 * Look up only the function, without file, line and inlined calls. This is fast and, like
 * cairn_symbols_find_uncached(), safe to call from signal handlers and from several threads. The
 * statuses are the same; *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find_function(
	const struct cairn_symbols *symbols, uint64_t va, struct cairn_location *location,
	struct cairn_fault *fault);

/*
 * Get the next location in *location, from the innermost inlined call to the function. Returns
 * false after the last location.
 */
CAIRN_API bool cairn_lookup_result_next(struct cairn_lookup_result *answer,
                                        struct cairn_location *location);

/*
 * Move to the next function that the linker has folded into the same code. Returns false after the
 * last function; otherwise cairn_lookup_result_next() lists the function's locations.
 */
CAIRN_API bool cairn_lookup_result_next_folded(struct cairn_lookup_result *answer);

/* results for many addresses, in the same order as the addresses */
struct cairn_batch {
	size_t count;
	struct cairn_batch_item {
		/* fault.status is NOT_FOUND if no function covers the address */
		struct cairn_fault fault;
		size_t first, count; /* range of the address's elements in `locations` */
		/*
		 * the linker has folded other functions into the same code; cairn_symbols_find()
		 * lists them
		 */
		bool has_folded;
	} * items;
	struct cairn_location *locations;
};

/*
 * Look up `count` addresses at once, in any order; each function is decoded only once. The caller
 * frees *batch with cairn_batch_free(); the strings in its locations are valid as long as the file.
 * Returns NO_MEMORY or CAIRN_OK; problems with an address are reported in its item.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find_many(struct cairn_symbols *symbols,
                                                                   const uint64_t *vas,
                                                                   size_t count,
                                                                   struct cairn_batch *batch);

/* Free a batch's arrays. Harmless after cairn_symbols_find_many() has failed. */
CAIRN_API void cairn_batch_free(struct cairn_batch *batch);

/*
 * Write the demangled form of `name`, a linkage name in C++ (Itanium C++ ABI), in Rust (RFC 2603
 * and the older form), in Swift (4.2 and newer, in the form CAIRN_NAME_SHORT), in a Fortran module
 * (gfortran) or of an Ada task (GNAT), to `out`, whose capacity is `room` bytes; no NUL is added.
 * Returns the length of the demangled name in bytes, or 0 if `name` belongs to another language, is
 * damaged, or has a demangled form longer than `room` or CAIRN_DEMANGLE_MAX; in that case show
 * `name` itself. Takes at most a few milliseconds for any name, and allocates nothing.
 */
enum { CAIRN_DEMANGLE_MAX = 1 << 16 };
CAIRN_API size_t cairn_demangle(struct cairn_bytes name, char *out, size_t room);

/* Levels of detail in a demangled Swift name. Names in other languages have only one form. */
enum cairn_name_form {
	/* as in Swift's crash reports: without modules, and without types except type arguments */
	CAIRN_NAME_SHORT,
	CAIRN_NAME_FULL, /* as in the output of `swift-demangle -compact` */
};

/* Demangle like cairn_demangle(), but write Swift names in the given form. */
CAIRN_API size_t cairn_demangle_as(struct cairn_bytes name, enum cairn_name_form form, char *out,
                                   size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
