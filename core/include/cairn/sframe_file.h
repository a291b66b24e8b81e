/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: SFrame tables made from call frame information, for programs that do not have
 * one.
 */
#ifndef CAIRN_INCLUDE_SFRAME_FILE_H
#define CAIRN_INCLUDE_SFRAME_FILE_H

#include <cairn/base.h>
#include <cairn/space.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reason why code with call frame information does not have a row in the table. */
enum cairn_sframe_loss {
	/* the CFA is an expression, or relative to a register that the version cannot name */
	CAIRN_SFRAME_LOSS_CFA,
	CAIRN_SFRAME_LOSS_RA, /* the version cannot express the rule of the return address */
	/* the version cannot express the rule of the frame pointer, or its value is lost */
	CAIRN_SFRAME_LOSS_FP,
	/* the caller's stack pointer differs from the one that the format assumes */
	CAIRN_SFRAME_LOSS_SP,
	CAIRN_SFRAME_LOSS_OFFSET,    /* an offset does not fit, or its unit does not divide it */
	CAIRN_SFRAME_LOSS_OUTERMOST, /* version 2 does not record outermost frames */
	CAIRN_SFRAME_LOSS_SIGNAL,    /* version 2 does not record signal frames */
	CAIRN_SFRAME_LOSS_OVERLAP,   /* two entries describe the same code */
	CAIRN_SFRAME_LOSS_OUTSIDE,   /* the code is outside of all executable segments */
	CAIRN_SFRAME_LOSS_DISTANCE,  /* too far from the table for version 2, or too large */
	CAIRN_SFRAME_LOSS_DAMAGED,   /* the entry cannot be read, or not to its end */
	CAIRN_SFRAME_LOSS_DISCARDED, /* the code of an object is not in the program */
	CAIRN_SFRAME_LOSSES,
};

/* Return the name of the reason for scripts and --json, such as "cfa"; the string is a constant. */
CAIRN_API const char *cairn_sframe_loss_name(enum cairn_sframe_loss loss);

struct cairn_sframe_options {
	unsigned version; /* 3, or 2 for older readers and glibc */
	/*
	 * version 2 only: function starts are relative to the section, for readers before binutils
	 * 2.45
	 */
	bool by_section;
	/*
	 * let functions with equal rows share them; smaller, but some versions of objdump reject
	 * such a table
	 */
	bool share_rows;
	/*
	 * merge adjacent functions while that saves bytes; smaller if code is not aligned. Readers
	 * find the same rules, but not the starts of functions. Not with share_rows
	 */
	bool join_functions;
	/*
	 * cairn_sframe_file_convert() only: make a separate file instead of a program with another
	 * section
	 */
	bool side_file;
	/*
	 * cairn_sframe_file_make() only: make a row table (docs/formats/rowtable.md) instead of an
	 * SFrame file
	 */
	bool rows;
	/*
	 * cairn_sframe_file_convert() only: input and output are the bare bytes of a section, with
	 * this va
	 */
	bool raw;
	uint64_t address;
	/* decompressed .debug_frame of `file` if it is compressed there; otherwise empty */
	struct cairn_bytes debug_frame;
	/*
	 * Called regularly while the table is made; may be NULL. It may leave by an exception; then
	 * no table is made, and no memory leaks.
	 */
	void (*poll)(void *context);
	void *poll_context;
};

struct cairn_sframe_file {
	struct cairn_bytes bytes; /* an ELF file */
	uint64_t table;           /* size of the .sframe section in bytes */
	uint64_t cfi; /* bytes of the call frame information that the table was made from */
	uint64_t functions, rows;               /* numbers of functions and rows in the table */
	uint64_t code;                          /* bytes of the executable segments */
	uint64_t described;                     /* bytes of that code with call frame information */
	uint64_t written;                       /* bytes of that code with a row */
	uint64_t left_out[CAIRN_SFRAME_LOSSES]; /* bytes of that code without a row, by reason */
	uint64_t damaged;         /* number of entries that could not be read completely */
	struct cairn_fault fault; /* first of these faults, with its offset in the section */
};

