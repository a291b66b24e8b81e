/* SPDX-License-Identifier: MIT */
/* Makes a module without readable headers from the host's report. */
#ifndef CAIRN_UNWIND_TABLES_REPORTED_MODULE_H
#define CAIRN_UNWIND_TABLES_REPORTED_MODULE_H

#include "modules.h"

/*
 * Fill `module`, which owns nothing yet, and give it one segment. `report` is borrowed. Reads the
 * first bytes of a table from the target.
 */
void reported_module_fill(struct module *module, const struct host_module *report,
                          const struct cairn_target *target);

#endif
