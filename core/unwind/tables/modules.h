/* SPDX-License-Identifier: MIT */
/*
 * Manages an address space and its modules: their memory images, reports from the host, and images
 * that the program has registered.
 */
#ifndef CAIRN_UNWIND_TABLES_MODULES_H
#define CAIRN_UNWIND_TABLES_MODULES_H

#include "cfi_coverage.h"
#include "stack_cfi.h"

#include "base/range.h"
#include "base/target_memory.h"
#include "formats/elf/elf.h"
#include "formats/gopclntab.h"
#include "traces/swift_backtrace_scan.h"

#include <cairn.h>

/*
 * Stores module reports from the host (see cairn_space_add_module()). Names and table locations in
 * a report are trusted. Memory contents are not, so reads of the target are checked as usual.
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
	size_t count, capacity;
};

/*
 * Return the best report whose range contains `pc`, or NULL. A report with tables is better than a
 * report without, such as one for a symbol file that the user has added. A narrow range is better
 * than a wide one, such as the range of a file of which only some sections are loaded.
 */
const struct host_module *host_modules_find(const struct host_modules *reports, uint64_t pc);

/*
 * Images that a program has registered through GDB's JIT interface but for which cairn has no
 * unwind table. cairn lists them and leaves everything else to the host.
 */

enum {
	/*
	 * maximum number of images, because a JIT compiler may register one per function; only the
	 * newest are kept
	 */
	REGISTERED_IMAGES_MAX = 1024,
	/* maximum number of code bytes that identify an image in the target */
	REGISTERED_IMAGE_PRINT = 16,
};

struct registered_image {
	struct cairn_range code;
	enum cairn_machine machine;
	bool big;
	uint8_t print[REGISTERED_IMAGE_PRINT];
};

struct registered_images {
	struct registered_image *image;
	size_t count, capacity;
};

/*
 * Add an image, replacing images that it overlaps. Skip it if allocation fails or its code is
 * unreadable.
 */
void registered_images_add(struct registered_images *images, const struct cairn_target *target,
                           struct registered_image image);

void registered_images_free(struct registered_images *images);

/*
 * State of the search for backtraces in a target, and the bytes and images read most recently. The
 * state belongs to the space because the host may throw an exception from a read.
 */

struct space_traces {
	struct swift_scan finder;
	struct loaded_images images;
	uint8_t *block;
	unsigned holes;
	uint8_t *bytes;
	size_t capacity;
};

void space_traces_free(struct space_traces *traces);

/*
 * The modules of an address space. A module is found by its ELF header in target memory and kept as
 * long as memory confirms it. Only this layer converts between pc and va.
 *
 * The host may throw an exception from any read of the target. Allocations that live across a read
 * are therefore attached to the space or a module immediately, so that the next call finds and
 * frees unfinished work.
 */

enum {
	/*
	 * maximum number of frames whose code is followed, because each may take a millisecond and
	 * a malicious core has millions of frames
	 */
	SPACE_COMPARED_MAX = 2048,
	/*
	 * number of elements of `chained` (2 KiB), enough for the functions that recur on a typical
	 * stack
	 */
	SPACE_CHAINED = 256,
	MODULE_PAGE = 4096, /* maximum size of the ELF and program headers together */
	/* maximum number of loadable segments; further segments are ignored */
	MODULE_SEGMENTS = 32,
	MODULE_ID_MAX = 64,
	MODULE_PLAIN = 64,
	MODULE_STARTS = 16,
	/* maximum number of modules; when exceeded, all are forgotten and searched for again */
	MODULES_MAX = 512,
	/* maximum number of times that all modules may be forgotten if the target cannot change */
	MODULES_FORGOTTEN_MAX = 16,
	MODULES_HOLES = 16, /* number of cached ranges that contain no module */
	/* maximum number of uses of a range without a module before the range is searched again */
	MODULES_HOLE_USES = 256,
};

struct module_segment {
	uint64_t va, size;
	uint32_t flags;
};

enum module_sframe {
	/* the table has not been opened; sframe_bytes may be left over from an interrupted read */
	MODULE_SFRAME_UNTRIED,
	MODULE_SFRAME_NONE,
	MODULE_SFRAME_READY,
};

