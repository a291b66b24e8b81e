/* SPDX-License-Identifier: MIT */
/*
 * Walks the stack of the calling thread. Most frames are unwound by a row that needs only the stack
 * pointer and the frame pointer; such rows are packed into 8 bytes and cached by pc. Other rows are
 * decoded each time. If a row needs a register that the packed rows do not restore, the walk starts
 * again and restores all registers.
 */
#define _GNU_SOURCE
#include "own_code.h"

#include "base/machine.h"
#include "base/target_memory.h"
#include "isa/calls.h"
#include "unwind/step/signal_trampoline.h"
#include "unwind/tables/cfi_expression.h"

#include <cairn.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <ucontext.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

enum {
	WORD = 8,
	CACHE_BITS = 13,
	CACHE_ENTRIES = 1 << CACHE_BITS,
	CHECKED_WORDS = 8, /* maximum number of words of an FDE that are compared */
	STAMP_IN_FDE = 24, /* bits of a stamp in cache_entry.fde; the others are in the key */
	PC_BITS = 48,
	/* limits of switches to a stack at a lower address, so that every walk ends */
	STACKS_MAX = 16,
	STACKS_APART = 1 << 16,
	CODE_MAX = 1 << 16, /* maximum size of a function that is searched for a call */
#ifdef __x86_64__
	LINKS = 0,
	FP = 6,
	SP = 7,
	LINK = 16, /* DWARF column of the return address; not a register */
	CONTEXT = offsetof(ucontext_t, uc_mcontext.gregs),
#else
	LINKS = 1, /* calls store the return address in a register */
	FP = 29,
	SP = 31,
	LINK = 30,
	CONTEXT = offsetof(ucontext_t, uc_mcontext.regs),
#endif
};

static const enum cairn_machine machine = LINKS ? CAIRN_MACHINE_AARCH64 : CAIRN_MACHINE_AMD64;

/* Kinds of rows that restore only the stack pointer and the frame pointer. */
enum packed_kind {
	PACKED_NOT,    /* the row cannot be packed */
	PACKED_CALL,   /* CFA = base + cfa */
	PACKED_ALIGN,  /* CFA = word at base + cfa, in functions that realign their stack (amd64) */
	PACKED_SIGNAL, /* signal trampoline; the kernel has saved all registers on the stack */
	PACKED_END,    /* there is no caller */
};

/* special values of packed_row.fp, which is otherwise an offset from the CFA in words */
enum { FP_SAME = INT16_MIN, FP_AT_FP };

struct packed_row {
	int32_t cfa;
	int16_t fp;
	uint8_t kind : 3, link : 1; /* `link`: the return address is in the link register */
	uint8_t base;
};

/*
 * An entry of the cache. `version` is 0 in an unused entry, and odd while the entry is being
 * written. Because another module may have been loaded at the same addresses since, a hit requires
 * that the module's stamp and the checksum of the FDE have not changed.
 */
struct cache_entry {
	_Atomic uint32_t version;
	_Atomic uint32_t check;
	_Atomic uint64_t key; /* pc, frame kind, and upper bits of the stamp */
	_Atomic uint64_t fde; /* offset from .eh_frame_hdr:32 words to compare:8 stamp:24 */
	_Atomic uint64_t row;
};

static struct cache_entry cache[CACHE_ENTRIES];

struct walk {
	struct own_code own;
	struct cairn_registers frame;
	enum cairn_frame_kind kind;
	unsigned stacks;
	/* restore all registers; otherwise only FP and SP, and set `lost` if another is needed */
	bool all, lost;
};

/* Make the range that contains `address` the current stack range, if the word is readable. */
static bool change_range(struct own_code *own, uint64_t address)
{
	const struct cairn_range first = own->readable[0];

	if (!own_code_readable(own, address, WORD))
		return false;
	for (unsigned i = 1; i < own->range_count; i++)
		if (address - own->readable[i].low < own->readable[i].high - own->readable[i].low) {
			own->readable[0] = own->readable[i];
			own->readable[i] = first;
		}
	return true;
}

/*
 * Read an aligned word. Not instrumented, because AddressSanitizer does not know which words of a
 * frame are saved registers.
 */
__attribute__((no_sanitize_address)) static inline bool load_word(struct walk *w, uint64_t address,
                                                                  uint64_t *value)
{
	const struct cairn_range *stack = &w->own.readable[0];

	if (address % WORD != 0 ||
	    (address - stack->low >= stack->high - stack->low && !change_range(&w->own, address)))
		return false;
	*value = *(const volatile uint64_t *)(uintptr_t)address;
	return true;
}

