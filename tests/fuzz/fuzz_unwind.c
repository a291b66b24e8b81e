/* SPDX-License-Identifier: MIT */
/*
 * Stacks unwound in a target of any bytes, which may refuse to be read, change, or leave a read by
 * longjmp() as debuggers do.  The input is a line of orders and the bytes of an image; the stack
 * is the image's end once more.  Always:
 *   - what is read neither wraps nor is empty, and one question takes a bounded number of reads;
 *   - the stack pointer moves up, but for a leaf, or by call frame information to another stack far below; a rule holds its pc, a module what lies in it;
 *   - after being left in the middle of a question, and after forgetting, the answer is the same;
 *     asked again without forgetting it is the same, too, but for a pc that cannot be read: its
 *     module is not looked for, and known once another address has led to it.
 * By SFrame alone, and by all that leads on.
 */
#include "fuzz.h"
#include "steps.h"

#include <cairn.h>

#include <setjmp.h>
#include <string.h>

enum {
	ORDERS = 12, /* bytes of the input before the image, see open_world() */
	PAGE = 4096,
	STACK_SIZE = 512,
	FRAMES = 40,
	STACKS_APART = 1 << 16, /* bytes, see goes_to_other_stack() */
	READS_MAX = 100000,
};

#define IMAGE 0x400000ull
#define STACK 0x7ffc0000ull

struct fake_target {
	const uint8_t *image;
	bool any; /* by which of the two functions */
	size_t size;
	unsigned reads;
	uint64_t pc;      /* of the frame that was walked last */
	uint64_t unknown; /* pc of the first frame whose module was not known then, or 0 */
	unsigned leave_at, refuse_at, change_at; /* which read; 0: none */
	jmp_buf out;
};

/* The part of `size` bytes at `address` that lies in [start, start + length). */
static bool inside(uint64_t address, size_t size, uint64_t start, size_t length)
{
	return address - start < length && size <= length - (size_t)(address - start);
}

static enum cairn_status serve(void *context, uint64_t address, void *buffer, size_t size)
{
	struct fake_target *world = context;
	size_t mapped = (world->size + PAGE - 1) / PAGE * PAGE;
	size_t stack = world->size < STACK_SIZE ? world->size : STACK_SIZE;
	size_t at, from;

	ALWAYS(size > 0 && address + (size - 1) >= address);
	ALWAYS(world->reads++ < READS_MAX);
	if (world->reads == world->leave_at)
		longjmp(world->out, 1);
	if (world->reads == world->refuse_at)
		return CAIRN_UNREADABLE;
	memset(buffer, 0, size);
	if (inside(address, size, STACK, stack)) {
		memcpy(buffer, world->image + world->size - stack + (address - STACK), size);
	} else if (inside(address, size, IMAGE, mapped)) {
		at = (size_t)(address - IMAGE);
		from = at < world->size ? world->size - at : 0;
		memcpy(buffer, world->image + (from ? at : 0), from < size ? from : size);
	} else {
		return CAIRN_UNREADABLE;
	}
	if (world->change_at && world->reads >= world->change_at)
		((uint8_t *)buffer)[size / 2] ^= 0x10;
	return CAIRN_OK;
}

static unsigned number(const uint8_t *p)
{
	return (unsigned)p[0] | (unsigned)p[1] << 8;
}

/* The orders: machine and order, three reads at which something happens, and the first frame. */
static void open_world(const uint8_t *data, size_t size, struct fake_target *world,
                       struct cairn_registers *frame)
{
	static const enum cairn_machine machines[] = { CAIRN_MACHINE_AMD64, CAIRN_MACHINE_AARCH64,
		                                       CAIRN_MACHINE_S390X, CAIRN_MACHINE_NONE };
	static const unsigned sp[] = { 7, 31, 15, 0 }, fp[] = { 6, 29, 11, 0 },
			      link[] = { 16, 30, 14, 0 };
	unsigned machine = data[0] & 3;

	*world = (struct fake_target){ .image = data + ORDERS,
		                       .size = size - ORDERS,
		                       .leave_at = data[1],
		                       .refuse_at = data[2],
		                       .change_at = data[3] };
	*frame = (struct cairn_registers){ .machine = machines[machine],
		                           .big_endian = data[0] >> 2 & 1,
		                           .pc = IMAGE + number(data + 4) };
	frame->value[link[machine]] = IMAGE + number(data + 6);
	frame->value[fp[machine]] = STACK + number(data + 8);
	frame->value[sp[machine]] = STACK + number(data + 10);
	frame->known = 1ull << sp[machine] | 1ull << fp[machine] | 1ull << link[machine];
}