/* whether the module is Swift's concurrency runtime */
enum module_swift {
	MODULE_SWIFT_UNTRIED,
	MODULE_SWIFT_NONE,
	MODULE_SWIFT_UNSUPPORTED, /* a version whose layout of tasks is unknown */
	MODULE_SWIFT_READY,
};

struct module {
	uint64_t number; /* starts at 1 and is never reused within a space */
	uint64_t low, high, bias, entry;
	enum cairn_machine machine;
	bool big, has_sections;
	uint8_t id[MODULE_ID_MAX];
	size_t id_size;
	struct module_segment segments[MODULE_SEGMENTS];
	unsigned segment_count;
	/* there are unmapped pages between segments, so another module may be mapped there */
	bool has_gap;
	/* first bytes of the image; the module is valid while memory matches them */
	uint8_t print[MODULE_PAGE];
	size_t print_size;
	uint64_t print_at;
	unsigned checked;

	/* `dynamic_size` is 0 if there is no dynamic section or it has been read */
	uint64_t dynamic_va, dynamic_size;
	/* link-time address of the value of DT_DEBUG; 0 if unknown */
	uint64_t debug_slot;

	bool registered;
	/* source of all information if the headers are unreadable, otherwise NULL */
	const struct host_module *report;

	/* from the PT_GNU_SFRAME segment or the host's report; `sframe_size` is 0 if unknown */
	uint64_t sframe_va, sframe_size;
	enum module_sframe sframe;
	uint8_t *sframe_bytes;
	size_t sframe_held;
	struct cairn_rules *rules;
	bool side_looked; /* cairn_space_wants_sframe() has already been called */
	struct cairn_fault fault;

	/* link-time addresses of code that does not follow a call; 0 if unused */
	uint64_t starts[MODULE_STARTS];
	unsigned next_start;
	/* link-time addresses of code that is not a signal trampoline; 0 if unused */
	uint64_t plain[MODULE_PLAIN];

	struct cfi_coverage cfi;
	struct debug_frame_index *debug_frame; /* NULL unless the host has supplied the section */
	/* set by unwind/step/function_code.h, together with free_saved */
	struct callee_saved_cache *saved;
	void (*free_saved)(struct callee_saved_cache *);
	struct cairn_files *files;
	enum module_swift swift;
};

struct hole {
	uint64_t low, high;
	unsigned uses;
};

/*
 * Callback for the host's Breakpad files. Returns the rules of the module that contains `pc` and
 * sets *low to the module's start address, or returns NULL if there are no rules. The rules stay
 * valid until the host reports modules again.
 */
struct stack_cfi_files {
	const struct stack_cfi *(*find)(void *context, uint64_t pc, uint64_t *low);
	void *context;
};

/*
 * Callback for the host's Go tables. Returns the table of the module that contains `pc` and sets
 * *bias to its load bias, or returns NULL if there is no table. The tables stay valid until the
 * host reports modules again.
 */
struct go_tables {
	const struct gopclntab *(*find)(void *context, uint64_t pc, uint64_t *bias);
	void *context;
};

/*
 * Callback for the host's JIT unwind information. Finds the rule that the program has recorded for
 * `pc`, including the first pc of its function. Returns false if there is no rule.
 */
struct jit_code_rules {
	bool (*find)(void *context, uint64_t pc, const struct cairn_registers *frame,
	             struct cairn_rule *rule);
	void *context;
	/* called when the rules are replaced or the space is freed; may be NULL */
	void (*free)(void *context);
};

