/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: a filter for logs with symbolizer markup.  A program that writes such logs
 * uses cairn_emit.h instead.
 */
#ifndef CAIRN_INCLUDE_MARKUP_H
#define CAIRN_INCLUDE_MARKUP_H

#include <cairn/base.h>
#include <cairn/symbols.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A filter for logs in which a program wrote elements such as {{{bt:0:0x7f0000001234:pc}}}, and
 * where its modules were loaded.  It replaces addresses by names, and leaves all other text
 * unchanged.  LLVM's "Symbolizer Markup Format" defines the elements (docs/formats/markup.md).
 *
 *	markup = cairn_markup_new(&options, &host);
 *	while (read_text(&text))
 *		status = cairn_markup_feed(markup, text);
 *	status = cairn_markup_finish(markup);
 *	cairn_markup_free(markup);
 *
 * Text comes in pieces of any size, and goes out when a line is complete.  The filter takes less
 * than some 30 MB of memory whatever the text contains: it handles lines longer than
 * CAIRN_MARKUP_LINE bytes in parts, and rejects modules beyond some ten thousand with a complaint.
 */
enum { CAIRN_MARKUP_LINE = 1 << 20 };

struct cairn_markup;

enum cairn_markup_style {
	CAIRN_MARKUP_CAIRN,   /* keeps everything, and adds all that is known */
	CAIRN_MARKUP_LLVM,    /* the bytes that llvm-symbolizer 19 --filter-markup writes */
	CAIRN_MARKUP_FUCHSIA, /* like CAIRN, with frames as Fuchsia's symbolizer writes them */
	CAIRN_MARKUP_LLVM_TERMINAL, /* like LLVM, but names cannot drive a terminal */
};

struct cairn_markup_options {
	enum cairn_markup_style style;
	bool colour;         /* keep the colours of the log, and highlight elements */
	bool repeat_prefix;  /* repeat the text before a frame before each of its inlined calls */
	bool already_before; /* addresses of frames without ra or pc are inside the call */
	bool end_lines;      /* write each line when it is complete, not only when feed returns */
	/*
	 * Also name the frames of backtraces without markup (docs/formats/captured_text.md): of sanitizers, glibc, Go, Rust,
	 * the kernel and systemd-coredump.  Names are put in behind the frame, all other text stays.  The LLVM styles have none.
	 */
	bool reports;
};

/* A module of the program, as the log describes it; the build ID alone identifies it. */
struct cairn_markup_module {
	uint64_t id;
	struct cairn_bytes name, build_id; /* either may be empty */
};

/* A question about one address. */
struct cairn_markup_query {
	const struct cairn_markup_module *module;
	uint64_t pc, va; /* the same address in the process, and as linked */
};

/* From where the offset of a frame counts. */
enum cairn_markup_origin {
	CAIRN_MARKUP_FROM_ZERO,    /* it is the address as linked */
	CAIRN_MARKUP_FROM_MODULE,  /* from the module's lowest address */
	CAIRN_MARKUP_FROM_FILE,    /* in bytes of the module's file */
	CAIRN_MARKUP_FROM_MAPPING, /* from the mapping of the module's code */
	CAIRN_MARKUP_FROM_SYMBOL,  /* from the beginning of `function` */
};

/* A place that a report names by module and offset. */
struct cairn_markup_place {
	struct cairn_bytes module;   /* a path or a name; empty: the kernel */
	struct cairn_bytes build_id; /* empty: the report has none */
	struct cairn_bytes function; /* of CAIRN_MARKUP_FROM_SYMBOL */
	uint64_t function_size;      /* bytes to the next one; 0: not known */
	enum cairn_markup_origin origin;
	uint64_t offset;
};

/* The answer of the host to it. */
struct cairn_markup_result {
	const struct cairn_location *locations; /* innermost first */
	size_t count;
	/* for an address that is not a frame; empty: the name of the last location */
	struct cairn_bytes name;
};

/* What a piece of the log is. */
enum cairn_markup_kind {
	CAIRN_MARKUP_TEXT,   /* anything that is not an element */
	CAIRN_MARKUP_COLOUR, /* one of the ten escape sequences for colours */
	CAIRN_MARKUP_SYMBOL,
	CAIRN_MARKUP_PC,
	CAIRN_MARKUP_DATA,
	CAIRN_MARKUP_BT,
	CAIRN_MARKUP_VALUE, /* a value of a hexdict that is inside a module; its key is the text */
	CAIRN_MARKUP_DUMPFILE,
	CAIRN_MARKUP_RESET,
	CAIRN_MARKUP_MODULE,
	CAIRN_MARKUP_MMAP,
	CAIRN_MARKUP_UNKNOWN, /* an element that the format does not define */
	CAIRN_MARKUP_INVALID, /* an element that cairn cannot use; `error` is the reason */
	CAIRN_MARKUP_REPORT,  /* a frame without markup, with the fields of a BT */
};

/*
 * One piece of the log and what is known about it.  Which fields are set depends on the kind.
 */
struct cairn_markup_fact {
	enum cairn_markup_kind kind;
	uint64_t line, column;   /* where it begins; both count from 1, columns in bytes */
	struct cairn_bytes text; /* as it is in the log */
	const char *error;       /* of an INVALID; else NULL */

	/* of a MODULE, of an MMAP, and of an address inside a module; else NULL */
	const struct cairn_markup_module *module;
	uint64_t va; /* in the module: the address that was looked up, or where a mapping begins */

