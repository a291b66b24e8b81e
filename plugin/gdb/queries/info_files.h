/* SPDX-License-Identifier: MIT */
/*
 * What `info files` of GDB prints, made into modules: their names, address ranges, and where their
 * unwind tables are.  Text in, an array out; nothing is allocated, and the texts are borrowed.
 *
 *	static struct files files;
 *	files_read(text, &files);
 *	for (size_t i = 0; i < files.count; i++) {
 *		struct cairn_report report = files_report(&files.modules[i]);
 *		...
 *	}
 */
#ifndef CAIRN_GDB_QUERIES_INFO_FILES_H
#define CAIRN_GDB_QUERIES_INFO_FILES_H

#include <cairn.h>

enum { FILES_MODULES = 2048 }; /* more are left out */

struct files_module {
	struct cairn_bytes name; /* without "target:" */
	struct cairn_bytes type; /* BFD's name of the file type of the program: "elf64-x86-64" */
	enum cairn_machine machine;
	bool big_endian;
	bool on_target; /* the name is a path on the remote system */
	bool program;   /* the program itself: GDB gives no name in its lines */
	uint64_t low, high;
	struct cairn_range text, sframe, eh_frame_hdr, eh_frame; /* empty: none */
};

struct files {
	struct files_module modules[FILES_MODULES];
	size_t count;
	bool cut; /* there were more */
};

void files_read(struct cairn_bytes text, struct files *files);

/* The module as cairn_space_add() takes it. */
struct cairn_report files_report(const struct files_module *module);

#endif
