/* SPDX-License-Identifier: MIT */
/*
 * Builds the words of a stack such that the call frame information in the files leads from each
 * frame to the next:
 *
 *	CFA = SP + n                    the next SP is the CFA, the return address below it
 *	CFA = rbp + n                   the CFA is chosen; rbp, in the register or where an inner frame saved it, becomes CFA - n
 *	Go                              the log contains the frame sizes
 *	signal trampoline               SP + 120, 160, 168: rbp, SP and pc of the interrupted code, as stored by Linux
 *	innermost frame in no module    a call through a bad pointer: the return address is at SP
 *	module without a file           an invented frame: a record of the frame pointer and the return address, below the CFA
 */
#include "backtraces.h"

#include "base/memory.h"
#include "formats/elf/elf.h"
#include "unwind/tables/unwind_tables.h"

#include <string.h>

enum {
	SP = 7,
	FP = 6,
	WORD = 8,
	CAPACITY_OF_FRAME = 256, /* size to assume for a frame of unknown size */
	SIGNAL_FP = 120,
	SIGNAL_SP = 160,
	SIGNAL_PC = 168,
	SIGNAL_FRAME = 1024,
};
static const uint64_t stacks_low = UINT64_C(1) << 44, stacks_distance = UINT64_C(1) << 24;
static const uint64_t page_mask = 0xfff;

struct making {
	struct captured *captured;
	struct cairn_space *space;
	struct captured_thread *thread;
	uint64_t sp, high;
	bool fp_bound;
	/* value of rbp, and the stack slot that contains it; slot 0 means the register */
	uint64_t fp, fp_slot;
	bool after_signal; /* current frame was interrupted, so its pc is exact */
	bool made; /* `fp_slot` is in a frame of a module without a file and still needs a value */
};

static void put_word(struct making *m, uint64_t address, uint64_t value)
{
	struct captured *c = m->captured;

	if (!ARRAY_APPEND(c->words, c->word_count, c->word_capacity,
	                  (struct captured_word){ address, value }))
		c->scarce = true;
}

/*
 * Write the return address. Omit it in the outermost frame, so that debuggers show no further
 * frame.
 */
static void put_next(struct making *m, uint64_t address, const struct captured_step *next)
{
	if (next)
		put_word(m, address, next->pc);
}

static void bind_fp(struct making *m, uint64_t value)
{
	m->fp_bound = true;
	m->fp = value;
	if (m->fp_slot != 0) {
		put_word(m, m->fp_slot, value);
	} else {
		m->thread->fp = value;
		m->thread->has_fp = true;
	}
}

/* Terminate a chain of frame pointers that no further frame continues. */
static void end_chain(struct making *m)
{
	if (m->made && !m->fp_bound)
		put_word(m, m->fp_slot, 0);
	m->made = false;
}

/* Record that the frame saved rbp at `slot`. A frame further out determines the saved value. */
static void leave_slot(struct making *m, uint64_t slot)
{
	end_chain(m);
	m->fp_slot = slot;
	m->fp_bound = false;
}

/* Compute the CFA with the rule. Return false if no stack can satisfy the rule. */
static bool find_cfa(struct making *m, const struct cairn_rule *rule, uint64_t *cfa)
{
	const uint64_t offset = (uint64_t)rule->cfa.offset;

	if (rule->cfa.kind != CAIRN_REGISTER_VALUE ||
	    (rule->cfa.base != SP && rule->cfa.base != FP))
		return false;
	if (rule->cfa.base == SP) {
		*cfa = m->sp + offset;
	} else {
		if (!m->fp_bound)
			bind_fp(m, ((m->sp + CAPACITY_OF_FRAME + offset) & ~(uint64_t)15) - offset);
		*cfa = m->fp + offset;
	}
	return *cfa > m->sp && *cfa < m->high;
}

static bool follow_rule(struct making *m, const struct cairn_rule *rule,
                        const struct captured_step *next)
{
	uint64_t cfa;

	if (!find_cfa(m, rule, &cfa) || rule->ra.kind != CAIRN_REGISTER_MEMORY ||
	    rule->ra.base != CAIRN_BASE_CFA)
		return false;
	put_next(m, cfa + (uint64_t)rule->ra.offset, next);
	if (rule->fp.kind == CAIRN_REGISTER_MEMORY && rule->fp.base == CAIRN_BASE_CFA) {
		leave_slot(m, cfa + (uint64_t)rule->fp.offset);
	}
	m->sp = cfa;
	return true;
}

