/* SPDX-License-Identifier: MIT */
/*
 * Cleanup of a local variable at the end of its scope, also when an exception of the debugger
 * unwinds through the function.
 */
#ifndef CAIRN_COMMON_BASE_CLEANUP_H
#define CAIRN_COMMON_BASE_CLEANUP_H

#define CLEANUP(finish) __attribute__((cleanup(finish)))

#endif
