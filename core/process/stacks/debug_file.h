/* SPDX-License-Identifier: MIT */
/* The separate debug file of a module, in the trees of build IDs that distributions install. */
#ifndef CAIRN_PROCESS_STACKS_DEBUG_FILE_H
#define CAIRN_PROCESS_STACKS_DEBUG_FILE_H

#include "os/file/file.h"

/* False: there is none with this build ID. The caller closes the file. */
bool debug_file_find(struct cairn_bytes build_id, struct os_file *file);

#endif
