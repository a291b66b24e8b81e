/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: the symbols of one module by address, from bytes that the host has.
 * symbol_file.h finds and opens files of symbols.
 */
#ifndef CAIRN_INCLUDE_SYMBOLS_H
#define CAIRN_INCLUDE_SYMBOLS_H

#include <cairn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One frame in terms of the source.  The texts are borrowed from the symbols that it came from;
 * what is not known is empty.
 */
struct cairn_location {
	struct cairn_bytes function; /* a linkage name or a readable one, as the file has it */
	struct cairn_bytes directory, file; /* cairn_location_path() joins them */
	uint64_t start;                     /* va where the function or the inlined call begins */
	uint64_t offset;                    /* from there to the address that was asked about */
	uint32_t line;                      /* 0 if it is not known */
	bool inlined;                       /* into the function of the next location */
	uint32_t column;                    /* 0 if it is not known */
	uint32_t
		size; /* of the function in bytes, from start on; 0 of an inlined call, if it is not known, or has 4 GiB */
};

/*
 * Writes the path of a location to `path`, which has room for `size` bytes: cut if it does not fit,
 * and ended by NUL unless `size` is 0.  Returns the length of the whole path without the NUL, as
 * snprintf() does.  It resolves no "..": equal files have equal paths.  The file
 * "<compiler-generated>", which Swift names for code without a source, has no directory.
 */
CAIRN_API size_t cairn_location_path(const struct cairn_location *location, char *path,
                                     size_t size);

/*
 * The symbols of one module: a file in a symbol format, and a bounded cache of decoded functions.
 */
struct cairn_symbols;

/* The formats of files with symbols, in which the first bytes differ unless noted. */
enum cairn_symbol_format {
	CAIRN_SYMBOLS_GSYM,
	CAIRN_SYMBOLS_SYMBFILE, /* a symbfile of ranges */
	CAIRN_SYMBOLS_BREAKPAD, /* its addresses count from the first byte of the module: va 0 */
	CAIRN_SYMBOLS_GO,       /* the table of functions in a Go program itself */
	CAIRN_SYMBOLS_JIT,      /* a jitdump or perf map: its addresses are those of the process */
	CAIRN_SYMBOLS_ELF, /* DWARF and symbol tables of an ELF file, which cairn/functions.h reads */
};

/*
 * A function of the host that long work calls now and then, every 10 ms or more often.  `poll` may
 * leave by an exception: then nothing is made, and no memory is lost.
 */
struct cairn_poll {
	void (*poll)(void *context);
	void *context;
};

/* How a file of symbols is opened.  Begin with CAIRN_SYMBOLS_OPTIONS. */
struct cairn_symbols_options {
	size_t size; /* sizeof(struct cairn_symbols_options) */
	/* The module is of this build.  Empty: every file is accepted, and the caller knows that it belongs to the module. */
	struct cairn_bytes build_id;
	/*
	 * CAIRN_SYMBOLS_GO: the file is the whole ELF file of a Go program, and the table of functions that the program has
	 * in memory is opened.  CAIRN_SYMBOLS_JIT: the file is a whole jitdump or perf map (docs/formats/jitdump.md,
	 * perfmap.md), without a build ID; functions that later ones replaced are left out.  Else its first bytes show
	 * what it is.
	 */
	enum cairn_symbol_format format;
	uint64_t
		pid; /* a jitdump is that of the process that knows itself by this number; 0: of any */
	const struct cairn_poll
		*poll; /* called while all of a file is read; NULL: nobody is called */
};
#define CAIRN_SYMBOLS_OPTIONS                                                                     \
	{                                                                                         \
		sizeof(struct cairn_symbols_options), CAIRN_NO_BYTES, CAIRN_SYMBOLS_GSYM, 0, NULL \
	}

/*
 * Opens the symbols of a module.  `options` may be NULL: then every build is accepted.  `file` is one of
 *   - a GSYM file of either version, or an ELF or Mach-O file with GSYM in its section .gsym
 *     (__gsym).  It is borrowed until cairn_symbols_free().  Only its headers are read, so a large
 *     file costs no more than a small one;
 *   - a symbfile of ranges, a Breakpad symbol file, or what options->format names.  All of it is read now, at
 *     some 0.1 s for each 30,000 functions, and kept in up to four times as much memory as the GSYM file of the same
 *     symbols takes; there is no cache then.  The file is not used afterwards.
 *
 * The caller frees *symbols.  Returns CAIRN_MISMATCH if the file belongs to another build or process, or does
 * not record its build, which a symbfile never does.  Returns NOT_FOUND if the file has no symbols
 * of functions (an ELF file without .gsym has none), or is not a Go program if it is to be one; UNSUPPORTED if it has a
 * version that cairn does not read, or is compressed; TRUNCATED or MALFORMED if it is damaged or in another format;
 * NO_MEMORY.  *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_open(
	struct cairn_bytes file, const struct cairn_symbols_options *options,
	struct cairn_symbols **symbols, struct cairn_fault *fault);

/*
 * Frees the symbols.  Texts of locations that came from a symbfile or a Breakpad file end with
 * them.  NULL is allowed.
 */
CAIRN_API void cairn_symbols_free(struct cairn_symbols *symbols);

/*
 * Returns the build ID that the file records, empty if it does not; it lives as long as `symbols`.
 */
CAIRN_API struct cairn_bytes cairn_symbols_build_id(const struct cairn_symbols *symbols);

