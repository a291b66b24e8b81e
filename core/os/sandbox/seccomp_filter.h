/* SPDX-License-Identifier: MIT */
/* A filter of system calls: those that no verb needs, or that this one does not, fail with EPERM. */
#ifndef CAIRN_OS_SANDBOX_SECCOMP_FILTER_H
#define CAIRN_OS_SANDBOX_SECCOMP_FILTER_H

#include <stdbool.h>

/* `rights` of enum sandbox_right; false: the kernel or this machine has no such filter. */
bool seccomp_filter_enter(unsigned rights);

#endif
