/* SPDX-License-Identifier: MIT */
/*
 * All that a space reads from a target of any bytes, and all that a host tells it, in any order.  The input is
 * orders of ORDER bytes each: what is done, and two numbers for it; after a zero byte follows the memory of the
 * target, which is also what a JIT registers as images, and what files of modules are.  Always:
 *   - what is read neither wraps nor is empty, and one order takes a bounded number of reads;
 *   - no more memory is held at a time than the promise allows, and none is left;
 *   - a module that is listed has an extent, and one that is found holds its pc;
 *   - coverage, presence and rules tell the same while all can be read; a rule that is given holds its instruction;
 *   - what is refused has its status, and a fault its words.
 */
#include "held.h"
#include "steps.h"

#include <cairn.h>

#include <string.h>

enum {
	ORDER = 6,       /* bytes: what, machine, two numbers of two bytes */
	ORDERS_MAX = 64, /* more are left out */
	READS_MAX = 100000,
	SWIFT_READS_MAX = 1 << 20, /* of one frame, for the callers of an async function */
	FRAMES = 8,
	STACK_SIZE = 0x100,
};

#define MEMORY ((uint64_t)0x400000)
#define TWIN ((uint64_t)0x1000) /* where the same bytes are once more */

struct fake_target {
	struct cairn_bytes memory;
	unsigned reads, most, refuse_at; /* which read fails; 0: none */
};

struct order {
	unsigned what, machine, a, b;
};

static enum cairn_status read_fake(void *context, uint64_t address, void *buffer, size_t size)
{
	struct fake_target *fake = context;
	const uint64_t at = address - (address < MEMORY ? TWIN : MEMORY);

	ALWAYS(size > 0 && address + (size - 1) >= address);
	ALWAYS(fake->reads++ < fake->most);
	if (fake->reads == fake->refuse_at || at > fake->memory.size ||
	    size > fake->memory.size - at)
		return CAIRN_UNREADABLE;
	memcpy(buffer, fake->memory.data + at, size);
	return CAIRN_OK;
}

static enum cairn_machine machine_of(const struct order *order)
{
	static const enum cairn_machine machines[] = { CAIRN_MACHINE_AMD64, CAIRN_MACHINE_AARCH64,
		                                       CAIRN_MACHINE_S390X, CAIRN_MACHINE_NONE };

	return machines[order->machine & 3];
}

/* Part of the memory, from `a` on, `b` bytes, or all that is there. */
static struct cairn_bytes slice(const struct fake_target *fake, const struct order *order)
{
	struct cairn_bytes bytes = fake->memory;
	size_t at = order->a < bytes.size ? order->a : bytes.size;

	bytes.data += at;
	bytes.size -= at;
	bytes.size = order->b && order->b < bytes.size ? order->b : bytes.size;
	return bytes;
}

static void add_image(struct cairn_space *space, const struct fake_target *fake,
                      const struct order *order)
{
	enum cairn_status status = cairn_space_add_jit_image(space, slice(fake, order));

	ALWAYS(status == CAIRN_OK || status == CAIRN_NOT_FOUND || status == CAIRN_NO_MEMORY);
}

/* A host that lies: any extents, within each other or apart, past the end of memory too. */
static void add_module(struct cairn_space *space, const struct fake_target *fake,
                       const struct order *order)
{
	const uint64_t low = order->machine & 0x40 ? (uint64_t)0 - order->a : MEMORY + order->a;
	const struct cairn_host_module report = {
		.name = slice(fake, order),
		.low = low,
		.high = order->machine & 0x20 ? UINT64_MAX : low + order->b,
		.machine = machine_of(order),
		.big_endian = order->machine >> 2 & 1,
		.text = { low, low + order->b / 2 },
		.sframe = { MEMORY + order->a, MEMORY + order->a + order->b },
		.eh_frame_hdr = { MEMORY + order->b, MEMORY + order->a },
		.eh_frame = { MEMORY + order->b,
		              order->machine & 0x10 ? UINT64_MAX : MEMORY + 0x10000 },
	};
	enum cairn_status status = cairn_space_add_module(space, &report);

	ALWAYS(status == CAIRN_OK || (status == CAIRN_MALFORMED && report.low >= report.high));
}