/*
 * Is the file of that build? A Breakpad file may record no more than the first 16 bytes of a build ID, which then
 * decide. False if the file records none, as a symbfile never does. cairn_symbols_open() with a build ID asks this.
 */
CAIRN_API bool cairn_symbols_is_of_build(const struct cairn_symbols *symbols,
                                         struct cairn_bytes build_id);

/* Returns the format of the file that was opened. */
CAIRN_API enum cairn_symbol_format cairn_symbols_format(const struct cairn_symbols *symbols);

/*
 * Returns the fault that ended the reading of a symbfile or a Breakpad file; its status is CAIRN_OK
 * if all of it was read.  The functions before the damage are used.  GSYM is read at each lookup,
 * so each result has a fault of its own.  The fault lives as long as `symbols`.
 */
CAIRN_API const struct cairn_fault *cairn_symbols_read_fault(const struct cairn_symbols *symbols);

/*
 * Empties the cache, and sets how many bytes it may take from now on.  At first these are four times the
 * bytes of the GSYM file, but at least CAIRN_SYMBOLS_CACHE and at most CAIRN_SYMBOLS_CACHE_MAX: as many
 * are taken only when all functions of a large file are looked up often.
 */
enum { CAIRN_SYMBOLS_CACHE = 64 << 20, CAIRN_SYMBOLS_CACHE_MAX = 1 << 30 };
CAIRN_API void cairn_symbols_set_cache(struct cairn_symbols *symbols, size_t bytes);

/*
 * The answer about one address: its locations, innermost first, and those of other functions that
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
 * It is a large struct, meant for the stack; there is nothing to free.  It is valid until the next
 * call on its symbols; the texts of its locations are valid as long as the file.
 */
struct cairn_lookup_result {
	/* what was wrong in the data, final after the last location; what was read before the fault
	   is returned all the same */
	struct cairn_fault fault;
	uint64_t va;
	const struct cairn_symbols *symbols;
	uint64_t state[640]; /* private to cairn */
};

/*
 * Looks up `va` and fills *answer.  Returns NOT_FOUND if no function covers `va`, or the status of
 * what is wrong with the data; then *answer has no location, and its fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find(struct cairn_symbols *symbols,
                                                              uint64_t va,
                                                              struct cairn_lookup_result *answer);

/*
 * Does the same without the cache: slower, but it allocates nothing and writes to *answer only.  It
 * is safe in signal handlers, and in several threads on the same symbols.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find_uncached(
	const struct cairn_symbols *symbols, uint64_t va, struct cairn_lookup_result *answer);

/*
 * Looks up the function only, without file, line and inlined calls.  It is fast, and as safe in
 * signal handlers and threads as cairn_symbols_find_uncached().  The outcomes are the same; *fault
 * has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find_function(
	const struct cairn_symbols *symbols, uint64_t va, struct cairn_location *location,
	struct cairn_fault *fault);

/* Fills *location with the next location of the function, outwards; false after the last. */
CAIRN_API bool cairn_lookup_result_next(struct cairn_lookup_result *answer,
                                        struct cairn_location *location);

/*
 * Moves on to the next function that the linker folded into the same code, and returns true if
 * there is one; cairn_lookup_result_next() then lists its locations.
 */
CAIRN_API bool cairn_lookup_result_next_folded(struct cairn_lookup_result *answer);

/* The answers to many addresses, in the order in which they were asked. */
struct cairn_batch {
	size_t count;
	struct cairn_batch_item {
		struct cairn_fault fault; /* status NOT_FOUND: no function covers the address */
		size_t first, count;      /* which elements of `locations` are its own */
		bool has_folded;          /* cairn_symbols_find() lists the folded functions */
	} * items;
	struct cairn_location *locations;
};

/*
 * Looks up `count` addresses at once, in any order: it decodes each function once.  The caller
 * frees *batch with cairn_batch_free(); the texts of its locations are valid as long as the file.
 * Returns NO_MEMORY or CAIRN_OK: what is wrong with an address is in its item.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find_many(struct cairn_symbols *symbols,
                                                                   const uint64_t *vas,
                                                                   size_t count,
                                                                   struct cairn_batch *batch);

/* Frees the arrays of a batch; harmless after cairn_symbols_find_many() failed. */
CAIRN_API void cairn_batch_free(struct cairn_batch *batch);

/*
 * Writes the readable form of `name`, a linkage name of C++ (Itanium C++ ABI), Rust (RFC 2603 and
 * the older form), a Fortran module (gfortran) or an Ada task (GNAT), to `out`, which has room for `room` bytes; no NUL follows.  Returns its length
 * in bytes, or 0 if the name is of another language, is damaged, or has a form longer than `room`
 * or CAIRN_DEMANGLE_MAX; show the name itself then.  Any name takes some milliseconds at most, and
 * no memory.
 */
enum { CAIRN_DEMANGLE_MAX = 1 << 16 };
CAIRN_API size_t cairn_demangle(struct cairn_bytes name, char *out, size_t room);

/* How much a demangled name of Swift shows; the other languages have one form. */
enum cairn_name_form {
	CAIRN_NAME_SHORT, /* as in Swift's crash reports: no modules, no types but type arguments */
	CAIRN_NAME_FULL,  /* as `swift-demangle -compact` prints it */
};

/* Demangle as cairn_demangle() does, but read Swift's names (4.2 and newer), too. */
CAIRN_API size_t cairn_demangle_as(struct cairn_bytes name, enum cairn_name_form form, char *out,
                                   size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
