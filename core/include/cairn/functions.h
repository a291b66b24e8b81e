/* SPDX-License-Identifier: MIT */
/*
 * cairn-dwarf: the functions of a program, read from any file that describes them, and the files that cairn makes of
 * them. It is what `cairn gsym create`, `cairn symbfile create` and `cairn symbols write` do. The functions here are in
 * libcairn-dwarf, as those of cairn/dwarf.h are.
 */
#ifndef CAIRN_INCLUDE_FUNCTIONS_H
#define CAIRN_INCLUDE_FUNCTIONS_H

#include <cairn/base.h>
#include <cairn/symbolizer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * An input that functions come from: an ELF file with DWARF or symbols, with the separate debug files that belong to
 * it; a Breakpad file; a GSYM file; a symbfile; or one of these packed by gzip, zstd, xz or lz4.
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
 * Any number of files can be written of one input; each reads it again. Use an input in one thread at a time.
 */
struct cairn_functions;

/* The formats of inputs: names of the same values in enum cairn_symbol_format. */
enum cairn_functions_format {
	CAIRN_FUNCTIONS_GSYM = CAIRN_SYMBOLS_GSYM,
	CAIRN_FUNCTIONS_BREAKPAD = CAIRN_SYMBOLS_BREAKPAD,
	CAIRN_FUNCTIONS_ELF = CAIRN_SYMBOLS_ELF,
	CAIRN_FUNCTIONS_SYMBFILE = CAIRN_SYMBOLS_SYMBFILE,
};

/* How much a message matters; the lower, the more. */
enum cairn_message_level {
	CAIRN_MESSAGE_DAMAGE, /* a part of the input is lost, or of a file that it needs */
	CAIRN_MESSAGE_NOTE,   /* what costs little, such as a missing debug file; the first flaws */
	CAIRN_MESSAGE_DETAIL, /* every flaw, and which files are used */
};

/*
 * What the library noticed while it went on. Its texts live until the callback returns. They may contain bytes of the
 * input: see cairn_character_is_printable().
 */
struct cairn_message {
	enum cairn_message_level level;
	const char *path; /* of the file that the message is about */
	const char *part; /* a section of it; NULL: none */
	const char *word; /* a word of the file that the text is about; NULL: none */
	const char *text; /* a lower-case phrase without a full stop */
	const char *next; /* what to do about it; NULL: nothing */
	bool has_offset;
	uint64_t offset; /* bytes from the beginning of the file or section */
};

enum { CAIRN_FUNCTIONS_JOBS_MAX = 256 };

/* How an input is read. Begin with CAIRN_FUNCTIONS_OPTIONS; texts are borrowed until it is closed. */
struct cairn_functions_options {
	size_t size; /* sizeof(struct cairn_functions_options) */

	/* The whole file, borrowed until the input is closed; empty: the file at the path is opened. */
	struct cairn_bytes bytes;
	const char *folders; /* "DIR:DIR" with debug files, before /usr/lib/debug; NULL: none */
	const char *
		symbols; /* an ELF file whose symbol table counts in place of the input's; NULL: none */
	uint64_t base; /* added to the addresses of a Breakpad file, which count from its module */
	struct cairn_file_access files; /* functions NULL: the library opens files itself */
	/*
	 * Asked for the debug file of a program without DWARF when there is none on this machine: writes its path, which
	 * has room for `room` bytes. NULL: nobody is asked.
	 */
	bool (*fetch)(void *context, struct cairn_bytes build_id, char *path, size_t room);

	bool strict;     /* a damaged GSYM file, symbfile or Breakpad file is an error */
	bool statements; /* keep the rows that breakpoints on lines need */
	bool calls;      /* read calls that are not inlined, too */
	bool merged;     /* keep all functions that share the same code */
	unsigned
		jobs; /* threads, at most CAIRN_FUNCTIONS_JOBS_MAX; 0: as many as there are processors, at most 8 */

	/* Takes messages of this level and of those below it. NULL: nobody is told. */
	enum cairn_message_level messages;
	void (*message)(void *context, const struct cairn_message *message);
	/*
	 * Called now and then with how much of the input has been read; both count the same thing, which depends on the
	 * format. It returns false to end the call with CAIRN_CANCELLED. NULL: nothing is shown, and nothing ended.
	 */
	bool (*progress)(void *context, uint64_t done, uint64_t all);
	void *context; /* of the three functions */
};
#define CAIRN_FUNCTIONS_OPTIONS                                                                    \
	{                                                                                          \
		sizeof(struct cairn_functions_options), { (const uint8_t *)"", 0 }, NULL, NULL, 0, \
			{ NULL, NULL, NULL }, NULL, false, false, false, false, 0,                 \
			CAIRN_MESSAGE_NOTE, NULL, NULL, NULL                                       \
	}

