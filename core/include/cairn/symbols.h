/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: the symbols of one module by address, from bytes that the host has.
 * symbol_file.h finds and opens symbol files.
 */
#ifndef CAIRN_INCLUDE_SYMBOLS_H
#define CAIRN_INCLUDE_SYMBOLS_H

#include <cairn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Source location of a frame. The strings are borrowed from the symbols that the location came
 * from; unknown strings are empty.
 */
struct cairn_location {
	struct cairn_bytes function;        /* linkage name or demangled name, as the file has it */
	struct cairn_bytes directory, file; /* cairn_location_path() joins them */
	uint64_t start;  /* va of the start of the function or the inlined call */
	uint64_t offset; /* bytes from `start` to the address that was looked up */
	uint32_t line;   /* 0 if unknown */
	bool inlined;    /* inlined into the function of the next location */
	uint32_t column; /* 0 if unknown */
	/*
	 * size of the function in bytes, counted from `start`; 0 for an inlined call, if unknown,
	 * or from 4 GiB on
	 */
	uint32_t size;
};

/*
 * Write the path of a location to `path`, which has a capacity of `size` bytes. The path is
 * truncated if it does not fit, and ends with a NUL unless `size` is 0. Returns the length of the
 * whole path without the NUL, as snprintf() does. Does not resolve "..": equal files have equal
 * paths. The file "<compiler-generated>", which Swift names for code without a source, does not get
 * a directory.
 */
CAIRN_API size_t cairn_location_path(const struct cairn_location *location, char *path,
                                     size_t size);

/*
 * The symbols of one module: a file in a symbol format, and a bounded cache of decoded functions.
 */
struct cairn_symbols;

/* Formats of symbol files. The first bytes of a file identify its format unless noted. */
enum cairn_symbol_format {
	CAIRN_SYMBOLS_GSYM,
	CAIRN_SYMBOLS_SYMBFILE, /* a symbfile of ranges */
	/* addresses are relative to the first byte of the module, which has va 0 */
	CAIRN_SYMBOLS_BREAKPAD,
	CAIRN_SYMBOLS_GO,  /* the function table in a Go program itself */
	CAIRN_SYMBOLS_JIT, /* a jitdump or perf map; addresses are pc of the process */
	CAIRN_SYMBOLS_ELF, /* DWARF and symbol tables of an ELF file, read by cairn/functions.h */
};

/*
 * A callback that long operations call at least every 10 ms. `poll` may leave by an exception; then
 * the operation has no result, and no memory leaks.
 */
struct cairn_poll {
	void (*poll)(void *context);
	void *context;
};

/* Options for opening a symbol file. Begin with CAIRN_SYMBOLS_OPTIONS. */
struct cairn_symbols_options {
	size_t size; /* sizeof(struct cairn_symbols_options) */
	/*
	 * Build ID of the module. If empty, every file is accepted, and the caller knows that it
	 * belongs to the module.
	 */
	struct cairn_bytes build_id;
	/*
	 * CAIRN_SYMBOLS_GO: the file is the whole ELF file of a Go program, and the program's own
	 * function table is opened. CAIRN_SYMBOLS_JIT: the file is a whole jitdump or perf map
	 * (docs/formats/jitdump.md, perfmap.md), without a build ID; functions that later ones
	 * replaced are left out. Otherwise the format is recognized by the first bytes.
	 */
	enum cairn_symbol_format format;
	/* expected pid in a jitdump, as the process itself sees it; 0 accepts any */
	uint64_t pid;
	/* called while a whole file is read; may be NULL */
	const struct cairn_poll *poll;
};
#define CAIRN_SYMBOLS_OPTIONS                                                                     \
	{                                                                                         \
		sizeof(struct cairn_symbols_options), CAIRN_NO_BYTES, CAIRN_SYMBOLS_GSYM, 0, NULL \
	}

/*
 * Open the symbols of a module. If `options` is NULL, every build is accepted. `file` is
 *   - a GSYM file of either version, or an ELF or Mach-O file with GSYM in its section .gsym
 *     (__gsym). It is borrowed until cairn_symbols_free(). Only its headers are read, so a large
 *     file costs no more than a small one;
 *   - a symbfile of ranges, a Breakpad symbol file, or the format in options->format. The whole
 *     file is read now, at some 0.1 s for each 30,000 functions, and kept in up to four times as
 *     much memory as the GSYM file of the same symbols takes; there is no cache then. The file is
 *     not used afterwards.
 *
 * The caller frees *symbols. Returns CAIRN_MISMATCH if the file belongs to another build or
 * process, or does not record its build, which a symbfile never does. Returns NOT_FOUND if the file
 * has no function symbols (an ELF file without .gsym does not have any), or if a Go program was
 * requested and the file is not one; UNSUPPORTED if it has a version that cairn does not read, or
 * is compressed; TRUNCATED or MALFORMED if it is damaged or in another format; NO_MEMORY. *fault
 * has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_open(
	struct cairn_bytes file, const struct cairn_symbols_options *options,
	struct cairn_symbols **symbols, struct cairn_fault *fault);

/*
 * Free the symbols, and with them the strings of locations that came from a symbfile or a Breakpad
 * file. NULL is allowed.
 */
CAIRN_API void cairn_symbols_free(struct cairn_symbols *symbols);

/*
 * Return the build ID that the file records, or empty bytes if it does not record one; it lives as
 * long as `symbols`.
 */
CAIRN_API struct cairn_bytes cairn_symbols_build_id(const struct cairn_symbols *symbols);

