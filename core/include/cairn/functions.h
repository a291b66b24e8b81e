/* SPDX-License-Identifier: MIT */
/*
 * cairn-dwarf: reads a program's functions from any file that describes them, and writes them in
 * other formats. `cairn gsym create`, `cairn symbfile create` and `cairn symbols write` use it.
 * This header's functions are in libcairn-dwarf, like those in cairn/dwarf.h.
 */
#ifndef CAIRN_INCLUDE_FUNCTIONS_H
#define CAIRN_INCLUDE_FUNCTIONS_H

#include <cairn/base.h>
#include <cairn/function_files.h>
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
 *	struct cairn_output out = CAIRN_SIZED(struct cairn_output);
 *
 *	out.path = "a.gsym";
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
	const char *directories;
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
#define CAIRN_FUNCTIONS_OPTIONS CAIRN_SIZED(struct cairn_functions_options)

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

#ifdef __cplusplus
}
#endif

#endif
