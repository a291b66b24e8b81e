/* SPDX-License-Identifier: MIT */
/* `cairn gsym create --tree`: a GSYM file of each build in a folder. */
#ifndef CAIRN_CLI_GSYM_CREATE_TREE_H
#define CAIRN_CLI_GSYM_CREATE_TREE_H

#include "create.h"

#include "cli/tree/tree.h"

/* stored.c: is a whole GSYM file of this build ID there? */
bool create_is_stored(const char *path, const struct tree_file *file);

/* tree.c: all of it; the exit status. */
int create_tree(const struct create *create);

#endif
