/* SPDX-License-Identifier: MIT */
/*
 * Follows amd64 code instruction by instruction, one path after the other: to a return, from the
 * entry of a function to the pc, or to the end of a thread.
 */
#include "code_path.h"

#include "step.h"

#include "base/bytes.h"
#include "base/target_memory.h"
#include "isa/amd64.h"

#include <cairn.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * Records the stack writes of a path. Slots with a known value never overlap: a later write that
 * partially overlaps a slot makes the slot's value unknown. Adjacent unknown areas are merged.
 */

/* Return true if the areas overlap. Either area may wrap around. */
static bool areas_overlap(const struct stack_write *w, uint64_t at, uint64_t size)
{
	return at - w->at < w->size || w->at - at < size;
}

static bool areas_touch(const struct stack_write *w, uint64_t at, uint64_t size)
{
	return at - w->at <= w->size || w->at - at <= size;
}

static void extend_area(struct stack_write *w, uint64_t at, uint64_t size)
{
	const uint64_t low = at - w->at <= w->size ? w->at : at;
	const uint64_t old = w->at + w->size - low, new = at + size - low;

	w->at = low;
	w->size = old > new ? old : new;
}

static void drop_covered(struct stack_writes *s, uint64_t at, uint64_t size)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < s->count; i++) {
		const struct stack_write *w = &s->write[i];
		const uint64_t into = w->at - at;
		if (into >= size || w->size > size - into)
			s->write[kept++] = *w;
	}
	s->count = kept;
}

static void forget_overlapped(struct stack_writes *s, uint64_t at, uint64_t size)
{
	for (unsigned i = 0; i < s->count; i++)
		if (areas_overlap(&s->write[i], at, size))
			s->write[i].place.kind = PLACE_LOST;
}

static bool extend_lost(struct stack_writes *s, uint64_t at, uint64_t size)
{
	for (unsigned i = 0; i < s->count; i++) {
		struct stack_write *w = &s->write[i];
		if (w->place.kind != PLACE_LOST || !areas_touch(w, at, size))
			continue;
		extend_area(w, at, size);
		return true;
	}
	return false;
}

static uint64_t measure_gap(const struct stack_write *w, uint64_t at, uint64_t size)
{
	const uint64_t after = at - (w->at + w->size), before = w->at - (at + size);

	if (areas_touch(w, at, size))
		return 0;
	return after < before ? after : before;
}

/* Merge an area into `w`, including any gap between the two. */
static void join_areas(struct stack_write *w, uint64_t at, uint64_t size)
{
	const uint64_t gap = measure_gap(w, at, size);
	const bool is_after = at - (w->at + w->size) == gap;

	extend_area(w, gap && is_after ? at - gap : at, size + gap);
}

static unsigned find_nearest(const struct stack_writes *s, uint64_t at, uint64_t size)
{
	unsigned nearest = 0;

	for (unsigned i = 1; i < s->count; i++)
		if (measure_gap(&s->write[i], at, size) < measure_gap(&s->write[nearest], at, size))
			nearest = i;
	return nearest;
}

/* Merge the area with the nearest recorded one. Both become unknown. */
static void join_nearest(struct stack_writes *s, uint64_t at, uint64_t size)
{
	struct stack_write *nearest = &s->write[find_nearest(s, at, size)];
	struct stack_write joined = *nearest;

	join_areas(&joined, at, size);
	forget_overlapped(s, joined.at, joined.size);
	joined.place.kind = PLACE_LOST;
	*nearest = joined;
}

void stack_writes_add(struct stack_writes *s, uint64_t at, uint64_t size, struct place place)
{
	if (size == 0)
		return;
	drop_covered(s, at, size);
	forget_overlapped(s, at, size);
	if (place.kind == PLACE_LOST && extend_lost(s, at, size))
		return;
	if (s->count == STACK_WRITES)
		join_nearest(s, at, size);
	else
		s->write[s->count++] = (struct stack_write){ at, size, place };
}

struct place stack_writes_find(const struct stack_writes *s, uint64_t at)
{
	const struct place lost = { PLACE_LOST, 0 };

