/* SPDX-License-Identifier: MIT */
/* The file of a module, and the object that becomes its debug file. */
#ifndef CAIRN_LLDB_MODULE_FILE_H
#define CAIRN_LLDB_MODULE_FILE_H

#include "common/loading/loader.h"
#include "common/symbols/side_files.h"

#include <string>
#include <vector>

struct module_file {
	struct cairn_program program;
	std::string path;
	std::vector<uint8_t> bytes; /* of the whole file; empty: not read */
	std::vector<uint8_t>
		sframe_file; /* that was made for the program; empty: none, or not read */
};

/* Reads what identifies it; false: it is no program that an object can be made for. */
bool read_program(const std::string &path, struct module_file *file);

/* Reads all its bytes: none if it cannot be read, or is too large for an object to be made of it. */
void read_file_bytes(struct module_file *file);

/*
 * Reads the file with the SFrame table that was made for a program without unwind tables; false: there is none.  `named` are
 * those that the user named; `directories` may be NULL.
 */
bool read_sframe_file(struct module_file *file, const struct side_files *named,
                      const char *directories);

/* Can LLDB unwind the program only by what an object has of its .sframe, or of an .eh_frame in no section of that name? */
bool has_frames_alone(const struct cairn_program *program);

/* The module as it is before it is loaded: addresses as linked.  It points into the file. */
struct symbol_target describe_file(const struct module_file *file);

/*
 * A sealed object of these symbols, or of frames alone if they are NULL, from a file whose bytes, and those of
 * read_sframe_file(), have been read.  Its descriptor, which the caller closes, or -1; *functions: how many the symbols have.
 */
int make_file_object(const struct module_file *file, const struct cairn_symbols *symbols,
                     uint64_t offset, uint64_t *functions);

#endif
