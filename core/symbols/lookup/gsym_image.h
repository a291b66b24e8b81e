/* SPDX-License-Identifier: MIT */
/*
 * GSYM wherever it is: a file of its own, section .gsym of an ELF file, __gsym of a Mach-O file.
 * Inside another file the strings may be those of the other file; the header's offset of them is
 * taken to count from the GSYM header, as all offsets do, or else from the start of the file,
 * whichever is in a string table.
 */
#ifndef CAIRN_SYMBOLS_LOOKUP_GSYM_IMAGE_H
#define CAIRN_SYMBOLS_LOOKUP_GSYM_IMAGE_H

#include <cairn.h>

#include "formats/gsym/gsym.h"

struct gsym_image {
	struct gsym gsym;
	bool embedded;
	bool shares_strings;
	bool conflicts;              /* it names another build than the file it is in */
	uint64_t offset;             /* of the header in the file */
	struct cairn_bytes build_id; /* its own, else that of the file it is in */
};

/*
 * Offsets of faults count from the GSYM header.  NOT_FOUND: an ELF or Mach-O file without GSYM.
 */
enum cairn_status gsym_image_open(struct cairn_bytes file, struct gsym_image *image,
                                  struct cairn_fault *fault);

#endif
