/* SPDX-License-Identifier: MIT */
/*
 * Where the kernel's frames of signals on aarch64 have records of scalable vectors (SVE, SME).  A minidump has no such registers, and a core
 * of it says nothing of them.  Debuggers that come to such a record then go wrong: GDB until 13 reads the first one for ever,
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
