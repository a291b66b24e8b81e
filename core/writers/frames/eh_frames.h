/* SPDX-License-Identifier: MIT */
/*
 * The .eh_frame of a program that debuggers find no section for: they look for its name, where a process goes by the
 * program header PT_GNU_EH_FRAME, and tools remove or rename sections.
 */
#ifndef CAIRN_WRITERS_FRAMES_EH_FRAMES_H
#define CAIRN_WRITERS_FRAMES_EH_FRAMES_H

#include "frame_writer.h"
#include "program_image.h"

enum {
	EH_FRAMES_TIMES = 8, /* bytes of entries for each byte of the file; programs have 0.2 */
	EH_FRAMES_STUB_PROGRAM = 64, /* bytes of an FDE that is written anew for each stub */
	EH_FRAMES_POLL = 1 << 8,     /* FDEs between two calls of the host */
};

/* Does the program have one that is in no section of its name? */
bool eh_frames_are_hidden(struct program_image *image);

/*
 * Its FDEs as those of .debug_frame, each with a function; the table is empty before. An FDE that cannot be read
 * costs itself, and is counted as damaged.  False when memory is short.
 */
bool eh_frames_write(struct program_image *image, const struct frame_writer_options *options,
                     struct frame_table *table);

#endif
