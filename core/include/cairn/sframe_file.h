/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: an SFrame table for a program that has none, made from its call frame information.
 */
#ifndef CAIRN_INCLUDE_SFRAME_FILE_H
#define CAIRN_INCLUDE_SFRAME_FILE_H

#include <cairn/base.h>
#include <cairn/space.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Why code that has call frame information has no row in a table. */
enum cairn_sframe_loss {
	CAIRN_SFRAME_LOSS_CFA, /* an expression, or a register that the version cannot name */
	CAIRN_SFRAME_LOSS_RA,  /* likewise, of the return address */
	CAIRN_SFRAME_LOSS_FP,  /* likewise, of the frame pointer; or it is lost */
	CAIRN_SFRAME_LOSS_SP,  /* the caller's stack pointer is not what the format takes it for */
	CAIRN_SFRAME_LOSS_OFFSET,    /* an offset does not fit, or its unit does not divide it */
	CAIRN_SFRAME_LOSS_OUTERMOST, /* version 2 does not record outermost frames */
	CAIRN_SFRAME_LOSS_SIGNAL,    /* version 2 does not record signal frames */
	CAIRN_SFRAME_LOSS_OVERLAP,   /* two entries describe the same code */
	CAIRN_SFRAME_LOSS_OUTSIDE,   /* the code is in no executable segment */
	CAIRN_SFRAME_LOSS_DISTANCE,  /* too far from the table for version 2, or too large */
	CAIRN_SFRAME_LOSS_DAMAGED,   /* the entry cannot be read, or not to its end */
	CAIRN_SFRAME_LOSS_DISCARDED, /* the code of an object is not in the program */
	CAIRN_SFRAME_LOSSES,
};

/* Returns the name of the reason for scripts and --json, such as "cfa"; the text is a constant. */
CAIRN_API const char *cairn_sframe_loss_name(enum cairn_sframe_loss loss);

struct cairn_sframe_options {
	unsigned version; /* 3, or 2 for older readers and glibc */
	/* version 2 alone: starts count from the section, for readers before binutils 2.45 */
	bool by_section;
	/* functions with equal rows share them, which is smaller; some objdump refuse such a table */
	bool share_rows;
	/*
	 * functions without a gap between them become one while that saves bytes, which is smaller where code is not aligned; readers
	 * find the same rules, but not where functions begin.  Not with share_rows
	 */
	bool join_functions;
	/* cairn_sframe_file_convert() alone: make a file of its own from a program, rather than that with another section */
	bool side_file;
	/* cairn_sframe_file_make() alone: make a row table (docs/formats/rowtable.md) rather than a file with SFrame */
	bool rows;
	/* cairn_sframe_file_convert() alone: take and give the bare bytes of a section, whose va is this */
	bool raw;
	uint64_t address;
	/* the .debug_frame of `file` if that is compressed there; else empty */
	struct cairn_bytes debug_frame;
	/*
	 * May be NULL.  Called now and then while the table is made.  It may leave by an
	 * exception: then nothing is made, and no memory is lost.
	 */
	void (*poll)(void *context);
	void *poll_context;
};

struct cairn_sframe_file {
	struct cairn_bytes bytes; /* an ELF file */
	uint64_t table;           /* bytes of its .sframe */
	uint64_t cfi;             /* bytes of the call frame information that it was made of */
	uint64_t functions, rows; /* in the table */
	uint64_t code;            /* bytes of the executable segments, */
	uint64_t described;       /* of those that have call frame information, */
	uint64_t written;         /* and of those that have a row */
	uint64_t left_out[CAIRN_SFRAME_LOSSES]; /* bytes, by reason */
	uint64_t damaged;                       /* how many entries could not be read completely, */
	struct cairn_fault fault; /* and the first flaw, by the offset in its section */
};

