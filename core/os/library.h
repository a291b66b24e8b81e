/* SPDX-License-Identifier: MIT */
/* Opens libraries that cairn can do without. */
#ifndef CAIRN_OS_LIBRARY_H
#define CAIRN_OS_LIBRARY_H

/*
 * A handle for dlsym(), or NULL.  A program without a dynamic loader of its own (-Dstatic=true) opens none:
 * the library would bring another C library with it.
 */
void *os_library_open(const char *path);

#endif
