/* SPDX-License-Identifier: MIT */
/* Finds unwind rules in the unwind tables of a jitdump and in prologues. */
#include "jit_frames.h"

#include "base/reader.h"
#include "formats/jitdump.h"
#include "isa/amd64.h"

enum { WORD = 8, AARCH64_FP = 29 };

/*
 * Read the FDE or CIE at `offset` in the table. Returns false if it is damaged, too large, or the
 * terminator.
 */
static bool read_frame_entry(const struct jit_frames *frames, uint64_t offset,
                             struct ehframe_source *source, struct ehframe_entry *entry)
{
	const struct cairn_bytes table = frames->details->frames;
	const struct jit_function *function = frames->function;
	const uint64_t mask = JITDUMP_FRAMES_ALIGN - 1;
	/* perf expects the unwind table after the code */
	const uint64_t section = function->start + ((function->size + mask) & ~mask);

	if (offset >= table.size)
		return false;
	*source = (struct ehframe_source){ { table.data + offset, table.size - (size_t)offset },
		                           section + offset,
		                           section,
		                           false,
		                           8 };
	if (ehframe_read_entry(source->bytes, source->address, false, entry) != CAIRN_OK ||
	    entry->size == 0 || entry->size > source->bytes.size ||
	    entry->size > JIT_FRAMES_ENTRY_MAX)
		return false;
	source->bytes.size = (size_t)entry->size;
	return true;
}

static bool read_unwind_table(struct jit_frames *frames)
{
	struct ehframe_source source, cie;
	struct ehframe_entry entry, first;
	struct cairn_fault fault;
	uint64_t at = 0;

	for (unsigned i = 0;
	     i < JIT_FRAMES_ENTRIES && read_frame_entry(frames, at, &source, &entry);
	     i++, at += entry.size) {
		if (entry.is_cie)
			continue;
		return read_frame_entry(frames, entry.cie - source.section, &cie, &first) &&
		       first.is_cie && ehframe_read_cie(&cie, &frames->cie, &fault) == CAIRN_OK &&
		       ehframe_read_fde(&source, &frames->cie, &frames->fde, &fault) == CAIRN_OK &&
		       frames->fde.size > 0;
	}
	return false;
}

/*
 * Convert the DWARF expression "register + offset", with which libcairn-jit and other producers
 * describe the location of a return address.
 */
static bool read_base_expression(struct cairn_bytes expression, struct cairn_register_rule *rule)
{
	enum { DW_OP_breg0 = 0x70 };
	struct reader in = reader_open(expression, false);
	const uint8_t op = reader_u8(&in);
	const int64_t offset = reader_sleb(&in);

	if (!reader_ok(&in) || reader_left(&in) > 0 || op < DW_OP_breg0 ||
	    op - DW_OP_breg0 >= CAIRN_REGISTERS - 1)
		return false;
	*rule = (struct cairn_register_rule){ CAIRN_REGISTER_MEMORY, (uint16_t)(op - DW_OP_breg0),
		                              offset };
	return true;
}

/*
 * Convert a register's rule. An expression becomes UNDEFINED, unless it states a location in the
 * form "register + offset".
 */
static struct cairn_register_rule translate_location(const struct cfi_register_rule *place,
                                                     bool kept)
{
	struct cairn_register_rule rule = { CAIRN_REGISTER_UNDEFINED, CAIRN_BASE_CFA,
		                            place->offset };

	if (place->kind == CFI_RULE_OFFSET)
		rule.kind = CAIRN_REGISTER_MEMORY;
	else if (place->kind == CFI_RULE_VAL_OFFSET)
		rule.kind = CAIRN_REGISTER_VALUE;
	else if (place->kind == CFI_RULE_SAME || (place->kind == CFI_RULE_UNSET && kept))
		rule.kind = CAIRN_REGISTER_SAME_VALUE;
	if (place->kind == CFI_RULE_REGISTER) {
		rule.kind = CAIRN_REGISTER_VALUE;
		rule.base = place->reg;
	}
	if (place->kind == CFI_RULE_EXPRESSION)
		(void)read_base_expression(place->expression, &rule);
	return rule;
}

/*
 * Read the next row from the table. The table may have been written for an address other than the
 * code's, but its first FDE describes this code anyway.
 */
static bool next_described(struct jit_frames *frames, struct jit_row *row)
{
	const struct jit_function *f = frames->function;
	const uint64_t shift = f->start - frames->fde.start;
	const uint64_t size = f->size < frames->fde.size ? f->size : frames->fde.size;
	const unsigned fp = frames->aarch64 ? AARCH64_FP : AMD64_RBP;
	struct cairn_fault fault;

	if (frames->at - f->start >= size ||
	    cfi_rules_find(&frames->cie, &frames->fde, frames->at - shift, &row->row, &fault) !=
	            CAIRN_OK ||
	    row->row.cfa.kind != CFI_RULE_REGISTER)
		return false;
	const uint64_t end = row->row.end + shift - f->start;
	row->start = frames->at;
	row->end = f->start + (end < size ? end : size);
	row->described = true;
	row->rule = (struct cairn_rule){ .cfa = translate_location(&row->row.cfa, false),
		                         .ra = translate_location(&row->row.reg[row->row.ra],
		                                                  frames->aarch64),
		                         .fp = translate_location(&row->row.reg[fp], true),
		                         .signal = frames->cie.signal };
	row->rule.outermost = row->row.reg[row->row.ra].kind == CFI_RULE_UNDEFINED;
	return row->end > row->start;
}