/*
 * Opens the file at `path`, or the bytes of the options, of which `path` is the name then; "-" is the standard input.
 * `path` is borrowed until the input is closed, `options` may be NULL. The caller closes *functions. Returns UNREADABLE
 * if the file or one that the options name cannot be read; UNSUPPORTED if it is of none of these formats; MISMATCH if
 * the file with symbols is of another build; what is wrong in a damaged one; NO_MEMORY. *error has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_functions_open(
	const char *path, const struct cairn_functions_options *options,
	struct cairn_functions **functions, struct cairn_error *error);

/* Closes the input with all its files. NULL is allowed. */
CAIRN_API void cairn_functions_close(struct cairn_functions *functions);

/* Returns the format of the input, after it was unpacked. */
CAIRN_API enum cairn_functions_format cairn_functions_format(
	const struct cairn_functions *functions);

/* Returns the build ID that the input records, as long as it is open; empty: none. */
CAIRN_API struct cairn_bytes cairn_functions_build_id(const struct cairn_functions *functions);

/* Something of the input that is not among its functions, and why. */
struct cairn_functions_drop {
	const char *what; /* in the plural, such as "empty ranges"; a constant */
	uint64_t count;
};

/*
 * Lists what was dropped when the input was read last. *at is 0 before the first call; each call fills *drop with the
 * next one, and returns false after the last.
 */
CAIRN_API bool cairn_functions_next_drop(const struct cairn_functions *functions, size_t *at,
                                         struct cairn_functions_drop *drop);

/* Where the bytes of a file go: to a path, or to a function of the host. */
struct cairn_output {
	size_t size; /* sizeof(struct cairn_output) */
	/*
	 * The file at this path appears whole or not at all; signals wait meanwhile. What is there and is no regular
	 * file, such as a pipe, is written to. NULL: write() takes the bytes.
	 */
	const char *path;
	/*
	 * Takes the next bytes of the file named `suffix`, such as ".ranges", which the path would end with; "" if there is
	 * only one file. Files come one after the other. It returns 0, or an errno value to end the call with UNREADABLE.
	 */
	int (*write)(void *context, const char *suffix, const void *bytes, size_t size);
	void *context;
};

/* What a GSYM file is to be. Begin with CAIRN_GSYM_OPTIONS. */
struct cairn_gsym_options {
	size_t size;      /* sizeof(struct cairn_gsym_options) */
	unsigned version; /* 1, or 2; what version 1 cannot express is written as version 2 */
	uint64_t
		segment_size; /* bytes of a file, of which there may be several: "-0xSTART"; 0: one file */
	bool truncate_build_id; /* shorten a long build ID to the 20 bytes that version 1 has room for */
	bool verify;            /* look up every address in the result before it is written */
	bool keep_damaged;      /* write the undamaged part of a damaged input */
	bool embed; /* write the input, a program or library, with a section .gsym; not in segments */
};
#define CAIRN_GSYM_OPTIONS                                                          \
	{                                                                           \
		sizeof(struct cairn_gsym_options), 1, 0, false, false, false, false \
	}

/* What became of the functions. Set `size` before the call. */
struct cairn_gsym_summary {
	size_t size;                 /* sizeof(struct cairn_gsym_summary) */
	uint64_t functions, symbols; /* written; of these known from symbols alone */
	uint64_t merged;             /* functions that share the code of others */
	uint64_t rows, inlines, calls;
	uint64_t folded, repeated; /* left out: another one has the range; and the name */
	uint64_t nameless;         /* written as ?? */
	uint64_t cut;              /* over 4 GiB, or inlined too deep */
	unsigned version;          /* of the last file */
	uint64_t pieces;           /* how many files */
	uint64_t bytes, string_bytes,
		files; /* of all pieces: bytes, of them for strings; names of files */
	uint64_t verified_functions, verified_addresses; /* with `verify` */
	uint64_t hidden_addresses;                       /* of these, in shorter functions */
	/* nothing was written, because a part of the input is lost and keep_damaged is not set */
	bool refused;
};