/*
 * Make an SFrame table from the .eh_frame and the .debug_frame of `file`, the whole ELF file of a
 * program, a library or a debug file. The caller frees *made with cairn_sframe_file_free().
 *
 * The result is an ELF file with the table in .sframe, the build ID of the program, and its program
 * headers; cairn and debuggers with cairn identify it by the build ID. Each row is the rule of the
 * call frame information; code whose rule the format cannot express does not get a row, and is
 * counted.
 *
 * For a relocatable file the result is that file with .sframe and its relocations, as an assembler
 * would have written them, for a linker; its .debug_frame is not read.
 *
 * Returns NOT_FOUND if the file has no call frame information, or none of it can be expressed;
 * UNSUPPORTED if the file is relocatable and has an .sframe or a row table is requested, if its
 * machine is unknown to SFrame, or if the work would exceed the limit; MALFORMED and TRUNCATED if
 * it is not an ELF file; NO_MEMORY. *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_sframe_file_make(
	struct cairn_bytes file, const struct cairn_sframe_options *options,
	struct cairn_sframe_file *made, struct cairn_fault *fault);

/*
 * Combine all tables in the .sframe of `file`, of any version, into one table of options->version:
 * sorted, without entries that no lookup finds, in the smallest encoding. Each address that keeps a
 * row keeps its rule.
 *
 * The result is the program with the new table in place of the section, which keeps its va; with
 * side_file, or for a file that does not contain the program's bytes, a file as
 * cairn_sframe_file_make() makes it; with raw the bytes of the table. In *made, `cfi` counts the
 * bytes of the old section, and `described` the bytes of code that had a row.
 *
 * Returns NOT_FOUND if there is no table, or the version cannot express any of its rules;
 * UNSUPPORTED if the new table is larger than the section, if the file is relocatable, or its
 * tables belong to several machines; the kind of damage in an input that cannot be read; NO_MEMORY.
 * *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_sframe_file_convert(
	struct cairn_bytes file, const struct cairn_sframe_options *options,
	struct cairn_sframe_file *made, struct cairn_fault *fault);

/*
 * Combine the tables of relocatable files into the table that a linker should have made when it
 * linked them into `program`: sorted, without the functions that it discarded. The address of a
 * code section is found through one of its symbols in the program, which needs its symbol table,
 * and is accepted if the same bytes are there apart from relocated ones. An object may lack an
 * .sframe. The result is as from cairn_sframe_file_make(); `cfi` counts the bytes of the objects'
 * sections.
 *
 * Returns MISMATCH if an object belongs to another machine, UNSUPPORTED if it is not relocatable,
 * NOT_FOUND if no function of any object is in the program or the program has no symbols; otherwise
 * as cairn_sframe_file_make(). *failed is the number of the object with the fault, or `objects` if
 * the fault is in the program.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_sframe_file_merge(
	struct cairn_bytes program, const struct cairn_bytes *object, size_t objects,
	const struct cairn_sframe_options *options, struct cairn_sframe_file *made, size_t *failed,
	struct cairn_fault *fault);

/*
 * Give the table of an SFrame file to the module that contains `pc`, if the module has neither
 * .sframe nor call frame information. `file` is the whole file, as cairn_sframe_file_make() makes
 * it, borrowed during the call. cairn then unwinds the module as if the table were its own. The
 * build IDs must be equal, unless only the host knows the module. Returns MISMATCH if the file was
 * made for another build; NOT_FOUND if there is no module, no table, or the module has one already;
 * MALFORMED, TRUNCATED or UNSUPPORTED if it is not an ELF file that cairn reads; NO_MEMORY. *fault
 * has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_give_sframe(struct cairn_space *space,
                                                                   uint64_t pc,
                                                                   struct cairn_bytes file,
                                                                   struct cairn_fault *fault);

/*
 * Return true on the first call for each module without .sframe, so that the host can search for a
 * file for it. Returns false on later calls for that module, and if no module contains `pc`.
 */
CAIRN_API bool cairn_space_wants_sframe(struct cairn_space *space, uint64_t pc);

/*
 * Search options for an SFrame file. Begin with CAIRN_SFRAME_SEARCH; the strings are borrowed
 * during the call.
 */
struct cairn_sframe_search {
	size_t size; /* sizeof(struct cairn_sframe_search) */
	/*
	 * The module's file. NULL selects a file that this process has open, or that a process
	 * which it debugs has mapped at the module's address.
	 */
	const char *binary;
	const char *folders;              /* "DIR:DIR" or NULL */
	bool no_system_folders, no_cache; /* skip /usr/lib/debug; skip the cache */
};
#define CAIRN_SFRAME_SEARCH                                                  \
	{                                                                    \
		sizeof(struct cairn_sframe_search), NULL, NULL, false, false \
	}

/*
 * Search for an SFrame file for the module at `pc` and give it to the module. The search order is:
 * BINARY.sframe beside the binary; in each of the directories NAME.sframe and the path from
 * cairn_build_id_path(); the latter in /usr/lib/debug; and the cache. `search` may be NULL for
 * CAIRN_SFRAME_SEARCH. Returns NOT_FOUND if there is no file that belongs to the module. Stores the
 * file's path in `path`, of `size` bytes.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_sframe_file_find(
	struct cairn_space *space, uint64_t pc, const struct cairn_sframe_search *search,
	char *path, size_t size);

/*
 * Search for an SFrame file of a program with that build ID, which may be empty, in the same
 * locations. The program does not have to be a module of a space: the file is for
 * cairn_object_options.sframe_file. Returns NOT_FOUND if no such file exists. Stores the file's
 * path in `path`, of `size` bytes.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_sframe_file_locate(const char *binary,
                                                                    struct cairn_bytes build_id,
                                                                    const char *directories,
                                                                    char *path, size_t size);

/* Return true if the file at `path` is an SFrame file made for a program with that build ID. */
CAIRN_API bool cairn_sframe_file_belongs(const char *path, struct cairn_bytes build_id);

/*
 * Give the table of the file at `path` to each known module that has the build ID of the file and
 * has neither .sframe nor call frame information. *modules counts these modules, including the ones
 * that had the table before. Returns OK if the file has a table, whether or not a module has its
 * build; UNREADABLE if it cannot be opened; otherwise as cairn_space_give_sframe().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_sframe_file_add(struct cairn_space *space,
                                                                 const char *path, size_t *modules,
                                                                 struct cairn_fault *fault);

/* Free the bytes of a file that cairn_sframe_file_make() filled. Calling it twice is harmless. */
CAIRN_API void cairn_sframe_file_free(struct cairn_sframe_file *made);

#ifdef __cplusplus
}
#endif

#endif