static void check_rule(const struct cairn_rule *rule, uint64_t pc, uint64_t bias)
{
	ALWAYS(rule->start < rule->end);
	ALWAYS(pc - bias - rule->start < rule->end - rule->start);
}

static void check_status(enum cairn_status status, const struct cairn_fault *fault)
{
	ALWAYS(cairn_status_text(status));
	ALWAYS(status == CAIRN_OK || status == CAIRN_NOT_FOUND || status == CAIRN_NO_MEMORY ||
	       status == CAIRN_UNSUPPORTED || fault->what);
}

/* All questions about one pc; `steady`: what was read once can be read again. */
static void ask(struct cairn_space *space, uint64_t pc, bool steady)
{
	struct cairn_module module;
	struct cairn_coverage coverage;
	struct cairn_sframe_summary sum;
	struct cairn_rule rule;
	struct cairn_fault fault = { .status = CAIRN_OK };
	enum cairn_status found = cairn_space_module(space, pc, &module);

	ALWAYS(found != CAIRN_OK || (module.low <= pc && pc < module.high));
	const uint64_t bias = found == CAIRN_OK ? module.bias : 0;
	bool cfi = cairn_space_has_cfi(space, pc), sframe = cairn_space_has_sframe(space, pc);
	ALWAYS(!steady || found == CAIRN_OK || (!cfi && !sframe));
	enum cairn_status status = cairn_space_sframe_rule(space, pc, &rule, &fault);
	check_status(status, &fault);
	ALWAYS(!steady || status != CAIRN_OK || sframe);
	if (status == CAIRN_OK && steady)
		check_rule(&rule, pc, bias);
	fault = (struct cairn_fault){ .status = CAIRN_OK };
	check_status(cairn_space_cfi_rule(space, pc, &rule, &fault), &fault);
	if (cairn_space_coverage(space, pc, &coverage) == CAIRN_OK) {
		ALWAYS(!steady || (found == CAIRN_OK && coverage.cfi == cfi));
		ALWAYS(!coverage.row || coverage.table);
	}
	if (cairn_space_sframe_summary(space, pc, &sum))
		ALWAYS(sum.count > 0 && sum.versions != 0);
}

static void find_async(struct cairn_space *space, struct fake_target *fake,
                       const struct cairn_registers *frame, enum cairn_frame_kind kind,
                       const struct cairn_step *step)
{
	const unsigned before = fake->reads;
	struct cairn_async_callers callers;

	fake->most = before + SWIFT_READS_MAX;
	const bool wants = cairn_space_wants_async(space, frame, kind, step);
	const enum cairn_status status =
		cairn_find_async_callers(space, frame, kind, step, 0, &callers);
	ALWAYS((status == CAIRN_OK) == (callers.count > 0));
	ALWAYS(!wants || status == CAIRN_OK || status == CAIRN_NOT_FOUND || fake->refuse_at > 0);
	for (size_t i = 0; i < callers.count; i++)
		ALWAYS(callers.pc[i] >= TWIN);
	fake->reads = before;
	fake->most = READS_MAX;
}

static void walk(struct cairn_space *space, struct fake_target *fake, const struct order *order)
{
	static const unsigned sp[] = { 7, 31, 15, 0 };
	enum cairn_frame_kind kind = CAIRN_FRAME_PC;
	struct cairn_registers frame = { .machine = machine_of(order),
		                         .big_endian = order->machine >> 2 & 1,
		                         .pc = MEMORY + order->a };
	struct cairn_step step;

	frame.value[sp[order->machine & 3]] = MEMORY + order->b;
	frame.known = (uint64_t)1 << sp[order->machine & 3];
	for (unsigned i = 0; i < FRAMES; i++) {
		bool found = order->machine & 8 ? step_by_sframe(space, &frame, kind, &step)
		                                : step_by_any(space, &frame, kind, &step);
		ALWAYS(found == (step.stop == CAIRN_STOP_NONE));
		if (!found)
			return;
		find_async(space, fake, &frame, kind, &step);
		frame = step.caller;
		kind = step.caller_kind;
	}
}

