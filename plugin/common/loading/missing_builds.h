/* SPDX-License-Identifier: MIT */
/*
 * Modules without line information, which debuginfod may have. The program cairn queries the
 * servers and makes the files (`cairn gsym fetch`): inside a debugger, cairn neither uses the
 * network nor reads DWARF.
 */
#ifndef CAIRN_COMMON_LOADING_MISSING_BUILDS_H
#define CAIRN_COMMON_LOADING_MISSING_BUILDS_H

#include "common/loading/loading.h"

struct missing_builds {
	char id[SOURCES_MAX][2 * SOURCES_ID + 1];
	size_t count;
};

/*
 * Find the modules in loading->list with this path or file name (NULL selects all) for which
 * neither the debugger nor the files that cairn finds have lines.
 */
void missing_builds_find(struct command_call *call, const char *name,
                         struct missing_builds *missing);

enum answer missing_builds_fetch(struct command_call *call, struct missing_builds *missing);

#endif
