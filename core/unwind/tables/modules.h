/* SPDX-License-Identifier: MIT */
/*
 * An address space and its modules: their memory images, what the host reported, and what the
 * program registered.
 */
#ifndef CAIRN_UNWIND_TABLES_MODULES_H
#define CAIRN_UNWIND_TABLES_MODULES_H

#include "cfi_coverage.h"
#include "stack_cfi.h"

#include "base/range.h"
#include "formats/elf/elf.h"
#include "formats/gopclntab.h"
#include "traces/swift_backtrace_scan.h"
#include "unwind/target/memory.h"

#include <cairn.h>

/*
 * Module reports of the host, see cairn_space_add_module(). Names and tables in a report are
 * trusted, memory contents are not: target reads are checked as usual.
 */

static inline bool reports_cfi(const struct cairn_host_module *reported)
{
	return range_size(reported->eh_frame_hdr) > 0 || range_size(reported->eh_frame) > 0;
}

struct host_module {
	struct cairn_host_module reported; /* `name` points to the copy below */
	bool seen;
	char name[];
};

struct host_modules {
	struct host_module **list;
	size_t count, room;
};

/*
 * Return the best report whose range contains `pc`, or NULL. A report with tables is better than
 * one without (symbol files that the user added), a narrow range better than a wide one (files of
 * which only some sections were loaded).
 */
const struct host_module *host_modules_find(const struct host_modules *reports, uint64_t pc);

/*
 * Images that a program registered through GDB's JIT interface but that have no table for cairn.
 * They are listed; everything else is left to the host.
 */

enum {
	/* the newest are kept; a JIT compiler may register one per function */
	REGISTERED_IMAGES_MAX = 1024,
	REGISTERED_IMAGE_PRINT = 16, /* bytes of code that identify an image in the target */
};

struct registered_image {
	struct cairn_range code;
	enum cairn_machine machine;
	bool big;
	uint8_t print[REGISTERED_IMAGE_PRINT];
};

struct registered_images {
	struct registered_image *image;
	size_t count, room;
};

/*
 * Add an image, replacing images that it overlaps. It is left out if memory is short or its code is
 * unreadable.
 */
void registered_images_add(struct registered_images *images, const struct cairn_target *target,
                           struct registered_image image);

void registered_images_free(struct registered_images *images);

/*
 * The search for backtraces in a target, and the bytes and images that were read last. Everything
 * belongs to the space because the host may leave a read by an exception.
 */

struct space_traces {
	struct swift_scan finder;
	struct loaded_images images;
	uint8_t *block;
	unsigned holes;
	uint8_t *bytes;
	size_t room;
};

void space_traces_free(struct space_traces *traces);

/*
 * The modules of an address space: found by their ELF header in target memory and kept as long as
 * memory confirms them. Only this layer converts between pc and va.
 *
 * The host may leave any read of the target by an exception. Therefore memory that is allocated
 * across a read is attached to the space or a module immediately, so that the next call finds and
 * frees unfinished work.
 */

enum {
	/*
	 * frames whose code is followed; each takes up to a millisecond, and a hostile core has
	 * millions of frames
	 */
	SPACE_COMPARED_MAX = 2048,
	/* size of `chained`, enough for functions that a stack repeats; 2 KiB */
	SPACE_CHAINED = 256,
	MODULE_PAGE = 4096,   /* upper bound for the ELF and program headers */
	MODULE_SEGMENTS = 32, /* loadable segments; more are ignored */
	MODULE_ID_MAX = 64,
	MODULE_PLAIN = 64,  /* addresses per module that are known not to be trampolines */
	MODULE_STARTS = 16, /* addresses per module that are known not to follow a call */
	MODULES_MAX = 512,  /* when exceeded, all modules are forgotten and searched again */
	/* limit for forgetting all modules if the target cannot change */
	MODULES_FORGOTTEN_MAX = 16,
	MODULES_HOLES = 16,      /* ranges known to contain no module */
	MODULES_HOLE_USES = 256, /* answers from a hole before it is searched again */
};