/* Where a caller is sought one way at a time. */
static void ask_frame(struct cairn_space *space, struct fake_target *fake,
                      const struct order *order)
{
	const struct cairn_registers frame = {
		.machine = machine_of(order),
		.big_endian = order->machine >> 2 & 1,
		.pc = MEMORY + order->a,
		.value = { [6] = MEMORY + order->b, [7] = MEMORY + order->b },
		.known = 1 << 6 | 1 << 7
	};
	struct cairn_step step;
	uint64_t pc = 0;

	const enum cairn_frame_kind kind = cairn_guess_frame_kind(space, &frame);
	ALWAYS(kind == CAIRN_FRAME_PC || kind == CAIRN_FRAME_RETURN);
	if (step_unchecked(space, &frame, kind, &step))
		ALWAYS(step.stop == CAIRN_STOP_NONE);
	else
		ALWAYS(step.stop != CAIRN_STOP_NONE && step.stop != CAIRN_STOP_RA_IMPLAUSIBLE);
	if (step_by_code(space, &frame, kind, &step))
		ALWAYS(step.function == 0 && step.stop == CAIRN_STOP_NONE);
	(void)cairn_return_address(space, &frame, kind, &pc);
	if (cairn_find_signal_trampoline(space, &frame, &pc))
		ALWAYS(pc <= frame.pc);
	(void)cairn_space_follows_call(space, frame.pc);
	/* called by the same code in the other copy of the memory */
	step = (struct cairn_step){ .cfa = MEMORY + order->b + STACK_SIZE, .caller = frame };
	step.caller.pc = TWIN + order->a;
	find_async(space, fake, &frame, kind, &step);
}

/* The file of a module, of any bytes, all of which are there. */
static void give_files(struct cairn_space *space, const struct fake_target *fake,
                       const struct order *order)
{
	enum { PARTS_MAX = 16 };
	struct cairn_files *files = cairn_files_new(order->machine & 1);
	struct cairn_range part;
	unsigned step = 0, parts = 0;

	ALWAYS(files);
	if (order->machine & 2)
		cairn_files_want_async(files);
	while (cairn_files_part(files, slice(fake, order), &step, false, &part))
		ALWAYS(part.low < part.high && parts++ < PARTS_MAX);
	cairn_space_give_files(space, MEMORY + order->b, files);
	const struct cairn_in_files in = cairn_space_in_files(space, MEMORY + order->b);
	ALWAYS(in.given || (!in.symbols && !in.program && !in.cfi && !in.function));
}

static void check_trace(struct cairn_space *space, const struct cairn_found_trace *found)
{
	struct cairn_bytes bytes;
	struct cairn_image image;
	size_t images = 0;

	if (cairn_found_trace_bytes(space, found, &bytes) == CAIRN_OK)
		ALWAYS(bytes.size == found->size && bytes.size <= CAIRN_TRACE_BYTES_MAX);
	enum cairn_status status = cairn_found_trace_images(space, found, &images);
	ALWAYS(status != CAIRN_OK || images > 0 || found->images != 0);
	if (cairn_found_trace_image(space, MEMORY, &image))
		ALWAYS(image.base <= MEMORY && MEMORY < image.end);
}