	for (unsigned i = s->count; i-- > 0;) {
		const struct stack_write *w = &s->write[i];
		if (areas_overlap(w, at, STACK_SLOT))
			return w->at == at && w->place.kind != PLACE_LOST ? w->place : lost;
	}
	return (struct place){ PLACE_STACK, at };
}

/*
 * Follows amd64 code along a path, for functions without unwind information. Tracks the stack
 * pointer as a number, and for each callee-saved register the location of the value that it had at
 * the start of the path.
 */

enum {
	RETURN_PATH_STEPS = 4096,
	/* maximum number of branches whose second direction has not been followed yet */
	RETURN_PATH_PENDING = 64,
	RETURN_PATH_SEEN = 256, /* maximum number of jump targets to remember for detecting loops */
	RETURN_EDGE_STEPS = 16,
	CODE_PATH_WORD = 8,
	CODE_PATH_ALIGNMENT = 16,
	CODE_PATH_WINDOW = 256,
	ENTRY_PATH_STACK = 4096,
	ENTRY_PATH_CODE = 1 << 16,
	/* maximum total number of instructions to follow from all candidate entries */
	ENTRY_PATH_STEPS = 1 << 15,
};

struct path_state {
	uint64_t pc, sp, fp;
	bool sp_known, fp_known;
	struct place place[AMD64_REGISTERS];
	struct stack_writes writes;
};

struct path {
	const struct unwind_context *u;
	/* frame's stack pointer; slots below it are unknown unless the path has written them */
	uint64_t low;
	struct path_state now, pending[RETURN_PATH_PENDING];
	unsigned count, steps;
	uint64_t seen[RETURN_PATH_SEEN];
	unsigned seen_count;
	uint8_t code[CODE_PATH_WINDOW];
	uint64_t code_at;
	size_t code_size;
};

enum {
	/* number of bytes below the stack pointer that a call is assumed to overwrite */
	CALLED_STACK = 1 << 24,
};

static bool code_path_decode(struct path *p, struct amd64_instruction *is)
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

/* Record a jump target. Return false if the path has visited it before or the list is full. */
static bool note_target(struct path *p, uint64_t pc)
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

/*
 * Return the contents of a stack slot: the value that the path has stored there, or else the slot
 * itself as the location.
 */
static struct place code_path_slot(const struct path *p, uint64_t at)
{
	struct place place = stack_writes_find(&p->now.writes, at);

	return place.kind == PLACE_STACK && at < p->low ? make_lost_place() : place;
}

