/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: a filter for logs with symbolizer markup. Programs that write such logs use
 * cairn_emit.h instead.
 */
#ifndef CAIRN_INCLUDE_MARKUP_H
#define CAIRN_INCLUDE_MARKUP_H

#include <cairn/base.h>
#include <cairn/symbols.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A filter for logs in which a program wrote elements such as {{{bt:0:0x7f0000001234:pc}}} and the
 * addresses of its modules. It replaces addresses by names and leaves all other text unchanged.
 * LLVM's "Symbolizer Markup Format" defines the elements (docs/formats/markup.md).
 *
 *	markup = cairn_markup_new(&options, &host);
 *	while (read_text(&text))
 *		status = cairn_markup_feed(markup, text);
 *	status = cairn_markup_finish(markup);
 *	cairn_markup_free(markup);
 *
 * Input may be split anywhere; output is written when a line is complete. The filter takes less
 * than some 30 MB of memory whatever the text contains: it handles lines longer than
 * CAIRN_MARKUP_LINE bytes in parts, and rejects modules after about the first ten thousand with a
 * complaint.
 */
enum { CAIRN_MARKUP_LINE = 1 << 20 };

struct cairn_markup;

enum cairn_markup_style {
	CAIRN_MARKUP_CAIRN,   /* keep everything, and add all known data */
	CAIRN_MARKUP_LLVM,    /* the bytes that llvm-symbolizer 19 --filter-markup writes */
	CAIRN_MARKUP_FUCHSIA, /* like CAIRN, with frames in the style of Fuchsia's symbolizer */
	CAIRN_MARKUP_LLVM_TERMINAL, /* like LLVM, but names cannot drive a terminal */
};

struct cairn_markup_options {
	enum cairn_markup_style style;
	bool colour; /* keep the colours of the log, and highlight elements */
	/* print the text that precedes a frame before each of its inlined calls, too */
	bool repeat_prefix;
	bool already_before; /* treat addresses of frames without ra or pc as inside the call */
	/* write each line when it is complete, not only when cairn_markup_feed() returns */
	bool end_lines;
	/*
	 * Also name the frames of backtraces without markup (docs/formats/captured_text.md): from
	 * sanitizers, glibc, Go, Rust, the kernel and systemd-coredump. Names are inserted after
	 * the frame; all other text stays. Not available in the LLVM styles.
	 */
	bool reports;
};

/* A module of the program, as the log describes it; the build ID alone identifies it. */
struct cairn_markup_module {
	uint64_t id;
	struct cairn_bytes name, build_id; /* either may be empty */
};

/* A query for one address. */
struct cairn_markup_query {
	const struct cairn_markup_module *module;
	uint64_t pc, va; /* the same address in the process, and as linked */
};

/* Origin of a frame's offset. */
enum cairn_markup_origin {
	CAIRN_MARKUP_FROM_ZERO,    /* the offset is the address as linked */
	CAIRN_MARKUP_FROM_MODULE,  /* the module's lowest address */
	CAIRN_MARKUP_FROM_FILE,    /* start of the module's file */
	CAIRN_MARKUP_FROM_MAPPING, /* start of the mapping of the module's code */
	CAIRN_MARKUP_FROM_SYMBOL,  /* start of `function` */
};

/* A location that a report gives as module and offset. */
struct cairn_markup_place {
	struct cairn_bytes module;   /* path or name; empty for the kernel */
	struct cairn_bytes build_id; /* empty if the report does not contain it */
	struct cairn_bytes function; /* with CAIRN_MARKUP_FROM_SYMBOL */
	uint64_t function_size;      /* bytes to the next function; 0 if unknown */
	enum cairn_markup_origin origin;
	uint64_t offset;
};

/* The host's answer to a query. */
struct cairn_markup_result {
	const struct cairn_location *locations; /* innermost first */
	size_t count;
	/*
	 * name for an address that is not a frame; if empty, the name of the last location is used
	 */
	struct cairn_bytes name;
};

/* Kind of a piece of the log. */
enum cairn_markup_kind {
	CAIRN_MARKUP_TEXT,   /* anything that is not an element */
	CAIRN_MARKUP_COLOUR, /* one of the ten escape sequences for colours */
	CAIRN_MARKUP_SYMBOL,
	CAIRN_MARKUP_PC,
	CAIRN_MARKUP_DATA,
	CAIRN_MARKUP_BT,
	/* a hexdict value that is an address in a module; the fact's text is the key */
	CAIRN_MARKUP_VALUE,
	CAIRN_MARKUP_DUMPFILE,
	CAIRN_MARKUP_RESET,
	CAIRN_MARKUP_MODULE,
	CAIRN_MARKUP_MMAP,
	CAIRN_MARKUP_UNKNOWN, /* an element that the format does not define */
	CAIRN_MARKUP_INVALID, /* an element that cairn cannot use; `error` is the reason */
	CAIRN_MARKUP_REPORT,  /* a frame without markup, with the fields of a BT */
};

/* A piece of the log with its data. The kind determines which fields are set. */
struct cairn_markup_fact {
	enum cairn_markup_kind kind;
	uint64_t line, column;   /* start of the piece; both are counted from 1, columns in bytes */
	struct cairn_bytes text; /* the piece as it is in the log */
	const char *error;       /* for INVALID; otherwise NULL */

	/* for MODULE, MMAP and addresses inside a module; otherwise NULL */
	const struct cairn_markup_module *module;
	uint64_t va; /* address in the module that was looked up, or the start of a mapping */

