/* SPDX-License-Identifier: MIT */
/* Compresses the core's stream as one zstd frame, or copies it if cairn was built without zstd. */
#include "crash.h"

#include "os/file/atomic_file.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef CAIRN_HAVE_ZSTD
#include <zstd.h>
#endif

enum { ROOM = 1 << 17 };

static ssize_t read_input(char *bytes)
{
	ssize_t got;

	do
		got = read(STDIN_FILENO, bytes, ROOM);
	while (got < 0 && errno == EINTR);
	return got;
}

#ifdef CAIRN_HAVE_ZSTD
const char *crash_core_ending(void)
{
	return ".core.zst";
}

/* Compress a piece; `end` also finishes the frame. */
static int pack_piece(ZSTD_CCtx *context, int out, struct cairn_bytes piece, bool end)
{
	static char packed[ROOM];
	ZSTD_inBuffer in = { piece.data, piece.size, 0 };
	size_t left = 1;
	int error = 0;

	while (error == 0 && (end ? left > 0 : in.pos < in.size)) {
		ZSTD_outBuffer to = { packed, sizeof(packed), 0 };
		left = ZSTD_compressStream2(context, &to, &in, end ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return ENOMEM;
		error = os_write_all(out, (struct cairn_bytes){ (const uint8_t *)packed, to.pos });
	}
	return error;
}

int crash_pack(int out)
{
	static char bytes[ROOM];
	ZSTD_CCtx *context = ZSTD_createCCtx();
	ssize_t got = 1;
	int error = context ? 0 : ENOMEM;

	if (context) {
		ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel,
		                       1); /* fast enough to keep up with the kernel */
		ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	}
	while (error == 0 && got > 0) {
		got = read_input(bytes);
		error = got < 0 ? errno
		                : pack_piece(context, out,
		                             (struct cairn_bytes){ (uint8_t *)bytes, (size_t)got },
		                             got == 0);
	}
	ZSTD_freeCCtx(context);
	return error;
}
#else
const char *crash_core_ending(void)
{
	return ".core";
}

int crash_pack(int out)
{
	static char bytes[ROOM];
	ssize_t got = 1;
	int error = 0;

	while (error == 0 && (got = read_input(bytes)) > 0)
		error = os_write_all(out,
		                     (struct cairn_bytes){ (const uint8_t *)bytes, (size_t)got });
	return got < 0 ? errno : error;
}
#endif
