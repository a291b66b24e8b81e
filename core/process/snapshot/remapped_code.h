/* SPDX-License-Identifier: MIT */
/*
 * Code of a module that is mapped a second time. V8 does that with its builtins, so that they are
 * near the code it generates. A core does not contain such a mapping, because it was never
 * modified, but the list of mapped files does. It becomes a module of its own, with the build ID of
 * the first one and the bias that follows from its file offset, so that its bytes and names are
 * read from the file.
 *
 *	struct snapshot snapshot = { .kind = CAIRN_STACKS_CORE };
 *	snapshot_remapped_code_find(&snapshot);
 *
 * Modules must be sorted, and remain sorted.
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_REMAPPED_CODE_H
#define CAIRN_PROCESS_SNAPSHOT_REMAPPED_CODE_H

#include "model/snapshot.h"

void snapshot_remapped_code_find(struct snapshot *snapshot);

#endif
