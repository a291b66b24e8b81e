/* SPDX-License-Identifier: MIT */
/*
 * Does a .debug_frame section tell what the .sframe tells that it was made of?  Entries tile it, each
 * function has one FDE, and each row, run by the decoder of call frame instructions, is the rule of
 * SFrame.  The first flaw as a phrase; NULL when there is none.
 */
#ifndef CAIRN_TESTS_CHECK_FRAMES_H
#define CAIRN_TESTS_CHECK_FRAMES_H

#include "formats/ehframe/cfi.h"
#include "writers/frames/frame_writer.h"

const char *check_frames(const struct frame_table *table, struct cairn_rules *rules);

/* The row of the section for `va`; false when no FDE covers it. */
bool check_frames_row(const struct frame_table *table, uint64_t va, struct cfi_row *row);

#endif
