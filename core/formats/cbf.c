/* SPDX-License-Identifier: MIT */
/*
 * Decodes sequences:
 *
 *	sequence = info:1 instruction* end?
 *	info     = 000000ss                      machine words of 2, 4 or 8 bytes; 3 is reserved
 *	end      = 00000000                      end
 *	         | 00000001                      trunc: the producer truncated the backtrace
 *	instruction
 *	         = 00kkaccc operand:byte[ccc+1]  k = 1 pc, 2 return address, 3 async resume point;
 *	                                         signed; a = 0: relative to the previous address
 *	         | 010ccccc                      omit ccccc+1 frames
 *	         | 011ccccc operand:byte[ccccc+1] omit OPERAND frames
 *	         | 10000ccc                      rep: repeat the previous run ccc+1 times
 *	         | 10001ccc operand:byte[ccc+1]  repeat the previous run OPERAND times
 *
 * Operands are big-endian. Addresses wrap at the machine word. omit and rep do not change the base
 * of the next relative address. rep repeats the previous item, which may be an omit.
 */
#include "cbf.h"

#include "base/bytes.h"
#include "base/invariant.h"

enum {
	INFO_VERSION = 0xfc,
	INFO_SIZE = 0x03,
	SIZE_RESERVED = 3,
	OP_END = 0x00,
	OP_TRUNC = 0x01,
	OP_ADDRESS = 0x10,
	OP_OMIT = 0x40,
	OP_REP = 0x80,
	OP_RESERVED = 0x90, /* first reserved opcode */
	ADDRESS_ABSOLUTE = 0x08,
	ADDRESS_LENGTH = 0x07,
	OMIT_EXTERNAL = 0x20,
	OMIT_LENGTH = 0x1f,
	REP_EXTERNAL = 0x08,
	REP_LENGTH = 0x07,
	NUMBER = 8,
};

static const struct cairn_frame nothing;

static struct cairn_frame stop_sequence(struct cbf *c, enum cbf_outcome outcome)
{
	c->outcome = outcome;
	return nothing;
}

bool cbf_may_begin(struct cairn_bytes in)
{
	return in.size > 0 && in.data[0] < SIZE_RESERVED;
}

struct cbf cbf_open(struct cairn_bytes in)
{
	struct cbf c = { .in = in };

	if (in.size == 0) {
		c.outcome = CBF_EMPTY;
	} else if (in.data[0] & INFO_VERSION) {
		c.outcome = CBF_VERSION;
	} else if ((in.data[0] & INFO_SIZE) == SIZE_RESERVED) {
		c.outcome = CBF_SIZE;
	} else {
		c.at = 1;
		c.word = 2u << (in.data[0] & INFO_SIZE);
		c.mask = UINT64_MAX >> (64 - 8 * c.word);
	}
	return c;
}

static inline bool has_operand(struct cbf *c, size_t length)
{
	if (length >= c->in.size - c->at)
		return false;
	c->warnings |= length > c->word ? CBF_WARNING_WIDE : 0;
	return true;
}

/*
 * Load an operand of 1 to 8 bytes into the most significant bytes of the result. `left` is the
 * number of bytes available at `p`.
 */
static inline uint64_t load_operand(const uint8_t *p, size_t length, size_t left)
{
	uint64_t value = 0;

	if (left >= NUMBER)
		return bytes_u64(p, true);
	for (size_t i = 0; i < length; i++)
		value |= (uint64_t)p[i] << (56 - 8 * i);
	return value;
}

/* Add the signed operand stored in the most significant bytes of `upper` to `base`. */
static inline uint64_t add_operand(uint64_t base, uint64_t upper, size_t length)
{
	return base + (uint64_t)((int64_t)upper >> (64 - 8 * length));
}

