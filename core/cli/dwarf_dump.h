/* SPDX-License-Identifier: MIT */
/* The verbs of `cairn dwarf`. */
#ifndef CAIRN_CLI_DWARF_DUMP_H
#define CAIRN_CLI_DWARF_DUMP_H

#include "cli.h"

int dwarf_dump(int argc, char **argv);

#endif
