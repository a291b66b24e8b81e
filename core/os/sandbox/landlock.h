/* SPDX-License-Identifier: MIT */
/* Landlock of Linux: a set of rules about files, and entering it for good. sandbox.h has what adds rules to it. */
#ifndef CAIRN_OS_SANDBOX_LANDLOCK_H
#define CAIRN_OS_SANDBOX_LANDLOCK_H

#include <stdbool.h>

/* The version of the kernel that runs; 0: it has none, or it is switched off. */
int landlock_version(void);

/* A file descriptor of rules that refuse every file, and TCP unless `network`; negative: errno says why. */
int landlock_begin(int version, bool network);

bool landlock_enter(int rules);

#endif
