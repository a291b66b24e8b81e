/* SPDX-License-Identifier: MIT */
/*
 * Encodes sequences with the same choices as Swift: every number in the fewest bytes, an address
 * relative to the previous one unless absolute is strictly shorter, and every run of at least two
 * compressed. The grammar is in cbf.c.
 */
#include "cbf.h"

#include "base/invariant.h"
#include "base/width.h"

enum {
	OP_END = 0x00,
	OP_TRUNC = 0x01,
	OP_OMIT = 0x40,
	OP_OMIT_EXTERNAL = 0x60,
	OP_REP = 0x80,
	OP_REP_EXTERNAL = 0x88,
	ADDRESS_ABSOLUTE = 0x08,
	OMIT_INLINE = 32,
	OMIT_INLINE_SWIFT = 31, /* Swift 6.2.3 does not use the largest inline count */
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
		uint64_t room = UINT64_MAX - e->run.times;
		e->run.times += run->times < room ? run->times : room;
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
