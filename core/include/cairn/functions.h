/* SPDX-License-Identifier: MIT */
/*
 * cairn-dwarf: the functions of a program, read from any file that describes them, and the files
 * that cairn makes from them, as `cairn gsym create`, `cairn symbfile create` and `cairn symbols
 * write` do. The functions here are in libcairn-dwarf, like the ones in cairn/dwarf.h.
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
 * Any number of files can be written from one input; each reads it again. Use an input in one
 * thread at a time.
 */
struct cairn_functions;

/* Input formats, with the values of enum cairn_symbol_format. */
enum cairn_functions_format {
	CAIRN_FUNCTIONS_GSYM = CAIRN_SYMBOLS_GSYM,
	CAIRN_FUNCTIONS_BREAKPAD = CAIRN_SYMBOLS_BREAKPAD,
	CAIRN_FUNCTIONS_ELF = CAIRN_SYMBOLS_ELF,
	CAIRN_FUNCTIONS_SYMBFILE = CAIRN_SYMBOLS_SYMBFILE,
};

/* Severity of a message; lower values are more severe. */
enum cairn_message_level {
	CAIRN_MESSAGE_DAMAGE, /* part of the input, or of a file that it needs, is lost */
	CAIRN_MESSAGE_NOTE,   /* minor losses, such as a missing debug file, and the first flaws */
	CAIRN_MESSAGE_DETAIL, /* every flaw, and the files that are used */
};

/*
 * A message about a problem or a detail that a call has noticed. Its strings live until the
 * callback returns, and may contain bytes of the input: see cairn_character_is_printable().
 */
struct cairn_message {
	enum cairn_message_level level;
	const char *path; /* file that the message is about */
	const char *part; /* section of that file, or NULL */
	const char *word; /* word of the file that the message is about, or NULL */
	const char *text; /* a lower-case phrase without a full stop */
	const char *next; /* suggested remedy, or NULL */
	bool has_offset;
	uint64_t offset; /* bytes from the beginning of the file or section */
};

enum { CAIRN_FUNCTIONS_JOBS_MAX = 256 };

/*
 * Options for reading an input. Begin with CAIRN_FUNCTIONS_OPTIONS; strings are borrowed until it
 * is closed.
 */
struct cairn_functions_options {
	size_t size; /* sizeof(struct cairn_functions_options) */

	/*
	 * The whole file, borrowed until the input is closed. If empty, the file at the path is
	 * opened.
	 */
	struct cairn_bytes bytes;
	/* "DIR:DIR" with debug files, searched before /usr/lib/debug, or NULL */
	const char *folders;
	/* ELF file whose symbol table replaces the input's, or NULL */
	const char *symbols;
	/*
	 * added to the addresses of a Breakpad file, which are relative to the start of its module
	 */
	uint64_t base;
	/* if the functions are NULL, the library opens files itself */
	struct cairn_file_access files;
	/*
	 * Get the debug file of a program without DWARF if it is not on this machine, and write its
	 * path to `path`, which has a capacity of `room` bytes. NULL disables the callback.
	 */
	bool (*fetch)(void *context, struct cairn_bytes build_id, char *path, size_t room);

	bool strict;     /* a damaged GSYM file, symbfile or Breakpad file is an error */
	bool statements; /* keep the rows that breakpoints on lines need */
	bool calls;      /* also read calls that are not inlined */
	bool merged;     /* keep all functions that share the same code */
	/*
	 * number of threads, at most CAIRN_FUNCTIONS_JOBS_MAX; 0 selects the number of processors,
	 * at most 8
	 */
	unsigned jobs;

	/* Receives messages of this level and the more severe ones. NULL disables messages. */
	enum cairn_message_level messages;
	void (*message)(void *context, const struct cairn_message *message);
	/*
	 * Called regularly with the amount of input read so far, in a unit that depends on the
	 * format. Returns false to end the call with CAIRN_CANCELLED. NULL disables the callback.
	 */
	bool (*progress)(void *context, uint64_t done, uint64_t all);
	void *context; /* argument of the three callbacks */
};
#define CAIRN_FUNCTIONS_OPTIONS                                                                    \
	{                                                                                          \
		sizeof(struct cairn_functions_options), { (const uint8_t *)"", 0 }, NULL, NULL, 0, \
			{ NULL, NULL, NULL }, NULL, false, false, false, false, 0,                 \
			CAIRN_MESSAGE_NOTE, NULL, NULL, NULL                                       \
	}