/*
 * Makes an SFrame table from the .eh_frame and the .debug_frame of `file`, the whole ELF file of a
 * program, a library or a debug file.  The caller frees *made with cairn_sframe_file_free().
 * The result is an ELF file with the table in .sframe, the build ID of the program, and its program
 * headers; cairn and debuggers with cairn know it by the build ID.  Each row is the rule of the call frame
 * information; code whose rule the format cannot express has no row, and is counted.
 *
 * Of a relocatable file the result is that file with .sframe and its relocations, as an assembler would have written
 * them, for a linker; its .debug_frame is not read.
 *
 * Returns NOT_FOUND if the file has no call frame information, or none of it can be expressed;
 * UNSUPPORTED if it is relocatable and has an .sframe or a row table is asked for, of a machine that SFrame does not know, or demands too much
 * work; MALFORMED and TRUNCATED if it is not an ELF file; NO_MEMORY.  *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_sframe_file_make(
	struct cairn_bytes file, const struct cairn_sframe_options *options,
	struct cairn_sframe_file *made, struct cairn_fault *fault);

/*
 * Makes one table of options->version of all the tables, of any version, in the .sframe of `file`: sorted, without what no lookup
 * finds, in the smallest encoding.  Each address that keeps a row keeps its rule.  The result is the program with the new
 * table in the place of the section, which keeps its va; or, with side_file and for a file that has none of the program's bytes, a
 * file as cairn_sframe_file_make() makes it; or with raw the bytes of the table.  In *made, `cfi` counts the bytes of the
 * old section, and `described` those that had a row.
 *
 * Returns NOT_FOUND if there is no table, or the version can express none of its rules; UNSUPPORTED if the new table is larger
 * than the section, if the file is relocatable, or its tables are of several machines; what is wrong with an
 * input that cannot be read; NO_MEMORY.  *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_sframe_file_convert(
	struct cairn_bytes file, const struct cairn_sframe_options *options,
	struct cairn_sframe_file *made, struct cairn_fault *fault);

/*
 * Makes one table of those in relocatable files, as a linker should have done that made `program` of them: sorted, without
 * the functions that it discarded.  A section of code is where a symbol of it is in the program, which needs its symbol table, if
 * the same bytes are there but for what was relocated.  An object may have no .sframe.  The result is as that of
 * cairn_sframe_file_make(); `cfi` counts the bytes of the objects' sections.
 *
 * Returns MISMATCH if an object is of another machine, UNSUPPORTED if it is not relocatable, NOT_FOUND if no function of any is
 * in the program or the program has no symbols; otherwise as cairn_sframe_file_make().  *failed is the number of the object that the
 * fault is about, or `objects` if it is about the program.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_sframe_file_merge(
	struct cairn_bytes program, const struct cairn_bytes *object, size_t objects,
	const struct cairn_sframe_options *options, struct cairn_sframe_file *made, size_t *failed,
	struct cairn_fault *fault);

/*
 * Gives the module that contains `pc` the table of such a file, of which the whole bytes are borrowed during the call: for
 * a module that has neither .sframe nor call frame information.  cairn then unwinds it as if the table were its own.  The
 * build IDs must be equal, unless only the host knows the module.  Returns MISMATCH if the file was made for another
 * build; NOT_FOUND if there is no module, no table, or the module has one already; MALFORMED, TRUNCATED or UNSUPPORTED
 * if it is not an ELF file that cairn reads; NO_MEMORY.  *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_give_sframe(struct cairn_space *space,
                                                                   uint64_t pc,
                                                                   struct cairn_bytes file,
                                                                   struct cairn_fault *fault);

/*
 * Returns true once for a module that has no .sframe, so that the host looks for a file of it; false if no module contains
 * `pc`, and from the second call for it on.
 */
CAIRN_API bool cairn_space_wants_sframe(struct cairn_space *space, uint64_t pc);

/* Where such a file is looked for.  Begin with CAIRN_SFRAME_SEARCH; the texts are borrowed during the call. */
struct cairn_sframe_search {
	size_t size; /* sizeof(struct cairn_sframe_search) */
	/* The module's file; NULL: what this process has open, or a process that it debugs has mapped there. */
	const char *binary;
	const char *folders;              /* "DIR:DIR"; NULL: none */
	bool no_system_folders, no_cache; /* skip /usr/lib/debug; skip the cache */
};
#define CAIRN_SFRAME_SEARCH                                                  \
	{                                                                    \
		sizeof(struct cairn_sframe_search), NULL, NULL, false, false \
	}

/*
 * Looks for such a file and gives it to the module at `pc`.  Places, in this order: BINARY.sframe beside the
 * binary; in each of the folders NAME.sframe, and by cairn_build_id_path(); the latter in
 * /usr/lib/debug; and the cache.  `search` may be NULL: CAIRN_SFRAME_SEARCH.  Returns NOT_FOUND if there is none that belongs to
 * the module; `path`, of `size` bytes, gets its name.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_sframe_file_find(
	struct cairn_space *space, uint64_t pc, const struct cairn_sframe_search *search,
	char *path, size_t size);

/*
 * Looks in the same places for such a file of a program with that build ID, which may be empty, and need not be a module of a
 * space: for cairn_object_options.sframe_file.  Returns NOT_FOUND if there is none; `path`, of `size` bytes, gets its name.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_sframe_file_locate(const char *binary,
                                                                    struct cairn_bytes build_id,
                                                                    const char *directories,
                                                                    char *path, size_t size);

/* Is the file at `path` such a file, of a program with that build ID? */
CAIRN_API bool cairn_sframe_file_belongs(const char *path, struct cairn_bytes build_id);

/*
 * Gives the table of the file at `path` to each module that cairn knows, has the build of the file, and has neither .sframe nor
 * call frame information; *modules counts them, also those that had a table before.  Returns OK if the file is one with
 * a table, whether or not a module has its build; UNREADABLE if it cannot be opened; otherwise as cairn_space_give_sframe().
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_sframe_file_add(struct cairn_space *space,
                                                                 const char *path, size_t *modules,
                                                                 struct cairn_fault *fault);

/* Frees the bytes.  Only for a file that cairn_sframe_file_make() filled; twice is harmless. */
CAIRN_API void cairn_sframe_file_free(struct cairn_sframe_file *made);

#ifdef __cplusplus
}
#endif

#endif
