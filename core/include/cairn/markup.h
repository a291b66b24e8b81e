/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: a filter for logs that contain symbolizer markup. Programs write such logs
 * with cairn_emit.h.
 */
#ifndef CAIRN_INCLUDE_MARKUP_H
#define CAIRN_INCLUDE_MARKUP_H

#include <cairn/base.h>
#include <cairn/markup_host.h>

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

/* How to write the log. Initialize with CAIRN_MARKUP_OPTIONS. */
struct cairn_markup_options {
	size_t size;
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

#define CAIRN_MARKUP_OPTIONS CAIRN_SIZED(struct cairn_markup_options)

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
