/* SPDX-License-Identifier: MIT */
/*
 * A path from the pc to a return.  The stack pointer is a number all the way; of a register that a
 * call leaves as it was it is known where its caller's value is.  Compilers have the same frame on
 * all paths, so one that arrives is enough; and a path through a call that does not return runs into
 * code of others, whose return finds a stack that is not aligned.
 */
#include "return_path.h"

#include "stack_writes.h"

#include "engine/target/memory.h"
#include "isa/amd64.h"

#include <stdlib.h>

enum {
	WORD = 8,
	STACK_ALIGNMENT = 16,
	CODE_WINDOW = 256,
	CALLED_STACK = 1 << 24, /* bytes below the stack pointer that a call may write */
};

/* The machine as it is on the path. */
struct way {
	uint64_t pc, sp, fp;
	bool sp_known, fp_known;
	struct place place[AMD64_REGISTERS];
	struct stack_writes writes;
};

struct path {
	const struct unwind_context *u;
	uint64_t low; /* the stack pointer of the frame: nothing below it has been written */
	struct way now, ways[RETURN_PATH_WAYS];
	unsigned count, steps;
	uint64_t seen[RETURN_PATH_SEEN];
	unsigned seen_count;
	uint8_t code[CODE_WINDOW];
	uint64_t code_at;
	size_t code_size;
};

static bool decode_at_pc(struct path *p, struct amd64_instruction *is)
{
	uint64_t into = p->now.pc - p->code_at;

	if (into >= p->code_size || p->code_size - into < AMD64_LONGEST) {
		p->code_at = p->now.pc;
		p->code_size =
			memory_read_some(&p->u->space->target, p->now.pc, p->code, sizeof(p->code));
		into = 0;
	}
	return amd64_decode(p->code + into, p->code_size - (size_t)into, is);
}

/* A place that was jumped to before leads nowhere new. */
static bool is_new(struct path *p, uint64_t pc)
{
	for (unsigned i = 0; i < p->seen_count; i++)
		if (p->seen[i] == pc)
			return false;
	if (p->seen_count == RETURN_PATH_SEEN)
		return false;
	p->seen[p->seen_count++] = pc;
	return true;
}

static struct place make_lost_place(void)
{
	return (struct place){ PLACE_LOST, 0 };
}

/* What is in a slot: what the path put there, or what the function keeps there. */
static struct place in_slot(const struct path *p, uint64_t at)
{
	struct place place = stack_writes_find(&p->now.writes, at);

	return place.kind == PLACE_STACK && at < p->low ? make_lost_place() : place;
}

static void set_register(struct path *p, unsigned reg, struct place place)
{
	struct way *w = &p->now;

	if (reg >= AMD64_REGISTERS)
		return;
	w->place[reg] = place;
	if (reg == AMD64_RBP)
		w->fp_known = place.kind == PLACE_REGISTER && place.at == AMD64_RBP &&
		              register_known(p->u->frame, AMD64_RBP);
	if (w->fp_known && reg == AMD64_RBP)
		w->fp = p->u->frame->value[AMD64_RBP];
	if (reg == AMD64_RSP)
		w->sp_known = false;
}

static void push_path_register(struct path *p, uint8_t reg)
{
	struct way *w = &p->now;

	w->sp -= WORD;
	if (w->sp_known)
		stack_writes_add(&w->writes, w->sp, WORD,
		                 reg < AMD64_REGISTERS ? w->place[reg] : make_lost_place());
}

static void pop_path_register(struct path *p, uint8_t reg)
{
	struct place place = p->now.sp_known ? in_slot(p, p->now.sp) : make_lost_place();

	p->now.sp += WORD;
	set_register(p, reg, place);
}

/* Base and displacement; false when the base is not a number here. */
static bool address_of(const struct way *w, const struct amd64_instruction *is, uint64_t *address)
{
	bool by_sp = is->base == AMD64_RSP && w->sp_known;
	bool by_fp = is->base == AMD64_RBP && w->fp_known;

	*address = (by_sp ? w->sp : w->fp) + (uint64_t)(int64_t)is->displacement;
	return by_sp || by_fp;
}

