/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: the address space of a process or core, with its modules. Modules are found by
 * cairn in memory, or reported by the host.
 *
 *	struct cairn_target target = { read_memory, context };
 *	struct cairn_module module;
 *	struct cairn_space *space = cairn_space_new(&target);
 *	if (space && cairn_space_module(space, pc, &module) == CAIRN_OK)
 *		printf("va 0x%llx\n", (unsigned long long)(pc - module.bias));
 *	cairn_space_free(space);
 */
#ifndef CAIRN_INCLUDE_SPACE_H
#define CAIRN_INCLUDE_SPACE_H

#include <cairn/base.h>
#include <cairn/rules.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The modules in one target. cairn finds a module in memory when one of its addresses is first
 * looked up. It compares a module with the target at each use, so it notices when the program has
 * been restarted or a library has been unloaded or replaced.
 */
struct cairn_space;

/*
 * Create a space without modules; this does not access the target. The space copies *target, whose
 * context must outlive the space. The caller frees the space. Returns NULL if allocation fails.
 */
CAIRN_API struct cairn_space *cairn_space_new(const struct cairn_target *target);

/* Free the space and all objects that belong to it. NULL is allowed. */
CAIRN_API void cairn_space_free(struct cairn_space *space);

/* Forget all modules, both found and reported, for example after opening another core. */
CAIRN_API void cairn_space_reset(struct cairn_space *space);

/*
 * Tell the space that the target may have run since the last query. By default, every function
 * compares the modules that it uses with the target's memory again. A host that makes several
 * queries about a stopped target calls this function before the first query: from then on, the
 * space compares each module only once between two calls of this function.
 */
CAIRN_API void cairn_space_begin_query(struct cairn_space *space);

/* whether a module has a table, as far as earlier queries have determined this */
enum cairn_presence {
	CAIRN_PRESENCE_UNKNOWN, /* no query has needed the table yet */
	CAIRN_ABSENT,
	CAIRN_PRESENT,
};

/* A module as cairn knows it. The pointers are valid until the next call on the space. */
struct cairn_module {
	/* pc range, from the module's first loaded byte to just past its last */
	uint64_t low, high;
	/* load bias: pc = va + bias; 0 if the module is known only from the host's report */
	uint64_t bias;
	uint64_t entry; /* va of the entry point, or 0 */
	enum cairn_machine machine;
	bool big_endian;
	struct cairn_bytes build_id; /* empty if the module has no build ID */
	/* name from the host's report; NULL if the host has not reported the module */
	const char *name;
	/* cairn has read the module's ELF headers, so bias, entry and build_id are valid */
	bool has_headers;
	struct cairn_bytes headers; /* the module's first bytes; empty if has_headers is false */
	enum cairn_presence sframe, cfi;
	struct cairn_fault fault; /* latest fault in the module's .sframe, or CAIRN_OK */
	/* the program has registered the module through GDB's JIT interface */
	bool registered;
};

/* Find the module that contains `pc`. Returns NOT_FOUND if no module contains it. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_module(struct cairn_space *space,
                                                              uint64_t pc,
                                                              struct cairn_module *module);

/*
 * A module reported by the host. A list of reports replaces the previous list, as in a
 * mark-and-sweep collector:
 *
 *	cairn_space_begin_modules(space);
 *	for (size_t i = 0; i < count; i++)
 *		status = cairn_space_add_module(space, &report[i]);
 *	cairn_space_end_modules(space);
 *
 * All addresses are pc. A module that has been reported before but not this time is removed at the
 * end; modules that cairn has found in memory stay. Reports avoid searching memory for modules,
 * which is slow over a remote connection. They are also useful if ELF headers cannot be read, for
 * example in cores from emulators: cairn then reads the tables at the reported addresses. If the
 * headers can be read, they take precedence over the report, which only supplies the name and any
 * missing data. These calls do not access the target.
 */
struct cairn_host_module {
	/*
	 * module name, of which at most CAIRN_HOST_MODULE_NAME_MAX bytes are copied; may be empty
	 */
	struct cairn_bytes name;
	uint64_t low, high; /* address range, from the module's first byte to just past its last */
	enum cairn_machine machine;
	bool big_endian;
	/*
	 * address ranges of the module's sections .text, .sframe, .eh_frame_hdr and .eh_frame;
	 * empty for sections that the module lacks
	 */
	struct cairn_range text, sframe, eh_frame_hdr, eh_frame;
};

enum {
	/* maximum number of modules at a time, which limits the memory of a space */
	CAIRN_HOST_MODULES_MAX = 4096,
	/* maximum size of a name in bytes: Linux's PATH_MAX without the NUL */
	CAIRN_HOST_MODULE_NAME_MAX = 4095,
};

/* Begin a list of reports: mark all modules that have been reported before. */
CAIRN_API void cairn_space_begin_modules(struct cairn_space *space);