/*
 * Return true if the file belongs to that build. A Breakpad file may record only the first 16 bytes
 * of a build ID; then only these are compared. Returns false if the file does not record a build
 * ID, which a symbfile never does. cairn_symbols_open() with a build ID makes the same check.
 */
CAIRN_API bool cairn_symbols_is_of_build(const struct cairn_symbols *symbols,
                                         struct cairn_bytes build_id);

/* Return the format of the file that was opened. */
CAIRN_API enum cairn_symbol_format cairn_symbols_format(const struct cairn_symbols *symbols);

/*
 * Return the fault that ended the reading of a symbfile or a Breakpad file; its status is CAIRN_OK
 * if the whole file was read. The functions before the damage are used. GSYM is read at each
 * lookup, so each result has a fault of its own. The fault lives as long as `symbols`.
 */
CAIRN_API const struct cairn_fault *cairn_symbols_read_fault(const struct cairn_symbols *symbols);

/*
 * Empty the cache and set its new capacity in bytes. The initial capacity is four times the size of
 * the GSYM file, but at least CAIRN_SYMBOLS_CACHE and at most CAIRN_SYMBOLS_CACHE_MAX. It is used
 * up only if all functions of a large file are looked up often.
 */
enum { CAIRN_SYMBOLS_CACHE = 64 << 20, CAIRN_SYMBOLS_CACHE_MAX = 1 << 30 };
CAIRN_API void cairn_symbols_set_cache(struct cairn_symbols *symbols, size_t bytes);

/*
 * Answer for one address: its locations, innermost first, and the locations of other functions that
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
 * It is a large struct, meant for the stack; there is nothing to free. It is valid until the next
 * call on its symbols; the strings of its locations are valid as long as the file.
 */
struct cairn_lookup_result {
	/*
	 * damage in the data, final after the last location; locations read before the damage are
	 * returned
	 */
	struct cairn_fault fault;
	uint64_t va;
	const struct cairn_symbols *symbols;
	uint64_t state[640]; /* private to cairn */
};

/*
 * Look up `va` and fill *answer. Returns NOT_FOUND if no function covers `va`, or the status of
 * damage in the data; then *answer does not have locations, and its fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find(struct cairn_symbols *symbols,
                                                              uint64_t va,
                                                              struct cairn_lookup_result *answer);

/*
 * Look up `va` without the cache: slower, but it allocates nothing and writes to *answer only. It
 * is safe in signal handlers, and in several threads on the same symbols. The result is the same as
 * from cairn_symbols_find().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find_uncached(
	const struct cairn_symbols *symbols, uint64_t va, struct cairn_lookup_result *answer);

/*
 * Look up the function only, without file, line and inlined calls. It is fast, and as safe in
 * signal handlers and threads as cairn_symbols_find_uncached(). The statuses are the same; *fault
 * has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find_function(
	const struct cairn_symbols *symbols, uint64_t va, struct cairn_location *location,
	struct cairn_fault *fault);

/* Fill *location with the next location of the function, outwards. Returns false after the last. */
CAIRN_API bool cairn_lookup_result_next(struct cairn_lookup_result *answer,
                                        struct cairn_location *location);

/*
 * Move on to the next function that the linker folded into the same code, and return true if there
 * is one; cairn_lookup_result_next() then lists its locations.
 */
CAIRN_API bool cairn_lookup_result_next_folded(struct cairn_lookup_result *answer);

/* Answers for many addresses, in the order of the addresses. */
struct cairn_batch {
	size_t count;
	struct cairn_batch_item {
		struct cairn_fault fault; /* status NOT_FOUND if no function covers the address */
		size_t first, count;      /* range of its elements in `locations` */
		bool has_folded;          /* cairn_symbols_find() lists the folded functions */
	} * items;
	struct cairn_location *locations;
};

/*
 * Look up `count` addresses at once, in any order; each function is decoded only once. The caller
 * frees *batch with cairn_batch_free(); the strings of its locations are valid as long as the file.
 * Returns NO_MEMORY or CAIRN_OK: problems with an address are reported in its item.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_find_many(struct cairn_symbols *symbols,
                                                                   const uint64_t *vas,
                                                                   size_t count,
                                                                   struct cairn_batch *batch);

/* Free the arrays of a batch; harmless after cairn_symbols_find_many() failed. */
CAIRN_API void cairn_batch_free(struct cairn_batch *batch);

/*
 * Write the demangled form of `name`, a linkage name of C++ (Itanium C++ ABI), Rust (RFC 2603 and
 * the older form), a Fortran module (gfortran) or an Ada task (GNAT), to `out`, which has a
 * capacity of `room` bytes; no NUL follows. Returns its length in bytes, or 0 if the name belongs
 * to another language, is damaged, or has a form longer than `room` or CAIRN_DEMANGLE_MAX; in that
 * case show the name itself. Takes at most a few milliseconds for any name, and allocates nothing.
 */
enum { CAIRN_DEMANGLE_MAX = 1 << 16 };
CAIRN_API size_t cairn_demangle(struct cairn_bytes name, char *out, size_t room);

/* Level of detail in a demangled Swift name; the other languages have one form. */
enum cairn_name_form {
	/* as in Swift's crash reports: no modules, and no types except type arguments */
	CAIRN_NAME_SHORT,
	CAIRN_NAME_FULL, /* as `swift-demangle -compact` prints it */
};

/* Demangle as cairn_demangle() does, and also Swift names (4.2 and newer). */
CAIRN_API size_t cairn_demangle_as(struct cairn_bytes name, enum cairn_name_form form, char *out,
                                   size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
