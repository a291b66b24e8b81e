/* SPDX-License-Identifier: MIT */
/*
 * The memory in a core dump: which addresses were written to it, and a target that reads them.
 * What was not dumped is not there: kernels leave out what they find in the files themselves.
 *
 *	struct corefile core;
 *	if (corefile_open(&core, &elf) == CAIRN_OK)
 *		... core.target, core.range[0] to core.range[core.count - 1]
 *	corefile_close(&core);
 */
#ifndef CAIRN_UNWIND_TARGET_CORE_FILE_H
#define CAIRN_UNWIND_TARGET_CORE_FILE_H

#include <cairn.h>

#include "formats/elf/elf.h"

/* Memory from `address` on. */
struct corefile_range {
	uint64_t address;
	struct cairn_bytes bytes; /* of the file, never empty */
	bool writable;
};

struct corefile {
	struct corefile_range *range; /* ascending and apart */
	size_t count;
	struct cairn_target target; /* its context is this struct: do not copy it */
};

/* As much of a segment as the file has. */
struct cairn_bytes corefile_present_bytes(const struct elf *elf, const struct elf_segment *segment);

/* The file's bytes stay borrowed.  NO_MEMORY, or MALFORMED when it is not a core. */
CAIRN_MUST_USE enum cairn_status corefile_open(struct corefile *core, const struct elf *elf);

/*
 * The same of ranges that are described elsewhere, as in a minidump: none of them empty, none that goes
 * round the end of memory. The array comes from malloc() and is freed by corefile_close().
 */
void corefile_adopt(struct corefile *core, struct corefile_range *ranges, size_t count);
void corefile_close(struct corefile *core);

/* Closes one that is memory of malloc(), and frees it. */
void corefile_free(void *core);

#endif
