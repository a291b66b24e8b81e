/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: the address space of a process or core, with its modules.  They are found in
 * memory, or told by the host.
 */
#ifndef CAIRN_INCLUDE_SPACE_H
#define CAIRN_INCLUDE_SPACE_H

#include <cairn/base.h>
#include <cairn/rules.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The modules of one target, found in its memory when an address of theirs is first asked for.
 * Each use of a module is checked against the target, so that a program that was loaded anew,
 * unloaded or exchanged is noticed.
 */
struct cairn_space;

/* NULL when memory is short. */
CAIRN_API struct cairn_space *cairn_space_new(const struct cairn_target *target);
CAIRN_API void cairn_space_free(struct cairn_space *space);

/* Forget all that was learnt of the target, such as after another core was opened. */
CAIRN_API void cairn_space_reset(struct cairn_space *space);

/*
 * Each function of the library compares the modules that it uses with the target anew.  A host that
 * asks several questions in a row about a target that stands still calls this before the first of
 * them: from the first call on modules are compared once after each call, and not between.
 */
CAIRN_API void cairn_space_begin_query(struct cairn_space *space);

/* Is it there, as far as is known? */
enum cairn_presence {
	CAIRN_PRESENCE_UNKNOWN, /* nobody has asked yet */
	CAIRN_ABSENT,
	CAIRN_PRESENT,
};

/* What is known of one module.  Pointers are valid until the next call on the space. */
struct cairn_module {
	uint64_t low, high; /* pc range, from the first to the last loadable byte */
	uint64_t bias;      /* pc = va + bias; 0 when only the host knows the module */
	uint64_t entry;     /* va of the entry point, 0 when there is none */
	enum cairn_machine machine;
	bool big_endian;
	struct cairn_bytes build_id; /* size 0 when there is none */
	const char *name;            /* as the host reported it; NULL when it did not */
	bool has_headers;            /* they were read: bias, entry and build_id are known */
	struct cairn_bytes headers;  /* the first bytes of the module; empty when they were not */
	enum cairn_presence sframe, cfi;
	struct cairn_fault fault; /* of its .sframe, the last one met; CAIRN_OK: none so far */
};

/* The module that holds `pc`; NOT_FOUND when none does. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_module(struct cairn_space *space,
                                                              uint64_t pc,
                                                              struct cairn_module *module);

/*
 * Modules that the host knows of, as a mark and sweep:
 *
 *	cairn_space_begin_modules(space);
 *	for (size_t i = 0; i < count; i++)
 *		status = cairn_space_add_module(space, &report[i]);
 *	cairn_space_end_modules(space);
 *
 * All addresses are runtime addresses.  A module that was reported before and is not reported this
 * time goes away at the end; modules that cairn found in memory stay as they are.  Reports save
 * the search in memory, which is slow at the end of a slow line, and help where ELF headers cannot
 * be read, as in cores of emulators: the tables are then read where the report says they are.
 * Where the headers can be read they count, and the report adds the name and what the headers do
 * not tell.  Nothing of the target is read during these calls.
 */
struct cairn_host_module {
	struct cairn_bytes name; /* copied, up to CAIRN_HOST_MODULE_NAME_MAX bytes; may be empty */
	uint64_t low, high;      /* from its first byte to just behind its last */
	enum cairn_machine machine;
	bool big_endian;
	/* where its sections are; empty: none */
	struct cairn_range text, sframe, eh_frame_hdr, eh_frame;
};

enum {
	CAIRN_HOST_MODULES_MAX = 4096,     /* modules at once */
	CAIRN_HOST_MODULE_NAME_MAX = 4095, /* bytes of a name that are kept */
};

CAIRN_API void cairn_space_begin_modules(struct cairn_space *space);

/*
 * MALFORMED: the range is empty.  NO_MEMORY: memory is short, or CAIRN_HOST_MODULES_MAX are known already.
 * The same report again changes nothing.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_add_module(
	struct cairn_space *space, const struct cairn_host_module *report);
CAIRN_API void cairn_space_end_modules(struct cairn_space *space);

/*
 * Code that the program made at run time and registered as an ELF image whose section addresses are
 * final (GDB's JIT interface).  The image is borrowed during the call.  It is believed as long as
 * its code lies in the target as in the image.  NOT_FOUND: it has no code or no usable .sframe;
 * that is the host's business then.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_add_jit_image(struct cairn_space *space,
                                                                     struct cairn_bytes image);

/*
 * The modules known so far: those that were reported, and those that were found and are still
 * there.  Start with *at = 0; each call gives one, false behind the last.  No module is searched
 * for and no table is read; presence and fault tell what earlier questions have shown.
 */
CAIRN_API bool cairn_space_next_module(struct cairn_space *space, size_t *at,
                                       struct cairn_module *module);

/* Does the .eh_frame of the module at `pc` describe this very instruction?  Does its .sframe? */
CAIRN_API bool cairn_space_has_cfi(struct cairn_space *space, uint64_t pc);
CAIRN_API bool cairn_space_has_sframe(struct cairn_space *space, uint64_t pc);

/* What describes one instruction. */
struct cairn_coverage {
	bool cfi;   /* .eh_frame does */
	bool table; /* its module has an .sframe that can be read */
	bool row;   /* that .sframe describes the instruction: by `rule`, its addresses as linked */
	struct cairn_rule rule;
};

/*
 * What describes the instruction at `pc`.  NOT_FOUND: it lies in no module.  Where there is CFI an
 * .sframe counts only if a program header or the host tells of it: it is not searched for.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_coverage(struct cairn_space *space,
                                                                uint64_t pc,
                                                                struct cairn_coverage *coverage);

/* What the .sframe of one module holds, in all its tables. */
struct cairn_sframe_summary {
	uint64_t low; /* pc of its first byte */
	size_t count;
	uint64_t functions, size; /* size in bytes */
	unsigned versions;        /* bit n: there is a table of version n */
};

/* Of the module at `pc`; false when it has no table that can be read. */
CAIRN_API bool cairn_space_sframe_summary(struct cairn_space *space, uint64_t pc,
                                          struct cairn_sframe_summary *tables);

/* The rule that the .sframe at `pc` gives, its addresses as linked; *fault when there is none. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_sframe_rule(struct cairn_space *space,
                                                                   uint64_t pc,
                                                                   struct cairn_rule *rule,
                                                                   struct cairn_fault *fault);

/*
 * The rule of .eh_frame there, in the same words; what takes an expression to say is unknown in it.
 * UNSUPPORTED on machines that cairn_unwind_any() does not know.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_space_cfi_rule(struct cairn_space *space,
                                                                uint64_t pc,
                                                                struct cairn_rule *rule,
                                                                struct cairn_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
