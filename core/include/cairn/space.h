/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: the address space of a process or core, with its modules.  cairn finds them in
 * memory, or the host reports them.
 */
#ifndef CAIRN_INCLUDE_SPACE_H
#define CAIRN_INCLUDE_SPACE_H

#include <cairn/base.h>
#include <cairn/rules.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The modules of one target.  cairn finds a module in memory at the first question about one of its
 * addresses.  Whenever it uses a module it compares it with the target, so it notices a program
 * that was restarted, unloaded or replaced.
 */
struct cairn_space;

/*
 * Creates a space without modules, and reads nothing yet.  It copies *target; the context of the
 * target must outlive the space.  The caller frees the space.  Returns NULL if memory is short.
 */
CAIRN_API struct cairn_space *cairn_space_new(const struct cairn_target *target);

/* Frees the space with all that belongs to it.  NULL is allowed. */
CAIRN_API void cairn_space_free(struct cairn_space *space);

/* Forgets all modules, found or reported; call it after opening another core, for example. */
CAIRN_API void cairn_space_reset(struct cairn_space *space);

/*
 * Tells the space that the target may have run since the last question.  Without this function,
 * each function of the library compares the modules that it uses with the target again.  A host
 * that asks several questions about a stopped target calls it before the first of them: from the
 * first such call on, the space compares each module once after each call of this function.
 */
CAIRN_API void cairn_space_begin_query(struct cairn_space *space);

/* Does a module have a table, as far as earlier questions have shown? */
enum cairn_presence {
	CAIRN_PRESENCE_UNKNOWN, /* no question needed it yet */
	CAIRN_ABSENT,
	CAIRN_PRESENT,
};

/* What cairn knows about one module.  Its pointers are valid until the next call on the space. */
struct cairn_module {
	uint64_t low, high; /* pc; from its first loadable byte to just past its last */
	uint64_t bias;      /* load bias: pc = va + bias; 0 if only the host knows the module */
	uint64_t entry;     /* va of the entry point, 0 if it has none */
	enum cairn_machine machine;
	bool big_endian;
	struct cairn_bytes build_id; /* size 0 if it has none */
	const char *name;            /* as the host reported it; NULL if it did not */
	bool has_headers;           /* cairn read its headers: bias, entry and build_id are valid */
	struct cairn_bytes headers; /* the first bytes of the module; empty without has_headers */
	enum cairn_presence sframe, cfi;
	struct cairn_fault fault; /* the latest fault of its .sframe; CAIRN_OK: none so far */
	bool registered;          /* the program registered it through GDB's JIT interface */
};

/* Finds the module that contains `pc`.  Returns NOT_FOUND if there is none, else CAIRN_OK. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_module(struct cairn_space *space,
                                                              uint64_t pc,
                                                              struct cairn_module *module);

/*
 * The host reports the modules that it knows, as a mark and sweep:
 *
 *	cairn_space_begin_modules(space);
 *	for (size_t i = 0; i < count; i++)
 *		status = cairn_space_add_module(space, &report[i]);
 *	cairn_space_end_modules(space);
 *
 * All addresses are pc.  A module that was reported before and is not reported this time goes away
 * at the end; modules that cairn found in memory stay.  Reports save the search in memory, which is
 * slow over a remote connection.  They also help where ELF headers cannot be read, as in cores of
 * emulators: cairn then reads the tables at the reported addresses.  If it can read the headers, it
 * believes them, and takes from the report the name and what the headers lack.  These calls read
 * nothing from the target.
 */
struct cairn_host_module {
	struct cairn_bytes name; /* copied, up to CAIRN_HOST_MODULE_NAME_MAX bytes; may be empty */
	uint64_t low, high;      /* from its first byte to just past its last */
	enum cairn_machine machine;
	bool big_endian;
	/* where its sections are; empty if it does not have one */
	struct cairn_range text, sframe, eh_frame_hdr, eh_frame;
};

enum {
	CAIRN_HOST_MODULES_MAX = 4096,     /* modules at once; bounds the memory of a space */
	CAIRN_HOST_MODULE_NAME_MAX = 4095, /* bytes of a name; PATH_MAX of Linux without the NUL */
};

/* Begins a list of reports: marks all modules that were reported before. */
CAIRN_API void cairn_space_begin_modules(struct cairn_space *space);

/*
 * Reports one module; the report is borrowed during the call.  To repeat a report changes nothing.
 * Returns MALFORMED if its range is empty, and NO_MEMORY if memory is short or the space has
 * CAIRN_HOST_MODULES_MAX reported modules already.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_add_module(
	struct cairn_space *space, const struct cairn_host_module *report);

/* Ends the list: removes the modules that were reported before and not in this list. */
CAIRN_API void cairn_space_end_modules(struct cairn_space *space);