/*
 * Invent a frame for a module without a file. When the capture is opened, the module gets a file
 * with unwind rules for such frames.
 */
static bool follow_made(struct making *m, const struct captured_step *next)
{
	const uint64_t cfa = ((m->sp + 2 * WORD) + 15) & ~(uint64_t)15;

	if (cfa >= m->high)
		return false;
	if (!m->fp_bound)
		bind_fp(m, cfa - 2 * WORD);
	if (m->fp != cfa - 2 * WORD)
		return false;
	put_next(m, cfa - WORD, next);
	leave_slot(m, m->fp);
	m->made = true;
	m->sp = cfa;
	return true;
}

static bool follow_signal(struct making *m, const struct captured_step *next)
{
	const uint64_t sp = m->sp + SIGNAL_FRAME;

	put_word(m, m->sp + SIGNAL_SP, sp);
	put_next(m, m->sp + SIGNAL_PC, next);
	leave_slot(m, m->sp + SIGNAL_FP);
	m->sp = sp;
	m->after_signal = true;
	return sp < m->high;
}

static bool is_trampoline(struct making *m, uint64_t pc)
{
	const struct cairn_registers frame = { .machine = CAIRN_MACHINE_AMD64, .pc = pc };
	uint64_t start;

	return cairn_find_signal_trampoline(m->space, &frame, &start) && start == pc;
}

/* Use the frame bounds that Go prints. */
static bool follow_told(struct making *m, const struct captured_frame *frame,
                        const struct captured_step *next)
{
	const uint64_t size = frame->frame_end - frame->stack_pointer;

	if (frame->stack_pointer == 0 || size < WORD || size % WORD != 0 || size >= m->high - m->sp)
		return false;
	m->sp += size;
	put_next(m, m->sp - WORD, next);
	return true;
}

/* Extend the stack from a frame to `next`, which is NULL for the outermost frame. */
static bool follow_step(struct making *m, const struct captured_step *step, bool innermost,
                        const struct captured_step *next)
{
	const struct captured_module *module = captured_module_at(m->captured, step->pc);
	const bool exact = step->exact || m->after_signal;
	struct cairn_rule rule;
	struct cairn_fault fault;

	m->after_signal = false;
	if (innermost && !module) {
		put_next(m, m->sp, next);
		m->sp += WORD;
		return true;
	}
	if (follow_told(m, &step->frame, next))
		return true;
	if (module && !module->has_file)
		return follow_made(m, next);
	if (is_trampoline(m, step->pc))
		return follow_signal(m, next);
	return cairn_space_cfi_rule(m->space, step->pc - !exact, &rule, &fault) == CAIRN_OK &&
	       !rule.outermost && follow_rule(m, &rule, next);
}

/*
 * Return the number of frames, not counting null pointers at the end. Rust prints a null pointer
 * after the outermost frame.
 */
static size_t count_frames(const struct captured_thread *thread, const struct captured_step *steps)
{
	size_t count = thread->count;

	while (count > 1 && steps[count - 1].frame.has_address &&
	       steps[count - 1].frame.address == 0)
		count--;
	return count;
}

static void make_stack(struct making *m)
{
	const struct captured_thread *thread = m->thread;
	struct captured_step *steps = &m->captured->steps[thread->first];
	const size_t count = count_frames(thread, steps);

	/*
	 * A trampoline is not entered by a call, so if the backtrace begins in one, the address is
	 * exact rather than a return address.
	 */
	if (steps[0].frame.pc == CAPTURED_PC_RETURN && is_trampoline(m, steps[0].pc + 1))
		steps[0].pc++;
	for (size_t i = 0; i < count; i++) {
		const bool last = i + 1 == count || !steps[i + 1].known;
		const bool led = follow_step(m, &steps[i], i == 0, last ? NULL : &steps[i + 1]);
		if (last || !led) {
			m->thread->ended = i + 1 < count;
			break;
		}
	}
	end_chain(m);
}

/*
 * Read from a mapping of the file. Mappings consist of whole pages, but the file may end within its
 * last page.
 */
