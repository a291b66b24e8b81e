/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: opens the symbols of one module from a symbol file by path or in memory, or
 * by searching for them. lookup.h looks up addresses in them. symbolizer.h looks up addresses in
 * any number of modules and adds other sources, such as DWARF.
 *
 *	struct cairn_symbols *symbols;
 *	struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;
 *	options.build_id = build_id;
 *	status = cairn_symbols_search("/usr/bin/shop", NULL, &options, &symbols, &error);
 *	if (status == CAIRN_OK)
 *		printf("%s\n", cairn_symbols_path(symbols));
 */
#ifndef CAIRN_INCLUDE_SYMBOLS_H
#define CAIRN_INCLUDE_SYMBOLS_H

#include <cairn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

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
#define CAIRN_SYMBOLS_OPTIONS CAIRN_SIZED(struct cairn_symbols_options)

/*
 * Open the symbol file at `path` in any format. The library copies the file into memory, so that
 * changes to it cannot crash the host. Options and statuses are the same as for
 * cairn_symbols_open_bytes(), and UNREADABLE if the file cannot be opened or is not a regular file.
 * *error, which may be NULL, has the details. The caller frees *symbols.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_open(
	const char *path, const struct cairn_symbols_options *options,
	struct cairn_symbols **symbols, struct cairn_error *error);

/*
 * Open a module's symbols from a file in memory. If `options` is NULL, every build ID is accepted.
 * `file` is
 *   - a GSYM file of either version, or an ELF or Mach-O file with GSYM in its section .gsym
 *     (__gsym). It is borrowed until cairn_symbols_free(). Only its headers are read, so a large
 *     file costs no more than a small one;
 *   - a symbfile of ranges, a Breakpad symbol file, or the format in options->format. The whole
 *     file is read now, in about 0.1 s per 30,000 functions, and kept in up to four times as much
 *     memory as the GSYM file of the same symbols takes; a lookup then needs no cache. The file is
 *     not used afterwards.
 *
 * The caller frees *symbols. Returns MISMATCH if the file belongs to a different build or process,
 * or if a build ID is required and the file does not record one, which a symbfile never does.
 * Returns NOT_FOUND if the file contains no function symbols (such as an ELF file without .gsym),
 * or if the format is CAIRN_SYMBOLS_GO and the file is not a Go program; UNSUPPORTED if cairn does
 * not read the file's version, or if the file is compressed; TRUNCATED or MALFORMED if it is
 * damaged or in an unknown format; NO_MEMORY. *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_open_bytes(
	struct cairn_bytes file, const struct cairn_symbols_options *options,
	struct cairn_symbols **symbols, struct cairn_fault *fault);

/*
 * Return the path from which the symbols were opened, or NULL if they come from bytes. It lives as
 * long as `symbols`.
 */
CAIRN_API const char *cairn_symbols_path(const struct cairn_symbols *symbols);

/*
 * Search for a module's symbols, by the path of its file and options->build_id, and open the first
 * symbol file that belongs to the module. The options `format` and `pid` are ignored. cairn looks
 * in this order:
 *   1. in the file at `binary`, if it belongs to that build, for a section .gsym;
 *   2. beside the binary, for BINARY.gsym;
 *   3. in each of `directories` ("DIR:DIR", may be NULL), for NAME.gsym, ab/cdef.gsym in .build-id,
 *      buildid/abcdef/gsym, and abcdef.gsym;
 *   4. in /usr/lib/debug/.build-id, for ab/cdef.gsym;
 *   5. in $XDG_CACHE_HOME/cairn or ~/.cache/cairn, for abcdef.debuginfod.gsym, which `cairn gsym
 *      fetch` puts there, then for abcdef.gsym;
 *   6. in the locations of steps 2 to 5 with .sym instead of .gsym, for a Breakpad file;
 *   7. at the paths of steps 3 to 5 that contain the build ID, with .symbfile or .ranges instead of
 *      .gsym, for a symbfile;
 *   8. at the same paths with the FileID instead of the build ID, for a symbfile such as
 *      FILEID.symbfile, which `cairn symbfile fetch` puts into the cache of step 5. This needs the
 *      file at `binary`, and that file must have the build ID;
 *   9. in the file at `binary`, if it belongs to that build, for a Go program's function table.
 *      If no build ID is given (Go programs may lack one), only steps 1 and 9 are tried;
 *   10. in the directory of the binary and in each of `directories`, for a GSYM file of the build
 *      with any name: 64 files are opened, those whose names end in .gsym first, and a directory is
 *      read again only when it has changed.
 * Files from a different build are skipped. The caller frees *symbols. Returns NOT_FOUND if no file
 * is acceptable. If a file was found and rejected, *error describes the last one, and error->status
 * is its status instead of NOT_FOUND. `error` may be NULL.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_symbols_search(
	const char *binary, const char *directories, const struct cairn_symbols_options *options,
	struct cairn_symbols **symbols, struct cairn_error *error);

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
 * build ID, which a symbfile never does. cairn_symbols_open_bytes() with a build ID makes the same
 * check.
 */
CAIRN_API bool cairn_symbols_is_of_build(const struct cairn_symbols *symbols,
                                         struct cairn_bytes build_id);

/* Return the format of the file. */
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

#ifdef __cplusplus
}
#endif

#endif