static inline struct cairn_frame next_address(struct cbf *c, uint8_t op)
{
	size_t length = (op & ADDRESS_LENGTH) + 1u;
	if (!has_operand(c, length))
		return stop_sequence(c, CBF_SHORT);

	const uint8_t *operand = c->in.data + c->at + 1;
	uint64_t upper = load_operand(operand, length, c->in.size - c->at - 1);
	uint64_t base = op & ADDRESS_ABSOLUTE ? 0 : c->address;
	c->address = add_operand(base, upper, length) & c->mask;
	c->at += 1 + length;
	return (struct cairn_frame){ (enum cairn_frame_kind)(op >> 4), c->address, 1 };
}

/*
 * Read the count of an instruction: from its operand of `length` bytes if `external` is true,
 * otherwise from `length` itself.
 */
static enum cbf_outcome read_count(struct cbf *c, bool external, size_t length, uint64_t *count)
{
	const uint8_t *operand = c->in.data + c->at + 1;

	*count = length;
	if (!external)
		length = 0;
	else if (!has_operand(c, length))
		return CBF_SHORT;
	for (size_t i = 0; i + NUMBER < length; i++)
		if (operand[i])
			return CBF_COUNT;
	for (size_t i = 0; i < length; i++)
		*count = (i == 0 ? 0 : *count << 8) | operand[i];
	return CBF_MORE;
}

static struct cairn_frame next_omit(struct cbf *c, uint8_t op)
{
	size_t length = (op & OMIT_LENGTH) + 1u;
	uint64_t count;

	enum cbf_outcome outcome = read_count(c, op & OMIT_EXTERNAL, length, &count);
	if (outcome != CBF_MORE)
		return stop_sequence(c, outcome);
	c->at += 1 + (op & OMIT_EXTERNAL ? length : 0);
	return (struct cairn_frame){ CAIRN_FRAME_OMITTED, count, 1 };
}

static struct cairn_frame next_rep(struct cbf *c, uint8_t op)
{
	size_t length = (op & REP_LENGTH) + 1u;
	uint64_t count;

	enum cbf_outcome outcome = read_count(c, op & REP_EXTERNAL, length, &count);
	if (outcome != CBF_MORE)
		return stop_sequence(c, outcome);
	if (c->run.times == 0)
		return stop_sequence(c, CBF_ORPHAN_REP);
	if (count == 0)
		c->warnings |= CBF_WARNING_ZERO_REP;
	c->at += 1 + (op & REP_EXTERNAL ? length : 0);
	return (struct cairn_frame){ c->run.kind, c->run.value, count };
}

static struct cairn_frame next_end(struct cbf *c, uint8_t op)
{
	if (op > OP_TRUNC)
		return stop_sequence(c, CBF_RESERVED);
	c->at++;
	if (c->at < c->in.size)
		c->warnings |= CBF_WARNING_TRAILING;
	return stop_sequence(c, op == OP_TRUNC ? CBF_TRUNC : CBF_END);
}

static inline struct cairn_frame next_item(struct cbf *c)
{
	if (c->at == c->in.size)
		return stop_sequence(c, CBF_EOF);

	uint8_t op = c->in.data[c->at];
	if (op >= OP_ADDRESS && op < OP_OMIT)
		return next_address(c, op);
	if (op >= OP_OMIT && op < OP_REP)
		return next_omit(c, op);
	if (op >= OP_REP && op < OP_RESERVED)
		return next_rep(c, op);
	return next_end(c, op);
}

static inline bool same_frame(const struct cairn_frame *a, const struct cairn_frame *b)
{
	return a->value == b->value && a->kind == b->kind;
}

static void extend_run(struct cairn_frame *run, uint64_t times)
{
	run->times = times > UINT64_MAX - run->times ? UINT64_MAX : run->times + times;
}

/* Start the run `next`. If this completes a previous run, set *run to that run and return true. */
static inline bool emit_complete_run(struct cbf *c, struct cairn_frame next,
                                     struct cairn_frame *run)
{
	struct cairn_frame done = c->run;

