/* SPDX-License-Identifier: MIT */
/*
 * Finds GSYM in a file: a GSYM file proper, section .gsym of an ELF file, or section __gsym of a
 * Mach-O file. Embedded GSYM may use a string table of its container. The header's string offset
 * then counts from the GSYM header, like all GSYM offsets, or from the start of the file, whichever
 * lies in a string table.
 */
#ifndef CAIRN_SYMBOLS_LOOKUP_GSYM_IMAGE_H
#define CAIRN_SYMBOLS_LOOKUP_GSYM_IMAGE_H

#include <cairn.h>

#include "formats/gsym/gsym.h"

struct gsym_image {
	struct gsym gsym;
	bool embedded;
	bool shares_strings;
	bool conflicts;  /* the GSYM header and the container have different build IDs */
	uint64_t offset; /* file offset of the GSYM header */
	struct cairn_bytes build_id; /* build ID in the GSYM header, otherwise the container's */
};

/*
 * Open the GSYM in `file`. Fault offsets count from the GSYM header. Returns NOT_FOUND for an ELF
 * or Mach-O file without GSYM.
 */
enum cairn_status gsym_image_open(struct cairn_bytes file, struct gsym_image *image,
                                  struct cairn_fault *fault);

#endif
