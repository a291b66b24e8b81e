/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: a filter for logs that contain symbolizer markup. Programs write such logs
 * with cairn_emit.h.
 */
#ifndef CAIRN_INCLUDE_MARKUP_H
#define CAIRN_INCLUDE_MARKUP_H

#include <cairn/base.h>
#include <cairn/symbols.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A filter for logs in which a program has written elements such as {{{bt:0:0x7f0000001234:pc}}}
 * and the addresses of its modules. The filter replaces addresses with names and copies all other
 * bytes unchanged. LLVM's "Symbolizer Markup Format" defines the elements (docs/formats/markup.md).
 *
 *	markup = cairn_markup_new(&options, &host);
 *	while (read_text(&text))
 *		status = cairn_markup_feed(markup, text);
 *	status = cairn_markup_finish(markup);
 *	cairn_markup_free(markup);
 *
 * Input may be split anywhere; output is written when a line is complete. The filter uses at most
 * about 30 MB of memory whatever its input contains: it splits lines longer than CAIRN_MARKUP_LINE
 * bytes, and rejects modules beyond about ten thousand, which it reports through complain().
 */
enum { CAIRN_MARKUP_LINE = 1 << 20 };

struct cairn_markup;

enum cairn_markup_style {
	CAIRN_MARKUP_CAIRN,   /* copy the whole log, and add all available data */
	CAIRN_MARKUP_LLVM,    /* exactly the output of llvm-symbolizer 19 --filter-markup */
	CAIRN_MARKUP_FUCHSIA, /* like CAIRN, but frames are formatted as in Fuchsia's symbolizer */
	CAIRN_MARKUP_LLVM_TERMINAL, /* like LLVM, but names cannot send commands to a terminal */
};

struct cairn_markup_options {
	enum cairn_markup_style style;
	bool colour; /* keep the log's colours, and highlight elements */
	/*
	 * write the text before a frame, such as a timestamp, on the line of each inlined call too
	 */
	bool repeat_prefix;
	/*
	 * addresses of frames marked neither `ra` nor `pc` are already inside the call, so look
	 * them up unchanged instead of one byte before
	 */
	bool already_before;
	/* write each line as soon as it is complete, not only when cairn_markup_feed() returns */
	bool end_lines;
	/*
	 * Also name frames in backtraces that contain no markup (docs/formats/captured_text.md):
	 * from sanitizers, glibc, Go, Rust, the kernel and systemd-coredump. The names are inserted
	 * after the frame, and all other bytes are unchanged. Not available in the LLVM styles.
	 */
	bool reports;
};

/* A module of the program, as described in the log. Its build ID alone identifies its file. */
struct cairn_markup_module {
	uint64_t id;
	struct cairn_bytes name, build_id; /* either may be empty */
};

struct cairn_markup_query {
	const struct cairn_markup_module *module;
	uint64_t pc, va; /* the address as a pc in the process, and as a va in the module */
};

/* reference point for a frame's offset */
enum cairn_markup_origin {
	CAIRN_MARKUP_FROM_ZERO,    /* link-time address 0; the offset is then itself a va */
	CAIRN_MARKUP_FROM_MODULE,  /* lowest address of the module */
	CAIRN_MARKUP_FROM_FILE,    /* start of the module's file */
	CAIRN_MARKUP_FROM_MAPPING, /* start of the memory mapping that contains the module's code */
	CAIRN_MARKUP_FROM_SYMBOL,  /* start of `function` */
};

/* A code location that a report describes by a module and an offset. */
struct cairn_markup_place {
	struct cairn_bytes module;   /* path or name; empty for the kernel */
	struct cairn_bytes build_id; /* empty if the report contains no build ID */
	struct cairn_bytes function; /* function name; only with CAIRN_MARKUP_FROM_SYMBOL */
	uint64_t function_size;      /* distance to the next function in bytes; 0 if unknown */
	enum cairn_markup_origin origin;
	uint64_t offset;
};