	c->run = next;
	if (done.times > 0)
		*run = done;
	return done.times > 0;
}

bool cbf_next(struct cbf *c, struct cairn_frame *run)
{
	while (c->outcome == CBF_MORE) {
		struct cairn_frame item = next_item(c);
		if (c->outcome != CBF_MORE)
			break;
		if (same_frame(&item, &c->run))
			extend_run(&c->run, item.times);
		else if (emit_complete_run(c, item, run))
			return true;
	}
	return emit_complete_run(c, nothing, run);
}

bool cbf_next_sequence(const struct cbf *cbf, struct cbf *next)
{
	bool ended = cbf->outcome == CBF_END || cbf->outcome == CBF_TRUNC;

	if (!ended || cbf->at == cbf->in.size)
		return false;
	*next = cbf_open((struct cairn_bytes){ cbf->in.data + cbf->at, cbf->in.size - cbf->at });
	return true;
}

struct outcome {
	const char *name;
	enum cairn_status status;
	const char *what;
};

static struct outcome outcome_of(enum cbf_outcome outcome)
{
	switch (outcome) {
	case CBF_MORE:
		return (struct outcome){ "more", CAIRN_OK, "not at the end yet" };
	case CBF_END:
		return (struct outcome){ "end", CAIRN_OK, "complete, with an end mark" };
	case CBF_TRUNC:
		return (struct outcome){ "trunc", CAIRN_OK, "cut by its producer" };
	case CBF_EOF:
		return (struct outcome){ "eof", CAIRN_OK, "complete, without an end mark" };
	case CBF_EMPTY:
		return (struct outcome){ "empty", CAIRN_TRUNCATED, "there are no bytes" };
	case CBF_VERSION:
		return (struct outcome){ "version", CAIRN_UNSUPPORTED, "the version is not 0" };
	case CBF_SIZE:
		return (struct outcome){ "size", CAIRN_MALFORMED, "reserved size of words" };
	case CBF_SHORT:
		return (struct outcome){ "short", CAIRN_TRUNCATED,
			                 "the data ends inside an operand" };
	case CBF_RESERVED:
		return (struct outcome){ "reserved", CAIRN_MALFORMED, "reserved instruction" };
	case CBF_ORPHAN_REP:
		return (struct outcome){ "orphan-rep", CAIRN_MALFORMED,
			                 "a repetition with nothing before it" };
	case CBF_COUNT:
		return (struct outcome){ "count", CAIRN_MALFORMED,
			                 "a number of omitted frames wider than 64 bits" };
	}
	return (struct outcome){ "unknown", CAIRN_MALFORMED, "unknown outcome" };
}

const char *cbf_outcome_name(enum cbf_outcome outcome)
{
	return outcome_of(outcome).name;
}

bool cbf_is_error(enum cbf_outcome outcome)
{
	return outcome_of(outcome).status != CAIRN_OK;
}

struct cairn_fault cbf_fault(const struct cbf *cbf)
{
	struct outcome o = outcome_of(cbf->outcome);
	return (struct cairn_fault){ o.status, cbf->at, o.what };
}

/*
 * Encodes sequences with the same choices as Swift: every number takes the minimum number of bytes,
 * addresses are relative to the previous one unless the absolute form is strictly shorter, and runs
 * of two or more frames are compressed.
 */

enum {
	OP_OMIT_EXTERNAL = 0x60,
	OP_REP_EXTERNAL = 0x88,
	OMIT_INLINE = 32,
	/* maximum count that Swift 6.2.3 stores in the opcode, although 32 would fit */
	OMIT_INLINE_SWIFT = 31,
	REP_INLINE = 8,
};

struct cbf_encoder cbf_encoder(void *buffer, size_t size, unsigned word, enum cbf_profile profile)
{
	INVARIANT(word == 2 || word == 4 || word == 8);
	struct cbf_encoder e = { .out = sink_open(buffer, size), .profile = profile, .word = word };
	sink_u8(&e.out, (uint8_t)(word >> 2));
	return e;
}

