/* SPDX-License-Identifier: MIT */
/* GDB's implementation of struct symbol_loader. */
#ifndef CAIRN_GDB_LOADING_GDB_LOADER_H
#define CAIRN_GDB_LOADING_GDB_LOADER_H

#include "common/session/loading.h"

extern const struct symbol_loader gdb_loader;

#endif