static void set_address(struct path *p, const struct amd64_instruction *is)
{
	struct way *w = &p->now;
	uint64_t address;
	bool known = address_of(w, is, &address);

	set_register(p, is->reg, make_lost_place());
	if (is->reg == AMD64_RSP && known) {
		w->sp = address;
		w->sp_known = true;
	} else if (is->reg == AMD64_RBP && known) {
		w->fp = address;
		w->fp_known = true;
	}
}

static void load_register(struct path *p, const struct amd64_instruction *is)
{
	uint64_t address;
	bool known = address_of(&p->now, is, &address);

	set_register(p, is->reg, known ? in_slot(p, address) : make_lost_place());
}

/* The slot of a whole register, or bytes of something else. */
static void write_stack(struct path *p, const struct amd64_instruction *is)
{
	struct way *w = &p->now;
	uint64_t address;

	if (!address_of(w, is, &address))
		return;
	if (is->kind == AMD64_STORE && is->reg < AMD64_REGISTERS)
		stack_writes_add(&w->writes, address, WORD, w->place[is->reg]);
	else
		stack_writes_add(&w->writes, address, is->width, make_lost_place());
}

/* What is called writes below the stack pointer. */
static void call_function(struct path *p)
{
	struct way *w = &p->now;

	if (w->sp_known)
		stack_writes_add(&w->writes, w->sp - CALLED_STACK, CALLED_STACK, make_lost_place());
}

static void leave_frame(struct path *p)
{
	p->now.sp = p->now.fp;
	p->now.sp_known = p->now.fp_known;
	if (p->now.sp_known)
		pop_path_register(p, AMD64_RBP);
}

/* What an instruction does that the next one follows. */
static void apply_instruction(struct path *p, const struct amd64_instruction *is)
{
	if (is->kind == AMD64_OTHER || is->kind == AMD64_STORE)
		write_stack(p, is);
	for (unsigned i = 0; i < AMD64_REGISTERS; i++)
		if (is->writes >> i & 1)
			set_register(p, i, make_lost_place());
	switch ((enum amd64_kind)is->kind) {
	case AMD64_ADDRESS:
		set_address(p, is);
		break;
	case AMD64_HERE:
	case AMD64_ENTRY:
	case AMD64_SUM:
		set_register(p, is->reg, make_lost_place());
		break;
	case AMD64_PUSH:
		push_path_register(p, is->reg);
		break;
	case AMD64_POP:
		pop_path_register(p, is->reg);
		break;
	case AMD64_LEAVE:
		leave_frame(p);
		break;
	case AMD64_LOAD:
		load_register(p, is);
		break;
	case AMD64_CALL:
		call_function(p);
		break;
	case AMD64_OTHER:
	case AMD64_STORE:
	case AMD64_JUMP:
	case AMD64_BRANCH:
	case AMD64_INDIRECT:
	case AMD64_TABLE_JUMP:
	case AMD64_RETURN:
	case AMD64_STOP:
		break;
	}
}

/* Is the frame at its end: the return address on top, and the stack as a call wants it? */
static bool is_at_return(const struct path *p, uint64_t *pc)
{
	const struct way *w = &p->now;

	return w->sp_known && (w->sp + WORD) % STACK_ALIGNMENT == 0 &&
	       in_slot(p, w->sp).kind == PLACE_STACK &&
	       memory_word(&p->u->space->target, w->sp, p->u->frame->big_endian, pc) &&
	       unwind_is_return(p->u, *pc);
}

static bool next_way(struct path *p)
{
	if (p->count == 0)
		return false;
	p->now = p->ways[--p->count];
	return true;
}

static void keep_way(struct path *p, uint64_t pc)
{
	if (p->count == RETURN_PATH_WAYS || !is_new(p, pc))
		return;
	p->ways[p->count] = p->now;
	p->ways[p->count++].pc = pc;
}

