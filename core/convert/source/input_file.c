/* SPDX-License-Identifier: MIT */
/* Opens the files that a host names, by its functions or by the library's own. */
#include "function_source.h"

#include "base/error.h"

enum cairn_status function_source_open_file(const struct cairn_functions_options *options,
                                            const char *path, struct os_file *file,
                                            struct cairn_error *error)
{
	/* whatever a user names, or regular files by the functions of the host, if it has some */
	const int failed = options->files.open ? os_file_open_by(&options->files, path, file)
	                                       : os_file_open(path, file);

	return failed ? error_set_system(error, failed, path, "cannot read") : CAIRN_OK;
}
