/* SPDX-License-Identifier: MIT */
/*
 * Breakpad symbol files, line by line: one record for each line that is not blank.  What records
 * mean together (which function a line belongs to, what a file number stands for) is for the caller
 * (symbols/sources/breakpad.h).  The format is described in docs/formats/breakpad.md.
 *
 *	struct breakpad in = breakpad_open(bytes);
 *	struct breakpad_record record;
 *	while (breakpad_next(&in, &record))
 *		if (record.kind == BREAKPAD_FUNC)
 *			... record.address, record.size, record.name
 *
 * A line that breaks the grammar is BREAKPAD_BAD with the reason, and the next one is read as if nothing
 * had been.
 */
#ifndef CAIRN_FORMATS_BREAKPAD_H
#define CAIRN_FORMATS_BREAKPAD_H

#include <cairn.h>

enum breakpad_kind {
	BREAKPAD_MODULE,
	BREAKPAD_CODE_ID,
	BREAKPAD_FILE,
	BREAKPAD_FUNC,
	BREAKPAD_LINE,
	BREAKPAD_ORIGIN,
	BREAKPAD_INLINE,
	BREAKPAD_PUBLIC,
	BREAKPAD_STACK,   /* unwind rules, see stack_cfi.h */
	BREAKPAD_INFO,    /* other than CODE_ID */
	BREAKPAD_UNKNOWN, /* a keyword that is not known */
	BREAKPAD_BAD,
};

#define BREAKPAD_NO_FILE UINT64_MAX /* written as -1, or in a form that has no file */

struct breakpad_record {
	enum breakpad_kind kind;
	uint64_t line_number; /* in the file, from 1 */

	uint64_t address; /* FUNC, LINE, PUBLIC: from the module's beginning */
	uint64_t size;    /* FUNC, LINE; address + size does not wrap */
	uint32_t line;    /* LINE; of INLINE the call's */
	uint64_t file;    /* LINE, FILE: its number, of 32 bits; INLINE: that of the call; ORIGIN:
	                     that of the function; or BREAKPAD_NO_FILE */
	uint32_t origin;  /* ORIGIN: its number; INLINE */
	uint32_t depth;   /* INLINE */
	bool shared;      /* FUNC, PUBLIC: other symbols have the same code */
	uint64_t parameters; /* FUNC, PUBLIC: bytes on the stack */

	struct cairn_bytes name;      /* FUNC, PUBLIC, FILE, ORIGIN; of MODULE its base name */
	struct cairn_bytes os;        /* MODULE */
	struct cairn_bytes id;        /* MODULE, CODE_ID: hexadecimal digits */
	struct cairn_bytes code_file; /* CODE_ID: not empty: the ID is not a build ID */

	/* INLINE: text of the ranges, checked; see breakpad_next_range() */
	struct cairn_bytes ranges;

	struct cairn_bytes stack; /* STACK: what follows the keyword; see breakpad_read_stack() */

	const char *what;            /* BAD: why */
	enum breakpad_kind bad_kind; /* BAD: what it would have been */
};

struct breakpad {
	struct cairn_bytes in;
	size_t at;
	uint64_t line_number;
};

struct breakpad breakpad_open(struct cairn_bytes bytes);
bool breakpad_next(struct breakpad *breakpad, struct breakpad_record *record);

/* Range after range of an INLINE record; false at the end. */
bool breakpad_next_range(struct cairn_bytes *ranges, struct cairn_range *range);

/* Does it look like a Breakpad file?  Asked of what has no other magic number. */
bool breakpad_is_likely(struct cairn_bytes bytes);

/*
 * The build ID that a record of MODULE or CODE_ID holds, as bytes: how many, or 0 when it holds
 * none.
 */
enum { BREAKPAD_ID_MAX = 64 };
size_t breakpad_build_id(const struct breakpad_record *record, uint8_t id[BREAKPAD_ID_MAX]);

#endif