struct module_segment {
	uint64_t va, size;
	uint32_t flags;
};

enum module_sframe {
	MODULE_SFRAME_UNTRIED, /* sframe_bytes may be left from an interrupted read */
	MODULE_SFRAME_NONE,
	MODULE_SFRAME_READY,
};

struct module {
	uint64_t number; /* from 1, never reused in the space */
	uint64_t low, high, bias, entry;
	enum cairn_machine machine;
	bool big, has_sections;
	uint8_t id[MODULE_ID_MAX];
	size_t id_size;
	struct module_segment segments[MODULE_SEGMENTS];
	unsigned segment_count;
	/* whole pages between segments are not part of the module; another mapping may be there */
	bool has_gap;
	/* first bytes; the module exists as long as memory matches them */
	uint8_t print[MODULE_PAGE];
	size_t print_size;
	uint64_t print_at;
	unsigned checked; /* value of space->tick at the last comparison */

	uint64_t dynamic_va, dynamic_size; /* size 0: absent, or already read */
	uint64_t debug_slot;               /* va of the value of DT_DEBUG; 0: unknown */

	bool registered;
	/* only source of information; NULL if headers were read */
	const struct host_module *report;

	uint64_t sframe_va, sframe_size; /* from the segment or the report; size 0: unknown */
	enum module_sframe sframe;
	uint8_t *sframe_bytes;
	size_t sframe_held; /* capacity of sframe_bytes */
	struct cairn_rules *rules;
	bool side_looked; /* cairn_space_wants_sframe() has already answered */
	struct cairn_fault fault;

	uint64_t starts[MODULE_STARTS]; /* va of code that does not follow a call; 0: unused */
	unsigned next_start;
	uint64_t plain[MODULE_PLAIN]; /* va of code that is not a signal trampoline; 0: unused */

	struct cfi_coverage cfi;
	struct debug_frame_index *debug_frame; /* NULL unless the host supplied it */
	/* set by unwind/code/function_code.h, with free_saved */
	struct callee_saved_cache *saved;
	void (*free_saved)(struct callee_saved_cache *);
	struct cairn_files *files; /* NULL unless the host supplied them */
};

struct hole {
	uint64_t low, high;
	unsigned uses;
};

/*
 * Breakpad files of the host: returns the rules of the module that contains `pc`, and its start, or
 * NULL. Rules stay valid until the host reports others.
 */
struct stack_cfi_files {
	const struct stack_cfi *(*find)(void *context, uint64_t pc, uint64_t *low);
	void *context;
};

/*
 * Go tables of the host: returns the table of the module that contains `pc`, and its load bias, or
 * NULL. Tables stay valid until the host reports others.
 */
struct go_tables {
	const struct gopclntab *(*find)(void *context, uint64_t pc, uint64_t *bias);
	void *context;
};

/*
 * JIT unwind information of the host: finds the rule for `pc`, including the first pc of its
 * function, as recorded by the program. Returns false if not found.
 */
struct jit_code_rules {
	bool (*find)(void *context, uint64_t pc, const struct cairn_registers *frame,
	             struct cairn_rule *rule);
	void *context;
	/* called when the rules are replaced or the space is freed; may be NULL */
	void (*free)(void *context);
};

/*
 * Callbacks of the host about code outside of modules. contains() returns true if `pc` is in code,
 * even if its bytes were not captured. excludes() returns true if `pc` is in memory that is not
 * executable. remapped() returns true if *pc is in a second mapping of a module's code, without a
 * header nearby, and sets *pc to the same code in the module.
 */
struct generated_code {
	bool (*contains)(void *context, uint64_t pc);
	bool (*excludes)(void *context, uint64_t pc);
	bool (*remapped)(void *context, uint64_t *pc);
	void *context;
};

