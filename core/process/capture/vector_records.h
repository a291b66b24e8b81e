/* SPDX-License-Identifier: MIT */
/*
 * Finds the records of scalable vectors (SVE, SME) in the kernel's signal frames on aarch64.  A minidump has no such registers, so the core that
 * is made of it has no notes for them.  Debuggers fail on such a record then: GDB up to 13 loops on the first one,
 * later ones take the interrupted frame for one of a machine with other registers.  So the core leaves out the record's head, by which they know it.
 *
 *	struct cairn_stacks *stacks = NULL;  which the caller has opened
 *	struct vector_records records;
 *	if (vector_records_find(&records, stacks))
 *		... records.record[0 .. records.count)
 *	vector_records_finish(&records);
 */
#ifndef CAIRN_PROCESS_CAPTURE_VECTOR_RECORDS_H
#define CAIRN_PROCESS_CAPTURE_VECTOR_RECORDS_H

#include "process/stacks/stacks.h"

enum {
	VECTOR_RECORD_HEAD = 8,        /* bytes: what it is, and its size */
	VECTOR_RECORDS_MAX = 1 << 12,  /* of further frames of signals they stay */
	VECTOR_RECORDS_STEPS = 1 << 8, /* records of one frame that are read */
};

struct vector_record {
	uint64_t address;
};

struct vector_records {
	struct vector_record *record; /* ascending */
	size_t count, room;
	bool scarce; /* memory is short */
};

/* Walks all threads, which ends the walk of cairn_stacks_begin(). False: memory is short; they have to be finished all the same. */
bool vector_records_find(struct vector_records *records, struct cairn_stacks *stacks);
void vector_records_finish(struct vector_records *records);

#endif
