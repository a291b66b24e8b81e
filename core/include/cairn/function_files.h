/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn/functions.h>: writes a program's functions as a GSYM file, as symbfiles, or as an
 * ELF object with DWARF.
 *
 *	struct cairn_gsym_summary summary = CAIRN_SIZED(struct cairn_gsym_summary);
 *	struct cairn_output out = CAIRN_SIZED(struct cairn_output);
 *	out.path = "a.gsym";
 *	status = cairn_functions_write_gsym(functions, NULL, &out, &summary, &error);
 *	if (status == CAIRN_OK)
 *		printf("%u functions\n", (unsigned)summary.functions);
 */
#ifndef CAIRN_INCLUDE_FUNCTION_FILES_H
#define CAIRN_INCLUDE_FUNCTION_FILES_H

#include <cairn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_functions;

/* Destination of an output file: a path, or a callback. */
struct cairn_output {
	size_t size; /* sizeof(struct cairn_output) */
	/*
	 * Path of the output file, which is created atomically while signals are blocked. If the
	 * path exists and is not a regular file, such as a pipe, the output is written into it. If
	 * `path` is NULL, write() receives the bytes.
	 */
	const char *path;
	/*
	 * Write the next bytes of one file. `suffix` distinguishes several output files, for
	 * example ".ranges"; it is "" if there is only one. Files are written one after the other.
	 * Returns 0, or an errno value to end the call with UNREADABLE.
	 */
	int (*write)(void *context, const char *suffix, const void *bytes, size_t size);
	void *context;
};

/* Properties of a GSYM file. Initialize with CAIRN_GSYM_OPTIONS. */
struct cairn_gsym_options {
	size_t size;
	/* GSYM version, 1 (also if 0) or 2; data that version 1 cannot express forces version 2 */
	unsigned version;
	/*
	 * maximum size of a file in bytes; larger output is split into files whose names end in
	 * "-0xSTART"; 0 writes a single file of any size
	 */
	uint64_t segment_size;
	/* shorten a long build ID to 20 bytes, the maximum in version 1 */
	bool truncate_build_id;
	bool verify;       /* look up every address in the result before writing it */
	bool keep_damaged; /* write the undamaged functions even if the input is damaged */
	/*
	 * write a copy of the input, a program or library, to which a .gsym section is added;
	 * cannot be combined with `segment_size`
	 */
	bool embed;
};
#define CAIRN_GSYM_OPTIONS CAIRN_SIZED(struct cairn_gsym_options)

/* Result of cairn_functions_write_gsym(). The caller sets `size` to the size of this struct. */
struct cairn_gsym_summary {
	size_t size;
	/* number of functions written, and how many of these come only from symbols */
	uint64_t functions, symbols;
	uint64_t merged; /* number of functions that share the code of other functions */
	uint64_t rows, inlines, calls;
	/*
	 * numbers of functions omitted because another function has the same range (`folded`), or
	 * the same range and name (`repeated`)
	 */
	uint64_t folded, repeated;
	uint64_t nameless; /* number of functions without a name, written as ?? */
	/*
	 * number of functions truncated to 4 GiB, plus the number of inlined calls omitted because
	 * they are nested too deeply
	 */
	uint64_t cut;
	unsigned version; /* GSYM version of the last file */
	uint64_t pieces;  /* number of output files */
	/*
	 * totals over all files: size in bytes, size of strings in bytes, and number of source file
	 * names
	 */
	uint64_t bytes, string_bytes, files;
	uint64_t verified_functions, verified_addresses; /* counted only if `verify` is set */
	/* number of verified addresses whose lookup finds a shorter function instead */
	uint64_t hidden_addresses;
	/*
	 * nothing has been written, because contents of the input are lost and `keep_damaged` is
	 * not set
	 */
	bool refused;
};

