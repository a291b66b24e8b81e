/* SPDX-License-Identifier: MIT */
/*
 * Presents a program's file as if it were loaded at its link-time address, so that code that reads
 * a process can read the file.
 */
#ifndef CAIRN_WRITERS_FRAMES_PROGRAM_IMAGE_H
#define CAIRN_WRITERS_FRAMES_PROGRAM_IMAGE_H

#include "formats/elf/elf.h"
#include "unwind/tables/modules.h"

struct program_image {
	struct elf elf;
	struct cairn_space *space;
	struct module *module;
};

/*
 * Open a file. Return NOT_FOUND if it does not contain code. `image` must not be moved until it is
 * closed.
 */
enum cairn_status program_image_open(struct cairn_bytes file, struct program_image *image);
void program_image_close(struct program_image *image);

/* Return the number of code bytes from `va` on that are in the file. */
uint64_t program_image_code_size(const struct program_image *image, uint64_t va);

struct frame_table;

/* Name PLT stubs after the functions that they call, as far as the file tells. */
void frame_table_name_stubs(const struct program_image *image, struct frame_table *table);

#endif
