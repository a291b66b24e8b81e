/* SPDX-License-Identifier: MIT */
/*
 * Is the .gdb_index of a symbol object sound?  Its parts follow each other, its units are those of .debug_info, and each name
 * is found by GDB's hash and has units of the list. The first flaw as a phrase; NULL when there is none, or no index.
 */
#ifndef CAIRN_TESTS_CHECK_NAME_INDEX_H
#define CAIRN_TESTS_CHECK_NAME_INDEX_H

#include <cairn.h>

const char *check_name_index(struct cairn_bytes index, struct cairn_bytes info, bool big);

/* How many names are in it; 0 when there is no index. */
size_t count_index_names(struct cairn_bytes index);

#endif
