/* SPDX-License-Identifier: MIT */
/*
 * Compact Backtrace Format, version 0, as Swift keeps its backtraces: bytes <-> frames.  The
 * format, and where its real producers leave the text, is described in docs/formats/cbf.md.
 *
 *	struct cbf in = cbf_open(bytes);
 *	struct cairn_frame run;
 *	while (cbf_next(&in, &run))
 *		...
 *	if (cbf_is_error(in.outcome))
 *		... in.at is the offset of the byte that is wrong; the frames before it are good
 *
 * and the other way round:
 *
 *	struct cbf_encoder out = cbf_encoder(buffer, sizeof(buffer), 8, CBF_PROFILE_SPECIFICATION);
 *	cbf_put(&out, &run);
 *	if (cbf_finish(&out, &size) != CAIRN_OK)
 *		...
 *
 * Nothing here allocates, and both directions cost a step for each instruction, never for each
 * frame: equal neighbours are one run, however often they occur.  A decoder or encoder is plain
 * data on the caller's stack; there is nothing to free.  Images are in formats/imagemap.
 */
#ifndef CAIRN_FORMATS_CBF_H
#define CAIRN_FORMATS_CBF_H

#include <cairn.h>

#include "base/sink.h"

/* How a sequence ended. */
enum cbf_outcome {
	CBF_MORE,       /* not yet */
	CBF_END,        /* `end` */
	CBF_TRUNC,      /* `trunc`: its producer cut the backtrace here */
	CBF_EOF,        /* the bytes end where an instruction could begin, as Swift's do */
	CBF_EMPTY,      /* no bytes at all */
	CBF_VERSION,    /* not version 0 */
	CBF_SIZE,       /* the reserved word size */
	CBF_SHORT,      /* the bytes end inside an operand */
	CBF_RESERVED,   /* an instruction that version 0 does not have */
	CBF_ORPHAN_REP, /* `rep` with nothing before it */
	CBF_COUNT,      /* a number of omitted frames wider than 64 bits */
};

/* What is odd but has only one reading.  A set of bits. */
enum cbf_warning {
	CBF_WARNING_TRAILING = 1, /* bytes after `end` or `trunc` */
	CBF_WARNING_WIDE = 2,     /* an operand longer than the machine word */
	CBF_WARNING_ZERO_REP = 4, /* `rep` of nothing */
};

struct cbf {
	struct cairn_bytes in;
	size_t at; /* what was consumed; after an error, the offset of the instruction */
	enum cbf_outcome outcome;
	unsigned warnings;
	unsigned word;          /* bytes in a machine word: 2, 4 or 8; 0 when that is not known */
	uint64_t mask;          /* the bits of a machine word */
	uint64_t address;       /* the one computed last */
	struct cairn_frame run; /* not handed out yet: a `rep` may follow */
};

struct cbf cbf_open(struct cairn_bytes in);

/* May the bytes be a backtrace of version 0?  Its first byte is below those that a text or another file begins with. */
bool cbf_may_begin(struct cairn_bytes in);

/*
 * The next run of equal frames, innermost first.  False at the end, and then `outcome`, `at` and
 * `warnings` are final.  A count that does not fit 64 bits is the largest that does.
 */
bool cbf_next(struct cbf *cbf, struct cairn_frame *run);

/*
 * Sequences one after another: the one after a finished `cbf`.  False when there is none, or
 * when `cbf` did not end with `end` or `trunc`, for then nobody knows where the next begins.  The
 * offset `at` of the new one counts from its own first byte.
 */
bool cbf_next_sequence(const struct cbf *cbf, struct cbf *next);

bool cbf_is_error(enum cbf_outcome outcome);

/* The outcome in the words of cairn.h, and as a phrase; the offset is cbf->at. */
struct cairn_fault cbf_fault(const struct cbf *cbf);

/* The name that scripts see: "end", "trunc", "eof", "orphan-rep", ... */
const char *cbf_outcome_name(enum cbf_outcome outcome);

enum cbf_profile {
	CBF_PROFILE_SPECIFICATION, /* the first address absolute, `end` written, runs that every
	                              decoder takes */
	CBF_PROFILE_SWIFT,         /* byte for byte what Swift 6.2.3 writes */
};

enum {
	CBF_INSTRUCTION_MAX = 9, /* bytes of the longest instruction that we write */
	/* The longest repetition that the decoders of newer Swift take. */
	CBF_REPEAT_MAX = 1 << 20,
	/* A run is split at that limit into at most so many; one that would need more is written
	   whole, since those decoders could not hold its frames anyway. */
	CBF_SPLIT_MAX = 1 << 10,
};

struct cbf_encoder {
	struct sink out;
	enum cbf_profile profile;
	unsigned word;
	uint64_t address;
	bool started; /* an address was written */
	bool cut;     /* nothing can follow */
	bool wide;    /* an address did not fit the word */
	struct cairn_frame run;
};

/* `word` is the number of bytes in a machine word: 2, 4 or 8. */
struct cbf_encoder cbf_encoder(void *buffer, size_t size, unsigned word, enum cbf_profile profile);

/* One run.  Equal neighbours become one; after cbf_truncate() it is dropped. */
void cbf_put(struct cbf_encoder *encoder, const struct cairn_frame *run);

/* The backtrace is cut here. */
void cbf_truncate(struct cbf_encoder *encoder);

/*
 * The number of bytes goes to *size.  NO_MEMORY: the buffer is shorter than that and its contents
 * are of no use.  MALFORMED: an address does not fit the machine word.
 */
CAIRN_MUST_USE enum cairn_status cbf_finish(struct cbf_encoder *encoder, size_t *size);

#endif
