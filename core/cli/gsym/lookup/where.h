/* SPDX-License-Identifier: MIT */
/*
 * One run of `cairn where`.  A symbolizer finds the files of the program and answers from its own sources and from DWARF,
 * in their order; what `where` has kept in the cache is among the files of symbols.  Before all of them it has
 *
 *	rank 50   "image"  a conversion, of what no source reads or of what is damaged
 *
 * which has all that the others know, so that they are not asked then.
 */
#ifndef CAIRN_CLI_GSYM_LOOKUP_WHERE_H
#define CAIRN_CLI_GSYM_LOOKUP_WHERE_H

#include "lookup.h"

#include "cli/front/functions.h"
#include "convert/source/function_source.h"
#include "formats/captured_text/captured_text.h"
#include "formats/elf/elf_load_base.h"
#include "os/cache/cache.h"
#include "os/debuginfod/debuginfod.h"
#include "os/module/symbol_path.h"

struct where {
	struct lookup lookup;
	struct cairn_functions_options input; /* of a conversion */
	struct functions_input told;          /* what is printed of it */
	bool no_cache, use_debuginfod;
	bool is_few; /* addresses are asked for: of a file little is read */
	struct debuginfod debuginfod;
	bool asked_debuginfod; /* and it gave ->fetched; empty: nothing */
	char fetched[SYMBOL_PATH_MAX];
	struct cairn_bytes build_id; /* of an ELF file */
	char cached[OS_CACHE_PATH];  /* the program's file in the cache; empty: it has none */
	bool has_image;              /* a conversion, ->lookup.input, answers */
	int convert_status; /* the exit status of the conversion; NOT_CONVERTED: there was none */
	bool gave_up;       /* something is damaged, and a conversion was in vain */
	/* Where the program was loaded, as addresses show that are above all of its own. */
	struct captured_returns returns;
	size_t judged; /* how many of them */
	bool has_base;
	struct cairn_range pcs; /* where it was; before that is known, as linked */
	uint64_t bias;
};

enum { NOT_CONVERTED = -1 };

/* A file of the program, which is open until its module is forgotten; one of zeros if there is none. */
const struct os_file *where_file(struct where *where, enum cairn_module_file wanted);

/* Bytes of the file with its debug information. */
uint64_t where_debug_size(struct where *where);

/* Opens GSYM data of the build.  False: these bytes are none. */
bool where_open_image(struct cairn_bytes bytes, struct cairn_bytes build_id,
                      struct gsym_input *image);

/* Sets how the symbolizer of the program finds its files. */
void where_set_files(struct where *where, struct cairn_symbolizer_options *options);

/* Prints at which paths the debug file that the program names is not. */
void where_report_debug_file(struct where *where);

/* As cairn_functions_options.fetch, of ->told. */
bool where_fetch_for_conversion(void *context, struct cairn_bytes build_id, char *path,
                                size_t room);

/* Looks for the debug files, which must be whole.  False: the reason was printed. */
bool where_check_debug_files(struct where *where);

/* Chooses the place in the cache, if the program can have one. */
void where_cache_begin(struct where *where, struct cairn_bytes build_id);

/* Removes the file in the cache, if it was made of other files than the program's as they are. */
void where_cache_check(struct where *where);

/* Converts the program, which may be in any format of functions, and keeps the result in the cache.  Returns an exit status. */
int where_convert(struct where *where, struct gsym_input *image);

/* After the answers: fills the cache, of a large program in the background. */
void where_cache_fill(struct where *where);

#endif
