/* SPDX-License-Identifier: MIT */
/* Writes the pieces of a GSYM file one after the other, or on several threads each to its place. */
#include "build.h"

#include "base/error.h"
#include "base/threads.h"
#include "os/file/write_all.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

struct stream {
	const struct gsym_outline *outline;
	size_t pieces, jobs;
	int fd; /* of the file, where each piece is written to its place */
	atomic_size_t next;
	atomic_int failed; /* an errno value */
};

static size_t find_largest(const struct gsym_outline *outline)
{
	size_t largest = 0;

	for (size_t i = 0; i < gsym_outline_pieces(outline); i++)
		if (gsym_outline_piece(outline, i).size > largest)
			largest = gsym_outline_piece(outline, i).size;
	return largest;
}

/* One piece after the other, into the same memory; 0 or an errno value. */
static int write_in_order(const struct gsym_outline *outline,
                          int (*write)(void *context, const void *bytes, size_t size),
                          void *context)
{
	uint8_t *bytes = malloc(find_largest(outline));
	int error = bytes ? 0 : ENOMEM;

	for (size_t i = 0; error == 0 && i < gsym_outline_pieces(outline); i++) {
		gsym_outline_put(outline, i, bytes);
		error = write(context, bytes, gsym_outline_piece(outline, i).size);
	}
	free(bytes);
	return error;
}

static void *write_in_places(void *context)
{
	struct stream *s = context;
	uint8_t *bytes = malloc(find_largest(s->outline));

	if (!bytes)
		atomic_store(&s->failed, ENOMEM);
	for (size_t i; bytes && atomic_load(&s->failed) == 0 &&
	               (i = atomic_fetch_add(&s->next, 1)) < s->pieces;) {
		const struct gsym_piece piece = gsym_outline_piece(s->outline, i);
		gsym_outline_put(s->outline, i, bytes);
		const int error =
			os_write_all_at(s->fd, (struct cairn_bytes){ bytes, piece.size }, piece.at);
		if (error != 0)
			atomic_store(&s->failed, error);
	}
	free(bytes);
	return NULL;
}

static int fill_file(void *context, int fd)
{
	struct stream *s = context;

	s->fd = fd;
	if (s->jobs < 2 || !os_may_write_at(fd))
		return write_in_order(s->outline, os_write_piece, &fd);
	threads_run(s->jobs < s->pieces ? s->jobs : s->pieces, write_in_places, s);
	return atomic_load(&s->failed);
}

/* What the host's function needs to know beside the bytes. */
struct receiver {
	const struct cairn_output *to;
	const char *suffix;
};

static int give_to_host(void *context, const void *bytes, size_t size)
{
	const struct receiver *receiver = context;

	return receiver->to->write(receiver->to->context, receiver->suffix, bytes, size);
}

enum cairn_status gsym_stream(const struct gsym_outline *outline,
                              const struct functions_output *output, const char *suffix,
                              uint64_t jobs)
{
	struct receiver receiver = { &output->to, suffix };
	struct stream stream = { .outline = outline,
		                 .pieces = gsym_outline_pieces(outline),
		                 .jobs = (size_t)jobs };

	if (output->to.path)
		return functions_output_fill(output, suffix, fill_file, &stream);
	const int failed = write_in_order(outline, give_to_host, &receiver);
	return failed ? error_set_system(output->error, failed, output->input, "cannot write")
	              : CAIRN_OK;
}
