/* SPDX-License-Identifier: MIT */
/*
 * Frees the memory of a function that calls back into the host, which may leave by an exception:
 * marked memory is freed then and at the normal end.
 *
 *	WITH_CLEANUP(finish_work) struct work work = { 0 };
 *
 * finish_work() gets the address of `work`.  All of the engine is compiled with -fexceptions.
 */
#ifndef CAIRN_BASE_CLEANUP_H
#define CAIRN_BASE_CLEANUP_H

#define WITH_CLEANUP(finish) __attribute__((cleanup(finish)))

#endif