struct cairn_markup_result {
	const struct cairn_location *locations; /* innermost first */
	size_t count;
	/* name to show for a {{{pc}}} element; if empty, the last location's function is shown */
	struct cairn_bytes name;
};

/* kinds of pieces into which the filter divides a log */
enum cairn_markup_kind {
	CAIRN_MARKUP_TEXT,   /* anything that is not an element */
	CAIRN_MARKUP_COLOUR, /* one of the format's ten escape sequences for colours */
	CAIRN_MARKUP_SYMBOL,
	CAIRN_MARKUP_PC,
	CAIRN_MARKUP_DATA,
	CAIRN_MARKUP_BT,
	/* address in a module, the value of a hexdict entry; the entry's key is in `text` */
	CAIRN_MARKUP_VALUE,
	CAIRN_MARKUP_DUMPFILE,
	CAIRN_MARKUP_RESET,
	CAIRN_MARKUP_MODULE,
	CAIRN_MARKUP_MMAP,
	CAIRN_MARKUP_UNKNOWN, /* an element that the format does not define */
	CAIRN_MARKUP_INVALID, /* an element that cairn cannot use; `error` has the reason */
	CAIRN_MARKUP_REPORT,  /* a frame without markup; sets the same fields as BT */
};

/*
 * A piece of the log: text, an escape sequence or an element. The kind determines which fields are
 * set.
 */
struct cairn_markup_fact {
	enum cairn_markup_kind kind;
	/* position of the piece; lines and columns are counted from 1, columns in bytes */
	uint64_t line, column;
	struct cairn_bytes text; /* the piece exactly as in the log */
	const char *error;       /* reason for INVALID; otherwise NULL */

	/* set for MODULE, MMAP and addresses inside a module; otherwise NULL */
	const struct cairn_markup_module *module;
	/* va that has been looked up in the module, or the va at which an MMAP starts */
	uint64_t va;

	uint64_t number;  /* frame number of a BT */
	uint64_t address; /* address as in the log, for BT, PC, DATA and VALUE */
	uint64_t lookup;  /* pc for which symbols have been looked up */
	const char *pc;   /* for BT and PC: "ra", "pc" or "unknown"; otherwise NULL */
	/* message of a BT: the fields after the address and the kind of pc */
	struct cairn_bytes message;

	/*
	 * the locations, innermost first; `file` contains the whole path, and `directory` is empty
	 */
	const struct cairn_location *locations;
	size_t count;
	struct cairn_bytes name; /* demangled name of a SYMBOL; variable of DATA and VALUE */
	uint64_t offset;         /* offset from the start of the variable */

	uint64_t start, size;      /* address range of an MMAP */
	bool read, write, execute; /* permissions of an MMAP */
};

/*
 * Callbacks that the host implements. `write` or `tell` must be set; all others may be NULL. Data
 * that a callback returns must stay valid until the next callback. The filter shows names as the
 * host returns them, so the callbacks must demangle them if demangled names are wanted.
 */
struct cairn_markup_host {
	void *context;
	void (*write)(void *context, const void *text, size_t size);

	/*
	 * Look up the locations of an address. Returns false if the host has no symbols for the
	 * module. If the symbols do not cover the address, sets the count to 0 and returns true.
	 */
	bool (*code)(void *context, const struct cairn_markup_query *question,
	             struct cairn_markup_result *answer);

	/*
	 * Look up the variable or function that contains an address, or the nearest one below it.
	 * Sets its name, which may be empty, and the offset from its start to the address. Returns
	 * false if the host has no symbols for the module.
	 */
	bool (*data)(void *context, const struct cairn_markup_query *question,
	             struct cairn_location *location);

	/* Return the demangled form of a name in {{{symbol:NAME}}}, or the name itself. */
	struct cairn_bytes (*readable)(void *context, struct cairn_bytes name);

