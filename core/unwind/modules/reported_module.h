/* SPDX-License-Identifier: MIT */
/* A module whose headers cannot be read, made from the host's report alone. */
#ifndef CAIRN_UNWIND_MODULES_REPORTED_MODULE_H
#define CAIRN_UNWIND_MODULES_REPORTED_MODULE_H

#include "modules.h"

/*
 * Fills `module`, which has room for one segment and owns nothing yet; it borrows `report`.  Reads the
 * first bytes of a table from the target.
 */
void reported_module_fill(struct module *module, const struct host_module *report,
                          const struct cairn_target *target);

#endif
