/* SPDX-License-Identifier: MIT */
/*
 * Modules without symbols that know lines, and debuginfod, which may have these.  The program cairn asks it and makes
 * the files (`cairn gsym fetch`): inside a debugger neither the network nor DWARF is read.
 */
#ifndef CAIRN_COMMON_LOADING_MISSING_BUILDS_H
#define CAIRN_COMMON_LOADING_MISSING_BUILDS_H

#include "common/loading/loading.h"

struct missing_builds {
	char id[SOURCES_MAX][2 * SOURCES_ID + 1]; /* build IDs in hexadecimal */
	size_t count;
};

/*
 * Those of the modules in loading->list that are called so (NULL: all): neither the debugger nor the files that cairn
 * finds have lines of them.
 */
void missing_builds_find(struct command_call *call, const char *name,
                         struct missing_builds *missing);

/* Has them fetched into the cache. */
enum answer missing_builds_fetch(struct command_call *call, struct missing_builds *missing);

#endif
