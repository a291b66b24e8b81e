/* SPDX-License-Identifier: MIT */
/* Replaces cfi.c in builds without libelf and libdw. */
#include "cfi.h"

struct debuginfo_cfi *debuginfo_cfi_open(struct cairn_bytes file, enum cairn_machine machine,
                                         const char **why)
{
	(void)file;
	(void)machine;
	*why = "this cairn was built without libdw";
	return NULL;
}

void debuginfo_cfi_close(struct debuginfo_cfi *cfi)
{
	(void)cfi;
}

bool debuginfo_cfi_exhausted(const struct debuginfo_cfi *cfi)
{
	(void)cfi;
	return false;
}

enum cairn_status debuginfo_cfi_find(struct debuginfo_cfi *cfi, uint64_t va,
                                     struct cairn_rule *rule)
{
	(void)cfi;
	(void)va;
	(void)rule;
	return CAIRN_NOT_FOUND;
}
