/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: creates SFrame tables from call frame information, for programs without
 * SFrame.
 *
 *	struct cairn_sframe_file made;
 *	struct cairn_sframe_options options = { .version = 3 };
 *	if (cairn_sframe_file_make(file, &options, &made, &fault) == CAIRN_OK) {
 *		fwrite(made.bytes.data, 1, made.bytes.size, out);
 *		cairn_sframe_file_free(&made);
 *	}
 */
#ifndef CAIRN_INCLUDE_SFRAME_FILE_H
#define CAIRN_INCLUDE_SFRAME_FILE_H

#include <cairn/base.h>
#include <cairn/space.h>

#ifdef __cplusplus
extern "C" {
#endif

/* reasons why no row covers code that has call frame information */
enum cairn_sframe_loss {
	/*
	 * the CFA is an expression, or relative to a register that this SFrame version cannot
	 * express
	 */
	CAIRN_SFRAME_LOSS_CFA,
	/* this SFrame version cannot express the return address's rule */
	CAIRN_SFRAME_LOSS_RA,
	/*
	 * this SFrame version cannot express the frame pointer's rule, or the frame pointer's value
	 * is lost
	 */
	CAIRN_SFRAME_LOSS_FP,
	/* the caller's stack pointer differs from the value that SFrame assumes */
	CAIRN_SFRAME_LOSS_SP,
	CAIRN_SFRAME_LOSS_OFFSET,    /* an offset is out of range, or not a multiple of its unit */
	CAIRN_SFRAME_LOSS_OUTERMOST, /* SFrame version 2 cannot express outermost frames */
	CAIRN_SFRAME_LOSS_SIGNAL,    /* SFrame version 2 cannot express signal frames */
	CAIRN_SFRAME_LOSS_OVERLAP,   /* two entries describe the same code */
	CAIRN_SFRAME_LOSS_OUTSIDE,   /* the code is outside all executable segments */
	/* the code is too far from the table for version 2, or too large */
	CAIRN_SFRAME_LOSS_DISTANCE,
	CAIRN_SFRAME_LOSS_DAMAGED, /* the entry in the call frame information is partly damaged */
	/* the code is in an object file, but the linker has discarded it */
	CAIRN_SFRAME_LOSS_DISCARDED,
	CAIRN_SFRAME_LOSSES,
};

/* Return a reason's name for scripts and --json, such as "cfa"; the string is a constant. */
CAIRN_API const char *cairn_sframe_loss_name(enum cairn_sframe_loss loss);

/* How to create a table. Initialize with CAIRN_SFRAME_OPTIONS. */
struct cairn_sframe_options {
	size_t size;
	unsigned version; /* SFrame version: 3 (also if 0), or 2 for older readers and glibc */
	/*
	 * version 2 only: make function starts relative to the section, for readers before binutils
	 * 2.45
	 */
	bool by_section;
	/*
	 * let functions with equal rows share them; the table is smaller, but some versions of
	 * objdump reject it
	 */
	bool share_rows;
	/*
	 * merge adjacent functions if that saves space, which requires functions without padding
	 * between them; readers find the same rules, but not the start of each function; cannot be
	 * combined with share_rows
	 */
	bool join_functions;
	/*
	 * cairn_sframe_file_convert() only: create a separate file instead of a program with a
	 * replaced section
	 */
	bool side_file;
	/*
	 * cairn_sframe_file_make() only: create a row table (docs/formats/rowtable.md) instead of
	 * an SFrame file
	 */
	bool rows;
	/*
	 * cairn_sframe_file_convert() only: input and output are the bytes of a section, which
	 * starts at `address`
	 */
	bool raw;
	uint64_t address;
	/* decompressed contents of a compressed .debug_frame in `file`; otherwise empty */
	struct cairn_bytes debug_frame;
	/*
	 * Called regularly while the table is created; may be NULL. It may throw an exception,
	 * which ends the call without a table and without leaking memory.
	 */
	void (*poll)(void *context);
	void *poll_context;
};

#define CAIRN_SFRAME_OPTIONS CAIRN_SIZED(struct cairn_sframe_options)

/* A created file. Initialize with CAIRN_SIZED(). */
struct cairn_sframe_file {
	size_t size;
	struct cairn_bytes bytes; /* the created ELF file */
	uint64_t table;           /* size of the .sframe section in bytes */
	/* size of the call frame information from which the table has been created, in bytes */
	uint64_t cfi;
	uint64_t functions, rows; /* number of functions and rows in the table */
	uint64_t code;            /* size of the executable segments in bytes */
	/* number of bytes in the executable segments that have call frame information */
	uint64_t described;
	uint64_t written; /* number of bytes in the executable segments that a row covers */
	/* number of entries in the call frame information that could not be read completely */
	uint64_t damaged;
	/* first fault in the call frame information, with its offset in the section */
	struct cairn_fault fault;
	/*
	 * number of bytes in the executable segments that have call frame information but no row,
	 * by reason
	 */
	uint64_t left_out[CAIRN_SFRAME_LOSSES];
};

/*
 * Create an SFrame table from the .eh_frame and the .debug_frame of `file`, the whole ELF file of a
 * program, a library or a debug file. The caller frees *made with cairn_sframe_file_free().
 *
 * The result is an ELF file with the table in .sframe, the program's build ID, and the program's
 * headers; cairn and its debugger plugins find it by build ID. Each row is equivalent to a rule in
 * the call frame information. Code whose rule SFrame cannot express gets no row and is counted in
 * *made.
 *
 * For a relocatable file, the result is a copy of the file with an added .sframe and its
 * relocations, as an assembler would write it, so that it can be linked. Its .debug_frame is not
 * read.
 *
 * Returns NOT_FOUND if the file has no call frame information, or none that SFrame can express;
 * UNSUPPORTED if the file is relocatable and already has an .sframe or a row table is requested, if
 * SFrame does not support its machine, or if the work would exceed the limit; LIMIT if the table
 * would be larger than 1 MiB plus 16 bytes per byte of the file; MALFORMED and TRUNCATED if it is
 * not an ELF file; NO_MEMORY. *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_sframe_file_make(
	struct cairn_bytes file, const struct cairn_sframe_options *options,
	struct cairn_sframe_file *made, struct cairn_fault *fault);

/*
 * Combine all tables in the .sframe of `file`, whatever their versions, into one table of
 * options->version. The new table is sorted, contains no entries that lookups cannot reach, and
 * uses the smallest encoding. Addresses that the new table covers keep their rules.
 *
 * The result is a copy of the program in which the new table replaces the section at the same va.
 * If `side_file` is set, or `file` does not contain the program's code, the result is a file as
 * from cairn_sframe_file_make(). If `raw` is set, it consists of the table's bytes. In *made, `cfi`
 * is the size of the old section, and `described` the number of code bytes that had a row.
 *
 * Returns NOT_FOUND if there is no table, or the new version cannot express any of its rules;
 * UNSUPPORTED if the new table is larger than the section, if the file is relocatable, or if its
 * tables belong to several machines; TRUNCATED or MALFORMED if the input is damaged; NO_MEMORY.
 * *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_sframe_file_convert(
	struct cairn_bytes file, const struct cairn_sframe_options *options,
	struct cairn_sframe_file *made, struct cairn_fault *fault);

/*
 * Combine the tables of relocatable files into the table that the linker should have created when
 * it linked them into `program`: sorted, and without discarded functions. The address of a code
 * section is found through one of the section's symbols in the program, which therefore needs its
 * symbol table. The address is accepted if the bytes there are equal apart from relocated ones.
 * Objects without .sframe are allowed. The result is a file as from cairn_sframe_file_make(), and
 * made->cfi is the total size of the objects' sections.
 *
 * Returns MISMATCH if an object belongs to another machine, UNSUPPORTED if an object is not
 * relocatable, NOT_FOUND if no function of any object is in the program or the program has no
 * symbols; all other statuses are the same as for cairn_sframe_file_make(). *failed is set to the
 * index of the object with the fault, or to `objects` if the fault is in the program.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_sframe_file_merge(
	struct cairn_bytes program, const struct cairn_bytes *object, size_t objects,
	const struct cairn_sframe_options *options, struct cairn_sframe_file *made, size_t *failed,
	struct cairn_fault *fault);

/* Free the bytes of a file from cairn_sframe_file_make(). Calling this twice is harmless. */
CAIRN_API void cairn_sframe_file_free(struct cairn_sframe_file *made);

#ifdef __cplusplus
}
#endif

#endif
