/* SPDX-License-Identifier: MIT */
/*
 * Recognizes a signal trampoline by its code, or by the kernel's signal frame if the code is
 * unreadable, and restores the interrupted registers from the signal frame.
 */
#include "signal_trampoline.h"

#include "base/bytes.h"
#include "base/machine.h"
#include "base/target_memory.h"

#include <string.h>

enum {
	/* maximum number of words from the start of a context to the last register that is read */
	WORDS_MAX = 43,
	RECORD = 16,
};

/*
 * Return true if the pc is at one of the two instructions of the trampoline. A single read covers
 * both, except at the start of a mapping. Set *hidden if the code is unreadable.
 */
static bool is_code(const struct cairn_target *target, uint64_t pc,
                    const struct signal_trampoline *trampoline, uint64_t *start, bool *hidden)
{
	uint8_t bytes[2 * TRAMPOLINE_CODE_MAX];
	size_t second = trampoline->second, size = trampoline->size;
	bool whole = memory_read(target, pc - second, bytes, second + size);

	*hidden = !whole && (second == 0 || !memory_read(target, pc, bytes + second, size));
	if (*hidden)
		return false;
	*start = pc;
	if (memcmp(bytes + second, trampoline->code, size) == 0)
		return true;
	*start -= second;
	return whole && memcmp(bytes, trampoline->code, size) == 0;
}

/*
 * Find the stack pointer of a frame if only its frame pointer is known (aarch64). The handler's
 * frame record leads to the record that the kernel stores after the signal frame, which must
 * contain the frame pointer and link register from the context.
 */
static bool find_sp_by_record(const struct arch *arch, const struct cairn_target *target,
                              const struct cairn_registers *frame, uint64_t *sp)
{
	uint8_t record[RECORD], saved[RECORD];
	const unsigned fp = arch->fp;

	if (arch->signal_record == 0 || !register_known(frame, fp))
		return false;
	*sp = frame->value[fp] - arch->signal_record;
	return memory_read(target, frame->value[fp], record, sizeof(record)) &&
	       memory_read(target, *sp + arch->trampolines[0].context + 8u * fp, saved,
	                   sizeof(saved)) &&
	       memcmp(record, saved, sizeof(record)) == 0;
}

static const struct signal_trampoline *find_trampoline(const struct arch *arch,
                                                       const struct cairn_target *target,
                                                       const struct cairn_registers *frame,
                                                       uint64_t *start, bool *hidden)
{
	*hidden = true;
	for (size_t i = 0; i < arch->trampoline_count; i++)
		if (is_code(target, frame->pc, &arch->trampolines[i], start, hidden))
			return &arch->trampolines[i];
	return NULL;
}

/*
 * Find a trampoline with unreadable code by its signal frame. Return NULL if the stack contains no
 * signal frame.
 */
static const struct signal_trampoline *find_hidden(const struct arch *arch,
                                                   const struct cairn_target *target,
                                                   const struct cairn_registers *frame)
{
	uint8_t head[SIGNAL_FRAME_HEAD], byte;
	struct signal_frame at = { NULL, head, frame->value[arch->sp], frame->big_endian };

	if (!arch->is_signal_frame || frame->pc == 0 || memory_read(target, frame->pc, &byte, 1) ||
	    (!register_known(frame, arch->sp) && !find_sp_by_record(arch, target, frame, &at.sp)) ||
	    !memory_read(target, at.sp, head, sizeof(head)))
		return NULL;
	for (size_t i = 0; i < arch->trampoline_count; i++) {
		at.trampoline = &arch->trampolines[i];
		if (arch->is_signal_frame(arch, &at))
			return at.trampoline;
	}
	return NULL;
}

bool signal_trampoline_find(const struct cairn_target *target, const struct cairn_registers *frame,
                            uint64_t *start)
{
	const struct arch *arch = arch_of(frame->machine);
	bool hidden;

	if (!arch)
		return false;
	if (find_trampoline(arch, target, frame, start, &hidden))
		return true;
	*start = frame->pc;
	return hidden && find_hidden(arch, target, frame) != NULL;
}

bool signal_trampoline_find_or_hidden(const struct cairn_target *target,
                                      const struct cairn_registers *frame, uint64_t *start,
                                      bool *hidden)
{
	const struct arch *arch = arch_of(frame->machine);
	uint8_t byte;

	*hidden = true;
	if (arch && find_trampoline(arch, target, frame, start, hidden))
		return true;
	*hidden = *hidden && !memory_read(target, frame->pc, &byte, 1) &&
	          !memory_read(target, frame->pc - 1, &byte, 1);
	return false;
}

/*
 * Find the interrupted registers on the stack. Return false if the pc is not in a trampoline, or
 * the address of the registers is unreadable.
 */
static bool find_context(const struct cairn_target *target, const struct cairn_registers *frame,
                         const struct arch *arch, uint64_t *context)
{
	uint64_t start = frame->pc, sp = frame->value[arch->sp];
	bool hidden;

	if (!register_known(frame, arch->sp) && !find_sp_by_record(arch, target, frame, &sp))
		return false;
	const struct signal_trampoline *trampoline =
		find_trampoline(arch, target, frame, &start, &hidden);
	if (!trampoline && hidden) {
		start = frame->pc;
		trampoline = find_hidden(arch, target, frame);
	}
	if (!trampoline)
		return false;
	*context = sp + trampoline->context;
	if (start != frame->pc)
		*context -= trampoline->moved;
	return !trampoline->indirect ||
	       arch_read_word(arch, target, frame->big_endian, *context, context);
}

/*
 * Restore all readable registers. A core created from a log contains only those needed to continue
 * the stack.
 */
bool signal_trampoline_unwind(const struct cairn_target *target,
                              const struct cairn_registers *frame, struct cairn_registers *caller)
{
	const struct arch *arch = arch_of(frame->machine);
	uint8_t words[8 * WORDS_MAX];
	uint64_t at;
	bool has_pc = false;

	if (!arch || !find_context(target, frame, arch, &at))
		return false;
	const struct register_order order = arch->context;
	const bool whole = memory_read(target, at, words, arch->word * order.count);
	*caller = (struct cairn_registers){ .machine = frame->machine,
		                            .big_endian = frame->big_endian };
	for (size_t i = 0; i < order.count; i++) {
		uint8_t *word = words + i * arch->word;
		if (order.numbers[i] == REGISTER_NOT_HELD ||
		    (!whole && !memory_read(target, at + i * arch->word, word, arch->word)))
			continue;
		uint64_t value = bytes_unsigned(word, arch->word, frame->big_endian);
		if (order.numbers[i] == REGISTER_HOLDS_PC)
			caller->pc = value & ~arch->pc_tag;
		else
			register_set(caller, order.numbers[i], value);
		has_pc |= order.numbers[i] == REGISTER_HOLDS_PC;
	}
	return has_pc && register_known(caller, arch->sp);
}
