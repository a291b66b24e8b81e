/* SPDX-License-Identifier: MIT */
/* ELF files in new memory that have nothing but sections of DWARF, as they are once unpacked, for libdw. */
#ifndef CAIRN_TESTS_TOOLS_LIBDW_LIBDW_IMAGE_H
#define CAIRN_TESTS_TOOLS_LIBDW_LIBDW_IMAGE_H

#include "debuginfo/dwarf_sections.h"

/*
 * The sections of `plain`: libdw would decompress them a second time, and writes into relocatable files.
 * NULL: memory is short.
 */
void *libdw_build_image(const struct dwarf_file *plain, size_t *size);

#endif
