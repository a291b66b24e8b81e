/* SPDX-License-Identifier: MIT */
#include "debuginfo/program_parts.h"

void program_close_split(struct program_reader *reader)
{
	(void)reader;
}

enum cairn_status program_load_split(struct program_reader *reader, struct cairn_fault *fault,
                                     const char **section)
{
	(void)reader, (void)fault, (void)section;
	return CAIRN_NOT_FOUND;
}