static uint64_t stack_pointer(const struct cairn_registers *r)
{
	return r->value[r->machine == CAIRN_MACHINE_AMD64     ? 7
	                : r->machine == CAIRN_MACHINE_AARCH64 ? 31
	                                                      : 15];
}

static bool knows_stack_pointer(const struct cairn_registers *r)
{
	unsigned sp = r->machine == CAIRN_MACHINE_AMD64     ? 7
	              : r->machine == CAIRN_MACHINE_AARCH64 ? 31
	                                                    : 15;
	return r->known >> sp & 1;
}

/* A function may call on a stack of its own, which lies above that of its caller. */
static bool goes_to_other_stack(const struct cairn_step *step, enum cairn_frame_kind kind,
                                uint64_t before, uint64_t after)
{
	return step->method == CAIRN_UNWIND_METHOD_CFI && kind == CAIRN_FRAME_RETURN &&
	       after < before && before - after >= STACKS_APART;
}

static void check_step(const struct cairn_registers *frame, enum cairn_frame_kind kind,
                       const struct cairn_step *step, bool found)
{
	ALWAYS(found == (step->stop == CAIRN_STOP_NONE));
	ALWAYS(cairn_stop_name(step->stop) && cairn_stop_text(step->stop));
	ALWAYS(cairn_unwind_method_name(step->method) &&
	       (!found || step->method != CAIRN_UNWIND_METHOD_NONE));
	if (step->stop == CAIRN_STOP_BAD_TABLE)
		ALWAYS(step->fault.status != CAIRN_OK && step->fault.what);
	if (!found)
		return;
	ALWAYS(step->caller.machine == frame->machine);
	ALWAYS(step->caller_kind == CAIRN_FRAME_PC || step->caller_kind == CAIRN_FRAME_RETURN);
	if (step->signal)
		return;
	uint64_t before = stack_pointer(frame), after = stack_pointer(&step->caller);
	bool known = knows_stack_pointer(frame) && knows_stack_pointer(&step->caller);
	ALWAYS(!known || after > before || (after == before && kind == CAIRN_FRAME_PC) ||
	       goes_to_other_stack(step, kind, before, after));
	if (step->method == CAIRN_UNWIND_METHOD_FRAME_POINTER ||
	    step->method == CAIRN_UNWIND_METHOD_CALL || step->method == CAIRN_UNWIND_METHOD_LINK)
		return;
	ALWAYS(step->rule.start - step->rule.function <
	       step->rule.function_end - step->rule.function);
}

static void check_module(struct cairn_space *space, uint64_t pc)
{
	struct cairn_module module;

	(void)cairn_space_has_cfi(space, pc);
	if (cairn_space_module(space, pc, &module) != CAIRN_OK)
		return;
	ALWAYS(module.low <= pc && pc < module.high);
	ALWAYS(module.build_id.data || module.build_id.size == 0);
}

static bool is_known(struct cairn_space *space, uint64_t pc)
{
	struct cairn_module module;

	return cairn_space_module(space, pc, &module) == CAIRN_OK;
}

/* In a function that nothing describes: up the stack, with a bounded number of reads. */
static void check_bare(struct cairn_space *space, const struct cairn_registers *frame,
                       enum cairn_frame_kind kind)
{
	enum { SP = 7 };
	struct cairn_step step;

	if (!step_by_code(space, frame, kind, &step))
		return;
	ALWAYS(frame->machine == CAIRN_MACHINE_AMD64 && step.caller_kind == CAIRN_FRAME_RETURN);
	ALWAYS(step.cfa > frame->value[SP] && step.cfa % 16 == 0);
	ALWAYS((step.caller.known >> SP & 1) && step.caller.value[SP] == step.cfa);
}

/* From the first frame outwards; returns the number of frames and the last answer. */
static unsigned walk(struct cairn_space *space, struct fake_target *world,
                     struct cairn_registers frame, struct cairn_step *last)
{
	enum cairn_frame_kind kind = CAIRN_FRAME_PC;
	unsigned frames = 0;
	bool found = true;

