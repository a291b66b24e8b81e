/* SPDX-License-Identifier: MIT */
/*
 * Tables without a program header: static programs have .eh_frame but no .eh_frame_hdr, and not
 * every linker makes a segment for .sframe.  The read-only segments are searched for what such a
 * table must look like, once for each module and within a bound.
 */
#ifndef CAIRN_UNWIND_TABLES_SECTION_SCAN_H
#define CAIRN_UNWIND_TABLES_SECTION_SCAN_H

#include "unwind/modules/modules.h"

enum { SECTION_SCAN_MAX = 1 << 26 }; /* bytes searched in one module */

/* The section's va and the most bytes that it can have. */
bool section_scan_sframe(struct cairn_space *space, struct module *module, uint64_t *va,
                         uint64_t *size);

/* Make module->cfi ready from an .eh_frame found so. */
bool section_scan_eh_frame(struct cairn_space *space, struct module *module);

#endif
