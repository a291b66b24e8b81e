/* SPDX-License-Identifier: MIT */
/*
 * Symbolizes the addresses of a backtrace, with its images and the files that have their build IDs.
 *
 *	struct cbf_symbols symbols = { .exes = exes };   as the options say
 *	if (!cbf_symbols_open(&symbols))
 *		...
 *	count = cbf_symbols_find(&symbols, image, address, &locations);
 *	cbf_symbols_close(&symbols);
 *
 * A file must have the build ID of the image. An image without one is matched by name, but only
 * with the programs that the user gave.
 */
#ifndef CAIRN_CLI_CBF_SYMBOLS_H
#define CAIRN_CLI_CBF_SYMBOLS_H

#include "cli/front/cli.h"
#include "cli/front/printed.h"
#include "os/swift_demangle.h"
#include "output/json.h"
#include "traces/loaded_images.h"

enum { CBF_PROGRAMS_MAX = 1 << 14 }; /* images whose files are kept open */

struct cbf_symbols {
	bool wanted; /* search for symbols in the usual locations */
	struct option_words exes;
	const char *folders; /* DIR:DIR... with symbols and debug files; may be NULL */
	struct os_swift_demangler demangler;
	struct allowance *printed; /* print limit, which grows with each opened file; may be NULL */
	struct cairn_symbolizer *symbolizer;
	const char *flaw; /* first error in any debug information, or NULL */
	char *path;
	size_t path_room;
};

#define CBF_OPTIONS_SYMBOLS(symbols)                                                   \
	OPTION_WITH(RIGHT_FINDS, flag, 0, "symbols", NULL,                             \
	            "print functions and lines, from the symbols that the system has", \
	            &(symbols)->wanted),                                               \
		OPTION_WITH(RIGHT_FINDS, words, 0, "exe", "FILE",                      \
	                    "a program or library of the process; may be given again", \
	                    &(symbols)->exes),                                         \
		OPTION_DIRECTORY(&(symbols)->folders),                                 \
		OPTION_DEBUG_FILE_DIRECTORY(&(symbols)->folders),                      \
		OPTION_WITH(RIGHT_FINDS, text, 0, "swift-core", "FILE",                \
	                    "demangle with this libswiftCore.so, not the system's",    \
	                    &(symbols)->demangler.path)

/* Open the symbols. If a given program cannot be read, print a diagnostic and return false. */
bool cbf_symbols_open(struct cbf_symbols *symbols);
void cbf_symbols_close(struct cbf_symbols *symbols);

bool cbf_symbols_are_wanted(const struct cbf_symbols *symbols);

/*
 * Look up an address of the process. Set *locations, innermost first, which are valid until the
 * next call, and return their number.
 */
size_t cbf_symbols_find(struct cbf_symbols *symbols, const struct imagemap_image *image,
                        uint64_t address, const struct cairn_location **locations);

/* Locations of one address, printed after its frame. */
struct cbf_names {
	struct cbf_symbols *symbols;
	struct allowance *printed;
	size_t count;
	const struct cairn_location *locations;
};

void cbf_names_text(const struct cbf_names *names);
void cbf_names_lines(const struct cbf_names *names, uint64_t frame);
void cbf_names_json(struct json *json, const struct cbf_names *names);

#endif
