/* SPDX-License-Identifier: MIT */
/*
 * Computes the lookup address of a recorded frame and the number of frames that a run stands for.
 */
#include <cairn.h>

uint64_t cairn_frame_lookup_address(const struct cairn_frame *frame)
{
	return frame->kind == CAIRN_FRAME_RETURN ? frame->value - 1 : frame->value;
}

uint64_t cairn_frame_count(const struct cairn_frame *frame)
{
	uint64_t each = frame->kind == CAIRN_FRAME_OMITTED ? frame->value : 1;

	if (each > 0 && frame->times > UINT64_MAX / each)
		return UINT64_MAX;
	return each * frame->times;
}
