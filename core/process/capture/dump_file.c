/* SPDX-License-Identifier: MIT */
/* Writes a draft of a minidump to the host. */
#include "dump_file.h"

#include "base/error.h"

enum cairn_status dump_file_write(const struct minidump_draft *draft,
                                  int (*write)(void *context, const void *bytes, size_t size),
                                  void *context, uint64_t *size, struct cairn_error *error)
{
	struct minidump_output output = { write, context, 0 };
	struct cairn_fault fault;
	const enum cairn_status status = minidump_write(draft, &output, size, &fault);

	if (output.error)
		error_set_system(error, output.error, NULL, "the minidump cannot be written");
	else if (status != CAIRN_OK)
		error_set_fault(error, NULL, NULL, &fault, NULL);
	return status;
}
