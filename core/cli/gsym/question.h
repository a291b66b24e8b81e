/* SPDX-License-Identifier: MIT */
/* What a person may give as an address. */
#ifndef CAIRN_CLI_GSYM_QUESTION_H
#define CAIRN_CLI_GSYM_QUESTION_H

#include "lookup.h"

/*
 * The address that a word or a line is about:
 *
 *	4144  0x1030  103f              decimal, and hexadecimal where 0x or a letter says so
 *	0000000000001030  00001030      hexadecimal, as nm prints it
 *	main  main+4  ns::area(int)     a function, which goes before hexadecimal digits
 *	srv+0x14f0  /opt/srv+0x14f0     an offset from the first byte of the program in memory
 *	#1  0x000055555555516c in main () at a.c:3
 *
 * The last is a frame of a stack, as `cairn bt`, GDB and LLDB print it: of all but the innermost the call is looked up, which
 * ends before the return address.
 */
bool question_parse(struct lookup *lookup, const char *text, uint64_t *va);

/* Finds out where the program begins in memory, for offsets from there, if any of the texts has one (none: standard input). */
void question_begin(struct lookup *lookup, int count, char **texts);

/* A number alone, without white space around it. */
bool question_parse_address(struct cairn_bytes text, uint64_t *va);

#endif