/* A jump through a pointer, with the frame at its end, calls another function in its place. */
static bool may_return(const struct amd64_instruction *is)
{
	return is->kind == AMD64_RETURN || is->kind == AMD64_INDIRECT;
}

/* False where the line ends, or the stack is not what calls want. */
static bool go_on(struct path *p, const struct amd64_instruction *is)
{
	const uint64_t target = p->now.pc + (uint64_t)(int64_t)is->displacement;

	switch ((enum amd64_kind)is->kind) {
	case AMD64_JUMP:
		p->now.pc = target;
		return is_new(p, target);
	case AMD64_BRANCH:
		keep_way(p, target);
		return true;
	case AMD64_CALL:
		return !p->now.sp_known || p->now.sp % STACK_ALIGNMENT == 0;
	case AMD64_INDIRECT:
	case AMD64_TABLE_JUMP:
	case AMD64_RETURN:
	case AMD64_STOP:
		return false;
	case AMD64_OTHER:
	case AMD64_ADDRESS:
	case AMD64_HERE:
	case AMD64_ENTRY:
	case AMD64_SUM:
	case AMD64_PUSH:
	case AMD64_POP:
	case AMD64_LEAVE:
	case AMD64_STORE:
	case AMD64_LOAD:
		break;
	}
	return true;
}

/* To the first return that can be one; its address is *pc. */
static bool follow_to_return(struct path *p, uint64_t *pc)
{
	struct amd64_instruction is;

	while (p->steps++ < RETURN_PATH_STEPS) {
		bool good = decode_at_pc(p, &is);
		if (good && may_return(&is) && is_at_return(p, pc))
			return true;
		if (good) {
			p->now.pc += is.length;
			apply_instruction(p, &is);
			good = go_on(p, &is);
		}
		if (!good && !next_way(p))
			return false;
	}
	return false;
}

static void start_path(struct path *p, const struct unwind_context *u)
{
	struct way *w = &p->now;

	p->count = p->steps = p->seen_count = 0;
	p->code_size = 0;
	*w = (struct way){ 0 };
	p->u = u;
	p->low = w->sp = u->frame->value[AMD64_RSP];
	w->pc = u->frame->pc;
	w->sp_known = true;
	w->fp_known = register_known(u->frame, AMD64_RBP);
	w->fp = u->frame->value[AMD64_RBP];
	for (unsigned i = 0; i < AMD64_REGISTERS; i++)
		w->place[i] = (struct place){ PLACE_REGISTER, i };
}

static void take_saved(const struct path *p, struct cairn_registers *caller)
{
	const struct cairn_registers *frame = p->u->frame;
	uint64_t value;

	for (unsigned i = 0; i < AMD64_REGISTERS; i++) {
		const struct place *place = &p->now.place[i];
		if (!(p->u->arch->saved >> i & 1) || i == AMD64_RSP)
			continue;
		if (place->kind == PLACE_REGISTER && register_known(frame, (unsigned)place->at))
			register_set(caller, i, frame->value[place->at]);
		else if (place->kind == PLACE_STACK &&
		         memory_word(&p->u->space->target, place->at, frame->big_endian, &value))
			register_set(caller, i, value);
	}
}

bool return_path_follow(const struct unwind_context *u, struct cairn_registers *caller,
                        uint64_t *cfa)
{
	struct path *p = u->space->path ? u->space->path : malloc(sizeof(*p));
	uint64_t pc;

	u->space->path = p; /* the space's at once: a read may leave by an exception */
	if (!p || !register_known(u->frame, AMD64_RSP))
		return false;
	start_path(p, u);
	if (!follow_to_return(p, &pc))
		return false;
	*cfa = p->now.sp + WORD;
	*caller = (struct cairn_registers){ .machine = u->frame->machine, .pc = pc };
	register_set(caller, u->arch->sp, *cfa);
	take_saved(p, caller);
	return true;
}