/*
 * Open the file at `path`, or the bytes in the options, whose name is then `path`; "-" is the
 * standard input. `path` is borrowed until the input is closed, and `options` may be NULL. The
 * caller closes *functions. Returns UNREADABLE if the file, or one that the options name, cannot be
 * read; UNSUPPORTED if its format is not one of these; MISMATCH if the file with symbols belongs to
 * another build; the kind of damage if it is damaged; NO_MEMORY. *error has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_functions_open(
	const char *path, const struct cairn_functions_options *options,
	struct cairn_functions **functions, struct cairn_error *error);

/* Close the input with all its files. NULL is allowed. */
CAIRN_API void cairn_functions_close(struct cairn_functions *functions);

/* Return the format of the input after decompression. */
CAIRN_API enum cairn_functions_format cairn_functions_format(
	const struct cairn_functions *functions);

/*
 * Return the build ID that the input records, valid as long as the input is open, or empty bytes.
 */
CAIRN_API struct cairn_bytes cairn_functions_build_id(const struct cairn_functions *functions);

/* Data of the input that was dropped, and the reason. */
struct cairn_functions_drop {
	const char *what; /* constant phrase in the plural, such as "empty ranges" */
	uint64_t count;
};

/*
 * List the data dropped during the last read of the input. *at is 0 before the first call; each
 * call fills *drop with the next item. Returns false after the last.
 */
CAIRN_API bool cairn_functions_next_drop(const struct cairn_functions *functions, size_t *at,
                                         struct cairn_functions_drop *drop);

/* Destination of a file's bytes: a path, or a callback of the host. */
struct cairn_output {
	size_t size; /* sizeof(struct cairn_output) */
	/*
	 * Path of the output file, which appears complete or not at all; signals are blocked
	 * meanwhile. If the path exists and is not a regular file, such as a pipe, it is written
	 * to. If NULL, write() receives the bytes.
	 */
	const char *path;
	/*
	 * Write the next bytes of the file whose path would end in `suffix`, such as ".ranges"; ""
	 * if there is only one file. Files are written one after the other. Returns 0, or an errno
	 * value to end the call with UNREADABLE.
	 */
	int (*write)(void *context, const char *suffix, const void *bytes, size_t size);
	void *context;
};

/* Properties of a GSYM file. Begin with CAIRN_GSYM_OPTIONS. */
struct cairn_gsym_options {
	size_t size;      /* sizeof(struct cairn_gsym_options) */
	unsigned version; /* 1 or 2; data that version 1 cannot express is written as version 2 */
	/*
	 * maximum size of a file in bytes; larger output is split into files whose names end in
	 * "-0xSTART"; 0 writes one file of any size
	 */
	uint64_t segment_size;
	/* shorten a long build ID to the 20 bytes that version 1 can hold */
	bool truncate_build_id;
	bool verify;       /* look up every address in the result before it is written */
	bool keep_damaged; /* write the undamaged part of a damaged input */
	/* write the input, a program or library, with a section .gsym; excludes segments */
	bool embed;
};
#define CAIRN_GSYM_OPTIONS                                                          \
	{                                                                           \
		sizeof(struct cairn_gsym_options), 1, 0, false, false, false, false \
	}

/* Result of cairn_functions_write_gsym(). Set `size` before the call. */
struct cairn_gsym_summary {
	size_t size; /* sizeof(struct cairn_gsym_summary) */
	/* numbers of functions written, and of those functions that come from symbols alone */
	uint64_t functions, symbols;
	uint64_t merged; /* functions that share the code of other functions */
	uint64_t rows, inlines, calls;
	/* functions left out because another one has the same range, or the same range and name */
	uint64_t folded, repeated;
	uint64_t nameless; /* functions written as ?? */
	uint64_t cut;      /* functions over 4 GiB, or inlined too deep */
	unsigned version;  /* GSYM version of the last file */
	uint64_t pieces;   /* number of files */
	/* totals of all pieces: bytes, bytes of strings, and file names */
	uint64_t bytes, string_bytes, files;
	uint64_t verified_functions, verified_addresses; /* counted only with `verify` */
	uint64_t hidden_addresses; /* verified addresses that lie in shorter functions */
	/* nothing was written, because part of the input is lost and keep_damaged is not set */
	bool refused;
};