	/*
	 * Describe the module that contains a pc, as for cairn_markup_add_host_module(). Returns
	 * false if no module contains the pc. Not called once the log has defined a module.
	 */
	bool (*module)(void *context, uint64_t pc, struct cairn_markup_module *module,
	               struct cairn_range *pcs, uint64_t *va);

	/*
	 * Report a problem with the element at `line` and `column` (in bytes), both counted from 1.
	 * `what` is a constant phrase, and `found` contains the invalid bytes in the element.
	 */
	void (*complain)(void *context, uint64_t line, uint64_t column, const char *what,
	                 struct cairn_bytes found);

	/*
	 * Receive each piece of the log, in order. If this callback is set, the filter writes no
	 * output. The data in *fact is valid until the callback returns.
	 */
	void (*tell)(void *context, const struct cairn_markup_fact *fact);

	/*
	 * Find the module of a frame without markup (options.reports) and the frame's va, which
	 * cairn_markup_file_locate() computes from the module's file. Returns false if the host
	 * does not know the module. In that case the filter calls code() with the build ID, if the
	 * frame has one, and uses the offset as the va.
	 */
	bool (*locate)(void *context, const struct cairn_markup_place *place,
	               struct cairn_markup_module *module, uint64_t *va);
};

/*
 * A module's file, as needed by locate(): its segments, and its functions by name.
 *
 *	struct cairn_markup_file *elf = cairn_markup_file_new(bytes);
 *	bool known = elf && cairn_markup_file_locate(elf, place, &va);
 */
struct cairn_markup_file;

/*
 * Open an ELF file from its bytes, which are borrowed until cairn_markup_file_free(). Returns NULL
 * if they are not an ELF file, or if allocation fails.
 */
CAIRN_API struct cairn_markup_file *cairn_markup_file_new(struct cairn_bytes bytes);

/* Free the file. NULL is allowed. */
CAIRN_API void cairn_markup_file_free(struct cairn_markup_file *file);

/*
 * Compute a location's va in this file. Returns false if no segment contains the location, if no
 * function has the requested name, or if several functions have it and neither their size nor their
 * binding selects one.
 */
CAIRN_API bool cairn_markup_file_locate(struct cairn_markup_file *file,
                                        const struct cairn_markup_place *place, uint64_t *va);

/*
 * Create a filter, which copies both structs. The caller frees the filter. Returns NULL if
 * allocation fails.
 */
CAIRN_API struct cairn_markup *cairn_markup_new(const struct cairn_markup_options *options,
                                                const struct cairn_markup_host *host);

/* Free the filter. NULL is allowed. */
CAIRN_API void cairn_markup_free(struct cairn_markup *markup);

/*
 * Add a module that is mapped at `pcs` and that the host knows from another source; `va` is the
 * link-time address of its first byte. The module is copied. The filter uses such modules until the
 * log itself defines one. Returns MALFORMED if the module overlaps another one, and NO_MEMORY.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_markup_add_host_module(
	struct cairn_markup *markup, const struct cairn_markup_module *module,
	const struct cairn_range *pcs, uint64_t va);

/*
 * Filter the next bytes of the log, which are borrowed during the call. Returns NO_MEMORY if
 * allocation fails; the output written so far is correct.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_markup_feed(struct cairn_markup *markup,
                                                             struct cairn_bytes text);

/*
 * Write as much as possible of an incomplete line: everything up to the beginning of possible
 * markup. Call this if the next bytes of the log may be delayed.
 */
CAIRN_API void cairn_markup_pause(struct cairn_markup *markup);

/*
 * End the input and write the remaining output. Afterwards the filter can be reused like a new one.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_markup_finish(struct cairn_markup *markup);

/* Return the number of the current line, counted from 1, for the host's own messages. */
CAIRN_API uint64_t cairn_markup_line(const struct cairn_markup *markup);

#ifdef __cplusplus
}
#endif

#endif