/*
 * The host's callbacks for code outside of modules. contains() returns true if `pc` is in JIT code,
 * even if the code's bytes have not been captured. excludes() returns true if `pc` is in memory
 * that is not executable. remapped() returns true if *pc is in a second mapping of a module's code,
 * without a header nearby, and sets *pc to the same code in the module.
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
	uint64_t signature_bits;
	struct module *modules[MODULES_MAX];
	/*
	 * Module ranges in a compact array, for fast searches by pc. The range of a module without
	 * headers is empty, because such a module is found through its report.
	 */
	struct module_span {
		uint64_t low, size;
	} spans[MODULES_MAX];
	size_t count;
	uint64_t numbered;
	struct host_modules reports;
	struct registered_images registered;
	struct module *draft;
	struct hole holes[MODULES_HOLES];
	unsigned next_hole;
	unsigned scanned; /* number of reads by unsuccessful searches since the last success */
	unsigned forgotten;
	/*
	 * The target cannot change because it is a core or copied memory of a process. In this
	 * case, the number of repeated module searches is limited, because malicious stacks could
	 * force them.
	 */
	bool still;
	/*
	 * Cache of the latest lookup while `still` is set, because each step looks up the same pc
	 * several times.
	 */
	struct last_answer {
		bool valid;
		uint64_t pc;
		struct module *module;
	} last;
	unsigned tick;
	bool host_ticks; /* the host calls cairn_space_begin_query() */
	struct space_traces *traces;
	struct fde_reader *entries;
	/* row cache for a target that cannot change; NULL until first used */
	struct row_cache *rows;
	struct flow *flow;
	struct path *path;
	/*
	 * pcs of callers whose code agrees with their frame pointer and is not followed again; 0 if
	 * unused
	 */
	uint64_t chained[SPACE_CHAINED];
	/* number of times that code has been followed to check a frame pointer */
	unsigned compared;
	/* set by unwind/step/swift_async.c, together with free_swift; NULL until first used */
	struct space_swift *swift;
	void (*free_swift)(struct space_swift *);
};

/*
 * Set which bits of an aarch64 code address may contain a signature, besides bits 48 and up. Bits
 * below 36 are ignored because every kernel uses them for addresses.
 */
void space_set_signature_bits(struct cairn_space *space, uint64_t bits);

void space_set_jit_code_rules(struct cairn_space *space, struct jit_code_rules rules);

/*
 * Return true if *pc is in a second mapping of a module's code, and set *pc to the same code in the
 * module.
 */
static inline bool space_find_remapped(const struct cairn_space *space, uint64_t *pc)
{
	return space->code.remapped && space->code.remapped(space->code.context, pc);
}

/* Begin a query from the host. Cached facts are then verified in the target again. */
void space_begin_query(struct cairn_space *space);

/*
 * Return the module that contains `pc`, or NULL. Verifies the module in memory, and searches for it
 * if necessary.
 */
struct module *space_find(struct cairn_space *space, uint64_t pc);

struct module *space_query(struct cairn_space *space, uint64_t pc);

/* Return the module that contains `pc` if it is already known, or NULL. Does not search. */
struct module *space_find_known(struct cairn_space *space, uint64_t pc);

/* Create a module in two steps: make a draft that the space owns, then publish it. */
bool space_make_draft(struct cairn_space *space);
void space_drop_draft(struct cairn_space *space);
struct module *space_publish_draft(struct cairn_space *space);
void space_drop_module(struct cairn_space *space, size_t index);

const struct host_module *module_find_host_module(const struct cairn_space *space,
                                                  const struct module *module);

/* Return true if the module is still in memory. Reads the target once per query. */
bool module_is_live(struct cairn_space *space, struct module *module);

struct cfi_memory module_cfi_memory(const struct cairn_space *space, const struct module *module);

bool module_is_code(const struct module *module, uint64_t va);

/*
 * Set [low, high) to the link-time addresses of the module's code. Return false if they are
 * unknown.
 */
bool module_code_range(const struct module *module, uint64_t *low, uint64_t *high);

/*
 * Read the headers at `address` into *module, which is zeroed or contains an earlier attempt.
 * Return false if no loadable image begins at the address.
 */
bool image_read(const struct cairn_target *target, uint64_t address, struct module *module);

/*
 * Open the headers of an image whose first page, module->print, has been read at module->print_at.
 * Tools that add segments to a linked program (BOLT) move the program headers out of the first
 * page. Such headers are read from the target into `apart`, which must outlive `elf`; only the
 * segments of such an image are available.
 */
bool image_open(const struct cairn_target *target, const struct module *module,
                uint8_t apart[MODULE_PAGE], struct elf *elf);

bool image_unchanged(const struct cairn_target *target, const struct module *module);

#endif
