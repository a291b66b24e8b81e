/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: the address space of a process or core, with its modules. cairn finds them in
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
 * The modules of one target. cairn finds a module in memory when one of its addresses is first
 * looked up. It compares a module with the target at each use, so it notices when the program was
 * restarted or a library was unloaded or replaced.
 */
struct cairn_space;

/*
 * Create a space without modules; this reads nothing from the target. The space copies *target; the
 * context of the target must outlive it. The caller frees the space. Returns NULL if memory is
 * short.
 */
CAIRN_API struct cairn_space *cairn_space_new(const struct cairn_target *target);

/* Free the space with everything that belongs to it. NULL is allowed. */
CAIRN_API void cairn_space_free(struct cairn_space *space);

/* Forget all modules, found or reported, for example after opening another core. */
CAIRN_API void cairn_space_reset(struct cairn_space *space);

/*
 * Tell the space that the target may have run since the last query. Without this function, each
 * function of the library compares the modules that it uses with the target again. A host that
 * makes several queries about a stopped target calls it before the first query: from the first such
 * call on, the space compares each module only once after each call of this function.
 */
CAIRN_API void cairn_space_begin_query(struct cairn_space *space);

/* Presence of a table in a module, as known from earlier queries. */
enum cairn_presence {
	CAIRN_PRESENCE_UNKNOWN, /* no query has needed it yet */
	CAIRN_ABSENT,
	CAIRN_PRESENT,
};

/* A module as cairn knows it. The pointers are valid until the next call on the space. */
struct cairn_module {
	uint64_t low, high; /* pc; from the first loadable byte to just past the last */
	uint64_t bias;      /* load bias: pc = va + bias; 0 if only the host knows the module */
	uint64_t entry;     /* va of the entry point, or 0 */
	enum cairn_machine machine;
	bool big_endian;
	struct cairn_bytes build_id; /* empty if the module does not have a build ID */
	/* name from the host's report; NULL if the host did not report the module */
	const char *name;
	bool has_headers;           /* cairn read its headers: bias, entry and build_id are valid */
	struct cairn_bytes headers; /* the first bytes of the module; empty without has_headers */
	enum cairn_presence sframe, cfi;
	struct cairn_fault fault; /* latest fault in its .sframe, or CAIRN_OK */
	bool registered;          /* the program registered it through GDB's JIT interface */
};

/* Find the module that contains `pc`. Returns NOT_FOUND if no module contains it, else CAIRN_OK. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_module(struct cairn_space *space,
                                                              uint64_t pc,
                                                              struct cairn_module *module);

/*
 * A module that the host reports. Reports work as a mark and sweep:
 *
 *	cairn_space_begin_modules(space);
 *	for (size_t i = 0; i < count; i++)
 *		status = cairn_space_add_module(space, &report[i]);
 *	cairn_space_end_modules(space);
 *
 * All addresses are pc. A module that was reported before but not this time is removed at the end;
 * modules that cairn found in memory stay. Reports save the search in memory, which is slow over a
 * remote connection. They also help where ELF headers cannot be read, as in cores of emulators:
 * cairn then reads the tables at the reported addresses. If it can read the headers, they take
 * precedence, and only the name and whatever the headers lack come from the report. These calls
 * read nothing from the target.
 */
struct cairn_host_module {
	struct cairn_bytes name; /* copied, up to CAIRN_HOST_MODULE_NAME_MAX bytes; may be empty */
	uint64_t low, high;      /* from the first byte to just past the last */
	enum cairn_machine machine;
	bool big_endian;
	/* addresses of the sections; a range is empty if the module does not have the section */
	struct cairn_range text, sframe, eh_frame_hdr, eh_frame;
};

enum {
	CAIRN_HOST_MODULES_MAX = 4096,     /* modules at once; limits the memory of a space */
	CAIRN_HOST_MODULE_NAME_MAX = 4095, /* bytes of a name; PATH_MAX of Linux without the NUL */
};

/* Begin a list of reports: mark all modules that were reported before. */
CAIRN_API void cairn_space_begin_modules(struct cairn_space *space);

/*
 * Report one module; the report is borrowed during the call. Repeating a report changes nothing.
 * Returns MALFORMED if the module's range is empty, and NO_MEMORY if memory is short or the space
 * already has CAIRN_HOST_MODULES_MAX reported modules.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_add_module(
	struct cairn_space *space, const struct cairn_host_module *report);

/* End the list of reports: remove the modules that were reported before but not in this list. */
CAIRN_API void cairn_space_end_modules(struct cairn_space *space);

