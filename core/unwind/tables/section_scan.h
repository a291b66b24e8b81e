/* SPDX-License-Identifier: MIT */
/*
 * Finds tables without a program header. Static programs have .eh_frame but no .eh_frame_hdr, and
 * not every linker creates a segment for .sframe. The read-only segments are searched for the
 * beginning of such a table, once per module and within a limit.
 */
#ifndef CAIRN_UNWIND_TABLES_SECTION_SCAN_H
#define CAIRN_UNWIND_TABLES_SECTION_SCAN_H

#include "modules.h"

enum { SECTION_SCAN_MAX = 1 << 26 };

/* Find .sframe. Set *va, and *size to an upper bound. */
bool section_scan_sframe(struct cairn_space *space, struct module *module, uint64_t *va,
                         uint64_t *size);

/* Find .eh_frame and set up module->cfi from it. */
bool section_scan_eh_frame(struct cairn_space *space, struct module *module);

#endif