/*
 * Read the functions and write them as a GSYM file; the same input gives the same bytes with any
 * number of threads. `options` and `summary` may be NULL. Returns NOT_FOUND if the input does not
 * contain functions; UNREADABLE if the output cannot be written or the input cannot be read;
 * MALFORMED if the input is damaged, or a lookup of `verify` differs; UNSUPPORTED if `embed` is set
 * and the input cannot get a section; CANCELLED; NO_MEMORY. *error has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_functions_write_gsym(
	struct cairn_functions *functions, const struct cairn_gsym_options *options,
	const struct cairn_output *output, struct cairn_gsym_summary *summary,
	struct cairn_error *error);

/* Properties of symbfiles. Begin with CAIRN_SYMBFILE_OPTIONS. */
struct cairn_symbfile_options {
	size_t size; /* sizeof(struct cairn_symbfile_options) */
	/*
	 * Program in whose code cairn finds the return pads, if the functions come from another
	 * file; NULL uses the input.
	 */
	const char *program;
	bool raw_names;  /* keep mangled names */
	bool no_ranges;  /* do not write ".ranges" */
	bool no_returns; /* do not write ".returnpads" */
};
#define CAIRN_SYMBFILE_OPTIONS                                                   \
	{                                                                        \
		sizeof(struct cairn_symbfile_options), NULL, false, false, false \
	}

/* Result of cairn_functions_write_symbfiles(). Set `size` before the call. */
struct cairn_symbfile_summary {
	size_t size; /* sizeof(struct cairn_symbfile_summary) */
	/* numbers of functions written, and of those functions that come from symbols alone */
	uint64_t functions, symbols;
	uint64_t ranges, rows;
	uint64_t pads, frames; /* return pads, and the frames in them */
	uint64_t range_bytes, pad_bytes;
	uint64_t nameless;  /* dropped: functions without a name */
	uint64_t repeated;  /* dropped: functions whose code all belongs to another function */
	uint64_t covered;   /* dropped: symbols that touch other functions */
	uint64_t sizeless;  /* dropped: symbols without a size and with no symbol after them */
	uint64_t too_deep;  /* inlined calls dropped for their depth */
	uint64_t too_long;  /* ranges whose end was dropped because they claim more than 64 GB */
	uint64_t undecoded; /* offsets in the code at which no instruction could be decoded */
};

/*
 * Read the functions and write symbfiles: ".ranges", and ".returnpads" if the program is an ELF
 * file whose call instructions cairn can decode. `options` and `summary` may be NULL. Returns
 * MISMATCH if the program belongs to another build; otherwise as cairn_functions_write_gsym().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_functions_write_symbfiles(
	struct cairn_functions *functions, const struct cairn_symbfile_options *options,
	const struct cairn_output *output, struct cairn_symbfile_summary *summary,
	struct cairn_error *error);

/*
 * Purpose of an ELF object. Begin with CAIRN_SYMBOL_OBJECT_OPTIONS, and set `program` or `machine`.
 */
struct cairn_symbol_object_options {
	size_t size; /* sizeof(struct cairn_symbol_object_options) */
	/*
	 * Path of the program that the symbols are for, which provides the machine and the build
	 * ID, or NULL.
	 */
	const char *program;
	uint16_t machine; /* without a program: e_machine of ELF, such as 62 for amd64 */
	bool big_endian;  /* without a program: byte order */
	bool narrow;      /* without a program: true for a 32-bit program */
	/* include the data that LLDB needs, with the frames of the program, instead of GDB's */
	bool for_lldb;
	bool any_build; /* ignore the build IDs of the input and the program */
};
#define CAIRN_SYMBOL_OBJECT_OPTIONS                                                             \
	{                                                                                       \
		sizeof(struct cairn_symbol_object_options), NULL, 0, false, false, false, false \
	}

/* Result of cairn_functions_write_object(). Set `size` before the call. */
struct cairn_symbol_object_summary {
	size_t size;        /* sizeof(struct cairn_symbol_object_summary) */
	uint64_t functions; /* functions that were read */
	uint64_t frames;    /* functions whose frames the object describes */
	uint64_t bytes;
	uint64_t damaged; /* number of damaged rows or entries in the program's frame tables */
	struct cairn_fault fault; /* first of these faults */
};

/*
 * Read the functions and write an ELF object with a symbol table and DWARF, which debuggers accept
 * as the debug file of the program (docs/formats/symbol-object.md). Open the input with
 * `statements`. With for_lldb and a program, `functions` may be NULL, in which case the functions
 * come from the program's .sframe. Returns MISMATCH if the input belongs to another build than the
 * program; otherwise as cairn_functions_write_gsym().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_functions_write_object(
	struct cairn_functions *functions, const struct cairn_symbol_object_options *options,
	const struct cairn_output *output, struct cairn_symbol_object_summary *summary,
	struct cairn_error *error);

#ifdef __cplusplus
}
#endif

#endif
