/* SPDX-License-Identifier: MIT */
/*
 * Files in gzip or zstd.  The first byte of the input says in pieces of how many bytes the second
 * reader, which is for files as they come from a network, gets the rest.  Always:
 *   - what is refused stays as it was, and the reason has a place in it;
 *   - what comes out fits its limit; with a limit just past it the same comes out, with one below
 *     it nothing;
 *   - of zstd, both readers take the same files, and get as much out of them.
 */
#include "fuzz.h"

#include "debuginfo/unpack.h"

#ifdef FUZZ_PACKED
#include "server/net/zstd_stream.h"

#include <fcntl.h>
#include <unistd.h>
#endif
#include <string.h>

enum { LIMIT = 1 << 20 };

/* Whether it was taken; *size is that of what came out. */
static bool unpack(struct cairn_bytes in, size_t limit, size_t *size)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct os_file file = { .bytes = in };
	enum cairn_status status = unpack_file(&file, limit, &fault);

	if (status != CAIRN_OK) {
		ALWAYS(file.bytes.data == in.data && file.bytes.size == in.size);
		ALWAYS(fault.what && fault.status == status && fault.offset <= in.size);
		return false;
	}
	*size = file.bytes.size;
	if (file.bytes.data == in.data)
		return true;
	ALWAYS(*size <= limit);
	os_file_close(&file);
	return true;
}

#ifdef FUZZ_PACKED
static bool is_zstd(struct cairn_bytes in)
{
	return in.size >= 4 && memcmp(in.data, "\x28\xb5\x2f\xfd", 4) == 0;
}

static void check_pieces(struct cairn_bytes in, size_t piece, bool taken, size_t size)
{
	struct os_durable out = { .fd = open("/dev/null", O_WRONLY | O_CLOEXEC) };
	struct zstd_stream_reader *reader = zstd_stream_reader_new(&out, LIMIT);
	bool good = true;

	ALWAYS(reader && out.fd >= 0);
	for (size_t at = 0; at < in.size && good; at += piece) {
		size_t left = in.size - at;
		struct cairn_bytes bytes = { in.data + at, left < piece ? left : piece };
		good = zstd_stream_reader_put(reader, bytes);
	}
	good = good && zstd_stream_reader_end(reader);
	ALWAYS(good == (reader->error == 0));
	ALWAYS(out.size <= LIMIT);
	if (is_zstd(in))
		ALWAYS(good == taken && (!good || out.size == size));
	else
		ALWAYS(good && out.size == in.size);
	zstd_stream_reader_free(reader);
	close(out.fd);
}
#else
static void check_pieces(struct cairn_bytes in, size_t piece, bool taken, size_t size)
{
	(void)in, (void)piece, (void)taken, (void)size;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t capacity = 0, again = 0;

	if (size == 0)
		return 0;
	struct cairn_bytes in = { data + 1, size - 1 };
	bool taken = unpack(in, LIMIT, &capacity);
	if (taken && capacity < LIMIT) {
		ALWAYS(unpack(in, capacity + 1, &again) && again == capacity);
		if (capacity > 0 && capacity != in.size)
			ALWAYS(!unpack(in, capacity - 1, &again));
	}
	check_pieces(in, (size_t)data[0] + 1, taken, capacity);
	return 0;
}
