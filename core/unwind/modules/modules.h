/* SPDX-License-Identifier: MIT */
/*
 * The modules of an address space: found by their ELF header in target memory, kept until the
 * memory says otherwise.  The one place that converts between pc and va.
 *
 * Whatever is allocated while the target is read hangs on the space or on a module of it at once,
 * so that a host callback may leave by an exception at any time: what was half made is found and
 * freed by the next call.
 */
#ifndef CAIRN_UNWIND_MODULES_MODULES_H
#define CAIRN_UNWIND_MODULES_MODULES_H

#include <cairn.h>

#include "space_traces.h"

#include "formats/elf/elf.h"
#include "formats/gopclntab/gopclntab.h"
#include "unwind/cfi/coverage.h"
#include "unwind/cfi/debug_frame_index.h"
#include "unwind/reports/host_modules.h"
#include "unwind/reports/registered_images.h"
#include "unwind/stack_cfi/stack_cfi.h"

enum {
	SPACE_COMPARED_MAX =
		2048, /* each takes up to a millisecond, and a hostile core has millions of frames */
	SPACE_CHAINED = 256,        /* functions that a stack is full of; 2 KiB */
	MODULE_PAGE = 4096,         /* what the ELF and program headers must fit into */
	MODULE_SEGMENTS = 32,       /* loadable ones; more are ignored */
	MODULE_ID_MAX = 64,         /* bytes of a build ID */
	MODULE_PLAIN = 64,          /* places without a trampoline, remembered in each module */
	MODULE_STARTS = 16,         /* places that no call returns to, remembered in each module */
	MODULES_MAX = 512,          /* beyond, all are forgotten and found anew */
	MODULES_FORGOTTEN_MAX = 16, /* how often, where the target stays as it is */
	MODULES_HOLES = 16,         /* ranges known to hold no module */
	MODULES_HOLE_USES = 256,    /* answers from such a range before it is looked at again */
};

struct module_segment {
	uint64_t va, size;
	uint32_t flags;
};

enum module_sframe {
	MODULE_SFRAME_UNTRIED, /* sframe_bytes may be left from a read that was interrupted */
	MODULE_SFRAME_NONE,
	MODULE_SFRAME_READY,
};

struct module {
	uint64_t number; /* from 1; no other module of the space has or had it */
	uint64_t low, high, bias, entry;
	enum cairn_machine machine;
	bool big, has_sections;
	uint8_t id[MODULE_ID_MAX];
	size_t id_size;
	struct module_segment segments[MODULE_SEGMENTS];
	unsigned segment_count;
	bool has_gap; /* whole pages between its segments do not belong to it; another mapping may be there */
	uint8_t print[MODULE_PAGE]; /* the first bytes, which must still be there */
	size_t print_size;
	uint64_t print_at;
	unsigned checked; /* the space's tick when they were compared last */

	uint64_t dynamic_va, dynamic_size; /* size 0: there is none, or it was read */
	uint64_t debug_slot;               /* va of DT_DEBUG's value; 0: not known */

	bool registered;                  /* made of an image that the program registered */
	const struct host_module *report; /* all that is known of it; NULL: its headers were read */

	uint64_t sframe_va, sframe_size; /* from its segment or the report; size 0: not known */
	enum module_sframe sframe;
	uint8_t *sframe_bytes;
	size_t sframe_held; /* room in them */
	struct cairn_rules *rules;
	bool side_looked;         /* the host was told that a table made for it would help */
	struct cairn_fault fault; /* the last one met in its .sframe */

	uint64_t starts[MODULE_STARTS]; /* va of code that no call is before; 0: no such */
	unsigned next_start;
	uint64_t plain[MODULE_PLAIN]; /* va of code that is no signal trampoline; 0: no such */

	struct cfi_coverage cfi;
	struct debug_frame_index *debug_frame; /* NULL until the host gives it */
	struct callee_saved_cache
		*saved; /* see unwind/callee_saved/callee_saved.h, which sets both */
	void (*free_saved)(struct callee_saved_cache *);
	struct cairn_files *files; /* NULL until the host gives them */
};

/* Memory without a module, [low, high). */
struct hole {
	uint64_t low, high;
	unsigned uses;
};

/*
 * Breakpad files that a host has: the rules for the module that holds `pc`, and where that module
 * begins; NULL when it has none. They stay until the host reports others.
 */
struct stack_cfi_files {
	const struct stack_cfi *(*find)(void *context, uint64_t pc, uint64_t *low);
	void *context;
};

/*
 * Tables of Go programs that a host has: that of the module that holds `pc`, and its load bias; NULL when it
 * has none.  They stay until the host reports others.
 */
struct go_tables {
	const struct gopclntab *(*find)(void *context, uint64_t pc, uint64_t *bias);
	void *context;
};

/*
 * Finds the rule that a host has for `pc` in code that the program has made, by what the program recorded of it, with the
 * function's first pc. False: there is none.
 */
