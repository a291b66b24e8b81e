/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: the callbacks by which a markup filter queries its host, and their arguments.
 *
 *	struct cairn_markup_host host = CAIRN_SIZED(struct cairn_markup_host);
 *	struct cairn_markup_options options = CAIRN_MARKUP_OPTIONS;
 *	host.write = write_log;
 *	host.code = find_names;
 *	host.context = symbols;
 *	struct cairn_markup *markup = cairn_markup_new(&options, &host);
 */
#ifndef CAIRN_INCLUDE_MARKUP_HOST_H
#define CAIRN_INCLUDE_MARKUP_HOST_H

#include <cairn/base.h>
#include <cairn/location.h>

#ifdef __cplusplus
extern "C" {
#endif

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
	size_t size;
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

#ifdef __cplusplus
}
#endif

#endif
