/* SPDX-License-Identifier: MIT */
/* What a call that makes a file with an SFrame table works on, until the file is there. */
#ifndef CAIRN_WRITERS_SFRAME_WORK_H
#define CAIRN_WRITERS_SFRAME_WORK_H

#include "formats/elf/elf.h"

#include "table.h"

struct sframe_work {
	const struct cairn_sframe_options *options;
	struct elf elf; /* the program */
	struct sframe_draft draft;
	struct byte_buffer out;
	struct cairn_sframe_file made;
};

/* The table is for this address, and neither it nor the file gets more than `most` bytes. */
void sframe_work_begin(struct sframe_work *work, uint64_t address, uint64_t most);

/* Counts what cannot be read completely. */
void sframe_work_damage(struct cairn_sframe_file *made, const struct cairn_fault *fault);

/* The file is in ->out, with a table of so many bytes: it goes to ->made. */
void sframe_work_end(struct sframe_work *work, uint64_t table);

/* Hands ->made over, if `status` is OK, and returns that. */
enum cairn_status sframe_work_give(struct sframe_work *work, enum cairn_status status,
                                   struct cairn_sframe_file *made);

/* Frees what was not handed over.  The host is called meanwhile, so this is for WITH_CLEANUP(). */
void sframe_work_finish(struct sframe_work *work);

/*
 * Replaces the file with an SFrame table in *made by a row table with its rules.  What a row cannot say moves from
 * `written` to `left_out`.  When it fails, the file is as it was.
 */
enum cairn_status rows_make(struct cairn_sframe_file *made,
                            const struct cairn_sframe_options *options, struct cairn_fault *fault);

#endif