struct made_code_rules {
	bool (*find)(void *context, uint64_t pc, const struct cairn_registers *frame,
	             struct cairn_rule *rule);
	void *context;
	void (*free)(
		void *context); /* called when there are others, or the space is freed; may be NULL */
};

/*
 * What a host knows of code outside of modules: that it is code, though nobody captured its bytes; that it is none,
 * because the memory must not be executed; and that a module's code is mapped there, too, near which no header is: *pc
 * becomes the address of the same code in the module.
 */
struct generated_code {
	bool (*contains)(void *context, uint64_t pc);
	bool (*excludes)(void *context, uint64_t pc);
	bool (*remapped)(void *context, uint64_t *pc);
	void *context;
};

struct cairn_space {
	struct cairn_target target;
	struct stack_cfi_files breakpad; /* set by the host; find is NULL: it has none */
	struct go_tables go;             /* likewise */
	struct made_code_rules made;     /* set by space_set_made_code_rules() */
	struct generated_code code;      /* set by the host */
	uint64_t signature_bits;         /* where code addresses have a signature (aarch64) */
	struct module *modules[MODULES_MAX];
	/* The span of each module, by which a pc is searched, close together; empty: its report is asked instead. */
	struct module_span {
		uint64_t low, size;
	} spans[MODULES_MAX];
	size_t count;
	uint64_t numbered; /* the last number of a module */
	struct host_modules reports;
	struct registered_images registered; /* that are listed only */
	struct module *draft;                /* one that is being read */
	struct hole holes[MODULES_HOLES];
	unsigned next_hole;
	unsigned scanned;   /* reads of searches that found nothing since one did */
	unsigned forgotten; /* how often all modules were */
	/*
	 * The target stays as it is: a core, or copied memory of a process.  Stacks that lead through thousands of
	 * modules again and again are hostile, so that it is bounded.
	 */
	bool still;
	/* Where it does: the last answer, because each frame asks many times for one pc. */
	struct last_answer {
		bool valid;
		uint64_t pc;
		struct module *module;
	} last;
	unsigned tick;   /* counts the questions of the host */
	bool host_ticks; /* the host reports where one begins: cairn_space_begin_query() */
	struct space_traces *traces; /* NULL until one is asked for */
	struct fde_reader *
		entries; /* call frame information that is looked at, see unwind/cfi/fde_reader.h */
	struct row_cache *
		rows; /* where the target stays as it is, rows that were found; NULL until one is */
	struct flow *flow; /* code that is followed, see unwind/flow/flow.h */
	struct path *path; /* likewise, see unwind/paths/return_path.h */
	/* Pcs of callers whose code leads nowhere else than their frame pointers, so that it is followed once; 0: none. */
	uint64_t chained[SPACE_CHAINED];
	unsigned compared; /* how often code was followed for that */
};

/*
 * Which bits of a code address of aarch64 may hold its signature, besides those from 48 on.  Bits below 36, which
 * every kernel uses for addresses, are left out.
 */
void space_set_signature_bits(struct cairn_space *space, uint64_t bits);

/* Where rules of code that the program has made come from, from now on. */
void space_set_made_code_rules(struct cairn_space *space, struct made_code_rules rules);

/* Is a module's code mapped at *pc, too?  Then *pc becomes its address in the module. */
static inline bool space_find_remapped(const struct cairn_space *space, uint64_t *pc)
{
	return space->code.remapped && space->code.remapped(space->code.context, pc);
}

/* Begins a question of the host: facts that were remembered are checked against the target again. */
void space_begin_query(struct cairn_space *space);

/* The module that holds `pc`, checked, found if need be; NULL when there is none. */
struct module *space_find(struct cairn_space *space, uint64_t pc);

/* Begins a question of the host, and finds the module of the `pc` that it is about. */
struct module *space_query(struct cairn_space *space, uint64_t pc);

/* The same of the modules that are known: nothing is looked for. */
struct module *space_find_known(struct cairn_space *space, uint64_t pc);

/* For those who make modules: a draft that the space owns, and its becoming one of the modules. */
bool space_make_draft(struct cairn_space *space);
void space_drop_draft(struct cairn_space *space);
struct module *space_publish_draft(struct cairn_space *space);
void space_drop_module(struct cairn_space *space, size_t index);

/* The report about it, NULL when there is none. */
const struct host_module *module_find_host_module(const struct cairn_space *space,
                                                  const struct module *module);

/* Is it still where it was found?  Asked of the target once in each question of the host. */
bool module_is_live(struct cairn_space *space, struct module *module);

/* The memory in which the entries of its .eh_frame are. */
struct cfi_memory module_cfi_memory(const struct cairn_space *space, const struct module *module);

/* Is va in an executable segment? */
bool module_is_code(const struct module *module, uint64_t va);

/* Where its code is, [low, high) as linked; false when that is not known. */
bool module_code_range(const struct module *module, uint64_t *low, uint64_t *high);

#endif