static enum cairn_status read_mapped_file(const struct captured_module *module, uint64_t pc,
                                          void *buffer, size_t size)
{
	const struct cairn_bytes file = module->file.bytes;
	const uint64_t va = pc - module->bias;
	struct elf_segment segment;

	for (uint32_t i = 0; module->has_file && elf_segment(&module->elf, i, &segment); i++) {
		const uint64_t before = segment.va & page_mask, low = segment.va - before;
		const uint64_t mapped = (before + segment.file_size + page_mask) & ~page_mask;
		const uint64_t at = segment.offset - before + (va - low);
		if (segment.type != ELF_PT_LOAD || segment.offset < before || va < low ||
		    segment.file_size > file.size || va - low >= mapped ||
		    size > mapped - (va - low))
			continue;
		const size_t there = at >= file.size         ? 0
		                     : file.size - at < size ? (size_t)(file.size - at)
		                                             : size;
		memset(buffer, 0, size);
		memcpy(buffer, file.data + (there > 0 ? at : 0), there);
		return CAIRN_OK;
	}
	return CAIRN_UNREADABLE;
}

static enum cairn_status read_modules(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct captured_module *module = captured_module_at(context, address);

	return module ? read_mapped_file(module, address, buffer, size) : CAIRN_UNREADABLE;
}

/*
 * Return the range of .eh_frame. Uses the section header, because static programs have no program
 * header for .eh_frame.
 */
static struct cairn_range find_frames(const struct captured_module *module)
{
	struct elf_section section;

	if (!module->has_file || !elf_find_section(&module->elf, ".eh_frame", &section))
		return (struct cairn_range){ 0, 0 };
	return (struct cairn_range){ section.va + module->bias,
		                     section.va + module->bias + section.size };
}

/*
 * Add .debug_frame, which debuggers use but unwinders normally do not. The kernel, among others,
 * has no other unwind information. A compressed section is ignored.
 */
static void give_debug_frame(const struct captured_module *module, struct cairn_space *space)
{
	struct elf_section section;

	if (!module->has_file || module->low >= module->high ||
	    !elf_find_section(&module->elf, ".debug_frame", &section) ||
	    (section.flags & ELF_SHF_COMPRESSED))
		return;
	const struct cairn_bytes frames = elf_section_bytes(&module->elf, &section);
	if (frames.size > 0)
		(void)space_give_debug_frame(space, module->low, frames);
}

static bool report_modules(const struct captured *c, struct cairn_space *space)
{
	bool good = true;

	cairn_space_begin_modules(space);
	for (size_t i = 0; i < c->module_count; i++) {
		const struct captured_module *module = &c->modules[i];
		const struct cairn_host_module report = { .name = module->name,
			                                  .low = module->low,
			                                  .high = module->high,
			                                  .machine = CAIRN_MACHINE_AMD64,
			                                  .text = { module->low, module->high },
			                                  .eh_frame = find_frames(module) };
		if (module->low < module->high)
			good = cairn_space_add_module(space, &report) == CAIRN_OK && good;
	}
	cairn_space_end_modules(space);
	for (size_t i = 0; i < c->module_count; i++)
		give_debug_frame(&c->modules[i], space);
	return good;
}

/* Return an address range for the stacks that does not overlap a module. */
static uint64_t find_stacks(const struct captured *c)
{
	uint64_t low = stacks_low;
	const uint64_t size = stacks_distance * (c->thread_count + 1);

	for (size_t i = 0; i < c->module_count; i++)
		if (c->modules[i].low < low + size && low < c->modules[i].high) {
			low = (c->modules[i].high + stacks_distance - 1) & ~(stacks_distance - 1);
			/* restart, because another module may overlap the new range */
			i = SIZE_MAX;
		}
	return low;
}

void captured_make_stacks(struct captured *c)
{
	const struct cairn_target target = { read_modules, c };
	struct cairn_space *space = cairn_space_new(&target);
	uint64_t low = find_stacks(c);

	c->stacks.low = low;
	c->stacks.high = low + stacks_distance * c->thread_count;
	c->scarce = c->scarce || !space || !report_modules(c, space);
	for (size_t i = 0; i < c->thread_count && !c->scarce; i++, low += stacks_distance) {
		struct making m = { .captured = c,
			            .space = space,
			            .thread = &c->threads[i],
			            .sp = low + SIGNAL_FRAME,
			            .high = low + stacks_distance - SIGNAL_FRAME };
		c->threads[i].sp = m.sp;
		make_stack(&m);
	}
	cairn_space_free(space);
}