/*
 * Reads the functions and writes a GSYM file of them; the same input gives the same bytes with any number of threads.
 * `options` and `summary` may be NULL. Returns NOT_FOUND if the input has no functions; UNREADABLE if the output
 * cannot be written, or the input cannot be read; MALFORMED if the input is damaged, or a lookup of `verify` differs;
 * UNSUPPORTED if `embed` is asked for and the input cannot get a section; CANCELLED; NO_MEMORY. *error has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_functions_write_gsym(
	struct cairn_functions *functions, const struct cairn_gsym_options *options,
	const struct cairn_output *output, struct cairn_gsym_summary *summary,
	struct cairn_error *error);

/* What symbfiles are to be. Begin with CAIRN_SYMBFILE_OPTIONS. */
struct cairn_symbfile_options {
	size_t size; /* sizeof(struct cairn_symbfile_options) */
	/* The program, whose code tells the return pads, if the functions are from another file of it; NULL: the input. */
	const char *program;
	bool raw_names;  /* keep mangled names */
	bool no_ranges;  /* do not write ".ranges" */
	bool no_returns; /* do not write ".returnpads" */
};
#define CAIRN_SYMBFILE_OPTIONS                                                   \
	{                                                                        \
		sizeof(struct cairn_symbfile_options), NULL, false, false, false \
	}

/* What became of the functions. Set `size` before the call. */
struct cairn_symbfile_summary {
	size_t size;                 /* sizeof(struct cairn_symbfile_summary) */
	uint64_t functions, symbols; /* written; of these known from symbols alone */
	uint64_t ranges, rows;
	uint64_t pads, frames; /* return pads, and the frames in them */
	uint64_t range_bytes, pad_bytes;
	uint64_t nameless;  /* dropped: functions without a name */
	uint64_t repeated;  /* dropped: all of their code belongs to another function */
	uint64_t covered;   /* dropped: symbols that touch other functions */
	uint64_t sizeless;  /* dropped: symbols without size, and nothing after them */
	uint64_t too_deep;  /* inlined calls dropped for their depth */
	uint64_t too_long;  /* ranges whose end was dropped: they claim more than 64 GB */
	uint64_t undecoded; /* places in the code where no instruction could be read */
};

/*
 * Reads the functions and writes symbfiles: ".ranges", and ".returnpads" if the program is an ELF file whose calls
 * cairn knows. `options` and `summary` may be NULL. Returns MISMATCH if the program is of another build; otherwise
 * as cairn_functions_write_gsym().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_functions_write_symbfiles(
	struct cairn_functions *functions, const struct cairn_symbfile_options *options,
	const struct cairn_output *output, struct cairn_symbfile_summary *summary,
	struct cairn_error *error);

/* What an ELF object is made for. Begin with CAIRN_SYMBOL_OBJECT_OPTIONS, and set `program` or `machine`. */
struct cairn_symbol_object_options {
	size_t size; /* sizeof(struct cairn_symbol_object_options) */
	/* The path of the program that the symbols are for, which tells its machine and build; NULL: none. */
	const char *program;
	uint16_t machine; /* without a program: e_machine of ELF, such as 62 for amd64, */
	bool big_endian;  /* and its byte order, */
	bool narrow;      /* and whether it is a 32-bit program */
	bool for_lldb; /* what LLDB wants, with the frames of the program; otherwise what GDB wants */
	bool any_build; /* whatever the build IDs of the input and the program are */
};
#define CAIRN_SYMBOL_OBJECT_OPTIONS                                                             \
	{                                                                                       \
		sizeof(struct cairn_symbol_object_options), NULL, 0, false, false, false, false \
	}

/* What became of the functions. Set `size` before the call. */
struct cairn_symbol_object_summary {
	size_t size;        /* sizeof(struct cairn_symbol_object_summary) */
	uint64_t functions; /* read */
	uint64_t frames;    /* functions whose frames the object describes */
	uint64_t bytes;
	uint64_t damaged;         /* damaged rows or entries in the program's tables of frames; */
	struct cairn_fault fault; /* the first of them */
};

/*
 * Reads the functions and writes an ELF object with a symbol table and DWARF, which debuggers accept as the debug file
 * of the program (docs/formats/symbol-object.md). Open the input with `statements`. With for_lldb and a program
 * `functions` may be NULL: the functions are then those in the program's .sframe. Returns MISMATCH if the input is of another
 * build than the program; otherwise as cairn_functions_write_gsym().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_functions_write_object(
	struct cairn_functions *functions, const struct cairn_symbol_object_options *options,
	const struct cairn_output *output, struct cairn_symbol_object_summary *summary,
	struct cairn_error *error);

#ifdef __cplusplus
}
#endif

#endif
