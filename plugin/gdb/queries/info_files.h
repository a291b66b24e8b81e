/* SPDX-License-Identifier: MIT */
/*
 * A parser for the output of GDB's `info files`: the names and address ranges of the modules, and
 * the addresses of their unwind tables. Nothing is allocated, and the strings are borrowed from the
 * output.
 *
 *	static struct info_files files;
 *	info_files_read(text, &files);
 *	for (size_t i = 0; i < files.count; i++)
 *		... files.modules[i].host
 */
#ifndef CAIRN_GDB_QUERIES_INFO_FILES_H
#define CAIRN_GDB_QUERIES_INFO_FILES_H

#include <cairn.h>

enum { INFO_FILES_MODULES = 2048 }; /* further modules are left out */

struct info_files_module {
	struct cairn_host_module host; /* the name does not include "target:" */
	struct cairn_bytes type;       /* BFD's name of the program's file type: "elf64-x86-64" */
	bool on_target;                /* the name is a path on the remote system */
	bool program;
};

struct info_files {
	struct info_files_module modules[INFO_FILES_MODULES];
	size_t count;
	bool cut; /* GDB listed more modules than fit */
};

void info_files_read(struct cairn_bytes text, struct info_files *files);

/* Report the modules to the space. Returns the number of modules that it accepted. */
size_t info_files_report(const struct info_files *files, struct cairn_space *space);

/* Return the lowest address of the module's code, or of the module if its code is unknown. */
static inline uint64_t info_files_pc(const struct info_files_module *module)
{
	const struct cairn_host_module *host = &module->host;

	return host->text.low < host->text.high ? host->text.low : host->low;
}

#endif
