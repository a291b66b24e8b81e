/* SPDX-License-Identifier: MIT */
/*
 * The inside of struct cairn_markup, the filter for symbolizer markup.
 *
 *	filter.c          text in pieces becomes lines; what needs no look goes through
 *	contextual_lines.c     lines with modules, mappings and resets
 *	module_lines.c     the lines that tell of them
 *	host_modules.c     modules that the host lends
 *	presentation.c     what is put in the place of other elements
 *	frames.c   the frames of a backtrace
 *	hexdict.c  dumps, and the notes under them
 *	facts.c     all of it as facts, for the host
 *
 * An observer is told of everything as facts, for JSON and for files of dumps.
 */
#ifndef CAIRN_ENGINE_MARKUP_FILTER_H
#define CAIRN_ENGINE_MARKUP_FILTER_H

#include "answer_cache.h"

#include "context.h"
#include "output.h"

enum markup_event_kind {
	EVENT_TEXT,     /* what is no element, without the end of the line */
	EVENT_COLOUR,   /* of the log */
	EVENT_LINE_END, /* behind the last event of a line */
	EVENT_SYMBOL,
	EVENT_PC,
	EVENT_DATA,
	EVENT_BT,
	EVENT_VALUE, /* of a hexdict, in a mapping */
	EVENT_DUMPFILE,
	EVENT_RESET,
	EVENT_MODULE,
	EVENT_MMAP,
	EVENT_UNKNOWN, /* an element that nobody knows */
	EVENT_INVALID, /* one that cannot be used */
};

/* What is known of an address; `module` is NULL when no mapping covers it. */
struct markup_resolved_address {
	uint64_t pc; /* looked up */
	uint64_t relative;
	const struct context_module *module;
	unsigned mode; /* of the mapping */
};

struct markup_event {
	enum markup_event_kind kind;
	uint64_t line, column;
	struct cairn_bytes text;
	const struct markup_node *node; /* NULL for text */
	const struct markup_frame *frame;
	struct markup_resolved_address place;
	const struct cached_answer *known; /* NULL: not asked */
	struct cairn_bytes name; /* of a symbol or variable, readable; the key of a value */
	uint64_t offset;         /* in the variable */
	uint64_t value;          /* of a hexdict */
	const struct context_module *module;
	const struct context_mapping *mapping;
	enum context_outcome outcome; /* of a module or mapping */
	const char *what;             /* is wrong */
};

struct markup_observer {
	void *context;
	bool every_text; /* also text on lines without elements */
	bool instead;    /* nothing is written */
	void (*take)(void *context, const struct markup_event *event);
};

/* The addresses of a mapping, as an information line tells them. */
struct module_line_range {
	uint64_t start, size;
	unsigned mode;
};

/* The line that tells of a module, as long as mappings may join it. */
struct module_line {
	bool open;
	uint64_t module; /* the serial number */
	uint64_t prefix; /* what stands before it, see prefix_hash() */
	struct module_line_range *range;
	size_t count, room;
};

/* A value of a hexdict that lies in a module. */
struct hexdict_note {
	uint8_t key[MARKUP_KEY_MAX];
	size_t key_size;
	uint64_t value;
	struct markup_resolved_address place;
};

enum { MARKUP_NODES = 8 };

enum { MARKUP_LOCATIONS = 64 }; /* of one address that the host is told of */

enum { MARKUP_NOTES = 4096 }; /* under one dump; for more there is one complaint */

/* A contextual element of the line that is being read. */
struct context_action {
	enum markup_tag tag;
	enum context_outcome outcome;
	const struct context_module *module;
	struct module_line_range range;
};

struct cairn_markup {
	struct cairn_markup_options options;
	struct cairn_markup_host host;
	struct markup_observer observer;
	struct markup_context own, lent;
	struct markup_cache cache;
	struct module_line info;
	uint64_t last_prefix; /* of the last line with nothing but context */

	struct markup_pairs pairs;
	bool in_hexdict, too_many_notes;
	struct hexdict_note *note;
	size_t notes, note_room;