	uint64_t number;            /* of a BT */
	uint64_t address;           /* of a BT, PC, DATA and VALUE, as in the log */
	uint64_t lookup;            /* pc with which symbols were looked up */
	const char *pc;             /* of a BT and PC: "ra", "pc" or "unknown"; else NULL */
	struct cairn_bytes message; /* of a BT: its other fields */

	const struct cairn_location *locations; /* innermost first; paths are in `file` */
	size_t count;
	struct cairn_bytes name; /* the readable name of a SYMBOL; the variable of DATA and VALUE */
	uint64_t offset;         /* in the variable */

	uint64_t start, size;      /* of an MMAP */
	bool read, write, execute; /* permissions of an MMAP */
};

/*
 * The functions of the host.  `write` or `tell` must be set; all others may be NULL.  What they
 * lend must stay valid until the next call of a function of the host.  The filter shows names as
 * the host returns them: a host that demangles does it here.
 */
struct cairn_markup_host {
	void *context;
	/* Takes the next `size` bytes of output. */
	void (*write)(void *context, const void *text, size_t size);

	/*
	 * Looks up the locations of an address.  Returns false if the host has no symbols of the
	 * module; count 0 means that they do not cover the address.
	 */
	bool (*code)(void *context, const struct cairn_markup_query *question,
	             struct cairn_markup_result *answer);

	/*
	 * Looks up the variable or function at or below an address: its name, empty if there is
	 * none, and the offset in it.  Returns false if the host has no symbols of the module.
	 */
	bool (*data)(void *context, const struct cairn_markup_query *question,
	             struct cairn_location *location);

	/* Returns a readable form of a name in {{{symbol:...}}}, or the name itself. */
	struct cairn_bytes (*readable)(void *context, struct cairn_bytes name);

	/*
	 * Describes the module at a pc, as cairn_markup_add_host_module() takes it; returns false
	 * if there is none.  The filter calls it only while the log has named no module.
	 */
	bool (*module)(void *context, uint64_t pc, struct cairn_markup_module *module,
	               struct cairn_range *pcs, uint64_t *va);

	/*
	 * Reports what is wrong with an element, and where: its line, and its byte in the line,
	 * both from 1.  `what` is a constant phrase, `found` the text that is wrong.
	 */
	void (*complain)(void *context, uint64_t line, uint64_t column, const char *what,
	                 struct cairn_bytes found);

	/*
	 * Takes each piece of the log, in order.  If it is set, the filter writes nothing.  What
	 * *fact points to is valid until it returns.
	 */
	void (*tell)(void *context, const struct cairn_markup_fact *fact);

	/*
	 * With options.reports: finds the module of a frame, and the address as linked, which
	 * cairn_markup_file_locate() computes from its file.  Returns false if the host does not know the module; then the
	 * filter asks code() by the build ID, if there is one, and the offset is an address as linked.
	 */
	bool (*locate)(void *context, const struct cairn_markup_place *place,
	               struct cairn_markup_module *module, uint64_t *va);
};

/*
 * The file of a module as locate() needs it: its segments, and its functions by name.
 *
 *	struct cairn_markup_file *elf = cairn_markup_file_new(bytes);
 *	bool known = elf && cairn_markup_file_locate(elf, place, &va);
 */
struct cairn_markup_file;

/* Opens an ELF file; the bytes are borrowed until it is freed.  Returns NULL if they are none, or memory is short. */
CAIRN_API struct cairn_markup_file *cairn_markup_file_new(struct cairn_bytes bytes);

/* Frees it.  NULL is allowed. */
CAIRN_API void cairn_markup_file_free(struct cairn_markup_file *file);

/*
 * Computes the address as linked of a place in this file.  Returns false if it is not in the file's memory, if no function has the
 * name, or several have it and neither their size nor their binding tells which one is meant.
 */
CAIRN_API bool cairn_markup_file_locate(struct cairn_markup_file *file,
                                        const struct cairn_markup_place *place, uint64_t *va);

/*
 * Creates a filter; it copies both structs.  The caller frees it.  Returns NULL if memory is short.
 */
CAIRN_API struct cairn_markup *cairn_markup_new(const struct cairn_markup_options *options,
                                                const struct cairn_markup_host *host);

/* Frees the filter.  NULL is allowed. */
CAIRN_API void cairn_markup_free(struct cairn_markup *markup);

/*
 * Adds a module that the host knows, mapped at `pcs`; the first of these addresses is `va` as
 * linked.  The module is copied.  The filter uses such modules until the log itself names one.
 * Returns MALFORMED if it overlaps one that was added before, and NO_MEMORY.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_markup_add_host_module(
	struct cairn_markup *markup, const struct cairn_markup_module *module,
	const struct cairn_range *pcs, uint64_t va);

/*
 * Filters the next piece of text, which is borrowed during the call.  Returns NO_MEMORY if memory
 * is short; what was written until then is correct.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_markup_feed(struct cairn_markup *markup,
                                                             struct cairn_bytes text);

/*
 * Writes the beginning of an incomplete line, up to what may be markup; call it if no more text is
 * there for now.
 */
CAIRN_API void cairn_markup_pause(struct cairn_markup *markup);

/*
 * Ends the text and writes the rest of it.  The filter can then be used again, as if it were new.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_markup_finish(struct cairn_markup *markup);

/* Returns the number of the current line, from 1; for messages of the host. */
CAIRN_API uint64_t cairn_markup_line(const struct cairn_markup *markup);

#ifdef __cplusplus
}
#endif

#endif
