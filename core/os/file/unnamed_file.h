/* SPDX-License-Identifier: MIT */
/* A file in memory that has no name and is gone when it is closed by all who have it. */
#ifndef CAIRN_OS_FILE_UNNAMED_FILE_H
#define CAIRN_OS_FILE_UNNAMED_FILE_H

/* A descriptor, to be read and written, that is closed at an exec; -1 with errno. */
int os_unnamed_file(void);

#endif
