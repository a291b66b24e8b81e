/* SPDX-License-Identifier: MIT */
/* The unwind tables of modules: SFrame and .eh_frame, found and read on first use, and .debug_frame where a host gives it. */
#ifndef CAIRN_UNWIND_TABLES_UNWIND_TABLES_H
#define CAIRN_UNWIND_TABLES_UNWIND_TABLES_H

#include "unwind/modules/modules.h"

/* Its unwind rules, read on first use; NULL when it has none. */
struct cairn_rules *module_rules(struct cairn_space *space, struct module *module);

/* Copies a table at a va, for a module that has none.  False: memory is short, and module->fault says so. */
bool module_adopt_sframe(struct cairn_space *space, struct module *module, struct cairn_bytes table,
                         uint64_t va);

/* cairn_rules_find() in them; NOT_FOUND also when there are none.  What is wrong is remembered. */
enum cairn_status module_find_rule(struct cairn_space *space, struct module *module, uint64_t va,
                                   const struct cairn_rule **rule, struct cairn_fault *fault);

/* Its .eh_frame, opened on first use; NULL when it has none. */
struct cfi_coverage *module_cfi(struct cairn_space *space, struct module *module);

/* The FDE that describes this va; NULL when none does, or there is no .eh_frame. */
const struct cfi_range *module_find_cfi(struct cairn_space *space, struct module *module,
                                        uint64_t va);

/*
 * The .debug_frame of the module that holds `pc`, borrowed as long as the space is used: it serves where
 * .eh_frame does not. False: there is no such module, it has one already, or memory is short.
 */
bool space_give_debug_frame(struct cairn_space *space, uint64_t pc, struct cairn_bytes section);

#endif
