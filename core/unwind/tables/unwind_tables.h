/* SPDX-License-Identifier: MIT */
/*
 * Provides the unwind tables of modules: SFrame and .eh_frame, which are located and read on first
 * use, and .debug_frame if the host supplies it.
 */
#ifndef CAIRN_UNWIND_TABLES_UNWIND_TABLES_H
#define CAIRN_UNWIND_TABLES_UNWIND_TABLES_H

#include "modules.h"

/* Return the module's SFrame rules, which are read on first use, or NULL. */
struct cairn_rules *module_rules(struct cairn_space *space, struct module *module);

/*
 * Copy `table`, whose link-time address is `va`, and use the copy as the module's SFrame table.
 * Return false and set module->fault if allocation fails.
 */
bool module_adopt_sframe(struct cairn_space *space, struct module *module, struct cairn_bytes table,
                         uint64_t va);

/*
 * Call cairn_rules_find() with the module's rules. Return NOT_FOUND if the module has no rules.
 * Records faults in the module.
 */
enum cairn_status module_find_rule(struct cairn_space *space, struct module *module, uint64_t va,
                                   const struct cairn_rule **rule, struct cairn_fault *fault);

/* Return the module's .eh_frame coverage, which is opened on first use, or NULL. */
struct cfi_coverage *module_cfi(struct cairn_space *space, struct module *module);

const struct cfi_range *module_find_cfi(struct cairn_space *space, struct module *module,
                                        uint64_t va);

/*
 * Set the .debug_frame of the module that contains `pc`, for addresses that .eh_frame does not
 * cover. The section is borrowed for the life of the space. Return false if there is no such
 * module, the module already has a .debug_frame, or allocation fails.
 */
bool space_give_debug_frame(struct cairn_space *space, uint64_t pc, struct cairn_bytes section);

#endif
