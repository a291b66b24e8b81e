/* SPDX-License-Identifier: MIT */
/* State of a call that writes a file with an SFrame table. */
#ifndef CAIRN_WRITERS_SFRAME_WORK_H
#define CAIRN_WRITERS_SFRAME_WORK_H

#include "formats/elf/elf.h"

#include "table.h"

struct sframe_work {
	const struct cairn_sframe_options *options;
	struct elf elf;
	struct sframe_draft draft;
	struct byte_buffer out;
	struct cairn_sframe_file made;
};

/* Set the address of the table, and the maximum size of the table and of the file. */
void sframe_work_begin(struct sframe_work *work, uint64_t address, uint64_t most);

/* Count an unreadable item and keep the first error. */
void sframe_work_damage(struct cairn_sframe_file *made, const struct cairn_fault *fault);

/* Move the finished file from work->out to work->made. `table` is the size of its table. */
void sframe_work_end(struct sframe_work *work, uint64_t table);

/* Move work->made to *made if `status` is CAIRN_OK. Return `status`. */
enum cairn_status sframe_work_give(struct sframe_work *work, enum cairn_status status,
                                   struct cairn_sframe_file *made);

/*
 * Free everything that was not handed over. Use WITH_CLEANUP() for this, because the host's poll()
 * is called in between and may leave by an exception.
 */
void sframe_work_finish(struct sframe_work *work);

/*
 * Replace the file with an SFrame table in *made by a row table with the same rules. Code whose
 * rules a row cannot express is moved from `written` to `left_out`. On failure the file is
 * unchanged.
 */
enum cairn_status rows_make(struct cairn_sframe_file *made,
                            const struct cairn_sframe_options *options, struct cairn_fault *fault);

#endif
