/* SPDX-License-Identifier: MIT */
/*
 * Reads files in symbol formats as streams of functions. All other code detects and opens symbol
 * formats through these functions.
 *
 *	if (symbol_format_of(file, &format))
 *		status = symbol_input_open(file, format, polling, &input, &fault);
 *	if (status == CAIRN_OK)
 *		status = symbol_input_read(&input, &sink);
 *	symbol_input_close(&input);
 */
#ifndef CAIRN_SYMBOLS_SYMBOL_INPUT_H
#define CAIRN_SYMBOLS_SYMBOL_INPUT_H

#include "base/polling.h"
#include "formats/gsym/gsym.h"
#include "symbols/breakpad.h"
#include "symbols/go.h"
#include "symbols/index_build.h"
#include "symbols/jit_code.h"

#include <cairn.h>

/*
 * Finds GSYM in a file: a GSYM file proper, section .gsym of an ELF file, or section __gsym of a
 * Mach-O file. Embedded GSYM may use a string table of its container. In this case, producers
 * disagree about the string offset in the header: it is relative either to the GSYM header, like
 * all GSYM offsets, or to the start of the file. The interpretation that leads to a string table of
 * the container is used.
 */
struct gsym_image {
	struct gsym gsym;
	bool embedded;
	bool shares_strings;
	bool conflicts; /* GSYM header has a different build ID than the container */
	uint64_t offset;
	/* build ID from the GSYM header or, if absent there, from the container */
	struct cairn_bytes build_id;
};

/*
 * Open the GSYM in `file`. Fault offsets are relative to the GSYM header. Returns NOT_FOUND for an
 * ELF or Mach-O file without GSYM.
 */
enum cairn_status gsym_image_open(struct cairn_bytes file, struct gsym_image *image,
                                  struct cairn_fault *fault);

struct symbol_input {
	enum cairn_symbol_format format;
	struct cairn_bytes build_id;
	struct gsym_image gsym;
	struct symbfile_built symbfile;
	struct breakpad_file *breakpad;
	struct go_program go;
	bool has_go;
	struct go_functions *go_functions;
	struct jit_code jit;
};

/*
 * Detect the format from the first bytes. Returns false if it is unknown. Never detects GO and JIT;
 * callers must request them explicitly.
 */
bool symbol_format_of(struct cairn_bytes file, enum cairn_symbol_format *format);

/*
 * Open a file in any format but ELF. The input must be closed even on failure. A damaged symbfile
 * is not an error: symbfile.fault[0] describes the damage, and the functions before it are read.
 * `polling` may be NULL.
 */
CAIRN_MUST_USE enum cairn_status symbol_input_open(struct cairn_bytes file,
                                                   enum cairn_symbol_format format,
                                                   struct polling *polling,
                                                   struct symbol_input *input,
                                                   struct cairn_fault *fault);
void symbol_input_close(struct symbol_input *input);

/*
 * Pass all functions to the sink, for any format but GSYM. Their strings are valid until the input
 * is closed.
 */
CAIRN_MUST_USE enum cairn_status symbol_input_read(const struct symbol_input *input,
                                                   const struct function_sink *sink);

#endif
