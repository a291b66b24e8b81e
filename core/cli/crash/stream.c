/* SPDX-License-Identifier: MIT */
/*
 * Copies the core from the kernel's pipe to the reader, the packer and COMMAND, and compresses it
 * in the packer process (see crash.h).
 */
#include "crash.h"

#include "os/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 1 << 16, MILLISECOND = 1000 * 1000, POLL_MAX = 1000 };

struct piece {
	char bytes[PIECE];
	size_t size, done[CRASH_OUTPUTS];
	bool given_up[CRASH_OUTPUTS];
};

uint64_t crash_clock(void)
{
	struct timespec now = { 0, 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int count_milliseconds(uint64_t until)
{
	uint64_t now = crash_clock(), left = until > now ? (until - now) / MILLISECOND + 1 : 0;

	return left < POLL_MAX ? (int)left : POLL_MAX;
}

static void close_output(int *out)
{
	close(*out);
	*out = -1;
}

static bool is_behind(const int out[CRASH_OUTPUTS], const struct piece *piece, unsigned i)
{
	return out[i] >= 0 && piece->done[i] < piece->size;
}

/*
 * Wait until an output that has not received all of `piece` accepts data. If every output has
 * received all of it, wait for input instead. Return false at the time `until`.
 */
static bool wait_for_any(int in, const int out[CRASH_OUTPUTS], const struct piece *piece,
                         uint64_t until)
{
	struct pollfd wait[CRASH_OUTPUTS + 1];
	nfds_t count = 0;

	for (unsigned i = 0; i < CRASH_OUTPUTS; i++)
		if (is_behind(out, piece, i))
			wait[count++] = (struct pollfd){ .fd = out[i], .events = POLLOUT };
	if (count == 0)
		wait[count++] = (struct pollfd){ .fd = in, .events = POLLIN };
	while (crash_clock() < until)
		if (poll(wait, count, count_milliseconds(until)) > 0)
			return true;
	return false;
}

/*
 * Drop the outputs that have not received all of `piece`. Return false if there are none, because
 * then the input is too slow.
 */
static bool give_up_slow(int out[CRASH_OUTPUTS], struct piece *piece)
{
	bool any = false;

	for (unsigned i = 0; i < CRASH_OUTPUTS; i++)
		if (is_behind(out, piece, i)) {
			close_output(&out[i]);
			piece->given_up[i] = any = true;
		}
	return any;
}

static bool has_output(const int out[CRASH_OUTPUTS])
{
	for (unsigned i = 0; i < CRASH_OUTPUTS; i++)
		if (out[i] >= 0)
			return true;
	return false;
}

static bool read_piece(int in, struct piece *piece)
{
	ssize_t got = read(in, piece->bytes, sizeof(piece->bytes));

	piece->size = got > 0 ? (size_t)got : 0;
	for (unsigned i = 0; i < CRASH_OUTPUTS; i++)
		piece->done[i] = 0;
	return got > 0 || (got < 0 && errno == EINTR);
}

/* Read or write once. Return false at the time `until` or at the end of the stream. */
static bool pass_piece(int in, int out[CRASH_OUTPUTS], struct piece *piece, uint64_t until,
                       uint64_t patience, bool *ended)
{
	const uint64_t now = crash_clock();
	const uint64_t soon = until > now && until - now > patience ? now + patience : until;

	if (!wait_for_any(in, out, piece, soon))
		return crash_clock() < until && (give_up_slow(out, piece) || soon < until);
	bool all = true;
	for (unsigned i = 0; i < CRASH_OUTPUTS; i++) {
		if (is_behind(out, piece, i)) {
			ssize_t wrote = write(out[i], piece->bytes + piece->done[i],
			                      piece->size - piece->done[i]);
			if (wrote >= 0)
				piece->done[i] += (size_t)wrote;
			else if (errno != EAGAIN && errno != EINTR)
				close_output(&out[i]);
		}
		all &= out[i] < 0 || piece->done[i] == piece->size;
	}
	if (all)
		*ended = !read_piece(in, piece);
	return !*ended;
}

bool crash_pass_stream(int in, int out[CRASH_OUTPUTS], uint64_t until, uint64_t patience)
{
	static struct piece piece;
	bool ended = false, whole = true;

	piece = (struct piece){ .size = 0 };
	for (unsigned i = 0; i < CRASH_OUTPUTS; i++)
		if (out[i] >= 0)
			fcntl(out[i], F_SETFL, O_NONBLOCK);
	while (has_output(out) && pass_piece(in, out, &piece, until, patience, &ended))
		;
	for (unsigned i = 0; i < CRASH_OUTPUTS; i++) {
		whole &= !piece.given_up[i] || i == CRASH_OUT_COMMAND;
		if (out[i] >= 0)
			close_output(&out[i]);
	}
	return ended && whole;
}

/* Compresses the core's stream as one zstd frame, or copies it if cairn was built without zstd. */

#ifdef CAIRN_HAVE_ZSTD
#include <zstd.h>
#endif

enum { PACKED_CAPACITY = 1 << 17 };

static ssize_t read_input(char *bytes)
{
	ssize_t got;

	do
		got = read(STDIN_FILENO, bytes, PACKED_CAPACITY);
	while (got < 0 && errno == EINTR);
	return got;
}

#ifdef CAIRN_HAVE_ZSTD
const char *crash_core_ending(void)
{
	return ".core.zst";
}

static int pack_piece(ZSTD_CCtx *context, int out, struct cairn_bytes piece, bool end)
{
	static char packed[PACKED_CAPACITY];
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
	static char bytes[PACKED_CAPACITY];
	ZSTD_CCtx *context = ZSTD_createCCtx();
	ssize_t got = 1;
	int error = context ? 0 : ENOMEM;

	if (context) {
		ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel,
		                       1); /* the fastest level, to keep up with the kernel */
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
	static char bytes[PACKED_CAPACITY];
	ssize_t got = 1;
	int error = 0;

	while (error == 0 && (got = read_input(bytes)) > 0)
		error = os_write_all(out,
		                     (struct cairn_bytes){ (const uint8_t *)bytes, (size_t)got });
	return got < 0 ? errno : error;
}
#endif
