/* SPDX-License-Identifier: MIT */
/*
 * The symbols of a running Linux kernel and its modules, as /proc/kallsyms lists them.
 *
 *	struct kallsyms list = kallsyms_open(bytes);
 *	struct kallsyms_symbol symbol;
 *	while (kallsyms_next(&list, &symbol))
 *		... symbol.address, symbol.type, symbol.name, symbol.module
 *
 * A line that breaks the grammar is passed over. Nothing is allocated.
 */
#ifndef CAIRN_FORMATS_KALLSYMS_H
#define CAIRN_FORMATS_KALLSYMS_H

#include <cairn.h>

struct kallsyms {
	struct cairn_bytes in;
	size_t at;
};

struct kallsyms_symbol {
	uint64_t
		address; /* 0 in all lines: the kernel does not show addresses to whoever has read it */
	char type;       /* as of nm: t, T, w and W are code */
	struct cairn_bytes name;   /* not empty; at most KALLSYMS_NAME bytes */
	struct cairn_bytes module; /* without brackets; empty: the kernel itself */
};

enum { KALLSYMS_NAME = 4096 };

struct kallsyms kallsyms_open(struct cairn_bytes bytes);
bool kallsyms_next(struct kallsyms *list, struct kallsyms_symbol *symbol);

#endif
