/* SPDX-License-Identifier: MIT */
/*
 * What `info files` of GDB prints, made into modules: their names, address ranges, and where their
 * unwind tables are.  Text in, an array out; nothing is allocated, and the texts are borrowed.
 *
 *	static struct info_files files;
 *	info_files_read(text, &files);
 *	for (size_t i = 0; i < files.count; i++) {
 *		struct cairn_host_module report = info_files_host_module(&files.modules[i]);
 *		...
 *	}
 */
#ifndef CAIRN_GDB_QUERIES_INFO_FILES_H
#define CAIRN_GDB_QUERIES_INFO_FILES_H

#include <cairn.h>

enum { INFO_FILES_MODULES = 2048 }; /* more are left out */

struct info_files_module {
	struct cairn_bytes name; /* without "target:" */
	struct cairn_bytes type; /* BFD's name of the file type of the program: "elf64-x86-64" */
	enum cairn_machine machine;
	bool big_endian;
	bool on_target; /* the name is a path on the remote system */
	bool program;   /* the program itself: GDB gives no name in its lines */
	uint64_t low, high;
	struct cairn_range text, sframe, eh_frame_hdr, eh_frame; /* empty: none */
};

struct info_files {
	struct info_files_module modules[INFO_FILES_MODULES];
	size_t count;
	bool cut; /* there were more */
};

void info_files_read(struct cairn_bytes text, struct info_files *files);

/* The module as cairn_space_add_module() takes it. */
struct cairn_host_module info_files_host_module(const struct info_files_module *module);

#endif
