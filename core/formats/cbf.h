/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes the Compact Backtrace Format, version 0, in which Swift stores backtraces.
 * docs/formats/cbf.md describes the format and how real producers deviate from it.
 *
 *	struct cbf in = cbf_open(bytes);
 *	struct cairn_frame run;
 *	while (cbf_next(&in, &run))
 *		...
 *	if (cbf_is_error(in.outcome))
 *		... in.at is the offset of the invalid byte; the frames before it are good
 *
 * To encode:
 *
 *	struct cbf_encoder out = cbf_encoder(buffer, sizeof(buffer), 8, CBF_PROFILE_SPECIFICATION);
 *	cbf_put(&out, &run);
 *	if (cbf_finish(&out, &size) != CAIRN_OK)
 *		...
 *
 * Nothing here allocates, and decoders and encoders need not be freed. Because equal adjacent
 * frames form a single run, decoding and encoding take time proportional to the number of
 * instructions, not frames. formats/imagemap.h reads and writes the list of images.
 */
#ifndef CAIRN_FORMATS_CBF_H
#define CAIRN_FORMATS_CBF_H

#include "base/byte_buffer.h"

#include <cairn.h>

enum cbf_outcome {
	CBF_MORE,
	CBF_END,
	CBF_TRUNC, /* the producer truncated the backtrace */
	CBF_EOF,   /* the input ends between instructions; Swift writes such backtraces */
	CBF_EMPTY,
	CBF_VERSION,
	CBF_SIZE,     /* the header contains the reserved word size */
	CBF_SHORT,    /* the input ends inside an operand */
	CBF_RESERVED, /* the instruction is undefined in version 0 */
	CBF_ORPHAN_REP,
	CBF_COUNT, /* the number of omitted frames exceeds 64 bits */
};

/* Bit mask of deviations from the format that the decoder can interpret unambiguously. */
enum cbf_warning {
	CBF_WARNING_TRAILING = 1,
	CBF_WARNING_WIDE = 2,
	CBF_WARNING_ZERO_REP = 4, /* `rep` with a count of 0 */
};

struct cbf {
	struct cairn_bytes in;
	/* offset of the next byte to read or, after an error, of the invalid instruction */
	size_t at;
	enum cbf_outcome outcome;
	unsigned warnings;
	unsigned word; /* size of a machine word: 2, 4 or 8 bytes, 0 if unknown */
	uint64_t mask;
	uint64_t address;
	struct cairn_frame run; /* last decoded run, held back because a `rep` may extend it */
};

struct cbf cbf_open(struct cairn_bytes in);

/*
 * Return true if the bytes may start a backtrace of version 0, whose first byte is lower than the
 * first byte of text and of other formats.
 */
bool cbf_may_begin(struct cairn_bytes in);

/*
 * Read the next run of equal frames, innermost first. Return false at the end; `outcome`, `at` and
 * `warnings` are then final. A count that exceeds 64 bits is clamped.
 */
bool cbf_next(struct cbf *cbf, struct cairn_frame *run);

/*
 * Open the sequence that follows `cbf`, which must have been read to its end. Return false if there
 * are no more sequences, or if `cbf` did not end with `end` or `trunc`, because then the start of
 * the next sequence is unknown. next->at is relative to the start of the new sequence.
 */
bool cbf_next_sequence(const struct cbf *cbf, struct cbf *next);

bool cbf_is_error(enum cbf_outcome outcome);

struct cairn_fault cbf_fault(const struct cbf *cbf);

/*
 * Return a stable identifier for the outcome, for machine-readable output: "end", "trunc", "eof",
 * "orphan-rep", ...
 */
const char *cbf_outcome_name(enum cbf_outcome outcome);

enum cbf_profile {
	/*
	 * follow the specification: absolute first address, final `end`, runs that every decoder
	 * accepts
	 */
	CBF_PROFILE_SPECIFICATION,
	CBF_PROFILE_SWIFT, /* reproduce the output of Swift 6.2.3 */
};

enum {
	/* maximum size of an instruction that the encoder writes, in bytes */
	CBF_INSTRUCTION_MAX = 9,
	/* maximum repetition count that decoders in newer Swift versions accept */
	CBF_REPEAT_MAX = 1 << 20,
	/*
	 * Maximum number of runs into which the encoder splits a run above CBF_REPEAT_MAX. A run
	 * that would need more is written whole, because decoders that limit the count could not
	 * hold so many frames anyway.
	 */
	CBF_SPLIT_MAX = 1 << 10,
};

struct cbf_encoder {
	struct sink out;
	enum cbf_profile profile;
	unsigned word;
	uint64_t address;
	bool started;
	bool cut; /* cbf_truncate() has been called; later runs are dropped */
	bool wide;
	struct cairn_frame run;
};

/* Start encoding. `word` is the size of a machine word: 2, 4 or 8 bytes. */
struct cbf_encoder cbf_encoder(void *buffer, size_t size, unsigned word, enum cbf_profile profile);

/*
 * Append a run, merging it with the previous one if they are equal. After cbf_truncate(), runs are
 * dropped.
 */
void cbf_put(struct cbf_encoder *encoder, const struct cairn_frame *run);

void cbf_truncate(struct cbf_encoder *encoder);

/*
 * Set *size to the size of the output. Return CAIRN_NO_MEMORY if the capacity is smaller; the
 * buffer is then invalid. Return CAIRN_MALFORMED if an address does not fit into a machine word.
 */
CAIRN_MUST_USE enum cairn_status cbf_finish(struct cbf_encoder *encoder, size_t *size);

#endif
