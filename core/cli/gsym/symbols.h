/* SPDX-License-Identifier: MIT */
/* Declares the verb of `cairn symbols`. */
#ifndef CAIRN_CLI_GSYM_SYMBOLS_H
#define CAIRN_CLI_GSYM_SYMBOLS_H

#include "cli/front/cli.h"

int symbols_write(int argc, char **argv);

#endif
