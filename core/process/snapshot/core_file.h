/* SPDX-License-Identifier: MIT */
/*
 * Provides the memory in a core dump: the dumped ranges, and a target that reads them. Kernels do
 * not dump unmodified pages of files, so these pages are missing.
 *
 *	struct corefile core;
 *	if (corefile_open(&core, &elf) == CAIRN_OK)
 *		... core.target, core.range[0] to core.range[core.count - 1]
 *	corefile_close(&core);
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_CORE_FILE_H
#define CAIRN_PROCESS_SNAPSHOT_CORE_FILE_H

#include <cairn.h>

#include "formats/elf/elf.h"

struct corefile_range {
	uint64_t address;
	struct cairn_bytes bytes; /* points into the file; never empty */
	bool writable;
};

struct corefile {
	struct corefile_range *range; /* ascending and disjoint */
	size_t count;
	/*
	 * target that reads `range`; its context is this struct, which must therefore not be copied
	 */
	struct cairn_target target;
};

struct cairn_bytes corefile_present_bytes(const struct elf *elf, const struct elf_segment *segment);

/*
 * List the ranges of a core file. The file's bytes are borrowed. Return NO_MEMORY, or MALFORMED if
 * the file is not a core.
 */
CAIRN_MUST_USE enum cairn_status corefile_open(struct corefile *core, const struct elf *elf);

/*
 * Provide memory from ranges that the caller has listed, for example from a minidump. Ranges must
 * not be empty or wrap. The array must be allocated by malloc(); corefile_close() frees it.
 */
void corefile_adopt(struct corefile *core, struct corefile_range *ranges, size_t count);
void corefile_close(struct corefile *core);

void corefile_free(void *core);

/* Implements snapshot.find_part; `core` is a struct corefile. */
bool corefile_find_part(const void *core, uint64_t address, struct cairn_range *part,
                        struct cairn_bytes *bytes);

#endif