static struct cairn_rule make_rule(const struct jit_prologue *p)
{
	const bool framed = p->state == JIT_FRAME, pushed = framed || p->state == JIT_PUSHED;
	struct cairn_rule rule = { .cfa = { CAIRN_REGISTER_VALUE, framed ? AMD64_RBP : AMD64_RSP,
		                            2 * WORD },
		                   .ra = { CAIRN_REGISTER_MEMORY, CAIRN_BASE_CFA, -WORD },
		                   .fp = { CAIRN_REGISTER_SAME_VALUE, CAIRN_BASE_CFA, 0 } };

	if (!framed)
		rule.cfa.offset = p->height;
	if (pushed)
		rule.fp = (struct cairn_register_rule){ CAIRN_REGISTER_MEMORY, CAIRN_BASE_CFA,
			                                framed ? -2 * WORD : -p->height };
	return rule;
}

/*
 * Update the prologue state for one instruction. Returns true if the instruction changes the unwind
 * rule.
 */
static bool follow_instruction(struct jit_prologue *p, const struct amd64_instruction *i)
{
	const struct jit_prologue before = *p;

	switch (p->state) {
	case JIT_ENTRY:
		p->height += i->kind == AMD64_PUSH ? WORD : i->kind == AMD64_POP ? -WORD : 0;
		if (i->kind == AMD64_PUSH && i->reg == AMD64_RBP)
			p->state = JIT_PUSHED;
		break;
	case JIT_PUSHED:
		p->state = i->kind == AMD64_ADDRESS && i->reg == AMD64_RBP &&
		                           i->base == AMD64_RSP && i->displacement == 0
		                   ? JIT_FRAME
		                   : JIT_PUSHED;
		break;
	case JIT_FRAME:
		if (i->kind == AMD64_LEAVE || (i->kind == AMD64_POP && i->reg == AMD64_RBP))
			p->state = JIT_LEFT;
		p->height = WORD;
		break;
	case JIT_LEFT: /* the next instruction returns or makes a tail call */
		p->state = JIT_FRAME;
		break;
	}
	return p->state != before.state || (p->state != JIT_FRAME && p->height != before.height);
}

/*
 * Decode the code up to the next change of the rule. Returns false at the end of the code or at an
 * instruction that cannot be decoded.
 */
static bool follow_code(struct jit_prologue *p, struct cairn_bytes code)
{
	struct amd64_instruction i;

	while (p->at < code.size && amd64_decode(code.data + p->at, code.size - p->at, &i)) {
		p->at += i.length;
		if (follow_instruction(p, &i))
			return true;
	}
	p->at = code.size;
	return false;
}

static bool has_frame_pointer(struct cairn_bytes code)
{
	struct jit_prologue p = { .height = WORD };

	if (code.size > JIT_FRAMES_PROLOGUE)
		code.size = JIT_FRAMES_PROLOGUE;
	while (p.state != JIT_FRAME && follow_code(&p, code))
		continue;
	return p.state == JIT_FRAME;
}

static bool next_of_code(struct jit_frames *frames, struct jit_row *row)
{
	const struct jit_function *f = frames->function;
	struct jit_prologue *p = &frames->prologue;

	if (frames->at - f->start >= f->size)
		return false;
	row->described = false;
	row->start = frames->at;
	row->rule = make_rule(p);
	row->end = f->start + f->size;
	if (!frames->whole && frames->rows < JIT_FRAMES_ROWS &&
	    follow_code(p, frames->details->code))
		row->end = f->start + p->at;
	return true;
}

bool jit_frames_open(struct jit_frames *frames, const struct jit_code *code,
                     const struct jit_function *function)
{
	*frames = (struct jit_frames){ .function = function,
		                       .details = jit_code_details(code, function),
		                       .aarch64 = code->machine == CAIRN_MACHINE_AARCH64,
		                       .prologue = { .height = WORD },
		                       .at = function->start };
	frames->described = frames->details->frames.size > 0 && read_unwind_table(frames);
	if (frames->described || frames->aarch64)
		return frames->described;
	frames->whole = !code->dump;
	if (frames->whole)
		frames->prologue.state = JIT_FRAME;
	return frames->whole || has_frame_pointer(frames->details->code);
}

bool jit_frames_next(struct jit_frames *frames, struct jit_row *row)
{
	const bool more =
		frames->described ? next_described(frames, row) : next_of_code(frames, row);

	if (!more || frames->rows++ > JIT_FRAMES_ROWS)
		return false;
	frames->at = row->end;
	return true;
}

/*
 * Find the row of `pc` by decoding the code from the function's start, unless `pc` is too far away.
 */
static bool find_followed(struct jit_frames *frames, uint64_t pc, struct jit_row *row)
{
	struct jit_details near = *frames->details;

	if (frames->whole || pc - frames->function->start >= JIT_FRAMES_FOLLOWED)
		return false;
	if (near.code.size > JIT_FRAMES_FOLLOWED)
		near.code.size = JIT_FRAMES_FOLLOWED;
	frames->details = &near;
	while (jit_frames_next(frames, row))
		if (pc < row->end)
			return true;
	return false;
}

bool jit_frames_find(struct jit_frames_search *search, uint64_t pc, struct jit_row *row)
{
	const struct jit_function *function = jit_code_find(search->code, pc);
	struct jit_frames frames;

	if (!function || search->done >= JIT_FRAMES_FOUND)
		return false;
	search->done++;
	if (!jit_frames_open(&frames, search->code, function))
		return false;
	if (!frames.described)
		return find_followed(&frames, pc, row);
	frames.at = pc;
	return next_described(&frames, row);
}