/*
 * Read the functions and write them as a GSYM file; the output does not depend on the number of
 * threads. `options` and `summary` may be NULL. Returns NOT_FOUND if the input does not contain
 * functions; UNREADABLE if the output cannot be written or the input cannot be read; MALFORMED if
 * the input is damaged, or if `verify` finds a difference; UNSUPPORTED if `embed` is set and no
 * section can be added to the input; CANCELLED; NO_MEMORY. *error has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_functions_write_gsym(
	struct cairn_functions *functions, const struct cairn_gsym_options *options,
	const struct cairn_output *output, struct cairn_gsym_summary *summary,
	struct cairn_error *error);

/* Options for cairn_functions_write_symbfiles(). Initialize with CAIRN_SYMBFILE_OPTIONS. */
struct cairn_symbfile_options {
	size_t size;
	/*
	 * Program whose code is searched for return pads, if the functions come from a different
	 * file. NULL searches the input.
	 */
	const char *program;
	bool raw_names; /* keep mangled names */
	bool no_ranges;
	bool no_returns;
};
#define CAIRN_SYMBFILE_OPTIONS CAIRN_SIZED(struct cairn_symbfile_options)

/*
 * Result of cairn_functions_write_symbfiles(). The caller sets `size` to the size of this struct.
 */
struct cairn_symbfile_summary {
	size_t size;
	/* number of functions written, and how many of these come only from symbols */
	uint64_t functions, symbols;
	uint64_t ranges, rows;
	uint64_t pads, frames; /* number of return pads, and the total number of frames in them */
	uint64_t range_bytes, pad_bytes;
	uint64_t nameless; /* number of functions dropped because they have no name */
	/* number of functions dropped because all of their code belongs to other functions */
	uint64_t repeated;
	uint64_t covered; /* number of symbols dropped because they overlap other functions */
	/* number of symbols dropped because they have no size and no symbol follows them */
	uint64_t sizeless;
	uint64_t too_deep; /* number of inlined calls dropped because they are nested too deeply */
	/* number of ranges cut short because they claim to be larger than 64 GB */
	uint64_t too_long;
	uint64_t undecoded; /* number of code offsets where no instruction could be decoded */
};

/*
 * Read the functions and write symbfiles: ".ranges", and ".returnpads" if the program is an ELF
 * file whose call instructions cairn can decode. `options` and `summary` may be NULL. Returns
 * MISMATCH if the program belongs to a different build; all other statuses are the same as for
 * cairn_functions_write_gsym().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_functions_write_symbfiles(
	struct cairn_functions *functions, const struct cairn_symbfile_options *options,
	const struct cairn_output *output, struct cairn_symbfile_summary *summary,
	struct cairn_error *error);

/*
 * Properties of an ELF object. Initialize with CAIRN_SYMBOL_OBJECT_OPTIONS, and set `program` or
 * `machine`.
 */
struct cairn_symbol_object_options {
	size_t size;
	/*
	 * Path of the program that the symbols describe, or NULL. The machine and the build ID are
	 * read from this file.
	 */
	const char *program;
	/* e_machine of the ELF header, such as 62 for amd64; used if `program` is NULL */
	uint16_t machine;
	bool big_endian; /* byte order; used if `program` is NULL */
	bool narrow;     /* true for a 32-bit program; used if `program` is NULL */
	/*
	 * create an object for LLDB instead of GDB, and include the program's unwind information
	 */
	bool for_lldb;
	bool any_build; /* accept an input whose build ID differs from the program's */
};
#define CAIRN_SYMBOL_OBJECT_OPTIONS CAIRN_SIZED(struct cairn_symbol_object_options)

/* Result of cairn_functions_write_object(). The caller sets `size` to the size of this struct. */
struct cairn_symbol_object_summary {
	size_t size;
	uint64_t functions;
	uint64_t frames; /* number of functions with unwind information in the object */
	uint64_t bytes;
	uint64_t damaged; /* number of damaged rows or entries in the program's unwind tables */
	struct cairn_fault fault; /* first fault in the program's unwind tables */
};

/*
 * Read the functions and write an ELF object with a symbol table and DWARF, which debuggers accept
 * as the program's debug file (docs/formats/symbol-object.md). Open the input with `statements`. If
 * `for_lldb` and `program` are set, `functions` may be NULL; the functions then come from the
 * program's .sframe. Returns MISMATCH if the input and the program belong to different builds; all
 * other statuses are the same as for cairn_functions_write_gsym().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_functions_write_object(
	struct cairn_functions *functions, const struct cairn_symbol_object_options *options,
	const struct cairn_output *output, struct cairn_symbol_object_summary *summary,
	struct cairn_error *error);

#ifdef __cplusplus
}
#endif

#endif
