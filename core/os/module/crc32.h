/* SPDX-License-Identifier: MIT */
/* The checksum in .gnu_debuglink: CRC-32 as in Ethernet and zlib, over all bytes of the file. */
#ifndef CAIRN_OS_MODULE_CRC32_H
#define CAIRN_OS_MODULE_CRC32_H

#include <cairn.h>

uint32_t crc32_of(struct cairn_bytes bytes);

#endif