static uint64_t strip(uint64_t pc)
{
#ifdef __aarch64__
	/* let the processor do this, because it knows the size of addresses; NOP if it has no keys */
	register uint64_t x30 __asm__("x30") = pc;
	__asm__("hint #7" : "+r"(x30)); /* xpaclri */
	return x30;
#else
	return pc;
#endif
}

static uint64_t lookup_address(const struct walk *w)
{
	return w->frame.pc - (w->kind == CAIRN_FRAME_RETURN);
}

/* Compute a checksum of the first words of an FDE. */
static inline uint32_t check_fde(uint64_t fde, unsigned words)
{
	uint64_t sum = words, word;

	for (unsigned i = 0; i < words; i++) {
		memcpy(&word, (const void *)(uintptr_t)(fde + (uint64_t)i * WORD), WORD);
		sum += word * (UINT64_C(0x9e3779b97f4a7c15) + ((uint64_t)i << 33) + 2 * i);
	}
	return (uint32_t)(sum ^ sum >> 32);
}

/* Return the index of the first entry for `pc`. The index of the second one differs in bit 0. */
static inline size_t cache_slot(uint64_t pc)
{
	return (size_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CACHE_BITS));
}

/*
 * Include the frame's kind, because a signal handler returns to the first byte of the trampoline:
 * that return address minus 1 is also the address of the last byte of the function before it.
 */
static inline uint64_t cache_key(const struct walk *w, uint64_t pc, const struct own_module *module)
{
	return (pc << 1 | (w->kind == CAIRN_FRAME_RETURN)) ^
	       module->stamp >> STAMP_IN_FDE << (PC_BITS + 1);
}

static inline bool read_entry(struct cache_entry *entry, const struct own_module *module,
                              uint64_t wanted, struct packed_row *row)
{
	const uint32_t version = atomic_load_explicit(&entry->version, memory_order_acquire);
	const uint64_t key = atomic_load_explicit(&entry->key, memory_order_relaxed);
	const uint64_t fde = atomic_load_explicit(&entry->fde, memory_order_relaxed);
	const uint64_t packed = atomic_load_explicit(&entry->row, memory_order_relaxed);
	const uint32_t check = atomic_load_explicit(&entry->check, memory_order_relaxed);

	atomic_thread_fence(memory_order_acquire);
	if (atomic_load_explicit(&entry->version, memory_order_relaxed) != version ||
	    version == 0 || version % 2 || key != wanted ||
	    ((fde >> 40 ^ module->stamp) & ((1 << STAMP_IN_FDE) - 1)) != 0)
		return false;
	const unsigned words = fde >> 32 & 0xff;
	if ((words == 0) != (module->header == 0) ||
	    check_fde(module->header + (uint64_t)(int32_t)(uint32_t)fde, words) != check)
		return false;
	memcpy(row, &packed, sizeof(*row));
	return true;
}

static inline bool recall_row(const struct walk *w, const struct own_module *module, uint64_t pc,
                              struct packed_row *row)
{
	const uint64_t key = cache_key(w, pc, module);
	const size_t slot = cache_slot(pc);

	return read_entry(&cache[slot], module, key, row) ||
	       read_entry(&cache[slot ^ 1], module, key, row);
}

static void keep_row(const struct walk *w, const struct own_module *module, uint64_t pc,
                     const struct packed_row *row)
{
	struct cache_entry *entry = &cache[cache_slot(pc)];
	const struct ehframe_source *source = &w->own.scratch->fde.source;
	const uint64_t offset = module->header ? source->address - module->header : 0;
	const size_t all = module->header ? source->bytes.size / WORD : 0;
	const unsigned words = all < CHECKED_WORDS ? (unsigned)all : CHECKED_WORDS;
	/* replace a used entry only if the other one is used too */
	if (atomic_load_explicit(&entry->version, memory_order_relaxed) != 0 &&
	    (pc >> 4 & 1 ||
	     atomic_load_explicit(&cache[cache_slot(pc) ^ 1].version, memory_order_relaxed) == 0))
		entry = &cache[cache_slot(pc) ^ 1];
	uint32_t version = atomic_load_explicit(&entry->version, memory_order_relaxed);
	uint64_t packed = 0;

	_Static_assert(sizeof(*row) == sizeof(packed), "a row is stored in one word");
	memcpy(&packed, row, sizeof(*row));
	if (pc >> PC_BITS || (int64_t)offset != (int32_t)offset || version % 2 ||
	    !atomic_compare_exchange_strong_explicit(&entry->version, &version, version + 1,
	                                             memory_order_acquire, memory_order_relaxed))
		return;
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&entry->key, cache_key(w, pc, module), memory_order_relaxed);
	atomic_store_explicit(&entry->fde,
	                      (uint32_t)offset | (uint64_t)words << 32 | module->stamp << 40,
	                      memory_order_relaxed);
	atomic_store_explicit(&entry->row, packed, memory_order_relaxed);
	atomic_store_explicit(&entry->check, check_fde(module->header + offset, words),
	                      memory_order_relaxed);
	atomic_store_explicit(&entry->version, version + 2, memory_order_release);
}

