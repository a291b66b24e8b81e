/* SPDX-License-Identifier: MIT */
/*
 * What `info files` of GDB prints, made into modules: their names, address ranges, and where their
 * unwind tables are.  Text in, an array out; nothing is allocated, and the texts are borrowed.
 *
 *	static struct info_files files;
 *	info_files_read(text, &files);
 *	for (size_t i = 0; i < files.count; i++)
 *		... files.modules[i].host
 */
#ifndef CAIRN_GDB_QUERIES_INFO_FILES_H
#define CAIRN_GDB_QUERIES_INFO_FILES_H

#include <cairn.h>

enum { INFO_FILES_MODULES = 2048 }; /* more are left out */

struct info_files_module {
	struct cairn_host_module host; /* its name without "target:" */
	struct cairn_bytes type; /* BFD's name of the file type of the program: "elf64-x86-64" */
	bool on_target;          /* the name is a path on the remote system */
	bool program;            /* the program itself: GDB gives no name in its lines */
};

struct info_files {
	struct info_files_module modules[INFO_FILES_MODULES];
	size_t count;
	bool cut; /* there were more */
};

void info_files_read(struct cairn_bytes text, struct info_files *files);

/* Takes the modules over into the space; how many it took. */
size_t info_files_report(const struct info_files *files, struct cairn_space *space);

/* The lowest address of its code, or else of all. */
static inline uint64_t info_files_pc(const struct info_files_module *module)
{
	const struct cairn_host_module *host = &module->host;

	return host->text.low < host->text.high ? host->text.low : host->low;
}

#endif
