/* SPDX-License-Identifier: MIT */
/* Makes one file that stands in for that of a module. */
#ifndef CAIRN_PROCESS_CAPTURE_PLACEHOLDER_FILE_H
#define CAIRN_PROCESS_CAPTURE_PLACEHOLDER_FILE_H

#include "placeholders.h"

/* Makes the file for a module that has none. Returns false if memory is short. */
bool placeholder_file_make(struct placeholder_file *file, const struct cairn_stacks *stacks,
                           const struct frame_rows *rows, const struct snapshot_module *module);

/*
 * The module's own file and a .debug_frame that describes the frames in these rows; where the file has an .sframe, all that this describes.
 * False: the file cannot have it (its sections have no names, or it has such a section), or memory is short, which
 * file->made.failed tells.
 */
bool placeholder_file_extend(struct placeholder_file *file, const struct frame_rows *rows,
                             const struct snapshot_module *module);

void placeholder_file_finish(struct placeholder_file *file);

#endif
