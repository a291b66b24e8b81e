/* SPDX-License-Identifier: MIT */
/* Lists of a minidump become lists of a snapshot; a list that is damaged becomes a problem. */
#ifndef CAIRN_PROCESS_MINIDUMP_MINIDUMP_RECORDS_H
#define CAIRN_PROCESS_MINIDUMP_MINIDUMP_RECORDS_H

#include "formats/minidump/minidump.h"
#include "model/snapshot.h"

/* UTF-16 text at an offset, kept by the snapshot as UTF-8; empty when there is none. */
struct cairn_bytes minidump_keep_text(struct snapshot *snapshot, const struct minidump *dump,
                                      uint64_t offset);

/* Gives the thread its registers.  Where they cannot be read it keeps those that it had, and the snapshot gets a problem. */
void minidump_keep_registers(struct snapshot *snapshot, const struct minidump *dump,
                             enum minidump_machine machine, const struct minidump_part *context,
                             struct snapshot_thread *thread);

/* register_sets.c: gives it the rest of its registers, as far as the context has them. */
void minidump_keep_sets(struct snapshot *snapshot, const struct minidump *dump,
                        enum minidump_machine machine, const struct minidump_part *context,
                        struct snapshot_thread *thread);

void minidump_add_threads(struct snapshot *snapshot, const struct minidump *dump,
                          enum minidump_machine machine);
void minidump_add_modules(struct snapshot *snapshot, const struct minidump *dump);
void minidump_add_mappings(struct snapshot *snapshot, const struct minidump *dump);

/* Corrects the ends of modules by the mappings, when both are there and sorted. */
void minidump_extend_modules(struct snapshot *snapshot);

enum cairn_machine minidump_machine_for(enum minidump_machine machine);

#endif
