/* SPDX-License-Identifier: MIT */
/* Replaces names.c in builds without libelf and libdw. */
#include "names.h"

struct debuginfo_names *debuginfo_names_open(struct cairn_bytes file, const char **why)
{
	(void)file;
	*why = "this cairn was built without libdw";
	return NULL;
}

void debuginfo_names_close(struct debuginfo_names *names)
{
	(void)names;
}

bool debuginfo_names_have_dwarf(const struct debuginfo_names *names)
{
	(void)names;
	return false;
}

const char *debuginfo_names_cut(const struct debuginfo_names *names)
{
	(void)names;
	return NULL;
}

void debuginfo_names_release(struct debuginfo_names *names)
{
	(void)names;
}

size_t debuginfo_names_units_read(const struct debuginfo_names *names)
{
	(void)names;
	return 0;
}

size_t debuginfo_names_chain(struct debuginfo_names *names, uint64_t va, enum debuginfo_paths paths,
                             bool short_names, struct cairn_location locations[DEBUGINFO_LOCATIONS])
{
	(void)names;
	(void)va;
	(void)paths;
	(void)short_names;
	(void)locations;
	return 0;
}

bool debuginfo_names_symbol(struct debuginfo_names *names, uint64_t va,
                            struct cairn_location *location)
{
	(void)names;
	(void)va;
	(void)location;
	return false;
}
