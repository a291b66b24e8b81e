/* SPDX-License-Identifier: MIT */
/* Begins and ends the writing of a file with an SFrame table. */
#include "work.h"

#include <stdlib.h>

void sframe_work_begin(struct sframe_work *work, uint64_t address, uint64_t most)
{
	struct sframe_draft *draft = &work->draft;

	draft->address = address;
	draft->share = work->options->share_rows;
	draft->join = work->options->join_functions && !work->options->share_rows;
	draft->data.limit = work->out.limit = most < UINT32_MAX ? (size_t)most : UINT32_MAX;
	work->out.big = draft->format.big;
}

void sframe_work_damage(struct cairn_sframe_file *made, const struct cairn_fault *fault)
{
	if (made->damaged++ == 0)
		made->fault = *fault;
}

void sframe_work_end(struct sframe_work *work, uint64_t table)
{
	work->made.table = table;
	work->made.functions = work->draft.records;
	work->made.rows = work->draft.rows;
	work->made.bytes = byte_buffer_view(&work->out);
	work->out.data = NULL;
}

enum cairn_status sframe_work_give(struct sframe_work *work, enum cairn_status status,
                                   struct cairn_sframe_file *made)
{
	if (status == CAIRN_OK) {
		*made = work->made;
		work->made.bytes.data = NULL;
	}
	return status;
}

void sframe_work_finish(struct sframe_work *work)
{
	free((void *)(uintptr_t)work->made.bytes.data);
	sframe_draft_finish(&work->draft);
	byte_buffer_finish(&work->out);
}
