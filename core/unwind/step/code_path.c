/* SPDX-License-Identifier: MIT */
/* Follows amd64 code instruction by instruction, one path after the other. */
#include "code_path.h"

#include "unwind/target/memory.h"

#include <stdlib.h>

enum {
	CALLED_STACK = 1 << 24, /* bytes below the stack pointer that a call may write */
};

bool code_path_decode(struct path *p, struct amd64_instruction *is)
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

/* Record a jump target. Return false if it was visited before or the list is full. */
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

struct place code_path_slot(const struct path *p, uint64_t at)
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

	w->sp -= CODE_PATH_WORD;
	if (w->sp_known)
		stack_writes_add(&w->writes, w->sp, CODE_PATH_WORD,
		                 reg < AMD64_REGISTERS ? w->place[reg] : make_lost_place());
}

static void pop_path_register(struct path *p, uint8_t reg)
{
	struct place place = p->now.sp_known ? code_path_slot(p, p->now.sp) : make_lost_place();

	p->now.sp += CODE_PATH_WORD;
	set_register(p, reg, place);
}

/* Compute base + displacement. Return false if the base is not known as a number. */
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

	set_register(p, is->reg, known ? code_path_slot(p, address) : make_lost_place());
}

static void write_stack(struct path *p, const struct amd64_instruction *is)
{
	struct way *w = &p->now;
	uint64_t address;

	if (!address_of(w, is, &address))
		return;
	if (is->kind == AMD64_STORE && is->reg < AMD64_REGISTERS)
		stack_writes_add(&w->writes, address, CODE_PATH_WORD, w->place[is->reg]);
	else
		stack_writes_add(&w->writes, address, is->width, make_lost_place());
}

static void leave_frame(struct path *p)
{
	p->now.sp = p->now.fp;
	p->now.sp_known = p->now.fp_known;
	if (p->now.sp_known)
		pop_path_register(p, AMD64_RBP);
}

/* Apply the effects of an instruction except for its jump. */
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
	case AMD64_CALL: /* the callee writes below the stack pointer */
		if (p->now.sp_known)
			stack_writes_add(&p->now.writes, p->now.sp - CALLED_STACK, CALLED_STACK,
			                 make_lost_place());
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

bool code_path_next_way(struct path *p)
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

/*
 * Move to the next instruction. Return false if the path ends, or if the stack is misaligned at a
 * call.
 */
static bool go_on(struct path *p, const struct amd64_instruction *is)
{
	const uint64_t target = p->now.pc + (uint64_t)(int64_t)is->displacement;

	if (is->kind == AMD64_JUMP) {
		p->now.pc = target;
		return is_new(p, target);
	}
	if (is->kind == AMD64_BRANCH)
		keep_way(p, target);
	if (is->kind == AMD64_CALL)
		return !p->now.sp_known || p->now.sp % CODE_PATH_ALIGNMENT == 0;
	return amd64_goes_on((enum amd64_kind)is->kind);
}

bool code_path_pass(struct path *p, const struct amd64_instruction *is)
{
	p->now.pc += is->length;
	apply_instruction(p, is);
	return go_on(p, is);
}

void code_path_start(struct path *p, const struct unwind_context *u, uint64_t pc, uint64_t sp)
{
	struct way *w = &p->now;

	p->count = p->steps = p->seen_count = 0;
	p->code_size = 0;
	p->code_at = pc;
	*w = (struct way){ 0 };
	p->u = u;
	p->low = w->sp = sp;
	w->pc = pc;
	w->sp_known = true;
	w->fp_known = register_known(u->frame, AMD64_RBP);
	w->fp = u->frame->value[AMD64_RBP];
	for (unsigned i = 0; i < AMD64_REGISTERS; i++)
		w->place[i] = (struct place){ PLACE_REGISTER, i };
}

struct path *code_path_open(const struct unwind_context *u)
{
	struct path *p = u->space->path ? u->space->path : malloc(sizeof(*p));

	/* store it immediately because the host may leave a read by an exception */
	u->space->path = p;
	return register_known(u->frame, AMD64_RSP) ? p : NULL;
}