static bool is_expression(struct cairn_bytes code, uint8_t first, uint8_t last, int32_t *offset)
{
	enum { SLEB_SIGN = 0x40, SLEB_MORE = 0x80 };
	const size_t size = last ? 3 : 2;

	if (code.size != size || code.data[0] != first || code.data[1] >= SLEB_MORE ||
	    (last && code.data[2] != last))
		return false;
	*offset = code.data[1] - (code.data[1] & SLEB_SIGN ? SLEB_MORE : 0);
	return true;
}

/* Pack the rule of the frame pointer. */
static bool pack_fp(const struct cfi_register_rule *fp, struct packed_row *row)
{
	enum { BREG6 = 0x76 };
	int32_t offset;

	if (fp->kind == CFI_RULE_UNSET || fp->kind == CFI_RULE_SAME)
		row->fp = FP_SAME;
	else if (fp->kind == CFI_RULE_OFFSET && fp->offset % WORD == 0 &&
	         fp->offset / WORD > FP_AT_FP && fp->offset / WORD <= INT16_MAX)
		row->fp = (int16_t)(fp->offset / WORD);
	else if (!LINKS && fp->kind == CFI_RULE_EXPRESSION &&
	         is_expression(fp->expression, BREG6, 0, &offset) && offset == 0)
		row->fp = FP_AT_FP;
	else
		return false;
	return true;
}

static struct packed_row pack_row(const struct own_scratch *scratch)
{
	enum { BREG6 = 0x76, DEREF = 0x06 };
	const struct cfi_row *from = &scratch->walk.row;
	const struct cfi_register_rule *ra = &from->reg[from->ra], *cfa = &from->cfa;
	struct packed_row row = { .kind = PACKED_NOT };

	if (ra->kind == CFI_RULE_UNDEFINED)
		row.kind = PACKED_END;
	if (row.kind == PACKED_END || scratch->cie.signal || from->ra != LINK ||
	    from->reg[SP].kind != CFI_RULE_UNSET || !pack_fp(&from->reg[FP], &row))
		return row;
	row.link = LINKS && (ra->kind == CFI_RULE_UNSET || ra->kind == CFI_RULE_SAME);
	/* a packed row does not record the location of the return address */
	const int64_t expected = !LINKS ? -1 : row.fp + 1;
	if (!row.link && (ra->kind != CFI_RULE_OFFSET || ra->offset != expected * WORD ||
	                  (LINKS && row.fp == FP_SAME)))
		return row;
	if (cfa->kind == CFI_RULE_REGISTER && cfa->offset == (int32_t)cfa->offset) {
		row.kind = PACKED_CALL;
		row.base = (uint8_t)cfa->reg;
		row.cfa = (int32_t)cfa->offset;
	} else if (!LINKS && cfa->kind == CFI_RULE_VAL_EXPRESSION &&
	           is_expression(cfa->expression, BREG6, DEREF, &row.cfa)) {
		row.kind = PACKED_ALIGN;
		row.base = FP;
	}
	return row;
}

/* Return true if the walk may continue at this CFA. */
static inline bool goes_up(struct walk *w, uint64_t cfa, uint64_t sp)
{
	const bool link = LINKS && w->kind == CAIRN_FRAME_PC;

	return cfa % WORD == 0 && (cfa > sp || (link && cfa == sp) ||
	                           (sp - cfa >= STACKS_APART && ++w->stacks < STACKS_MAX));
}

static inline void begin_caller(struct walk *w, uint64_t pc, uint64_t sp)
{
	w->frame.pc = strip(pc);
	w->frame.value[SP] = sp;
	w->kind = CAIRN_FRAME_RETURN;
}

