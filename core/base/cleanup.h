/* SPDX-License-Identifier: MIT */
/*
 * Frees memory of a function that calls back into the host. The host may leave by an exception;
 * marked memory is freed then as well as on normal exit.
 *
 *	WITH_CLEANUP(finish_work) struct work work = { 0 };
 *
 * finish_work() receives the address of `work`. The whole engine is compiled with -fexceptions.
 */
#ifndef CAIRN_BASE_CLEANUP_H
#define CAIRN_BASE_CLEANUP_H

#define WITH_CLEANUP(finish) __attribute__((cleanup(finish)))

#endif
