/* SPDX-License-Identifier: MIT */
/*
 * What is at the addresses of a backtrace: its images, by their build IDs, and the files that know
 * them.
 *
 *	struct cbf_symbols symbols = { .exes = exes };   as the options say
 *	if (!cbf_symbols_open(&symbols))
 *		...
 *	count = cbf_symbols_find(&symbols, image, address, locations);
 *	cbf_symbols_close(&symbols);
 *
 * A file counts when it has the image's build ID.  It is looked for among the programs that were
 * given, then where files of debug information and GSYM files are, then at the image's own path;
 * of several the first that knows the line is asked.  An image without a build ID is matched by
 * its name, with the programs that were given only.
 */
#ifndef CAIRN_CLI_CBF_SYMBOLS_H
#define CAIRN_CLI_CBF_SYMBOLS_H

#include "cli/front/cli.h"
#include "cli/front/printed.h"
#include "debuginfo/lookup/names.h"
#include "os/swift_demangle.h"
#include "output/json.h"
#include "traces/loaded_images.h"

enum { CBF_PROGRAM_SOURCES = 8 }; /* files that are asked about one image */

/* A file that knows the names of one image. */
struct cbf_symbol_source {
	struct os_file file;
	uint64_t low;                  /* va of its first byte in memory */
	struct debuginfo_names *names; /* or */
	struct cairn_symbols *gsym;
};

/* An image, and what was opened for it. */
struct cbf_program {
	struct cairn_bytes build_id; /* owned, as is the path */
	char *path;
	struct cbf_symbol_source sources[CBF_PROGRAM_SOURCES];
	size_t count;
};

struct cbf_symbols {
	bool wanted; /* look for symbols where they usually are */
	struct option_words exes;
	const char *directories;       /* of GSYM files, DIR:DIR...; NULL for none */
	const char *debug_directories; /* of debug information */
	struct os_swift_demangler demangler;
	struct allowance *printed; /* files that are opened count; NULL: nobody counts */
	struct cbf_program *programs;
	size_t count, room;
};

#define CBF_OPTIONS_SYMBOLS(symbols)                                                 \
	{ .name = "symbols",                                                         \
	  .help = "print functions and lines, from the symbols that the system has", \
	  .flag = &(symbols)->wanted },                                              \
		{ .name = "exe",                                                     \
		  .argument = "FILE",                                                \
		  .help = "a program or library of the process; may be given again", \
		  .words = &(symbols)->exes },                                       \
		{ .name = "directory",                                               \
		  .argument = "DIR[:DIR...]",                                        \
		  .help = "search these folders for GSYM files",                     \
		  .text = &(symbols)->directories },                                 \
		{ .name = "debug-file-directory",                                    \
		  .argument = "DIR[:DIR...]",                                        \
		  .help = "search these folders for debug information",              \
		  .text = &(symbols)->debug_directories },                           \
	{                                                                            \
		.name = "swift-core", .argument = "FILE",                            \
		.help = "demangle with this libswiftCore.so, not the system's",      \
		.text = &(symbols)->demangler.path                                   \
	}

/* False, after a complaint, when a program that was given cannot be read. */
bool cbf_symbols_open(struct cbf_symbols *symbols);
void cbf_symbols_close(struct cbf_symbols *symbols);

/* Does any option ask for symbols? */
bool cbf_symbols_are_wanted(const struct cbf_symbols *symbols);

/* The locations of an address in the process, innermost first; returns how many. */
size_t cbf_symbols_find(struct cbf_symbols *symbols, const struct imagemap_image *image,
                        uint64_t address, struct cairn_location locations[DEBUGINFO_LOCATIONS]);

/* What is known of one address, printed after a frame. */
struct cbf_names {
	struct cbf_symbols *symbols;
	struct allowance *printed; /* what may still be printed */
	size_t count;
	struct cairn_location locations[DEBUGINFO_LOCATIONS];
};

void cbf_names_text(FILE *out, const struct cbf_names *names);
void cbf_names_lines(FILE *out, const struct cbf_names *names, uint64_t frame);
void cbf_names_json(struct json *json, const struct cbf_names *names);

#endif