static inline bool step_packed(struct walk *w, const struct packed_row *row)
{
	struct cairn_registers *frame = &w->frame;
	uint64_t cfa, pc, fp = frame->value[FP];

	if (!(frame->known >> row->base & 1)) {
		w->lost = !w->all;
		return false;
	}
	cfa = frame->value[row->base] + (uint64_t)(int64_t)row->cfa;
	if ((row->kind == PACKED_ALIGN && !load_word(w, cfa, &cfa)) ||
	    !goes_up(w, cfa, frame->value[SP]))
		return false;
	const uint64_t at = row->fp == FP_AT_FP ? fp : cfa + (uint64_t)((int64_t)row->fp * WORD);
	if (row->link)
		pc = frame->value[LINK];
	else if (!load_word(w, !LINKS ? cfa - WORD : at + WORD, &pc))
		return false;
	if (row->link && w->kind != CAIRN_FRAME_PC)
		return false;
	if (row->fp != FP_SAME && !load_word(w, at, &fp))
		return false;
	frame->value[FP] = fp;
	frame->known = (uint64_t)1 << SP | (frame->known & (uint64_t)1 << FP) |
	               (uint64_t)(row->fp != FP_SAME) << FP;
	begin_caller(w, pc, cfa);
	return true;
}

static bool evaluate(struct walk *w, struct cairn_bytes code, const uint64_t *cfa, uint64_t *value)
{
	const struct cairn_target target = own_code_target(&w->own);
	const struct expression e = { &target, &w->frame, code, cfa };
	struct cairn_fault fault;
	const enum cairn_status status = expression_evaluate(&e, value, &fault);

	w->lost |= status == CAIRN_NOT_FOUND && !w->all;
	return status == CAIRN_OK;
}

static bool read_register(struct walk *w, unsigned number, uint64_t *value)
{
	const bool known = number < CAIRN_REGISTERS && (w->frame.known >> number & 1);

	if (known)
		*value = w->frame.value[number];
	return known;
}

static bool recover(struct walk *w, const struct cfi_register_rule *rule, unsigned number,
                    uint64_t cfa, uint64_t *value)
{
	switch (rule->kind) {
	case CFI_RULE_UNDEFINED:
		return false;
	case CFI_RULE_UNSET:
		return (arch_of(machine)->saved >> number & 1) && read_register(w, number, value);
	case CFI_RULE_SAME:
		return read_register(w, number, value);
	case CFI_RULE_REGISTER:
		if (read_register(w, rule->reg, value))
			return true;
		w->lost |= !w->all;
		return false;
	case CFI_RULE_OFFSET:
		return load_word(w, cfa + (uint64_t)rule->offset, value);
	case CFI_RULE_VAL_OFFSET:
		*value = cfa + (uint64_t)rule->offset;
		return true;
	case CFI_RULE_EXPRESSION:
		return evaluate(w, rule->expression, &cfa, value) && load_word(w, *value, value);
	case CFI_RULE_VAL_EXPRESSION:
		return evaluate(w, rule->expression, &cfa, value);
	}
	return false;
}

/* Step to the caller, using the row in the scratch buffers. */
static bool step_whole(struct walk *w)
{
	const struct own_scratch *scratch = w->own.scratch;
	const struct cfi_row *row = &scratch->walk.row;
	const struct cfi_register_rule *ra = &row->reg[row->ra];
	struct cairn_registers caller = { .machine = machine };
	const bool in_link = LINKS && (ra->kind == CFI_RULE_UNSET || ra->kind == CFI_RULE_SAME);
	uint64_t cfa, pc, value;

	if (ra->kind == CFI_RULE_UNDEFINED || (in_link && w->kind != CAIRN_FRAME_PC))
		return false;
	if (row->cfa.kind == CFI_RULE_VAL_EXPRESSION) {
		if (!evaluate(w, row->cfa.expression, NULL, &cfa))
			return false;
	} else if (read_register(w, row->cfa.reg, &cfa)) {
		cfa += (uint64_t)row->cfa.offset;
	} else {
		w->lost = !w->all;
		return false;
	}
	if (in_link)
		pc = w->frame.value[LINK];
	else if (!recover(w, ra, row->ra, cfa, &pc))
		return false;
	for (unsigned i = 0; i < CAIRN_REGISTERS; i++)
		if (i != row->ra && recover(w, &row->reg[i], i, cfa, &value))
			register_set(&caller, i, value);
	if (row->reg[SP].kind == CFI_RULE_UNSET)
		register_set(&caller, SP, cfa);
	if (!(caller.known >> SP & 1) ||
	    (!scratch->cie.signal && !goes_up(w, cfa, w->frame.value[SP])))
		return false;
	w->frame = caller;
	begin_caller(w, pc, caller.value[SP]);
	if (scratch->cie.signal)
		w->kind = CAIRN_FRAME_PC;
	return true;
}