/*
 * Add code that the program generated at run time and registered through GDB's JIT interface (see
 * the chapter "JIT Compilation Interface" of GDB's manual): an ELF image whose section addresses
 * are pc. The image is borrowed during the call. cairn uses it for as long as the code in the
 * target equals the code in the image. Returns NOT_FOUND if the image has no code or no usable
 * .sframe, in which case it is left to the host, and NO_MEMORY. An image with code but without
 * .sframe is still listed by cairn_space_next_module() while its code in the target is unchanged;
 * up to 1024 such images are kept.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_add_jit_image(struct cairn_space *space,
                                                                     struct cairn_bytes image);

/*
 * Read the program's list of registered JIT code, which begins in its variable
 * `__jit_debug_descriptor` at the address `descriptor`. Afterwards cairn_unwind() unwinds code
 * outside of modules with the list's tables (amd64, aarch64), and cairn_space_next_module() lists
 * the code, up to 1024 ranges. Call it again when the program has run. Unless it returns CAIRN_OK,
 * the space has no such list: NOT_FOUND if the list is empty, UNSUPPORTED if it has another
 * version, UNREADABLE, or NO_MEMORY. A list that is damaged or larger than 64 MiB is used up to
 * that point, and fault->what has the reason; otherwise fault->what is NULL.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_read_registered_code(
	struct cairn_space *space, uint64_t descriptor, enum cairn_machine machine, bool big_endian,
	struct cairn_fault *fault);

/*
 * List the modules that cairn knows so far: the modules that the host reported, and the modules
 * that cairn found or the program registered and that are still loaded. *at is 0 before the first
 * call; each call fills *module with the next one. Returns false after the last. It neither
 * searches for modules nor reads tables: presence and fault reflect earlier queries.
 */
CAIRN_API bool cairn_space_next_module(struct cairn_space *space, size_t *at,
                                       struct cairn_module *module);

/* Return true if the .eh_frame of the module at `pc` describes the instruction. */
CAIRN_API bool cairn_space_has_cfi(struct cairn_space *space, uint64_t pc);

/* Return true if the .sframe of the module at `pc` describes the instruction. */
CAIRN_API bool cairn_space_has_sframe(struct cairn_space *space, uint64_t pc);

/* The tables that describe one instruction. */
struct cairn_coverage {
	bool cfi;               /* .eh_frame describes it */
	bool table;             /* the module has an .sframe that cairn can read */
	bool row;               /* that .sframe describes it, and `rule` is valid */
	struct cairn_rule rule; /* addresses are va */
};

/*
 * Find the tables that describe the instruction at `pc`. Returns NOT_FOUND if no module contains
 * it. If .eh_frame describes it, cairn does not search the module for an .sframe: `table` and `row`
 * are then true only if a program header or a report of the host gives the address of the .sframe.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_coverage(struct cairn_space *space,
                                                                uint64_t pc,
                                                                struct cairn_coverage *coverage);

/* Contents of the .sframe of one module, summed over its tables. */
struct cairn_sframe_summary {
	uint64_t low; /* pc of its first byte */
	size_t count; /* number of tables */
	/* number of functions in the tables, and their total size in bytes */
	uint64_t functions, size;
	unsigned versions; /* bit n is set if there is a table of version n */
};

/*
 * Summarize the .sframe of the module at `pc`. Returns false if the module does not have a table
 * that cairn can read.
 */
CAIRN_API bool cairn_space_sframe_summary(struct cairn_space *space, uint64_t pc,
                                          struct cairn_sframe_summary *tables);

/*
 * Copy the .sframe rule for the instruction at `pc`; its addresses are va. Returns NOT_FOUND if no
 * module or no row covers `pc`, or the status of the damage in the table; then *fault has the
 * details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_sframe_rule(struct cairn_space *space,
                                                                   uint64_t pc,
                                                                   struct cairn_rule *rule,
                                                                   struct cairn_fault *fault);

/*
 * Copy the .eh_frame rule for the instruction at `pc`, in the same form. Values that .eh_frame
 * describes by a DWARF expression become CAIRN_REGISTER_UNDEFINED. Returns NOT_FOUND if nothing
 * covers `pc`, UNSUPPORTED on a machine that cairn_unwind() does not know, or the status of the
 * damage in the section; then *fault has the details.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_cfi_rule(struct cairn_space *space,
                                                                uint64_t pc,
                                                                struct cairn_rule *rule,
                                                                struct cairn_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
