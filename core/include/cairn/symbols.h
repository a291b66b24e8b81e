/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: symbols of one module by address, from bytes that the host has.  Which file
 * they are in is for symbol_file.h.
 */
#ifndef CAIRN_INCLUDE_SYMBOLS_H
#define CAIRN_INCLUDE_SYMBOLS_H

#include <cairn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One frame as the source has it.  The texts are borrowed from the file of symbols; what is not
 * known is empty.
 */
struct cairn_location {
	struct cairn_bytes function;        /* as the linker knows it, or as the source does */
	struct cairn_bytes directory, file; /* cairn_location_path() joins them */
	uint64_t start;                     /* va where the function or the inlined call begins */
	uint64_t offset;                    /* from there to the address that was asked about */
	uint32_t line;                      /* 0 when it is not known */
	bool inlined;                       /* into the function of the location that follows */
	uint32_t column;                    /* 0 when it is not known */
};

/*
 * The path of a location, cut where it does not fit and always ended with NUL unless `size` is 0.
 * Returns its whole length, as snprintf does.  Nothing in it is resolved: equal files have equal
 * paths.
 */
CAIRN_API size_t cairn_location_path(const struct cairn_location *location, char *path,
                                     size_t size);

/* The symbols of one module: a file of a symbol format, and a bounded cache of what was read. */
struct cairn_symbols;

/* Told by a file's first bytes. */
enum cairn_symbol_format {
	CAIRN_SYMBOLS_GSYM,
	CAIRN_SYMBOLS_SYMBFILE, /* of ranges */
	CAIRN_SYMBOLS_BREAKPAD, /* addresses count from the module's first byte: that is va 0 */
};

/*
 * Open symbols for the module with this build ID.  `file` is one of
 *   - a GSYM file of either version, or an ELF or Mach-O file with GSYM in its section .gsym
 *     (__gsym).  It is borrowed until cairn_symbols_free().  Only headers are read, so that a large
 *     file costs no more than a small one;
 *   - a symbfile of ranges, or a Breakpad symbol file.  All of it is read now, some 0.1 s for each
 *     30,000 functions, and kept in about as much memory as the GSYM file of the same symbols; the
 *     file is not used afterwards.
 *
 * CAIRN_MISMATCH: the file belongs to another build, or does not say to which, as symbfiles do
 * never.  An empty build ID takes every file; whoever gives one has made sure by other means.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_open(struct cairn_bytes file,
                                                              struct cairn_bytes build_id,
                                                              struct cairn_symbols **symbols,
                                                              struct cairn_fault *fault);

/*
 * What long work calls now and then, each 10 ms or less.  `poll` may leave by an exception: then nothing
 * is made, and no memory is lost.
 */
struct cairn_poll {
	void (*poll)(void *context);
	void *context;
};

/* The same, and while a symbfile or a Breakpad file is read the host is called; `poll` may be NULL. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_open_polled(struct cairn_bytes file,
                                                                     struct cairn_bytes build_id,
                                                                     const struct cairn_poll *poll,
                                                                     struct cairn_symbols **symbols,
                                                                     struct cairn_fault *fault);
CAIRN_API void cairn_symbols_free(struct cairn_symbols *symbols);

/* The build ID that the file carries; empty when it has none. */
CAIRN_API struct cairn_bytes cairn_symbols_build_id(const struct cairn_symbols *symbols);

CAIRN_API enum cairn_symbol_format cairn_symbols_format(const struct cairn_symbols *symbols);

/*
 * What ended the reading of a symbfile; status OK when all of it was read.  What comes before the
 * damage serves.  Of GSYM each answer tells its own.
 */
CAIRN_API const struct cairn_fault *cairn_symbols_read_fault(const struct cairn_symbols *symbols);

/* How much the cache may hold, CAIRN_SYMBOLS_CACHE at first.  Less than it holds now empties it. */
enum { CAIRN_SYMBOLS_CACHE = 32 << 20 };
CAIRN_API void cairn_symbols_set_cache(struct cairn_symbols *symbols, size_t bytes);

/*
 * What is known of one address: its locations, innermost first, and those of the functions that the
 * linker folded into the same code.
 *
 *	struct cairn_lookup_result answer;
 *	struct cairn_location location;
 *	if (cairn_symbols_find(symbols, va, &answer) == CAIRN_OK)
 *		do
 *			while (cairn_lookup_result_next(&answer, &location))
 *				...
 *		while (cairn_lookup_result_next_folded(&answer));
 *
 * A large struct for the stack; there is nothing to free.  It is good until the next call on its
 * symbols, the locations are as long as the file.
 */
struct cairn_lookup_result {
	struct cairn_fault fault; /* what was wrong in the data.  What was read before it is given
	                             all the same; complete after the last location */
	uint64_t va;
	const struct cairn_symbols *symbols;
	uint64_t state[640]; /* for cairn alone */
};

/* NOT_FOUND when no function covers `va`; any other failure leaves no location either. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find(struct cairn_symbols *symbols,
                                                              uint64_t va,
                                                              struct cairn_lookup_result *answer);

/*
 * The same without the cache: slower, but it allocates nothing and writes to *answer alone, so that
 * it may be used in a signal handler, and in many threads on the same symbols.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find_uncached(
	const struct cairn_symbols *symbols, uint64_t va, struct cairn_lookup_result *answer);

/* The function alone, without file, line and inlined calls.  Fast, and as harmless as peek. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find_function(
	const struct cairn_symbols *symbols, uint64_t va, struct cairn_location *location,
	struct cairn_fault *fault);

CAIRN_API bool cairn_lookup_result_next(struct cairn_lookup_result *answer,
                                        struct cairn_location *location);

/* Goes on to the next function of the same code, whose locations cairn_lookup_result_next() gives then. */
CAIRN_API bool cairn_lookup_result_next_folded(struct cairn_lookup_result *answer);

/* The answers to many addresses, in the order in which they were asked. */
struct cairn_batch {
	size_t count;
	struct cairn_batch_item {
		struct cairn_fault fault; /* status NOT_FOUND: nothing covers the address */
		size_t first, count;      /* its locations */
		bool has_folded;          /* ask for the address alone to see them */
	} * items;
	struct cairn_location *locations;
};

/*
 * Many addresses at once: each function is decoded once, in whatever order they come.  Give the
 * batch back with cairn_batch_free(), which is harmless when this has failed.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find_many(struct cairn_symbols *symbols,
                                                                   const uint64_t *vas,
                                                                   size_t count,
                                                                   struct cairn_batch *batch);
CAIRN_API void cairn_batch_free(struct cairn_batch *batch);

/*
 * The readable form of a linker's name of C++ or Rust, `name`: put in `out`, which has room for `room`
 * bytes, without a NUL.  Returns how many bytes it has.  0: the name is of another language, damaged,
 * or its text is longer than `room` or CAIRN_DEMANGLE_MAX; it may be shown as it is then.  A name of
 * any content takes some milliseconds at most, and no memory.
 */
enum { CAIRN_DEMANGLE_MAX = 1 << 16 };
CAIRN_API size_t cairn_demangle(struct cairn_bytes name, char *out, size_t room);

#ifdef __cplusplus
}
#endif

#endif