/* Read the registers that the kernel has saved for a signal handler. */
static bool take_context(struct walk *w, uint64_t context)
{
	const struct arch *arch = arch_of(machine);
	const struct register_order order = arch->context;
	const uint64_t *words = (const uint64_t *)(uintptr_t)context;

	if (!own_code_readable(&w->own, context, order.count * sizeof(*words)))
		return false;
	for (size_t i = 0; i < order.count; i++)
		if (order.numbers[i] == REGISTER_HOLDS_PC)
			w->frame.pc = words[i];
		else
			register_set(&w->frame, order.numbers[i], words[i]);
	w->kind = CAIRN_FRAME_PC;
	return true;
}

static bool step_signal(struct walk *w)
{
	return take_context(w, w->frame.value[SP] + arch_of(machine)->trampolines[0].context);
}

/*
 * Return true if a call instruction ends at `pc`. Decodes the function from its start, because
 * instructions of variable length cannot be decoded backward.
 */
static bool follows_call(struct walk *w, uint64_t pc)
{
	const struct own_module *module = own_code_module(&w->own, pc - 1);
	struct calls_instruction instruction = { .is_call = false };

	if (!module || !own_code_find_row(&w->own, module, pc - 1))
		return false;
	const uint64_t start = w->own.scratch->fde.start, size = pc - start;
	const struct cairn_bytes code = { (const uint8_t *)(uintptr_t)start, (size_t)size };
	if (size > CODE_MAX || !own_code_readable(&w->own, start, (size_t)size))
		return false;
	for (size_t at = 0; at < size; at += instruction.length)
		if (!calls_next(machine, code, at, &instruction))
			return false;
	return instruction.is_call;
}

/*
 * Find the return address in two kinds of code without call frame information: PLT stubs written by
 * lld, at their jump, and _init() and _fini(), before and after their first instruction. *offset is
 * relative to the stack pointer.
 */
static bool find_bare_return(struct walk *w, uint64_t *offset)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa }, jump[] = { 0xff, 0x25 };
	static const uint8_t reserve[] = { 0x48, 0x83, 0xec, 0x08 }; /* sub $8,%rsp */
	const uint8_t *code = (const uint8_t *)(uintptr_t)w->frame.pc - sizeof(reserve);

	if (LINKS || !own_code_readable(&w->own, (uintptr_t)code, 3 * sizeof(reserve)))
		return false;
	*offset = memcmp(code, reserve, sizeof(reserve)) == 0 ? WORD : 0;
	code += sizeof(reserve);
	code += memcmp(code, endbr, sizeof(endbr)) == 0 ? sizeof(endbr) : 0;
	if (*offset || memcmp(code, reserve, sizeof(reserve)) == 0)
		return true;
	code += *code == 0xf2;
	return memcmp(code, jump, sizeof(jump)) == 0;
}

/*
 * Step out of code without rules, or from an invalid address that the program has called or jumped
 * to. The return address is still where the call stored it.
 */
static bool step_call(struct walk *w, const struct own_module *module)
{
	uint64_t sp = w->frame.value[SP], pc = LINKS ? strip(w->frame.value[LINK]) : 0, offset = 0;

	if (w->kind != CAIRN_FRAME_PC ||
	    (module && module->header && !find_bare_return(w, &offset)) ||
	    (!LINKS && !load_word(w, sp + offset, &pc)) || !follows_call(w, pc))
		return false;
	begin_caller(w, pc, LINKS ? sp : sp + offset + WORD);
	return true;
}