	while (found && frames++ < FRAMES) {
		world->reads = 0;
		world->pc = frame.pc;
		check_module(space, frame.pc);
		if (world->unknown == 0 && !is_known(space, frame.pc))
			world->unknown = frame.pc;
		(void)cairn_guess_frame_kind(space, &frame);
		if (frames == 1 && frame.pc % 16 == 0) /* it is slow */
			check_bare(space, &frame, kind);
		world->reads = 0;
		found = world->any ? step_by_any(space, &frame, kind, last)
		                   : step_by_sframe(space, &frame, kind, last);
		check_step(&frame, kind, last, found);
		kind = last->caller_kind;
		frame = last->caller;
	}
	return frames;
}

/* Maybe the host knows the image, and says that its tables begin where two of the orders are. */
static void report(struct cairn_space *space, const struct cairn_registers *frame,
                   const uint8_t *data, size_t size)
{
	const uint64_t end = IMAGE + size;
	const struct cairn_host_module told = { .name = { data, size },
		                                .low = IMAGE,
		                                .high = end,
		                                .machine = frame->machine,
		                                .big_endian = frame->big_endian,
		                                .sframe = { IMAGE + number(data + 6), end },
		                                .eh_frame = { IMAGE + number(data + 8), end } };

	if (!(data[0] & 8))
		return;
	cairn_space_begin_modules(space);
	ALWAYS(cairn_space_add_module(space, &told) == CAIRN_OK);
	cairn_space_end_modules(space);
}

static void check_list(struct cairn_space *space)
{
	struct cairn_module module;
	size_t at = 0, count = 0;

	while (cairn_space_next_module(space, &at, &module)) {
		ALWAYS(module.low < module.high && count++ < READS_MAX);
		ALWAYS(module.has_headers || (module.bias == 0 && module.name));
		ALWAYS(module.build_id.data || module.build_id.size == 0);
	}
}

static void check_same(const struct cairn_step *a, const struct cairn_step *b)
{
	ALWAYS(a->stop == b->stop && a->cfa == b->cfa && a->function == b->function);
	ALWAYS(a->caller.pc == b->caller.pc && a->caller.known == b->caller.known);
	ALWAYS(memcmp(a->caller.value, b->caller.value, sizeof(a->caller.value)) == 0);
}

static bool can_be_read(struct fake_target *world, uint64_t address)
{
	uint8_t byte;

	world->reads = 0;
	return serve(world, address, &byte, 1) == CAIRN_OK;
}

/* Does the walk end at a pc whose module may be known by now? */
static bool may_go_on(struct fake_target *world, const struct cairn_step *last)
{
	return last->stop == CAIRN_STOP_NO_MODULE &&
	       !(can_be_read(world, world->pc) && can_be_read(world, world->pc - 1));
}

static void walk_often(const uint8_t *data, size_t size, bool any)
{
	static struct fake_target world;
	struct cairn_target target = { serve, &world };
	struct cairn_registers first;
	struct cairn_step steps[3];
	unsigned frames;

	open_world(data, size, &world, &first);
	world.any = any;
	struct cairn_space *space = cairn_space_new(&target);
	ALWAYS(space);
	report(space, &first, data, size);
	if (setjmp(world.out) == 0)
		walk(space, &world, first, &steps[0]);
	world.leave_at = world.refuse_at = world.change_at = 0;
	cairn_space_reset(space);
	report(space, &first, data, size);
	world.unknown = 0;
	frames = walk(space, &world, first, &steps[0]);
	check_list(space);
	/* an outer frame's module may contain an inner frame, too, whose tables count from then on */
	world.reads = 0;
	const bool learns =
		!(data[0] & 0x80) && world.unknown != 0 && is_known(space, world.unknown);
	bool forgets = data[0] & 0x80, goes_on = !forgets && may_go_on(&world, &steps[0]);
	if (forgets) {
		cairn_space_reset(space);
		report(space, &first, data, size);
	}
	unsigned again = walk(space, &world, first, &steps[1]);
	ALWAYS(learns || again == frames || (goes_on && again > frames));
	if (!goes_on && !learns)
		check_same(&steps[0], &steps[1]);
	cairn_space_free(space);
	space = cairn_space_new(&target);
	ALWAYS(space);
	report(space, &first, data, size);
	ALWAYS(walk(space, &world, first, &steps[2]) == frames);
	check_same(&steps[0], &steps[2]);
	cairn_space_free(space);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size <= ORDERS)
		return 0;
	walk_often(data, size, false);
	walk_often(data, size, true);
	return 0;
}
