/* SPDX-License-Identifier: MIT */
/* Output of a profile in pieces: what was put in goes to the host when there is enough of it. */
#ifndef CAIRN_PROFILES_WRITE_WRITE_H
#define CAIRN_PROFILES_WRITE_WRITE_H

#include "profiles/profile.h"

#include "base/byte_buffer.h"

enum {
	WRITE_PIECE = 1 << 16,
	/* Bytes of text that a profile may become: lists of names are written anew for each stack. */
	WRITE_LEAST = 1 << 26,
	WRITE_TIMES = 64,
};

struct profile_writer {
	const struct cairn_profile *profile;
	const struct cairn_profile_output *output;
	struct byte_buffer buffer;
	struct allowance left;
	enum cairn_status status;
};

void writer_begin(struct profile_writer *writer, const struct cairn_profile *profile,
                  const struct cairn_profile_output *output);

void writer_bytes(struct profile_writer *writer, const void *bytes, size_t size);

/* Where `size` bytes go; NULL: the writing has failed. */
uint8_t *writer_room(struct profile_writer *writer, size_t size);

/*
 * Returns the address by which text calls a location that has no name, after its module's name: the one in the file of the module, which is
 * the same in each run. Without a module, and in the kernel, it is the one that the profile has.
 */
uint64_t writer_shown_address(const struct profile_writer *writer,
                              const struct profile_location *location);

/* Passes on what is left; the status of all. */
enum cairn_status writer_end(struct profile_writer *writer);

/* The formats. */
void profile_write_pprof(struct profile_writer *writer);
void profile_write_otlp(struct profile_writer *writer);
void profile_write_as_pprof(struct profile_writer *writer); /* a message of OpenTelemetry's */
enum cairn_status profile_write_otlp_json(struct profile_writer *writer, struct cairn_fault *fault);
enum cairn_status profile_write_firefox(struct profile_writer *writer, struct cairn_fault *fault);
enum cairn_status profile_write_folded(struct profile_writer *writer, struct cairn_fault *fault);

#endif
