/* SPDX-License-Identifier: MIT */
/* The place of a row or a call, as long as not too many bytes of paths were printed. */
#include "diff.h"

struct cairn_location diff_place(struct diff *diff, const struct function *function, uint32_t file,
                                 uint32_t line)
{
	const struct function_file *path = &function->files[file];
	const struct cairn_location place = { .directory = path->directory,
		                              .file = path->name,
		                              .function = { path->name.data, 0 },
		                              .line = line };

	return printed_location(&diff->printed, &place);
}
