/* SPDX-License-Identifier: MIT */
#include "libdw_walk.h"

struct slow *slow_open(const struct plain *plain, const struct plain *alt)
{
	(void)plain, (void)alt;
	return NULL;
}

void slow_close(struct slow *slow)
{
	(void)slow;
}

void slow_set_budget(struct slow *slow, struct budget *budget)
{
	(void)slow, (void)budget;
}

enum cairn_status slow_read(struct slow *slow, const struct slow_unit *unit,
                            struct cairn_fault *fault)
{
	(void)slow, (void)unit, (void)fault;
	return CAIRN_UNSUPPORTED;
}

bool slow_lines(struct slow *slow, const struct dwarf_unit *unit, uint64_t *offset,
                struct cairn_bytes *comp_dir)
{
	(void)slow, (void)unit, (void)offset, (void)comp_dir;
	return false;
}
