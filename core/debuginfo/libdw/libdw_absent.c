/* SPDX-License-Identifier: MIT */
/* Replaces the libdw walk in builds without libdw and rejects every unit. */
#include "libdw_walk.h"

struct libdw_reader *libdw_open(const struct dwarf_file *plain, const struct dwarf_file *alt)
{
	(void)plain, (void)alt;
	return NULL;
}

void libdw_close(struct libdw_reader *libdw)
{
	(void)libdw;
}

void libdw_set_budget(struct libdw_reader *libdw, struct budget *budget)
{
	(void)libdw, (void)budget;
}

enum cairn_status libdw_read_unit(struct libdw_reader *libdw, const struct libdw_unit *unit,
                                  struct cairn_fault *fault)
{
	(void)libdw, (void)unit, (void)fault;
	return CAIRN_UNSUPPORTED;
}

bool libdw_find_lines(struct libdw_reader *libdw, const struct dwarf_unit *unit, uint64_t *offset,
                      struct cairn_bytes *comp_dir)
{
	(void)libdw, (void)unit, (void)offset, (void)comp_dir;
	return false;
}