/*
 * Adds code that the program made at run time and registered through GDB's JIT interface (the
 * chapter "JIT Compilation Interface" of GDB's manual): an ELF image whose section addresses are
 * pc.  The image is borrowed during the call.  cairn uses it for as long as the code in the target
 * equals the code in the image.  Returns NOT_FOUND if the image has no code or no usable .sframe,
 * so that it is left to the host, and NO_MEMORY.  One with code but without .sframe is listed by
 * cairn_space_next_module() for as long as its code in the target is what it was, up to 1024 of them.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_add_jit_image(struct cairn_space *space,
                                                                     struct cairn_bytes image);

/*
 * Reads the list of all code that the program has registered there, of which its variable `__jit_debug_descriptor`, at `descriptor`, is the beginning. From
 * now on cairn_unwind() goes through code outside of modules by the list's tables (amd64, aarch64), and cairn_space_next_module() lists where code is,
 * up to 1024 places.  Call it again when the program has run.  Unless it returns CAIRN_OK, the space knows nothing of such a list: NOT_FOUND if the
 * list is empty, UNSUPPORTED if it is of another version, UNREADABLE, or NO_MEMORY.  A list that is damaged or of more than 64 MiB counts up to there; then
 * fault->what says why, else it is NULL.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_read_registered_code(
	struct cairn_space *space, uint64_t descriptor, enum cairn_machine machine, bool big_endian,
	struct cairn_fault *fault);

/*
 * Lists the modules that cairn knows so far: those that the host reported, and those that cairn
 * found or that the program registered and that are still there.  *at is 0 before the first call; each call fills *module with the
 * next one, and returns false after the last.  It neither searches for modules nor reads tables:
 * presence and fault are what earlier questions have shown.
 */
CAIRN_API bool cairn_space_next_module(struct cairn_space *space, size_t *at,
                                       struct cairn_module *module);

/* Returns true if the .eh_frame of its module describes the instruction at `pc`. */
CAIRN_API bool cairn_space_has_cfi(struct cairn_space *space, uint64_t pc);

/* Returns true if the .sframe of its module describes the instruction at `pc`. */
CAIRN_API bool cairn_space_has_sframe(struct cairn_space *space, uint64_t pc);

/* What describes one instruction. */
struct cairn_coverage {
	bool cfi;               /* .eh_frame describes it */
	bool table;             /* its module has an .sframe that cairn can read */
	bool row;               /* that .sframe describes it: `rule` is valid */
	struct cairn_rule rule; /* addresses are va */
};

/*
 * Finds what describes the instruction at `pc`.  Returns NOT_FOUND if no module contains it.  If
 * .eh_frame describes it, cairn does not search the module for an .sframe: `table` and `row` are
 * true only if a program header or a report of the host gives its place.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_coverage(struct cairn_space *space,
                                                                uint64_t pc,
                                                                struct cairn_coverage *coverage);

/* What the .sframe of one module contains: the sums over its tables. */
struct cairn_sframe_summary {
	uint64_t low; /* pc of its first byte */
	size_t count; /* how many tables */
	/* how many functions they describe, and their size in bytes */
	uint64_t functions, size;
	unsigned versions; /* bit n: there is a table of version n */
};

/*
 * Summarizes the .sframe of the module at `pc`.  Returns false if it has no table that cairn can
 * read.
 */
CAIRN_API bool cairn_space_sframe_summary(struct cairn_space *space, uint64_t pc,
                                          struct cairn_sframe_summary *tables);

/*
 * Copies the rule of .sframe for the instruction at `pc`; its addresses are va.  Returns NOT_FOUND
 * if no module or no row covers `pc`, or the status of what is wrong with the table; *fault has the
 * details then.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_sframe_rule(struct cairn_space *space,
                                                                   uint64_t pc,
                                                                   struct cairn_rule *rule,
                                                                   struct cairn_fault *fault);

/*
 * Copies the rule of .eh_frame for the instruction at `pc`, in the same form; what .eh_frame
 * describes by a DWARF expression is CAIRN_REGISTER_UNDEFINED in it.  Returns NOT_FOUND if nothing
 * covers `pc`, UNSUPPORTED on a machine that cairn_unwind() does not know, or the status of
 * what is wrong with the section; *fault has the details then.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_cfi_rule(struct cairn_space *space,
                                                                uint64_t pc,
                                                                struct cairn_rule *rule,
                                                                struct cairn_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
