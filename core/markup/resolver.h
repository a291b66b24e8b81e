/* SPDX-License-Identifier: MIT */
/*
 * Keeps the modules mentioned by frames without markup, one for each pair of name and build ID, and
 * the build IDs that earlier lines assigned to names. Memory is bounded: all modules are dropped
 * when they exceed NAMED_MODULES_BYTES, and a new name replaces an older one that hashes to the
 * same slot.
 */
#ifndef CAIRN_MARKUP_RESOLVER_H
#define CAIRN_MARKUP_RESOLVER_H

#include "context.h"
#include "facts.h"

#include "formats/itanium/itanium.h"
#include "formats/swift/mangled.h"

enum {
	NAMED_MODULES_SLOTS = 1 << 10,
	NAMED_MODULES_BYTES = 1 << 20,
	NAMED_MODULES_NAME = 256,
	NAMED_MODULES_ID = 64,
};

struct markup_named_id {
	uint8_t name[NAMED_MODULES_NAME], digits[2 * NAMED_MODULES_ID];
	size_t name_size, digits_size;
};

struct markup_named_modules {
	struct markup_context context;
	const struct context_module *slot[NAMED_MODULES_SLOTS];
	/* previous frame was a signal trampoline, so the next address is an exact pc */
	bool after_signal;
	struct markup_named_id *ids; /* NAMED_MODULES_SLOTS elements, allocated on first use */
};

void markup_named_modules_forget(struct markup_named_modules *modules);

/*
 * Set a module's build ID in hexadecimal digits; empty digits mean that the module has no build ID.
 */
void markup_named_modules_note(struct markup_named_modules *modules, struct cairn_bytes name,
                               struct cairn_bytes digits);

/*
 * Demangled C++ and Swift names for comparison with names that programs print in their own
 * backtraces. Spaces are removed, because demanglers insert them in different positions.
 */

enum {
	READABLE_BYTES_MAX = 1 << 25, /* maximum number of name bytes to demangle per file */
	/* maximum number of demangling steps per file; a single name may take many */
	READABLE_STEPS_MAX = 1 << 28,
};

/*
 * Buffers for demangling, and the numbers of bytes and steps used so far. Zero-initialize the
 * struct.
 */
struct demangled_names {
	union {
		struct itanium work;
		struct swift_names swift;
	};
	char text[ITANIUM_TEXT_MAX];
	uint64_t bytes;
	uint64_t steps;
};

/*
 * Return true if `name` may be the demangled name of a function that has parameters or is in a
 * class or namespace.
 */
bool demangled_name_may_be(struct cairn_bytes name);

/* Copy a name without its spaces to `names->text`. Return an empty string if it is too long. */
struct cairn_bytes demangled_name_squeeze(struct demangled_names *names, struct cairn_bytes name);

/*
 * Demangle a symbol into `names->text`, without spaces. Return an empty string if the symbol is not
 * mangled or a READABLE_..._MAX limit has been reached.
 */
struct cairn_bytes demangled_name_make(struct demangled_names *names, struct cairn_bytes symbol);

/*
 * Resolvers turn tokens into facts, using the context, the cache of symbolization results and the
 * host. They neither write text nor report problems; a problem is one of the facts.
 */

struct markup_resolver {
	const struct cairn_markup_options *options;
	const struct cairn_markup_host *host;
	/* context defined by the log, and context provided by the host */
	struct markup_context own, lent;
	struct markup_named_modules named;
	/* kind of the address in the current report frame; set while the host is queried */
	enum captured_pc report_pc;
	struct markup_cache cache;
	bool no_memory;
};

struct hexdict_note {
	uint8_t key[MARKUP_KEY_MAX];
	size_t key_size;
	uint64_t value;
	struct markup_resolved_address place;
};

/* maximum number of values explained per dump; exceeding it is reported once as a problem */
enum { MARKUP_NOTES = 4096 };

struct markup_dump {
	struct markup_pairs pairs;
	bool open;
	bool too_many_notes;
	struct hexdict_note *note;
	size_t notes, capacity;
};

static inline bool resolver_is_llvm(const struct markup_resolver *resolver)
{
	return resolver->options->style == CAIRN_MARKUP_LLVM;
}

static inline struct markup_context *resolver_context(struct markup_resolver *resolver)
{
	return markup_context_is_empty(&resolver->own) ? &resolver->lent : &resolver->own;
}

void markup_resolver_finish(struct markup_resolver *resolver);

/* Resolve any element other than a module, mmap or reset. */
void markup_resolve_element(struct markup_resolver *resolver, const struct markup_node *node,
                            struct markup_facts *facts);

void markup_resolve_context(struct markup_resolver *resolver, const struct markup_node *node,
                            struct markup_facts *facts);

/*
 * Resolve a frame without markup by its module and offset, or by its address if it has no module.
 */
void markup_resolve_report(struct markup_resolver *resolver, const struct captured_frame *frame,
                           struct markup_facts *facts);

void markup_dump_begin(struct markup_resolver *resolver, struct markup_dump *dump,
                       const struct markup_node *node);

/*
 * Continue a dump at the beginning of a line. Return the number of bytes in the line that belong to
 * the dump.
 */
size_t markup_dump_continue(struct markup_resolver *resolver, struct markup_dump *dump,
                            struct cairn_bytes line);

void markup_resolve_note(struct markup_resolver *resolver, const struct hexdict_note *note,
                         struct markup_facts *facts);

/*
 * Add a host module like cairn_markup_add_host_module(), with the access mode of its mapping
 * (MARKUP_READ ...).
 */
bool resolver_add_host_module(struct markup_resolver *resolver,
                              const struct cairn_markup_module *module,
                              const struct cairn_range *pcs, uint64_t va, unsigned mode);

#endif
