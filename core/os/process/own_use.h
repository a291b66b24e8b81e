/* SPDX-License-Identifier: MIT */
/*
 * Measures the resources used by this process, for monitoring:
 *
 *	const int memory = own_use_open();     before the process is confined
 *	... own_use_memory(memory), own_use_processor()
 */
#ifndef CAIRN_OS_PROCESS_OWN_USE_H
#define CAIRN_OS_PROCESS_OWN_USE_H

#include <stdint.h>

/* Open a file of /proc for own_use_memory(). Returns -1 on failure. */
int own_use_open(void);

/* Return the resident memory in bytes, or 0 if it is unknown. */
uint64_t own_use_memory(int file);

/* Return the processor time in seconds. */
double own_use_processor(void);

#endif