static void set_register(struct path *p, unsigned reg, struct place place)
{
	struct path_state *w = &p->now;

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
	struct path_state *w = &p->now;

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

/* Compute base + displacement. Return false if the value of the base register is unknown. */
static bool address_of(const struct path_state *w, const struct amd64_instruction *is,
                       uint64_t *address)
{
	bool by_sp = is->base == AMD64_RSP && w->sp_known;
	bool by_fp = is->base == AMD64_RBP && w->fp_known;

	*address = (by_sp ? w->sp : w->fp) + (uint64_t)(int64_t)is->displacement;
	return by_sp || by_fp;
}

static void set_address(struct path *p, const struct amd64_instruction *is)
{
	struct path_state *w = &p->now;
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
	struct path_state *w = &p->now;
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

/*
 * Continue in the second direction of the most recent pending branch. Return false if no branch is
 * pending.
 */
static bool code_path_next_pending(struct path *p)
{
	if (p->count == 0)
		return false;
	p->now = p->pending[--p->count];
	return true;
}

static void save_pending(struct path *p, uint64_t pc)
{
	if (p->count == RETURN_PATH_PENDING || !note_target(p, pc))
		return;
	p->pending[p->count] = p->now;
	p->pending[p->count++].pc = pc;
}

/*
 * Advance to the next instruction. Return false at the end of the path, or if the stack is
 * misaligned at a call.
 */
static bool advance(struct path *p, const struct amd64_instruction *is)
{
	const uint64_t target = p->now.pc + (uint64_t)(int64_t)is->displacement;

	if (is->kind == AMD64_JUMP) {
		p->now.pc = target;
		return note_target(p, target);
	}
	if (is->kind == AMD64_BRANCH)
		save_pending(p, target);
	if (is->kind == AMD64_CALL)
		return !p->now.sp_known || p->now.sp % CODE_PATH_ALIGNMENT == 0;
	return amd64_goes_on((enum amd64_kind)is->kind);
}

static bool code_path_pass(struct path *p, const struct amd64_instruction *is)
{
	p->now.pc += is->length;
	apply_instruction(p, is);
	return advance(p, is);
}

static void code_path_start(struct path *p, const struct unwind_context *u, uint64_t pc,
                            uint64_t sp)
{
	struct path_state *w = &p->now;

	p->count = p->steps = p->seen_count = 0;
	p->code_size = 0;
	p->code_at = pc;
	*w = (struct path_state){ 0 };
	p->u = u;
	p->low = w->sp = sp;
	w->pc = pc;
	w->sp_known = true;
	w->fp_known = register_known(u->frame, AMD64_RBP);
	w->fp = u->frame->value[AMD64_RBP];
	for (unsigned i = 0; i < AMD64_REGISTERS; i++)
		w->place[i] = (struct place){ PLACE_REGISTER, i };
}

/*
 * Return the path buffer, which the space owns. Return NULL if allocation fails or the stack
 * pointer is unknown.
 */
static struct path *code_path_open(const struct unwind_context *u)
{
	struct path *p = u->space->path ? u->space->path : malloc(sizeof(*p));

	/* store the buffer immediately because the host may throw an exception from a read */
	u->space->path = p;
	return register_known(u->frame, AMD64_RSP) ? p : NULL;
}

/*
 * Follows a path from the pc to a return. Compilers use the same frame on all paths, so the first
 * path that reaches a return suffices. A path past a noreturn call runs into the code of another
 * function and is rejected there, because the stack is misaligned at the return.
 */

static bool find_saved(const struct path *p, unsigned reg, uint64_t *value)
{
	const struct cairn_registers *frame = p->u->frame;
	const struct place *place = &p->now.place[reg];

	if (place->kind == PLACE_REGISTER && register_known(frame, (unsigned)place->at)) {
		*value = frame->value[place->at];
		return true;
	}
	return place->kind == PLACE_STACK &&
	       memory_word(&p->u->space->target, place->at, frame->big_endian, value);
}

/*
 * Return true for an address in JIT code that an interpreter has pushed as a return address, so
 * that no call precedes it. The caller's frame pointer must lead to a frame whose return address is
 * in code.
 */
static bool is_pushed_return(const struct path *p, uint64_t pc)
{
	uint64_t fp, back;

	return unwind_is_jit_code(p->u, pc) && find_saved(p, AMD64_RBP, &fp) && fp > p->now.sp &&
	       fp % CODE_PATH_WORD == 0 && fp < UINT64_MAX - CODE_PATH_WORD &&
	       memory_word(&p->u->space->target, fp + CODE_PATH_WORD, p->u->frame->big_endian,
	                   &back) &&
	       (unwind_is_jit_code(p->u, back) || unwind_is_return(p->u, back));
}

/*
 * Read the return address from the top of the path's stack. The path must not have written this
 * slot. Accept an address in unreadable code only if `may_be_hidden` is set.
 */
static bool is_return_on_top(const struct path *p, bool may_be_hidden, uint64_t *pc)
{
	const struct path_state *w = &p->now;

	return w->sp_known && code_path_slot(p, w->sp).kind == PLACE_STACK &&
	       memory_word(&p->u->space->target, w->sp, p->u->frame->big_endian, pc) &&
	       (unwind_leads_back(p->u, *pc) || is_pushed_return(p, *pc) ||
	        (may_be_hidden && unwind_may_be_return(p->u, *pc)));
}

/*
 * Follow paths until one returns with an aligned stack and a return address on top, and store this
 * address in *pc. An indirect jump after the frame has been removed is a tail call and counts as a
 * return.
 */
static bool follow_to_return(struct path *p, uint64_t *pc)
{
	struct amd64_instruction is;

	while (p->steps++ < RETURN_PATH_STEPS) {
		bool good = code_path_decode(p, &is);
		if (good && (is.kind == AMD64_RETURN || is.kind == AMD64_INDIRECT) &&
		    (p->now.sp + CODE_PATH_WORD) % CODE_PATH_ALIGNMENT == 0 &&
		    is_return_on_top(p, false, pc))
			return true;
		if (!(good && code_path_pass(p, &is)) && !code_path_next_pending(p))
			return false;
	}
	return false;
}

static void fill_from_path(const struct path *p, uint64_t pc, struct cairn_registers *caller,
                           uint64_t *cfa)
{
	uint64_t value;

	*cfa = p->now.sp + CODE_PATH_WORD;
	*caller = unwind_registers_at(p->u, pc);
	register_set(caller, p->u->arch->sp, *cfa);
	for (unsigned i = 0; i < AMD64_REGISTERS; i++)
		if ((p->u->arch->saved >> i & 1) && i != AMD64_RSP && find_saved(p, i, &value))
			register_set(caller, i, value);
}

bool return_path_is_cut_off(const struct unwind_context *u)
{
	uint8_t code[AMD64_LONGEST];
	struct amd64_instruction is;
	const size_t size = memory_read_some(&u->space->target, u->frame->pc, code, sizeof(code));

	return amd64_decode(code, size, &is) && is.kind == AMD64_STOP;
}

bool return_path_follow(const struct unwind_context *u, struct cairn_registers *caller,
                        uint64_t *cfa)
{
	struct path *p = code_path_open(u);
	uint64_t pc;

	if (!p)
		return false;
	code_path_start(p, u, u->frame->pc, u->frame->value[AMD64_RSP]);
	if (!follow_to_return(p, &pc))
		return false;
	fill_from_path(p, pc, caller, cfa);
	return true;
}

/*
 * Return true if the path is at the "push %rbp; mov %rsp,%rbp" of a prologue, where the return
 * address is still on top of the stack.
 */
static bool is_frame_begin(struct path *p, const struct amd64_instruction *is)
{
	const uint64_t pc = p->now.pc;
	struct amd64_instruction next;

	if (is->kind != AMD64_PUSH || is->reg != AMD64_RBP || p->now.sp != p->low)
		return false;
	p->now.pc += is->length;
	const bool begins = code_path_decode(p, &next) && next.kind == AMD64_ADDRESS &&
	                    next.reg == AMD64_RBP && next.base == AMD64_RSP &&
	                    next.displacement == 0;
	p->now.pc = pc;
	return begins;
}

bool return_edge_follow(const struct unwind_context *u, struct cairn_registers *caller,
                        uint64_t *cfa)
{
	struct path *p = u->kind == CAIRN_FRAME_PC ? code_path_open(u) : NULL;
	struct amd64_instruction is;
	uint64_t pc;

	if (!p)
		return false;
	code_path_start(p, u, u->frame->pc, u->frame->value[AMD64_RSP]);
	for (unsigned i = 0; i < RETURN_EDGE_STEPS && code_path_decode(p, &is); i++) {
		if ((is.kind == AMD64_RETURN || is_frame_begin(p, &is)) &&
		    is_return_on_top(p, true, &pc)) {
			fill_from_path(p, pc, caller, cfa);
			return true;
		}
		if (is.kind == AMD64_CALL || is.kind == AMD64_JUMP || !code_path_pass(p, &is))
			return false;
	}
	return false;
}

/*
 * Finds the target of an amd64 call, which is encoded in the call or stored in a slot of the
 * module's GOT.
 */

enum {
	CALL = 0xe8,
	CALL_SIZE = 5,
	/*
	 * first opcode byte of an indirect call or jump, whose operand is the distance from the
	 * instruction's end to the slot
	 */
	BY_POINTER = 0xff,
	CALL_SLOT = 0x15,
	JUMP_SLOT = 0x25,
	BY_SLOT_SIZE = 6,
	ENDBR_SIZE = 4,
	BND = 0xf2,
	STUB_SIZE = ENDBR_SIZE + 1 + BY_SLOT_SIZE,
};

static uint64_t add_distance(uint64_t end, const uint8_t *distance)
{
	return end + (uint64_t)(int64_t)(int32_t)bytes_u32(distance, false);
}

/*
 * Follow (endbr64) (bnd) jmp *slot(%rip), the stub that linkers create for a function in another
 * module.
 */
static bool follow_stub(const struct cairn_target *target, uint64_t stub, uint64_t *leads_to)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	uint8_t code[STUB_SIZE];
	size_t at = 0;

	if (!memory_read(target, stub, code, sizeof(code)))
		return false;
	if (bytes_u32(code, false) == bytes_u32(endbr, false))
		at += ENDBR_SIZE;
	at += code[at] == BND;
	return code[at] == BY_POINTER && code[at + 1] == JUMP_SLOT &&
	       memory_word(target, add_distance(stub + at + BY_SLOT_SIZE, code + at + 2), false,
	                   leads_to);
}

/*
 * Find the function called by the call that returns to `back`. Return false if no call precedes
 * `back`, or if the call is through a register.
 */
static bool call_target_find(const struct cairn_target *target, uint64_t back, uint64_t *leads_to)
{
	uint8_t call[BY_SLOT_SIZE];
	const uint8_t *direct = call + BY_SLOT_SIZE - CALL_SIZE;
	uint64_t behind;

	if (!memory_read(target, back - BY_SLOT_SIZE, call, sizeof(call)))
		return false;
	if (call[0] == BY_POINTER && call[1] == CALL_SLOT)
		return memory_word(target, add_distance(back, call + 2), false, leads_to);
	if (direct[0] != CALL)
		return false;
	*leads_to = add_distance(back, direct + 1);
	if (follow_stub(target, *leads_to, &behind))
		*leads_to = behind;
	return true;
}

/*
 * Follows a path from a function's entry to the pc. The entry is the target of the call before a
 * return address on the stack. Many words on a stack look like return addresses; the right one is
 * at the distance from the stack pointer that the code requires.
 */

/*
 * Find the target of the call before `back`. The target must lie in the code of the frame's module,
 * near the frame's pc.
 */
static bool find_start(const struct unwind_context *u, uint64_t back, uint64_t *start)
{
	const struct module *m = u->module;

	if (!unwind_is_in_code(u, back - 1) || !call_target_find(&u->space->target, back, start))
		return false;
	/* compilers move cold parts before all functions, so the entry may be above the pc */
	const uint64_t from = u->frame->pc - *start, to = *start - u->frame->pc;
	return module_is_code(m, *start - m->bias) && (from < to ? from : to) < ENTRY_PATH_CODE;
}

/* Return true for padding after a call. Padding ends the function, so the call does not return. */
static bool is_padding(struct path *p, const struct amd64_instruction *last)
{
	enum { NOP = 0x90, NOP_SIZE = 0x66, NOP_LONG = 0x0f, NOP_LONG_SECOND = 0x1f };
	struct amd64_instruction is;

	if (last->kind != AMD64_CALL || !code_path_decode(p, &is))
		return false;
	const uint8_t *code = p->code + (p->now.pc - p->code_at);
	while (*code == NOP_SIZE || *code == 0x2e)
		code++;
	return *code == NOP || (code[0] == NOP_LONG && code[1] == NOP_LONG_SECOND);
}

/* Return true if the code from `start`, with the return address at `slot`, leads to the frame. */
static bool leads_to_frame(struct path *p, const struct unwind_context *u, uint64_t start,
                           uint64_t slot, unsigned *left)
{
	const uint64_t pc = u->frame->pc, sp = u->frame->value[AMD64_RSP];
	struct amd64_instruction is;

	code_path_start(p, u, start, slot);
	for (; *left > 0; --*left) {
		if (p->now.pc == pc && p->now.sp_known)
			return p->now.sp == sp;
		bool good = code_path_decode(p, &is) && code_path_pass(p, &is) &&
		            (p->now.pc == pc || !is_padding(p, &is));
		if (!good && !code_path_next_pending(p))
			return false;
	}
	return false;
}

/*
 * Set the caller's callee-saved registers from the frame's registers, or from the slots in which
 * the path saved them.
 */
static void take_kept(const struct path *p, uint64_t slot, struct cairn_registers *caller)
{
	const struct unwind_context *u = p->u;
	uint64_t value;

	for (unsigned i = 0; i < AMD64_REGISTERS; i++)
		if ((u->arch->saved >> i & 1) && i != AMD64_RSP && register_known(u->frame, i) &&
		    p->now.place[i].kind == PLACE_REGISTER && p->now.place[i].at == i)
			register_set(caller, i, u->frame->value[i]);
	for (uint64_t at = slot - CODE_PATH_WORD; at >= p->now.sp && at < slot;
	     at -= CODE_PATH_WORD) {
		const struct place kept = code_path_slot(p, at);
		if (kept.kind == PLACE_REGISTER && kept.at < AMD64_REGISTERS &&
		    (u->arch->saved >> kept.at & 1) &&
		    memory_word(&u->space->target, at, u->frame->big_endian, &value))
			register_set(caller, (unsigned)kept.at, value);
	}
}

bool entry_path_follow(const struct unwind_context *u, struct cairn_registers *caller,
                       uint64_t *cfa)
{
	struct path *p = code_path_open(u);
	uint8_t stack[ENTRY_PATH_STACK];
	unsigned left = ENTRY_PATH_STEPS;

	if (!p || !u->module)
		return false;
	const uint64_t sp = u->frame->value[AMD64_RSP];
	size_t size = memory_read_some(&u->space->target, sp, stack, sizeof(stack));
	for (size_t at = 0; at + CODE_PATH_WORD <= size; at += CODE_PATH_WORD) {
		uint64_t back = bytes_u64(stack + at, false), start, slot = sp + at;
		if ((slot + CODE_PATH_WORD) % CODE_PATH_ALIGNMENT != 0 ||
		    !find_start(u, back, &start) || !leads_to_frame(p, u, start, slot, &left))
			continue;
		*cfa = slot + CODE_PATH_WORD;
		*caller = unwind_registers_at(u, back);
		take_kept(p, slot, caller);
		register_set(caller, u->arch->sp, *cfa);
		return true;
	}
	return false;
}

enum {
	/* maximum number of instructions from the call to the exit system call */
	END_INSTRUCTIONS = 8,
	STACK_ALIGNMENT = 16,
	/*
	 * maximum distance from the pc back to the instructions with which musl's clone() sets the
	 * system call number
	 */
	CLONE_BYTES = 48,
};

/* Return true for system call 60 (exit) or 231 (exit_group). */
static bool is_exit(const uint8_t *code, size_t size)
{
	static const struct {
		uint8_t size, code[7];
	} exits[] = {
		{ 4, { 0xb0, 60, 0x0f, 0x05 } }, /* mov $60,%al; syscall */
		{ 4, { 0xb0, 231, 0x0f, 0x05 } },
		{ 7, { 0xb8, 60, 0, 0, 0, 0x0f, 0x05 } }, /* mov $60,%eax; syscall */
		{ 7, { 0xb8, 231, 0, 0, 0, 0x0f, 0x05 } },
	};

	for (size_t i = 0; i < sizeof(exits) / sizeof(*exits); i++)
		if (size >= exits[i].size && memcmp(code, exits[i].code, exits[i].size) == 0)
			return true;
	return false;
}

/*
 * Return true if the frame is in make_fcontext() from Boost.Context, which PHP contains too.
 * make_fcontext() stores the address of code that calls _exit(0) in the slot where the new stack's
 * start function finds its return address. On amd64 a hlt follows the call of _exit(0). On aarch64
 * the code that calls _exit(0) follows a ret, so no call precedes that code.
 */
static bool is_end_of_context(const struct unwind_context *u)
{
	enum { INSTRUCTION = 4 };
	static const uint8_t zero[] = { 0x48, 0x31, 0xff }; /* xor %rdi,%rdi */
	uint8_t code[3 * INSTRUCTION];

	if (u->frame->machine == CAIRN_MACHINE_AMD64)
		return memory_read(&u->space->target, u->frame->pc, code, sizeof(zero) + 6) &&
		       memcmp(code, zero, sizeof(zero)) == 0 && code[3] == 0xe8 && code[8] == 0xf4;
	return u->frame->machine == CAIRN_MACHINE_AARCH64 &&
	       memory_read(&u->space->target, u->frame->pc - INSTRUCTION, code, sizeof(code)) &&
	       bytes_u32(code, false) == 0xd65f03c0u &&
	       (bytes_u32(code + INSTRUCTION, false) & ~0x80000000u) ==
	               0x52800000u &&                                  /* mov x0,#0 */
	       bytes_u32(code + 2 * INSTRUCTION, false) >> 26 == 0x25; /* bl */
}

bool first_frame_ends_thread(const struct unwind_context *u)
{
	uint8_t code[(END_INSTRUCTIONS + 1) * AMD64_LONGEST];
	struct amd64_instruction is;

	if (u->kind == CAIRN_FRAME_RETURN && is_end_of_context(u))
		return true;
	if (u->frame->machine != CAIRN_MACHINE_AMD64 || u->kind != CAIRN_FRAME_RETURN)
		return false;
	const size_t size = memory_read_some(&u->space->target, u->frame->pc, code, sizeof(code));
	for (size_t i = 0, at = 0; i < END_INSTRUCTIONS; i++, at += is.length) {
		if (is_exit(code + at, size - at))
			return true;
		if (!amd64_decode(code + at, size - at, &is) ||
		    (is.kind != AMD64_OTHER && is.kind != AMD64_ADDRESS))
			return false;
	}
	return false;
}

/* Return true if the pc follows the "mov $NUMBER,%eax; syscall" of clone() or clone3(). */
static bool is_after_numbered_clone(const struct unwind_context *u)
{
	enum { CLONE_SIZE = 7 };
	static const uint8_t clones[][CLONE_SIZE] = { { 0xb8, 0xb3, 0x01, 0, 0, 0x0f, 0x05 },
		                                      { 0xb8, 56, 0, 0, 0, 0x0f, 0x05 } };
	uint8_t code[CLONE_SIZE];

	return memory_read(&u->space->target, u->frame->pc - CLONE_SIZE, code, sizeof(code)) &&
	       (memcmp(code, clones[0], CLONE_SIZE) == 0 ||
	        memcmp(code, clones[1], CLONE_SIZE) == 0);
}

/* Return true for an instruction that preserves the system call number in rax and does not jump. */
static bool moves_argument(const struct amd64_instruction *is)
{
	switch (is->kind) {
	case AMD64_OTHER:
	case AMD64_STORE:
		return !(is->writes & 1u << AMD64_RAX);
	case AMD64_ADDRESS:
	case AMD64_LOAD:
		return is->reg != AMD64_RAX;
	default:
		return false;
	}
}

/*
 * Return true if only instructions that preserve the system call number precede the system call.
 * musl uses them to set up the arguments and to store a function on the new stack.
 */
static bool leads_to_system_call(const uint8_t *code, size_t size)
{
	static const uint8_t call[] = { 0x0f, 0x05 };
	struct amd64_instruction is;
	size_t at = 0;

	for (; size - at > sizeof(call); at += is.length)
		if (!amd64_decode(code + at, size - at, &is) || !moves_argument(&is) ||
		    is.length > size - at - sizeof(call))
			return false;
	return size - at == sizeof(call) && memcmp(code + at, call, sizeof(call)) == 0;
}

/* Return true if the pc follows musl's "xor %eax,%eax; mov $56,%al; ...; syscall". */
static bool is_after_short_clone(const struct unwind_context *u)
{
	static const uint8_t number[] = { 0x31, 0xc0, 0xb0, 56 };
	uint8_t code[CLONE_BYTES];

	if (!memory_read(&u->space->target, u->frame->pc - sizeof(code), code, sizeof(code)))
		return false;
	for (size_t at = 0; at + sizeof(number) < sizeof(code); at++) {
		const size_t behind = at + sizeof(number);
		if (memcmp(code + at, number, sizeof(number)) == 0 &&
		    leads_to_system_call(code + behind, sizeof(code) - behind))
			return true;
	}
	return false;
}

bool first_frame_is_new_thread(const struct unwind_context *u)
{
	enum { RAX = 0 };
	uint64_t back;

	if (u->frame->machine != CAIRN_MACHINE_AMD64 || u->kind != CAIRN_FRAME_PC ||
	    !register_known(u->frame, RAX) || u->frame->value[RAX] != 0 ||
	    !register_known(u->frame, u->arch->sp) ||
	    !(is_after_numbered_clone(u) || is_after_short_clone(u)))
		return false;
	return !memory_word(&u->space->target, u->frame->value[u->arch->sp], false, &back) ||
	       !unwind_is_return(u, back);
}

/*
 * Return true for the outermost frame of a stack or for a signal trampoline. Neither has an
 * ordinary caller: the kernel enters a signal handler like the first function of a program. A
 * signal trampoline is the only candidate whose pc does not follow a call.
 */
static bool is_first_frame(struct cairn_space *space, const struct cairn_registers *frame)
{
	struct cairn_step step = { .stop = CAIRN_STOP_NONE };
	struct unwind_context u = unwind_begin(space, frame, CAIRN_FRAME_RETURN, &step);

	if (!unwind_is_return(&u, frame->pc))
		return true;
	if (!unwind_find_module(&u))
		return false;
	unwind_note_uncovered_entry(&u);
	return step.at_entry || first_frame_ends_thread(&u);
}

/*
 * Set the caller's pc and stack pointer if the return address nearest to the stack pointer lies in
 * code that has no ordinary caller: code that ends the thread, the program's entry point, or a
 * signal trampoline.
 */
static bool first_frame_follow(const struct unwind_context *u, struct cairn_registers *caller,
                               uint64_t *cfa)
{
	struct cairn_registers first = { .machine = u->frame->machine };
	const unsigned word = u->arch->word;

	if (u->kind != CAIRN_FRAME_RETURN || !register_known(u->frame, u->arch->sp))
		return false;
	for (uint64_t i = 1; i <= FIRST_FRAME_WORDS; i++) {
		*cfa = u->frame->value[u->arch->sp] + i * word;
		if (!memory_word(&u->space->target, *cfa - word, false, &first.pc) ||
		    !(unwind_leads_back(u, first.pc) || unwind_may_be_return(u, first.pc)))
			continue;
		register_set(&first, u->arch->sp, *cfa);
		*caller = first;
		return *cfa % STACK_ALIGNMENT == 0 && unwind_leads_back(u, first.pc) &&
		       is_first_frame(u->space, &first);
	}
	return false;
}

/*
 * Unwinds a function without unwind information, for a host that would otherwise guess. Follows the
 * code to a return or from the function's entry, or uses the frame pointer if the host's guess must
 * be wrong.
 */

static bool by_code(struct unwind_context *u)
{
	if (!return_edge_follow(u, &u->step->caller, &u->step->cfa) &&
	    !return_path_follow(u, &u->step->caller, &u->step->cfa) &&
	    !(unwind_find_module(u) && entry_path_follow(u, &u->step->caller, &u->step->cfa)) &&
	    !first_frame_follow(u, &u->step->caller, &u->step->cfa))
		return false;
	u->step->method = CAIRN_UNWIND_METHOD_FRAME_POINTER;
	u->step->caller_kind = CAIRN_FRAME_RETURN;
	return true;
}

/*
 * Unwind by the frame pointer if the host's guess is wrong. The host takes the word on top of the
 * stack for the return address. In a caller, this is impossible if the stack pointer is aligned:
 * calls keep the stack aligned, so return addresses never lie at an aligned address. In an
 * innermost frame it is possible, so leave that frame to the host.
 */
static bool by_record(struct unwind_context *u)
{
	if (u->kind != CAIRN_FRAME_RETURN || !register_known(u->frame, u->arch->sp) ||
	    u->frame->value[u->arch->sp] % STACK_ALIGNMENT != 0 || !unwind_step_frame_pointer(u))
		return unwind_stop(u, CAIRN_STOP_NO_ROW);
	if (u->step->cfa % STACK_ALIGNMENT != 0 || !unwind_is_return(u, u->step->caller.pc))
		return unwind_stop(u, CAIRN_STOP_RA_IMPLAUSIBLE);
	return true;
}

bool unwind_by_code(struct cairn_space *space, const struct cairn_registers *frame,
                    enum cairn_frame_kind kind, struct cairn_step *step)
{
	struct unwind_context u = unwind_begin(space, frame, kind, step);

	*step = (struct cairn_step){ .stop = CAIRN_STOP_NONE };
	if (frame->machine != CAIRN_MACHINE_AMD64)
		return unwind_stop(&u, CAIRN_STOP_MACHINE);
	return by_code(&u) || by_record(&u);
}
