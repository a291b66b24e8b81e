/* SPDX-License-Identifier: MIT */
/* Buffers a profile's output and passes it to the host. */
#ifndef CAIRN_PROFILES_WRITE_H
#define CAIRN_PROFILES_WRITE_H

#include "profile.h"

#include "base/byte_buffer.h"

enum {
	WRITE_PIECE = 1 << 16,
	/* limits on the size of the output, because some formats repeat the names for each stack */
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

/* Reserve `size` bytes in the output buffer. Returns NULL after an error. */
uint8_t *writer_reserve(struct profile_writer *writer, size_t size);

/*
 * Return the address to show after the module's name for a location without a name. Usually this is
 * the offset in the module's file, which is the same in each run. Without a module, and in the
 * kernel, it is the address in the profile.
 */
uint64_t writer_shown_address(const struct profile_writer *writer,
                              const struct profile_location *location);

enum cairn_status writer_end(struct profile_writer *writer);

void profile_write_pprof(struct profile_writer *writer);
void profile_write_otlp(struct profile_writer *writer);
void profile_write_as_pprof(struct profile_writer *writer); /* also converts from OTLP */
enum cairn_status profile_write_otlp_json(struct profile_writer *writer, struct cairn_fault *fault);
enum cairn_status profile_write_firefox(struct profile_writer *writer, struct cairn_fault *fault);
enum cairn_status profile_write_folded(struct profile_writer *writer, struct cairn_fault *fault);

#endif
