/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: a filter for logs with symbolizer markup.  A program that writes such logs
 * wants cairn_markup.h instead.
 */
#ifndef CAIRN_INCLUDE_MARKUP_H
#define CAIRN_INCLUDE_MARKUP_H

#include <cairn/base.h>
#include <cairn/symbols.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A filter for logs in which a program left {{{bt:0:0x7f0000001234:pc}}} and told where its
 * modules were loaded: raw addresses in, names out, all other text unchanged.
 *
 *	markup = cairn_markup_new(&options, &host);
 *	while (read_text(&text))
 *		status = cairn_markup_feed(markup, text);
 *	status = cairn_markup_finish(markup);
 *	cairn_markup_free(markup);
 *
 * Text comes in pieces of any size, and goes out as lines complete.  Memory stays below some
 * 30 MB whatever the text: lines above CAIRN_MARKUP_LINE are taken in parts, and modules beyond
 * some ten thousands are refused with a complaint.
 */
enum { CAIRN_MARKUP_LINE = 1 << 20 };

struct cairn_markup;

enum cairn_markup_style {
	CAIRN_MARKUP_CAIRN,   /* nothing is lost, and what is known is said */
	CAIRN_MARKUP_LLVM,    /* the bytes that llvm-symbolizer --filter-markup 19 writes */
	CAIRN_MARKUP_FUCHSIA, /* as CAIRN, with frames as Fuchsia's symbolizer writes them */
};

struct cairn_markup_options {
	enum cairn_markup_style style;
	bool colour;         /* colours of the log go out, and elements stand out */
	bool repeat_prefix;  /* what stands before a frame stands before its inlined calls too */
	bool already_before; /* addresses of frames without ra or pc lie inside the call */
	bool end_lines; /* hand out each line when it is complete, not only when feed returns */
};

/* A file of the program, as the log tells; the build ID alone identifies it. */
struct cairn_markup_module {
	uint64_t id;
	struct cairn_bytes name, build_id; /* either may be empty */
};

/* What is at an address: in the process, and as the module was linked. */
struct cairn_markup_query {
	const struct cairn_markup_module *module;
	uint64_t pc, va;
};

struct cairn_markup_result {
	const struct cairn_location *locations; /* innermost first */
	size_t count;
	struct cairn_bytes name; /* for an address that is no frame; empty: that of the last one */
};

enum cairn_markup_kind {
	CAIRN_MARKUP_TEXT,   /* what is no element */
	CAIRN_MARKUP_COLOUR, /* of the log, one of the ten escape sequences */
	CAIRN_MARKUP_SYMBOL,
	CAIRN_MARKUP_PC,
	CAIRN_MARKUP_DATA,
	CAIRN_MARKUP_BT,
	CAIRN_MARKUP_VALUE, /* of a hexdict, in a module; its key is the text */
	CAIRN_MARKUP_DUMPFILE,
	CAIRN_MARKUP_RESET,
	CAIRN_MARKUP_MODULE,
	CAIRN_MARKUP_MMAP,
	CAIRN_MARKUP_UNKNOWN, /* an element that nobody knows */
	CAIRN_MARKUP_INVALID, /* one that cannot be used; `error` says why */
};

/* A text or an element of the log, and what is known of it; the same in each kind's own fields. */
struct cairn_markup_fact {
	enum cairn_markup_kind kind;
	uint64_t line, column;   /* where it begins, both from 1 on */
	struct cairn_bytes text; /* as it stands in the log */
	const char *error;

	/* MODULE, MMAP, and what lies in a module; else NULL */
	const struct cairn_markup_module *module;
	uint64_t va; /* in the module: of the address looked up, or where a mapping begins */

	uint64_t number;            /* of a BT */
	uint64_t address;           /* of a BT, PC, DATA and VALUE, as in the log */
	uint64_t lookup;            /* what symbols were looked up with */
	const char *pc;             /* of a BT and PC: "ra", "pc" or "unknown"; else NULL */
	struct cairn_bytes message; /* of a BT: its other fields */

	const struct cairn_location *locations; /* innermost first; paths are in `file` */
	size_t count;
	struct cairn_bytes name; /* of a SYMBOL readable; the variable of DATA and VALUE */
	uint64_t offset;         /* in the variable */

	uint64_t start, size;      /* of an MMAP */
	bool read, write, execute; /* what it allows */
};

/*
 * What the host does.  All but write (or tell) may be NULL.  What it lends stays good until the next call.
 * Names are shown as they are given: a host that demangles does it here.
 */
struct cairn_markup_host {
	void *context;
	void (*write)(void *context, const void *text, size_t size);

	/* False without symbols of the module; count 0: they know nothing of the address. */
	bool (*code)(void *context, const struct cairn_markup_query *question,
	             struct cairn_markup_result *answer);

	/* The variable or function at or below: its name, empty for none, and the offset. */
	bool (*data)(void *context, const struct cairn_markup_query *question,
	             struct cairn_location *location);

	/* A readable name for {{{symbol:...}}}, or the name itself. */
	struct cairn_bytes (*readable)(void *context, struct cairn_bytes name);

	/*
	 * The module at a pc of which the log tells nothing, as cairn_markup_add_host_module() takes
	 * it; asked while the log tells of no module at all.
	 */
	bool (*module)(void *context, uint64_t pc, struct cairn_markup_module *module,
	               struct cairn_range *pcs, uint64_t *va);

	/* What is wrong with an element, at a line and a byte in it that count from 1. */
	void (*complain)(void *context, uint64_t line, uint64_t column, const char *what,
	                 struct cairn_bytes found);

	/*
	 * All that the log holds, in its order; with it nothing is written.  What *fact points to
	 * is good until it returns.
	 */
	void (*tell)(void *context, const struct cairn_markup_fact *fact);
};

/* Both are copied.  NULL when memory is short. */
CAIRN_API struct cairn_markup *cairn_markup_new(const struct cairn_markup_options *options,
                                                const struct cairn_markup_host *host);
CAIRN_API void cairn_markup_free(struct cairn_markup *markup);

/*
 * A module that the host knows of, mapped from `start` on, whose first byte there is at `va` as
 * linked.  Such modules count as long as the log itself tells of none.  MALFORMED: it overlaps.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_markup_add_host_module(
	struct cairn_markup *markup, const struct cairn_markup_module *module,
	const struct cairn_range *pcs, uint64_t va);

/* NO_MEMORY is the only failure; what was written is good. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_markup_feed(struct cairn_markup *markup,
                                                             struct cairn_bytes text);

/* No more text is there for now: hand out the beginning of the line, up to what may be markup. */
CAIRN_API void cairn_markup_pause(struct cairn_markup *markup);

/* The end of the text.  The filter may be fed anew then, as if new. */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_markup_finish(struct cairn_markup *markup);

/* The number of the line that is being read, from 1 on; for complaints of the host. */
CAIRN_API uint64_t cairn_markup_line(const struct cairn_markup *markup);

#ifdef __cplusplus
}
#endif

#endif
