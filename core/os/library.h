/* SPDX-License-Identifier: MIT */
/* Opens optional libraries. */
#ifndef CAIRN_OS_LIBRARY_H
#define CAIRN_OS_LIBRARY_H

/*
 * Return a handle for dlsym(), or NULL. A statically linked program (-Dstatic=true) never opens a
 * library, because that would load a second C library.
 */
void *os_library_open(const char *path);

#endif
