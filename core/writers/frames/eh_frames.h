/* SPDX-License-Identifier: MIT */
/*
 * Copies an .eh_frame that debuggers cannot find. Debuggers look for a section of that name, while
 * the program itself uses the program header PT_GNU_EH_FRAME, so the data still works after a tool
 * has removed or renamed the section.
 */
#ifndef CAIRN_WRITERS_FRAMES_EH_FRAMES_H
#define CAIRN_WRITERS_FRAMES_EH_FRAMES_H

#include "frame_writer.h"
#include "program_image.h"

enum {
	EH_FRAMES_TIMES = 8, /* limit of the output per byte of the file; programs need 0.2 */
	/* Maximum size of an FDE that is duplicated for each stub, in bytes. */
	EH_FRAMES_STUB_PROGRAM = 64,
	EH_FRAMES_POLL = 1 << 8,
};

/* Return true if the program has call frame information but no section named .eh_frame. */
bool eh_frames_are_hidden(struct program_image *image);

/*
 * Copy the FDEs to .debug_frame and add a function for each FDE. The table must be empty.
 * Unreadable FDEs are skipped and counted as damaged. Return false if memory is short.
 */
bool eh_frames_write(struct program_image *image, const struct frame_writer_options *options,
                     struct frame_table *table);

#endif
