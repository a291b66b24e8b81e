/* SPDX-License-Identifier: MIT */
/* Converts the lists of a minidump to lists of a snapshot. A damaged list becomes a problem. */
#ifndef CAIRN_PROCESS_MINIDUMP_MINIDUMP_RECORDS_H
#define CAIRN_PROCESS_MINIDUMP_MINIDUMP_RECORDS_H

#include "formats/minidump.h"
#include "model/snapshot.h"

/* Return the UTF-16 string at an offset as UTF-8, stored in the snapshot, or an empty string. */
struct cairn_bytes minidump_keep_text(struct snapshot *snapshot, const struct minidump *dump,
                                      uint64_t offset);

/*
 * Set the registers of a thread. If they cannot be read, the thread keeps its previous ones and the
 * snapshot gets a problem.
 */
void minidump_keep_registers(struct snapshot *snapshot, const struct minidump *dump,
                             enum minidump_machine machine, const struct minidump_part *context,
                             struct snapshot_thread *thread);

/* Set the remaining registers of a thread, as far as the context has them (register_sets.c). */
void minidump_keep_sets(struct snapshot *snapshot, const struct minidump *dump,
                        enum minidump_machine machine, const struct minidump_part *context,
                        struct snapshot_thread *thread);

void minidump_add_threads(struct snapshot *snapshot, const struct minidump *dump,
                          enum minidump_machine machine);
void minidump_add_modules(struct snapshot *snapshot, const struct minidump *dump);
void minidump_add_mappings(struct snapshot *snapshot, const struct minidump *dump);

/* Correct the ends of modules by the mappings. Both must be sorted. */
void minidump_extend_modules(struct snapshot *snapshot);

enum cairn_machine minidump_machine_for(enum minidump_machine machine);

#endif