	uint64_t number;            /* for BT */
	uint64_t address;           /* for BT, PC, DATA and VALUE: as in the log */
	uint64_t lookup;            /* pc with which symbols were looked up */
	const char *pc;             /* for BT and PC: "ra", "pc" or "unknown"; otherwise NULL */
	struct cairn_bytes message; /* for BT: its other fields */

	const struct cairn_location *locations; /* innermost first; paths are in `file` */
	size_t count;
	struct cairn_bytes name; /* demangled name of a SYMBOL; variable of DATA and VALUE */
	uint64_t offset;         /* offset in the variable */

	uint64_t start, size;      /* for MMAP */
	bool read, write, execute; /* permissions, for MMAP */
};

/*
 * Callbacks of the host. `write` or `tell` must be set; all others may be NULL. Data that they
 * return must stay valid until the next callback. The filter shows names as the host returns them,
 * so a host that wants demangled names demangles here.
 */
struct cairn_markup_host {
	void *context;
	/* Write the next `size` bytes of output. */
	void (*write)(void *context, const void *text, size_t size);

	/*
	 * Look up the locations of an address. Returns false if the host does not have symbols of
	 * the module; count 0 means that they do not cover the address.
	 */
	bool (*code)(void *context, const struct cairn_markup_query *question,
	             struct cairn_markup_result *answer);

	/*
	 * Look up the variable or function at or below an address: its name, which may be empty,
	 * and the offset in it. Returns false if the host does not have symbols of the module.
	 */
	bool (*data)(void *context, const struct cairn_markup_query *question,
	             struct cairn_location *location);

	/* Return the demangled form of a name in {{{symbol:...}}}, or the name itself. */
	struct cairn_bytes (*readable)(void *context, struct cairn_bytes name);

	/*
	 * Describe the module at a pc, as for cairn_markup_add_host_module(). Returns false if no
	 * module contains the pc. Called only while the log has not named a module.
	 */
	bool (*module)(void *context, uint64_t pc, struct cairn_markup_module *module,
	               struct cairn_range *pcs, uint64_t *va);

	/*
	 * Report a problem with an element at `line` and `column`, a byte of the line, both from 1.
	 * `what` is a constant phrase, `found` the invalid text.
	 */
	void (*complain)(void *context, uint64_t line, uint64_t column, const char *what,
	                 struct cairn_bytes found);

	/*
	 * Receive each piece of the log, in order. If this callback is set, the filter does not
	 * write anything. The data of *fact is valid until the callback returns.
	 */
	void (*tell)(void *context, const struct cairn_markup_fact *fact);

	/*
	 * With options.reports: find the module of a frame, and the address as linked, which
	 * cairn_markup_file_locate() computes from its file. Returns false if the host does not
	 * know the module; then the filter calls code() with the build ID, if there is one, and
	 * takes the offset as an address as linked.
	 */
	bool (*locate)(void *context, const struct cairn_markup_place *place,
	               struct cairn_markup_module *module, uint64_t *va);
};

/*
 * A module's file as locate() needs it: segments, and functions by name.
 *
 *	struct cairn_markup_file *elf = cairn_markup_file_new(bytes);
 *	bool known = elf && cairn_markup_file_locate(elf, place, &va);
 */
struct cairn_markup_file;

/*
 * Open an ELF file; the bytes are borrowed until it is freed. Returns NULL if they are not an ELF
 * file, or if memory is short.
 */
CAIRN_API struct cairn_markup_file *cairn_markup_file_new(struct cairn_bytes bytes);

/* Free the file. NULL is allowed. */
CAIRN_API void cairn_markup_file_free(struct cairn_markup_file *file);

/*
 * Compute the address as linked of a location in this file. Returns false if the location is not in
 * the file's memory, if no function has the name, or if several have it and neither size nor
 * binding identifies one.
 */
CAIRN_API bool cairn_markup_file_locate(struct cairn_markup_file *file,
                                        const struct cairn_markup_place *place, uint64_t *va);

/*
 * Create a filter, which copies both structs. The caller frees it. Returns NULL if memory is short.
 */
CAIRN_API struct cairn_markup *cairn_markup_new(const struct cairn_markup_options *options,
                                                const struct cairn_markup_host *host);

/* Free the filter. NULL is allowed. */
CAIRN_API void cairn_markup_free(struct cairn_markup *markup);

/*
 * Add a module that the host knows, mapped at `pcs`; the first of these addresses is `va` as
 * linked. The module is copied. The filter uses such modules until the log itself names one.
 * Returns MALFORMED if it overlaps a module that was added before, and NO_MEMORY.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_markup_add_host_module(
	struct cairn_markup *markup, const struct cairn_markup_module *module,
	const struct cairn_range *pcs, uint64_t va);

/*
 * Filter the next piece of text, which is borrowed during the call. Returns NO_MEMORY if memory is
 * short; output written until then is correct.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_markup_feed(struct cairn_markup *markup,
                                                             struct cairn_bytes text);

/*
 * Write the beginning of an incomplete line, up to possible markup. Call it if no more text is
 * available for now.
 */
CAIRN_API void cairn_markup_pause(struct cairn_markup *markup);

/*
 * End the input and write the remaining output. Afterwards the filter can be reused like a new one.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_markup_finish(struct cairn_markup *markup);

/* Return the number of the current line, from 1, for messages of the host. */
CAIRN_API uint64_t cairn_markup_line(const struct cairn_markup *markup);

#ifdef __cplusplus
}
#endif

#endif
