/* SPDX-License-Identifier: MIT */
/*
 * Compresses bytes to gzip with zlib, piece by piece:
 *
 *	void *packer = gzip_pack_open();
 *	if (packer)
 *		failed = gzip_pack(packer, bytes, false, out) || gzip_pack(packer, nothing, true, out);
 *	gzip_pack_close(packer);
 *
 * The output depends only on the input: it contains no time stamp and no name.
 */
#ifndef CAIRN_UNPACK_GZIP_WRITE_H
#define CAIRN_UNPACK_GZIP_WRITE_H

#include "base/byte_buffer.h"

#include <cairn.h>

/*
 * Start compressing. Return NULL if allocation fails or zlib is unavailable (see
 * gzip_pack_absent()).
 */
void *gzip_pack_open(void);

/*
 * Compress bytes and append the output to *out. Set `last` for the last piece. Return false if
 * compression fails or *out has failed.
 */
bool gzip_pack(void *packer, struct cairn_bytes bytes, bool last, struct byte_buffer *out);

void gzip_pack_close(void *packer);

/* Return the reason why compression is unavailable, or NULL if it is available. */
const char *gzip_pack_absent(void);

#endif
