/* SPDX-License-Identifier: MIT */
/*
 * Code of a module that is mapped at a second place, too: V8 does that with its builtins, so that calls
 * from the code that it makes are near. A core does not hold such a mapping, because nobody changed it, but
 * the list of mapped files has it. It becomes a module of its own, with the build ID of the first one and the
 * bias that its place in the file gives, so that its bytes and names are those of the file.
 *
 *	struct snapshot snapshot = { .kind = CAIRN_STACKS_CORE };
 *	snapshot_remapped_code_find(&snapshot);
 *
 * Modules have to be sorted, and are so afterwards.
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_REMAPPED_CODE_H
#define CAIRN_PROCESS_SNAPSHOT_REMAPPED_CODE_H

#include "model/snapshot.h"

void snapshot_remapped_code_find(struct snapshot *snapshot);

#endif