/* Step to the caller. Set *signal if the frame is a signal trampoline. */
static bool step(struct walk *w, const struct own_module *module, bool *signal)
{
	const uint64_t pc = lookup_address(w);
	const struct cairn_target target = own_code_target(&w->own);
	struct packed_row row = { .kind = PACKED_NOT };
	uint64_t start;

	*signal = false;
	if (module && !w->all && recall_row(w, module, pc, &row)) {
		if (row.kind == PACKED_CALL || row.kind == PACKED_ALIGN)
			return step_packed(w, &row);
		*signal = row.kind == PACKED_SIGNAL;
		return *signal && step_signal(w);
	}
	const bool found = module && own_code_find_row(&w->own, module, pc);
	*signal = (module || w->kind == CAIRN_FRAME_RETURN) &&
	          signal_trampoline_find(&target, &w->frame, &start);
	if (found)
		row = *signal ? (struct packed_row){ .kind = PACKED_SIGNAL }
		              : pack_row(w->own.scratch);
	if (row.kind != PACKED_NOT && !w->all)
		keep_row(w, module, pc, &row);
	if (*signal)
		return step_signal(w);
	if (!found)
		return step_call(w, module);
	*signal = w->own.scratch->cie.signal;
	return step_whole(w);
}

static size_t walk_frames(struct walk *w, struct cairn_backtrace_frame *frames, size_t capacity)
{
	size_t count = 0;
	bool more = true, signal;

	while (more && count < capacity) {
		const uint64_t pc = w->frame.pc, lookup = lookup_address(w);
		const bool returned = w->kind == CAIRN_FRAME_RETURN;
		const struct own_module *module =
			pc || !returned ? own_code_module(&w->own, lookup) : NULL;
		/* the stack ends at a return address that is 0 or not mapped */
		if (returned && (pc == 0 || ((!module || !module->header) &&
		                             !own_code_readable(&w->own, pc, 1))))
			break;
		more = step(w, module, &signal);
		frames[count++] = (struct cairn_backtrace_frame){ pc, signal ? pc : lookup };
	}
	return count;
}

/* Store the current registers. Always inlined, so that the first frame is the calling function. */
__attribute__((always_inline)) static inline void take_registers(struct cairn_registers *frame)
{
#ifdef __x86_64__
	static const uint8_t numbers[] = { 3, FP, SP, 12, 13, 14, 15 };
	uint64_t values[8];
	__asm__ volatile("movq %%rbx, (%0)\n\tmovq %%rbp, 8(%0)\n\tmovq %%rsp, 16(%0)\n\t"
	                 "movq %%r12, 24(%0)\n\tmovq %%r13, 32(%0)\n\tmovq %%r14, 40(%0)\n\t"
	                 "movq %%r15, 48(%0)\n\tleaq 0f(%%rip), %%rax\n\tmovq %%rax, 56(%0)\n0:"
	                 :
	                 : "r"(values)
	                 : "rax", "memory");
	frame->pc = values[7];
#else
	static const uint8_t numbers[] = { 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, FP, LINK, SP };
	uint64_t values[14];
	__asm__ volatile("stp x19, x20, [%0]\n\tstp x21, x22, [%0, #16]\n\t"
	                 "stp x23, x24, [%0, #32]\n\tstp x25, x26, [%0, #48]\n\t"
	                 "stp x27, x28, [%0, #64]\n\tstp x29, x30, [%0, #80]\n\t"
	                 "mov x9, sp\n\tadr x10, 0f\n\tstp x9, x10, [%0, #96]\n0:"
	                 :
	                 : "r"(values)
	                 : "x9", "x10", "memory");
	frame->pc = values[13];
#endif
	for (size_t i = 0; i < sizeof(numbers); i++)
		register_set(frame, numbers[i], values[i]);
}

size_t cairn_backtrace(const void *ucontext, struct cairn_backtrace_frame *frames, size_t capacity)
{
	const int error = errno;
	const uint64_t page = (uintptr_t)&error & ~(uint64_t)(OWN_PAGE - 1);
	struct cairn_registers first = { .machine = machine };
	struct walk w;
	size_t count = 0;
	bool more = true, signal;

	w.lost = false;
	w.own = (struct own_code){ .readable = { { page, page + OWN_PAGE } }, .range_count = 1 };
	take_registers(&first);
	do {
		w.all = w.lost;
		w.lost = false;
		w.stacks = 0;
		w.frame = first;
		w.kind = CAIRN_FRAME_PC;
		if (ucontext)
			more = take_context(&w, (uintptr_t)ucontext + CONTEXT);
		else
			more = step(&w, own_code_module(&w.own, first.pc), &signal);
		count = more ? walk_frames(&w, frames, capacity) : 0;
	} while (w.lost && !w.all);
	own_code_finish(&w.own);
	errno = error;
	return count;
}

#else

size_t cairn_backtrace(const void *ucontext, struct cairn_backtrace_frame *frames, size_t capacity)
{
	(void)ucontext;
	(void)frames;
	(void)capacity;
	return 0;
}

#endif
