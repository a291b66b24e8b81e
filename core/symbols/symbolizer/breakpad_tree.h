/* SPDX-License-Identifier: MIT */
/*
 * Breakpad's files in the layout of symbol stores, DIR/NAME/ID/NAME.sym, as a source of a symbolizer: NAME is the last part of the
 * module's path, ID its debug ID with the age 0.
 */
#ifndef CAIRN_SYMBOLS_SYMBOLIZER_BREAKPAD_TREE_H
#define CAIRN_SYMBOLS_SYMBOLIZER_BREAKPAD_TREE_H

#include <cairn.h>

extern const struct cairn_symbol_source breakpad_tree_source;

#endif
