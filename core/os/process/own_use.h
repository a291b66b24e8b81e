/* SPDX-License-Identifier: MIT */
/*
 * What this process uses of the machine, for those who watch it:
 *
 *	const int memory = own_use_open();     before the process is confined
 *	... own_use_memory(memory), own_use_processor()
 */
#ifndef CAIRN_OS_PROCESS_OWN_USE_H
#define CAIRN_OS_PROCESS_OWN_USE_H

#include <stdint.h>

/* A file of /proc for own_use_memory(), or -1. */
int own_use_open(void);

/* Bytes that are in memory; 0: it is not known. */
uint64_t own_use_memory(int file);

/* Seconds on processors. */
double own_use_processor(void);

#endif
