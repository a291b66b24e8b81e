/* SPDX-License-Identifier: MIT */
/* Modules for which no symbols were found, and the message about them. */
#ifndef CAIRN_COMMON_SYMBOLS_LACKING_H
#define CAIRN_COMMON_SYMBOLS_LACKING_H

#include "common/base/text.h"
#include "common/symbols/sources.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LACKING_NAMED = 2, LACKING_NAME = 160 };

/* Zero-initialize it. The first modules are named, the others only counted. */
struct lacking_modules {
	struct {
		char name[LACKING_NAME]; /* if empty, the module is shown by `low` */
		uint64_t low;
		struct source_id id;
	} module[LACKING_NAMED];
	size_t count;
};

void lacking_add(struct lacking_modules *lacking, const struct cairn_module *module);

/*
 * Add "no symbols for NAME (build ID ab12): none beside it, ...; ADVICE" to the text. `directories`
 * is the value of the directory setting, or NULL.
 */
void lacking_write(const struct lacking_modules *lacking, const char *directories,
                   struct text *text);

#ifdef __cplusplus
}
#endif

#endif