/*
 * Report one module; the report is borrowed during the call. Repeating a report changes nothing.
 * Returns MALFORMED if the module's range is empty, LIMIT if the space already has
 * CAIRN_HOST_MODULES_MAX reported modules, and NO_MEMORY.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_add_module(
	struct cairn_space *space, const struct cairn_host_module *report);

/* End the list of reports: remove modules that have been reported before but not in this list. */
CAIRN_API void cairn_space_end_modules(struct cairn_space *space);

/*
 * Add code that the program has generated at run time and registered through GDB's JIT interface
 * (see the chapter "JIT Compilation Interface" in GDB's manual): an ELF image whose section
 * addresses are pc. The image is borrowed during the call. cairn uses it while the code in the
 * target is equal to the code in the image. Returns NOT_FOUND if the image has no code or no usable
 * .sframe, so that cairn cannot unwind it, and NO_MEMORY. cairn_space_next_module() nevertheless
 * lists an image that has code but no .sframe, while its code in the target is unchanged; at most
 * 1024 such images are kept.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_add_jit_image(struct cairn_space *space,
                                                                     struct cairn_bytes image);

/*
 * Read the program's list of registered JIT code, which starts at its variable
 * `__jit_debug_descriptor`, whose address is `descriptor`. Afterwards cairn_unwind() uses the
 * unwind tables in the list for code outside modules (amd64, aarch64), and
 * cairn_space_next_module() lists the code, at most 1024 ranges. Call this function again when the
 * program has run. Returns NOT_FOUND if the list is empty, UNSUPPORTED if its version is unknown,
 * UNREADABLE or NO_MEMORY; after any of these, cairn_unwind() no longer uses the unwind tables of
 * an earlier list. If the list is damaged or larger than 64 MiB, the part before the damage or the
 * limit is used, and fault->what has the reason; otherwise fault->what is NULL.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_read_registered_code(
	struct cairn_space *space, uint64_t descriptor, enum cairn_machine machine, bool big_endian,
	struct cairn_fault *fault);

/*
 * List all modules known so far: modules that the host has reported, and modules that cairn has
 * found or the program has registered, if they are still loaded. Set *at to 0 before the first
 * call; each call fills *module with the next module. Returns false after the last module. This
 * neither searches for modules nor reads tables, so presence and fault reflect earlier queries.
 */
CAIRN_API bool cairn_space_next_module(struct cairn_space *space, size_t *at,
                                       struct cairn_module *module);

/* Return true if the module's .eh_frame covers the instruction at `pc`. */
CAIRN_API bool cairn_space_has_cfi(struct cairn_space *space, uint64_t pc);

/* Return true if the module's .sframe covers the instruction at `pc`. */
CAIRN_API bool cairn_space_has_sframe(struct cairn_space *space, uint64_t pc);

/* The tables that cover one instruction. */
struct cairn_coverage {
	bool cfi;   /* the module's .eh_frame covers the instruction */
	bool table; /* the module has an .sframe that cairn can read */
	bool row;   /* the module's .sframe covers the instruction, and `rule` is valid */
	struct cairn_rule rule; /* addresses are va */
};

/*
 * Find the unwind tables that cover the instruction at `pc`. Returns NOT_FOUND if no module
 * contains `pc`. If .eh_frame covers the instruction, cairn does not search the module's memory for
 * an .sframe; `table` and `row` are then set only if a program header or the host's report contains
 * the address of the .sframe.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_coverage(struct cairn_space *space,
                                                                uint64_t pc,
                                                                struct cairn_coverage *coverage);

/* Contents of one module's .sframe, summed over its tables. */
struct cairn_sframe_summary {
	uint64_t low; /* pc of the section's first byte */
	size_t count; /* number of tables */
	/* number of functions in the tables, and their total size in bytes */
	uint64_t functions, size;
	unsigned versions; /* bit n is set if there is a table of version n */
};

/*
 * Summarize the .sframe of the module at `pc`. Returns false if the module has no table that cairn
 * can read.
 */
CAIRN_API bool cairn_space_sframe_summary(struct cairn_space *space, uint64_t pc,
                                          struct cairn_sframe_summary *tables);

/*
 * Copy the .sframe rule for the instruction at `pc`; its addresses are va. Returns NOT_FOUND if no
 * module or no row covers `pc`. If the table is damaged there, returns the status of the fault,
 * with the details in *fault.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_sframe_rule(struct cairn_space *space,
                                                                   uint64_t pc,
                                                                   struct cairn_rule *rule,
                                                                   struct cairn_fault *fault);

/*
 * Copy the .eh_frame rule for the instruction at `pc`; its addresses are va. Values that .eh_frame
 * describes by a DWARF expression become CAIRN_REGISTER_UNDEFINED. Returns NOT_FOUND if nothing
 * covers `pc`, and UNSUPPORTED on machines that cairn_unwind() does not support. If the section is
 * damaged there, returns the status of the fault, with the details in *fault.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_cfi_rule(struct cairn_space *space,
                                                                uint64_t pc,
                                                                struct cairn_rule *rule,
                                                                struct cairn_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