struct cairn_space {
	struct cairn_target target;
	struct stack_cfi_files breakpad;
	struct go_tables go;
	struct jit_code_rules made;
	struct generated_code code;
	uint64_t signature_bits; /* bits of code addresses that may hold a signature (aarch64) */
	struct module *modules[MODULES_MAX];
	/*
	 * Span of each module in a compact array, for searches by pc. Empty for a module made from
	 * a report, which is searched by its report.
	 */
	struct module_span {
		uint64_t low, size;
	} spans[MODULES_MAX];
	size_t count;
	uint64_t numbered;
	struct host_modules reports;
	struct registered_images registered; /* images that are only listed */
	struct module *draft;
	struct hole holes[MODULES_HOLES];
	unsigned next_hole;
	unsigned scanned; /* reads of unsuccessful searches since the last success */
	unsigned forgotten;
	/*
	 * The target cannot change: a core, or copied memory of a process. Hostile stacks could
	 * force modules to be searched again and again, so the number of times is limited.
	 */
	bool still;
	/* Last answer if `still` is set, because each step looks up the same pc several times. */
	struct last_answer {
		bool valid;
		uint64_t pc;
		struct module *module;
	} last;
	unsigned tick;
	bool host_ticks; /* the host calls cairn_space_begin_query() */
	struct space_traces *traces;
	/* call frame information in use, see cfi_coverage.h */
	struct fde_reader *entries;
	/* row cache for a target that cannot change; NULL until first used */
	struct row_cache *rows;
	struct flow *flow;
	struct path *path;
	/*
	 * Pcs of callers whose code was followed and agrees with their frame pointer, so that it is
	 * not followed again; 0: unused.
	 */
	uint64_t chained[SPACE_CHAINED];
	unsigned compared; /* times that code was followed for this */
};

/*
 * Set the bits of an aarch64 code address that may hold its signature, besides bits 48 and up. Bits
 * below 36 are ignored because every kernel uses them for addresses.
 */
void space_set_signature_bits(struct cairn_space *space, uint64_t bits);

void space_set_jit_code_rules(struct cairn_space *space, struct jit_code_rules rules);

/*
 * Return true if a module's code is also mapped at *pc, and set *pc to its address in the module.
 */
static inline bool space_find_remapped(const struct cairn_space *space, uint64_t *pc)
{
	return space->code.remapped && space->code.remapped(space->code.context, pc);
}

/* Begin a query of the host. Cached facts are checked against the target again. */
void space_begin_query(struct cairn_space *space);

/* Return the verified module that contains `pc`, searching for it if needed, or NULL. */
struct module *space_find(struct cairn_space *space, uint64_t pc);

struct module *space_query(struct cairn_space *space, uint64_t pc);

/* Return the module that contains `pc` among the known ones, without a search. */
struct module *space_find_known(struct cairn_space *space, uint64_t pc);

/* Construction of modules: create a draft, which the space owns, then publish it as a module. */
bool space_make_draft(struct cairn_space *space);
void space_drop_draft(struct cairn_space *space);
struct module *space_publish_draft(struct cairn_space *space);
void space_drop_module(struct cairn_space *space, size_t index);

const struct host_module *module_find_host_module(const struct cairn_space *space,
                                                  const struct module *module);

/* Return true if the module is still in memory. The target is read once per query. */
bool module_is_live(struct cairn_space *space, struct module *module);

struct cfi_memory module_cfi_memory(const struct cairn_space *space, const struct module *module);

bool module_is_code(const struct module *module, uint64_t va);

/* Set [low, high), the linked addresses of the module's code. Return false if unknown. */
bool module_code_range(const struct module *module, uint64_t *low, uint64_t *high);

/* Images in memory. */

/*
 * Read the headers at `address` into *module, which is zeroed or holds an earlier attempt. Return
 * false if no loadable image begins there.
 */
bool image_read(const struct cairn_target *target, uint64_t address, struct module *module);

/*
 * Open the headers of an image whose first page, module->print, is from module->print_at. Tools
 * that add segments to a linked program (BOLT) move the program headers out of the first page.
 * Those are read from the target into `apart`, which must outlive `elf`; only segments of such an
 * image can be read.
 */
bool image_open(const struct cairn_target *target, const struct module *module,
                uint8_t apart[MODULE_PAGE], struct elf *elf);

bool image_unchanged(const struct cairn_target *target, const struct module *module);

#endif
