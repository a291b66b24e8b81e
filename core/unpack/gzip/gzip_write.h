/* SPDX-License-Identifier: MIT */
/*
 * Packs bytes as gzip, piece by piece, by zlib:
 *
 *	void *packer = gzip_pack_open();
 *	if (packer)
 *		failed = gzip_pack(packer, bytes, false, out) || gzip_pack(packer, nothing, true, out);
 *	gzip_pack_close(packer);
 *
 * The packed bytes depend on the bytes alone: there is no time and no name in them.
 */
#ifndef CAIRN_UNPACK_GZIP_GZIP_WRITE_H
#define CAIRN_UNPACK_GZIP_GZIP_WRITE_H

#include <cairn.h>

#include "base/byte_buffer.h"

/* NULL: memory is short, or there is no zlib (gzip_pack_absent()). */
void *gzip_pack_open(void);

/* Adds what comes out to *out, whose failure is that of the call; `last` ends the file. Returns false if it failed. */
bool gzip_pack(void *packer, struct cairn_bytes bytes, bool last, struct byte_buffer *out);

void gzip_pack_close(void *packer);

/* Why nothing can be packed; NULL: it can. */
const char *gzip_pack_absent(void);

#endif