	struct markup_node node[MARKUP_NODES]; /* the first ones of the line */
	size_t nodes;                          /* how many it has */
	struct context_action *action;
	size_t actions, action_room;

	uint64_t line_number;    /* lines that are complete */
	struct cairn_bytes line; /* the part that is being read, without its line feed */
	size_t line_offset;      /* where in the line this part begins */
	bool continued;          /* there was a part of the line before this one */
	bool skip;               /* the rest of the line is left out */
	bool carriage_return;    /* the line ends with \r\n */
	bool no_memory;

	uint8_t *carry; /* the beginning of a line */
	size_t carried, carry_room;
	struct markup_out out;
};

static inline bool markup_is_llvm(const struct cairn_markup *m)
{
	return m->options.style == CAIRN_MARKUP_LLVM;
}

static inline enum markup_rules markup_rules_of(const struct cairn_markup *m)
{
	return markup_is_llvm(m) ? MARKUP_LLVM : MARKUP_KEEP;
}

/* Where mappings are looked for: what the log tells, else what the host lent. */
static inline struct markup_context *markup_context_of(struct cairn_markup *m)
{
	return markup_context_is_empty(&m->own) ? &m->lent : &m->own;
}

/* host_modules.c: as cairn_markup_add_host_module(), with what is allowed there (MARKUP_READ ...). */
bool markup_add_host_module(struct cairn_markup *m, const struct cairn_markup_module *module,
                            const struct cairn_range *pcs, uint64_t va, unsigned mode);

/* facts.c: let the host observe, if it wants to. */
void markup_observe_for_host(struct cairn_markup *m);

void markup_observe(struct cairn_markup *m, const struct markup_observer *observer);

/* filter.c */
void markup_end_line(struct cairn_markup *m); /* of a line that the log does not have */
void markup_report_problem(struct cairn_markup *m, const uint8_t *where, const char *what,
                           struct cairn_bytes found);
void markup_emit_event(struct cairn_markup *m, struct markup_event *event);

/* contextual_lines.c: a line, or a part of one, that is not inside a hexdict. */
void markup_process_line(struct cairn_markup *m, bool is_whole);

/* module_lines.c */
void markup_end_module_line(struct cairn_markup *m);

/* The nodes from the line's beginning up to the first contextual element. */
void module_line_print_beginning(struct cairn_markup *m);
void module_line_print_module(struct markup_out *out, const struct context_module *module);
void module_line_print_build_id(struct markup_out *out, const struct context_module *module);
void module_line_print_range(struct markup_out *out, const struct module_line_range *range);

/* Open a line of its own; `prefix` is the hash of what stands before it. */
void module_line_begin(struct cairn_markup *m, const struct context_action *action,
                       uint64_t prefix);

/* Join the line that is open, or open one. */
void module_line_join(struct cairn_markup *m, const struct context_action *action, uint64_t prefix);

/* presentation.c: anything but modules, mappings and resets. */
void markup_render(struct cairn_markup *m, const struct markup_node *node);
void markup_render_raw(struct cairn_markup *m, const struct markup_node *node);
void markup_render_offset(struct cairn_markup *m, const struct markup_resolved_address *place);
struct markup_resolved_address markup_resolve_address(struct cairn_markup *m, uint64_t address);
const struct cached_answer *markup_look_up(struct cairn_markup *m,
                                           const struct markup_resolved_address *place);
bool markup_look_up_data(struct cairn_markup *m, const struct markup_resolved_address *place,
                         struct cairn_location *location);
bool markup_reject(struct cairn_markup *m, const struct markup_node *node,
                   const struct markup_fault *fault);

/* frames.c */
void markup_render_frames(struct cairn_markup *m, const struct markup_node *node);

/* hexdict.c */
void markup_render_hexdict(struct cairn_markup *m, const struct markup_node *node);

/* The beginning of a line inside a dump: how much of it belongs to the dump. */
size_t markup_render_hexdict_line(struct cairn_markup *m, struct cairn_bytes line);
void markup_render_notes(struct cairn_markup *m);

#endif
