/* SPDX-License-Identifier: MIT */
/* A file in memory without a name. The kernel frees it when its last descriptor is closed. */
#ifndef CAIRN_OS_FILE_UNNAMED_FILE_H
#define CAIRN_OS_FILE_UNNAMED_FILE_H

/* Return a descriptor for reading and writing that is closed on exec, or -1 with errno set. */
int os_unnamed_file(void);

#endif
