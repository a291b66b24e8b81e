/* SPDX-License-Identifier: MIT */
/*
 * cairn-dwarf: reads a program's functions from any file that describes them, and writes them in
 * other formats. `cairn gsym create`, `cairn symbfile create` and `cairn symbols write` use it.
 * This header's functions are in libcairn-dwarf, like those in cairn/dwarf.h.
 */
#ifndef CAIRN_INCLUDE_FUNCTIONS_H
#define CAIRN_INCLUDE_FUNCTIONS_H

#include <cairn/base.h>
#include <cairn/symbolizer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * An input with functions: an ELF file with DWARF or symbols, with the separate debug files that
 * belong to it; a Breakpad file; a GSYM file; a symbfile; or one of these compressed with gzip,
 * zstd, xz or lz4.
 *
 *	struct cairn_functions *functions;
 *	struct cairn_error error;
 *	const struct cairn_output out = { sizeof(out), "a.gsym", NULL, NULL };
 *
 *	if (cairn_functions_open("a.out", NULL, &functions, &error) == CAIRN_OK) {
 *		if (cairn_functions_write_gsym(functions, NULL, &out, NULL, &error) != CAIRN_OK)
 *			printf("%s: %s\n", error.path, error.text);
 *		cairn_functions_close(functions);
 *	}
 *
 * Any number of files can be written from one input, which is read again for each. Use an input in
 * one thread at a time.
 */
struct cairn_functions;

/* Input formats, with the values of enum cairn_symbol_format. */
enum cairn_functions_format {
	CAIRN_FUNCTIONS_GSYM = CAIRN_SYMBOLS_GSYM,
	CAIRN_FUNCTIONS_BREAKPAD = CAIRN_SYMBOLS_BREAKPAD,
	CAIRN_FUNCTIONS_ELF = CAIRN_SYMBOLS_ELF,
	CAIRN_FUNCTIONS_SYMBFILE = CAIRN_SYMBOLS_SYMBFILE,
};

/* Severity of a message. Lower values are more severe. */
enum cairn_message_level {
	CAIRN_MESSAGE_DAMAGE, /* some contents of the input, or of a required file, are lost */
	/* minor problems such as a missing debug file, and the first few flaws */
	CAIRN_MESSAGE_NOTE,
	/* the remaining flaws, and the paths of the separate debug files that are used */
	CAIRN_MESSAGE_DETAIL,
};

/*
 * A diagnostic about the input. Its strings live until the callback returns, and may contain bytes
 * from the input: see cairn_character_is_printable().
 */
struct cairn_message {
	enum cairn_message_level level;
	const char *path; /* file that the message is about, or NULL */
	const char *part; /* section of the file, or NULL */
	const char *word; /* word in the file that the message is about, or NULL */
	const char *text; /* a lower-case phrase without a full stop */
	const char *next; /* suggested remedy, or NULL */
	bool has_offset;
	uint64_t offset; /* number of bytes from the beginning of the file or section */
};

enum { CAIRN_FUNCTIONS_JOBS_MAX = 256 };

/*
 * Options for reading an input. Initialize with CAIRN_FUNCTIONS_OPTIONS; strings are borrowed until
 * the input is closed.
 */
struct cairn_functions_options {
	size_t size;

	/*
	 * The whole file, borrowed until the input is closed. If empty, the file at the path is
	 * opened.
	 */
	struct cairn_bytes bytes;
	/* colon-separated directories with debug files, searched before /usr/lib/debug; or NULL */
	const char *folders;
	/* ELF file whose symbol table is used instead of the input's, or NULL */
	const char *symbols;
	/*
	 * number that is added to the addresses in a Breakpad file, which are relative to the start
	 * of the file's module
	 */
	uint64_t base;
	/* callbacks that open files; if they are NULL, the library opens files itself */
	struct cairn_file_access files;
	/*
	 * Download the debug file of a program without DWARF, and write the file's path to `path`,
	 * whose capacity is `room` bytes. Called only if the file is not on this machine. Returns
	 * false if the file is unavailable. NULL disables the callback.
	 */
	bool (*fetch)(void *context, struct cairn_bytes build_id, char *path, size_t room);

	bool strict;     /* treat damage in a GSYM file, symbfile or Breakpad file as an error */
	bool statements; /* keep the line table rows that line breakpoints need */
	bool calls;      /* also read call sites that are not inlined */
	bool merged;     /* keep all functions that share the same code */
	/*
	 * number of threads, at most CAIRN_FUNCTIONS_JOBS_MAX; 0 selects the number of processors,
	 * at most 8
	 */
	unsigned jobs;

	/* least severe level to pass to message(); `message` is NULL to disable messages */
	enum cairn_message_level messages;
	void (*message)(void *context, const struct cairn_message *message);
	/*
	 * Called regularly with the amount of input that has been read, in a unit that depends on
	 * the format. Returns false to end the call with CAIRN_CANCELLED. NULL disables the
	 * callback.
	 */
	bool (*progress)(void *context, uint64_t done, uint64_t all);
	void *context; /* argument of all callbacks above */
};
#define CAIRN_FUNCTIONS_OPTIONS                                                                    \
	{                                                                                          \
		sizeof(struct cairn_functions_options), { (const uint8_t *)"", 0 }, NULL, NULL, 0, \
			{ NULL, NULL, NULL }, NULL, false, false, false, false, 0,                 \
			CAIRN_MESSAGE_NOTE, NULL, NULL, NULL                                       \
	}

/*
 * Open the file at `path`, or the bytes in the options, for which `path` is only a name. "-" is
 * standard input. `path` is borrowed until the input is closed, and `options` may be NULL. The
 * caller closes *functions. Returns UNREADABLE if the file, or another file in the options, cannot
 * be read; UNSUPPORTED if cairn does not read its format; MISMATCH if the file with symbols belongs
 * to a different build; TRUNCATED or MALFORMED if the input is damaged; NO_MEMORY. *error has the
 * details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_functions_open(
	const char *path, const struct cairn_functions_options *options,
	struct cairn_functions **functions, struct cairn_error *error);

/* Close the input and all files opened for it. NULL is allowed. */
CAIRN_API void cairn_functions_close(struct cairn_functions *functions);

/* Return the format of the input after decompression. */
CAIRN_API enum cairn_functions_format cairn_functions_format(
	const struct cairn_functions *functions);

/*
 * Return the build ID that the input records, or empty bytes. The bytes stay valid as long as the
 * input is open.
 */
CAIRN_API struct cairn_bytes cairn_functions_build_id(const struct cairn_functions *functions);

struct cairn_functions_drop {
	const char *what; /* constant phrase in the plural, such as "empty ranges" */
	uint64_t count;
};

/*
 * List the kinds of data that were dropped when the input was last read. Set *at to 0 before the
 * first call; each call fills *drop with the next item. Returns false after the last item.
 */
CAIRN_API bool cairn_functions_next_drop(const struct cairn_functions *functions, size_t *at,
                                         struct cairn_functions_drop *drop);

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
	/* GSYM version, 1 or 2; data that version 1 cannot express forces version 2 */
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
#define CAIRN_GSYM_OPTIONS                                                          \
	{                                                                           \
		sizeof(struct cairn_gsym_options), 1, 0, false, false, false, false \
	}

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
#define CAIRN_SYMBFILE_OPTIONS                                                   \
	{                                                                        \
		sizeof(struct cairn_symbfile_options), NULL, false, false, false \
	}

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
#define CAIRN_SYMBOL_OBJECT_OPTIONS                                                             \
	{                                                                                       \
		sizeof(struct cairn_symbol_object_options), NULL, 0, false, false, false, false \
	}

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
