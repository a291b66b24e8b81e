/* SPDX-License-Identifier: MIT */
/*
 * Reads the symbols of a running Linux kernel and its modules from /proc/kallsyms.
 *
 *	struct kallsyms list = kallsyms_open(bytes);
 *	struct kallsyms_symbol symbol;
 *	while (kallsyms_next(&list, &symbol))
 *		... symbol.address, symbol.type, symbol.name, symbol.module
 *
 * Invalid lines are skipped. Nothing is allocated.
 */
#ifndef CAIRN_FORMATS_KALLSYMS_H
#define CAIRN_FORMATS_KALLSYMS_H

#include <cairn.h>

struct kallsyms {
	struct cairn_bytes in;
	size_t at;
};

struct kallsyms_symbol {
	/*
	 * 0 in all lines if the process that read the file was not allowed to see kernel addresses
	 */
	uint64_t address;
	char type;                 /* symbol type as printed by nm; t, T, w and W are code */
	struct cairn_bytes name;   /* never empty; at most KALLSYMS_NAME bytes */
	struct cairn_bytes module; /* without brackets; empty for the kernel itself */
};

enum { KALLSYMS_NAME = 4096 };

struct kallsyms kallsyms_open(struct cairn_bytes bytes);
bool kallsyms_next(struct kallsyms *list, struct kallsyms_symbol *symbol);

#endif
