/* SPDX-License-Identifier: MIT */
/*
 * What is at the addresses of a backtrace: its images, by their build IDs, and the files that know
 * them.
 *
 *	struct cbf_symbols symbols = { .exes = exes };   as the options say
 *	if (!cbf_symbols_open(&symbols))
 *		...
 *	count = cbf_symbols_find(&symbols, image, address, &locations);
 *	cbf_symbols_close(&symbols);
 *
 * A file counts when it has the image's build ID.  An image without one is matched by its name, with the
 * programs that were given only.
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
	bool wanted; /* look for symbols where they usually are */
	struct option_words exes;
	const char *folders; /* with symbols and debug files, DIR:DIR...; NULL for none */
	struct os_swift_demangler demangler;
	struct allowance *printed; /* files that are opened count; NULL: nobody counts */
	struct cairn_symbolizer *symbolizer;
	const char *flaw; /* why not all of some debug information was read; NULL: it was */
	char *path;       /* of the last image */
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

/* False, after a complaint, when a program that was given cannot be read. */
bool cbf_symbols_open(struct cbf_symbols *symbols);
void cbf_symbols_close(struct cbf_symbols *symbols);

/* Does any option ask for symbols? */
bool cbf_symbols_are_wanted(const struct cbf_symbols *symbols);

/* The locations of an address in the process, innermost first, good until the next call; returns how many. */
size_t cbf_symbols_find(struct cbf_symbols *symbols, const struct imagemap_image *image,
                        uint64_t address, const struct cairn_location **locations);

/* What is known of one address, printed after a frame. */
struct cbf_names {
	struct cbf_symbols *symbols;
	struct allowance *printed; /* what may still be printed */
	size_t count;
	const struct cairn_location *locations;
};

void cbf_names_text(const struct cbf_names *names);
void cbf_names_lines(const struct cbf_names *names, uint64_t frame);
void cbf_names_json(struct json *json, const struct cbf_names *names);

#endif
