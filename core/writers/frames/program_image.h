/* SPDX-License-Identifier: MIT */
/*
 * A program's file as if it were loaded where it was linked to, so that what reads a process reads
 * the file.
 */
#ifndef CAIRN_WRITERS_FRAMES_PROGRAM_IMAGE_H
#define CAIRN_WRITERS_FRAMES_PROGRAM_IMAGE_H

#include "formats/elf/elf.h"
#include "unwind/modules/modules.h"

struct program_image {
	struct elf elf;
	struct cairn_space *space;
	struct module *module; /* of the space */
};

/* NOT_FOUND: the file has no code.  `image` must stay where it is until it is closed. */
enum cairn_status program_image_open(struct cairn_bytes file, struct program_image *image);
void program_image_close(struct program_image *image);

/* How much of the range from `va` on is code whose bytes are in the file. */
uint64_t program_image_code_size(const struct program_image *image, uint64_t va);

struct frame_table;

/* Names the stubs of a PLT by what they call, where the file records it. */
void frame_table_name_stubs(const struct program_image *image, struct frame_table *table);

#endif
