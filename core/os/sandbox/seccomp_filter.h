/* SPDX-License-Identifier: MIT */
/* Filters of system calls: those that no verb needs, or that this one does not, fail with EPERM. */
#ifndef CAIRN_OS_SANDBOX_SECCOMP_FILTER_H
#define CAIRN_OS_SANDBOX_SECCOMP_FILTER_H

#include <stdbool.h>

/* `rights` of enum sandbox_right; false: the kernel or this machine has no such filter. */
bool seccomp_filter_enter(unsigned rights);

/* A second filter, for a process that has all its files open: any call that opens, makes or changes a file by its
   path, that starts a program, or reaches a network fails with EPERM. */
bool seccomp_filter_refuse_paths(void);

#endif