static void write_address(struct cbf_encoder *e, const struct cairn_frame *frame)
{
	uint64_t delta = width_extend(frame->value - e->address, e->word);
	uint64_t absolute = width_extend(frame->value, e->word);
	unsigned delta_width = width_signed(delta);
	unsigned absolute_width = width_signed(absolute);
	bool first = !e->started && e->profile == CBF_PROFILE_SPECIFICATION;
	bool is_absolute = first || absolute_width < delta_width;
	unsigned width = is_absolute ? absolute_width : delta_width;
	unsigned op =
		(unsigned)frame->kind << 4 | (is_absolute ? ADDRESS_ABSOLUTE : 0) | (width - 1);

	e->wide |= !width_fits(frame->value, e->word);
	e->started = true;
	e->address = frame->value;
	sink_u8(&e->out, (uint8_t)op);
	sink_big(&e->out, is_absolute ? absolute : delta, width);
}

static void write_count(struct cbf_encoder *e, unsigned op, uint64_t count)
{
	unsigned width = width_unsigned(count);
	sink_u8(&e->out, (uint8_t)(op | (width - 1)));
	sink_big(&e->out, count, width);
}

static void write_omit(struct cbf_encoder *e, uint64_t count)
{
	unsigned most = e->profile == CBF_PROFILE_SWIFT ? OMIT_INLINE_SWIFT : OMIT_INLINE;

	if (count >= 1 && count <= most)
		sink_u8(&e->out, (uint8_t)(OP_OMIT | (count - 1)));
	else
		write_count(e, OP_OMIT_EXTERNAL, count);
}

static void write_rep(struct cbf_encoder *e, uint64_t count)
{
	if (count <= REP_INLINE)
		sink_u8(&e->out, (uint8_t)(OP_REP | (count - 1)));
	else
		write_count(e, OP_REP_EXTERNAL, count);
}

static void write_reps(struct cbf_encoder *e, uint64_t count)
{
	bool split =
		e->profile == CBF_PROFILE_SPECIFICATION && count / CBF_REPEAT_MAX < CBF_SPLIT_MAX;

	for (; split && count > CBF_REPEAT_MAX; count -= CBF_REPEAT_MAX)
		write_rep(e, CBF_REPEAT_MAX);
	if (count > 0)
		write_rep(e, count);
}

static void write_pending_run(struct cbf_encoder *e)
{
	if (e->run.times == 0)
		return;
	if (e->run.kind == CAIRN_FRAME_OMITTED)
		write_omit(e, e->run.value);
	else
		write_address(e, &e->run);
	write_reps(e, e->run.times - 1);
	e->run.times = 0;
}

void cbf_put(struct cbf_encoder *e, const struct cairn_frame *run)
{
	if (e->cut || run->times == 0)
		return;
	if (e->run.times > 0 && e->run.kind == run->kind && e->run.value == run->value) {
		uint64_t capacity = UINT64_MAX - e->run.times;
		e->run.times += run->times < capacity ? run->times : capacity;
		return;
	}
	write_pending_run(e);
	e->run = *run;
}

void cbf_truncate(struct cbf_encoder *e)
{
	if (e->cut)
		return;
	write_pending_run(e);
	sink_u8(&e->out, OP_TRUNC);
	e->cut = true;
}

enum cairn_status cbf_finish(struct cbf_encoder *e, size_t *size)
{
	write_pending_run(e);
	if (!e->cut && e->profile == CBF_PROFILE_SPECIFICATION)
		sink_u8(&e->out, OP_END);
	e->cut = true;
	if (e->wide)
		return CAIRN_MALFORMED;
	*size = e->out.size;
	return sink_fits(&e->out) ? CAIRN_OK : CAIRN_NO_MEMORY;
}
