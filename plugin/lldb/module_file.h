/* SPDX-License-Identifier: MIT */
/* The file of a module, and the object that becomes its debug file. */
#ifndef CAIRN_LLDB_MODULE_FILE_H
#define CAIRN_LLDB_MODULE_FILE_H

#include "common/session/loading.h"
#include "common/session/sources.h"

#include <string>
#include <vector>

struct module_file {
	struct cairn_program program;
	std::string path;
	std::vector<uint8_t> bytes; /* contents of the file; empty if not read */
	/* SFrame file made for the program; empty if not found or not read */
	std::vector<uint8_t> sframe_file;
};

/* Read the description of a program. Returns false if no object can be made for it. */
bool read_program(const std::string &path, struct module_file *file);

/* Read the whole file. The bytes are empty if it cannot be read or is too large. */
void read_file_bytes(struct module_file *file);

/*
 * Read the SFrame file that was made for a program without unwind tables. Returns false if no such
 * file is found. `named` are the files that the user gave; `directories` may be NULL.
 */
bool read_sframe_file(struct module_file *file, const struct side_files *named,
                      const char *directories);

/*
 * Return true if LLDB can unwind the program only with an object made from its .sframe, or from an
 * .eh_frame that is not in a section of that name.
 */
bool has_frames_alone(const struct cairn_program *program);

/*
 * Return the module as it is before it is loaded, with addresses as linked. It points into the
 * file.
 */
struct symbol_target describe_file(const struct module_file *file);

/*
 * Make a sealed object of these symbols, or of frames alone if `symbols` is NULL. The bytes of the
 * file, and of its SFrame file, must have been read. Returns a descriptor, which the caller closes,
 * or -1. *functions is the number of functions in the object.
 */
int make_file_object(const struct module_file *file, const struct cairn_symbols *symbols,
                     uint64_t offset, uint64_t *functions);

#endif
