/* SPDX-License-Identifier: MIT */
/* What is freed where its variable ends, although an exception of the debugger leaves through here. */
#ifndef CAIRN_COMMON_BASE_CLEANUP_H
#define CAIRN_COMMON_BASE_CLEANUP_H

#define CLEANUP(finish) __attribute__((cleanup(finish)))

#endif