/* Backtraces in the memory of the target, and one where the order says. */
static void search_traces(struct cairn_space *space, const struct order *order)
{
	const struct cairn_range range = { MEMORY + order->a, MEMORY + order->a + order->b };
	struct cairn_found_trace found;
	uint64_t before = 0;

	ALWAYS(cairn_trace_search_begin(space) == CAIRN_OK);
	ALWAYS(cairn_trace_search_scan(space, range) == CAIRN_OK);
	cairn_trace_search_resolve(space);
	if (order->machine & 1)
		ALWAYS(cairn_trace_search_scan_arrays(space, range) == CAIRN_OK);
	for (size_t at = 0; cairn_trace_search_next(space, &at, &found);) {
		ALWAYS(found.array > before || order->machine & 1);
		before = found.array;
		check_trace(space, &found);
	}
	if (cairn_found_trace_at(space, range.low, &found) == CAIRN_OK)
		check_trace(space, &found);
}

/* Bytes of a backtrace, as many as there are, or as the order says. */
static void read_trace(struct cairn_space *space, const struct order *order)
{
	struct cairn_bytes bytes;
	struct cairn_trace trace;
	struct cairn_frame run;
	size_t runs = 0;

	if (cairn_trace_read(space, MEMORY + order->a, order->b, &bytes) != CAIRN_OK)
		return;
	ALWAYS(order->b == 0 || bytes.size == order->b);
	cairn_trace_open(bytes, &trace);
	while (cairn_trace_next(&trace, &run))
		ALWAYS(++runs <= bytes.size);
	ALWAYS(cairn_trace_end_name(&trace));
}

static void list_modules(struct cairn_space *space)
{
	struct cairn_module module;
	size_t at = 0, count = 0;

	while (cairn_space_next_module(space, &at, &module)) {
		ALWAYS(module.low < module.high && count++ < ORDERS_MAX + READS_MAX);
		ALWAYS(module.build_id.data || module.build_id.size == 0);
		ALWAYS(module.has_headers || module.headers.size == 0);
	}
}

static void obey(struct cairn_space *space, struct fake_target *fake, const struct order *order)
{
	fake->reads = 0;
	switch (order->what % 14) {
	case 0:
		cairn_space_reset(space);
		break;
	case 1:
		cairn_space_begin_query(space);
		break;
	case 2:
		cairn_space_begin_modules(space);
		break;
	case 3:
		add_module(space, fake, order);
		break;
	case 4:
		cairn_space_end_modules(space);
		break;
	case 5:
		add_image(space, fake, order);
		break;
	case 6:
		ask(space, MEMORY + order->a, fake->refuse_at == 0);
		break;
	case 7:
		walk(space, fake, order);
		break;
	case 8:
		list_modules(space);
		break;
	case 9:
		fake->refuse_at = order->b;
		break;
	case 10:
		give_files(space, fake, order);
		break;
	case 11:
		search_traces(space, order);
		break;
	case 12:
		read_trace(space, order);
		break;
	default:
		ask_frame(space, fake, order);
		break;
	}
}

static void take_input(const uint8_t *data, size_t size)
{
	struct fake_target fake = { .most = READS_MAX };
	const struct cairn_target target = { read_fake, &fake };
	size_t orders = 0;

	while (orders < ORDERS_MAX && orders * ORDER < size && data[orders * ORDER] != 0 &&
	       size - orders * ORDER >= ORDER)
		orders++;
	size_t used = orders * ORDER < size ? orders * ORDER + 1 : size;
	fake.memory = (struct cairn_bytes){ data + used, size - used };
	struct cairn_space *space = cairn_space_new(&target);
	ALWAYS(space);
	for (size_t i = 0; i < orders; i++) {
		const uint8_t *p = data + i * ORDER;
		const struct order order = { p[0] - 1u, p[1], p[2] | (unsigned)p[3] << 8,
			                     p[4] | (unsigned)p[5] << 8 };
		obey(space, &fake, &order);
	}
	cairn_space_free(space);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	held_begin();
	take_input(data, size);
	held_end(size, HELD_PLAIN);
	return 0;
}
