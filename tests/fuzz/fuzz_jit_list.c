/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the memory of a program at 0x1000, which begins with the descriptor of GDB's JIT interface. Always: what is made of the
 * list is a jitdump within its limit, whose functions have a name and do not end past the end of memory, and whose rows of frames
 * lie inside of their function; a descriptor that is found in the memory is one of a list that can be read; a space that
 * was told of the list has places that are not empty, and unwinds from each.  The seeds are lists that libcairn-jit made, with their addresses moved.
 */
#include "fuzz.h"
#include "steps.h"

#include "symbols/jit_frames.h"
#include "symbols/jit_list.h"

#include <string.h>

enum { BASE = 0x1000, LIMIT = 1 << 20, STEPS = 64 };

static enum cairn_status read_image(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct cairn_bytes *image = context;

	if (address < BASE || address - BASE > image->size || size > image->size - (address - BASE))
		return CAIRN_UNREADABLE;
	memcpy(buffer, image->data + (address - BASE), size);
	return CAIRN_OK;
}

static void check_function(struct jit_code *code, const struct jit_function *f)
{
	struct jit_frames_search search = { .code = code };
	struct jit_row row;
	struct jit_line line;

	ALWAYS(f->size > 0 && f->start + f->size > f->start && f->name.size > 0);
	for (uint64_t at = 0; at < f->size && at < STEPS; at++) {
		if (jit_frames_find(&search, f->start + at, &row))
			ALWAYS(row.start <= f->start + at && row.end > f->start + at);
		if (jit_code_find_line(code, f, f->start + at, &line))
			ALWAYS(line.address <= f->start + at);
	}
}

static void check_list(struct cairn_bytes image, bool big)
{
	const struct cairn_target target = { read_image, &image };
	struct byte_buffer dump = { .limit = LIMIT };
	struct cairn_fault fault;
	struct jit_code code;

	const enum cairn_status status = jit_list_read(&target, BASE, big, &dump, &fault);
	ALWAYS(dump.size <= LIMIT && (status != CAIRN_OK || dump.size > 0));
	if (status == CAIRN_OK &&
	    jit_code_read(&code, (struct cairn_bytes){ dump.data, dump.size }, NULL) == CAIRN_OK) {
		ALWAYS(code.dump);
		code.shift = 0;
		for (size_t i = 0; i < code.count && i < STEPS; i++)
			check_function(&code, &code.function[i]);
		jit_code_finish(&code);
	}
	byte_buffer_finish(&dump);
}

static void check_scan(struct cairn_bytes image, bool big)
{
	const struct cairn_target target = { read_image, &image };
	struct byte_buffer dump = { .limit = LIMIT };
	struct cairn_fault fault;
	uint64_t at;

	if (!jit_list_scan(&target, (struct cairn_range){ BASE, BASE + image.size }, big, &at))
		return;
	ALWAYS(at >= BASE && at % 8 == 0 && at + JIT_LIST_DESCRIPTOR <= BASE + image.size);
	const enum cairn_status status = jit_list_read(&target, at, big, &dump, &fault);
	ALWAYS(status == CAIRN_OK || status == CAIRN_NO_MEMORY);
	byte_buffer_finish(&dump);
}

static void unwind_from(struct cairn_space *space, uint64_t pc, bool big)
{
	struct cairn_registers frame = { .machine = CAIRN_MACHINE_AMD64,
		                         .big_endian = big,
		                         .pc = pc };
	struct cairn_step step;

	for (unsigned i = 0; i < 16; i++) {
		frame.value[i] = BASE + 64 + 8 * i;
		frame.known |= (uint64_t)1 << i;
	}
	(void)step_by_any(space, &frame, CAIRN_FRAME_PC, &step);
}

static void check_space(struct cairn_bytes image, bool big)
{
	const struct cairn_target target = { read_image, &image };
	struct cairn_space *space = cairn_space_new(&target);
	struct cairn_module module;
	struct cairn_fault fault;
	size_t at = 0;

	if (!space)
		return;
	for (unsigned again = 0; again < 2; again++) {
		const enum cairn_status status = cairn_space_read_registered_code(
			space, BASE, CAIRN_MACHINE_AMD64, big, &fault);
		ALWAYS(status != CAIRN_OK || !fault.what || fault.status != CAIRN_OK);
	}
	while (cairn_space_next_module(space, &at, &module)) {
		ALWAYS(module.registered && module.low < module.high);
		unwind_from(space, module.low, big);
		unwind_from(space, module.high - 1, big);
	}
	cairn_space_free(space);
}

/* A list without an end: each entry is followed by the next one, and has an object of the size that `context` says. */
static enum cairn_status read_endless(void *context, uint64_t address, void *buffer, size_t size)
{
	const uint64_t entry[] = { address + 32, address - 32, 8, *(const uint64_t *)context };
	const uint64_t descriptor[] = { 1, 0, BASE + 32 };

	if (size == sizeof(entry))
		memcpy(buffer, entry, sizeof(entry));
	else if (size == sizeof(descriptor))
		memcpy(buffer, descriptor, sizeof(descriptor));
	else if (size == 1) /* an object begins there, so that its size counts */
		memset(buffer, 0, size);
	else
		return CAIRN_UNREADABLE;
	return CAIRN_OK;
}

static void check_refusal(uint64_t size, const char *expected, uint64_t entries)
{
	const struct cairn_target target = { read_endless, &size };
	struct byte_buffer dump = { .limit = JIT_LIST_MAX };
	struct cairn_fault fault;

	ALWAYS(jit_list_read(&target, BASE, false, &dump, &fault) == CAIRN_OK);
	ALWAYS(fault.status == CAIRN_MALFORMED && strstr(fault.what, expected));
	ALWAYS(fault.offset == BASE + 32 + 32 * entries);
	byte_buffer_finish(&dump);
}

static void check_limits(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	check_refusal(0, "too many entries", JIT_LIST_ENTRIES);
	check_refusal((uint64_t)JIT_LIST_OBJECT + 1, "too large", 0);
	check_refusal(JIT_LIST_OBJECT, "too large", JIT_LIST_MAX / JIT_LIST_OBJECT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct cairn_bytes image = { data, size };
	uint64_t va;

	check_limits();
	check_list(image, false);
	check_list(image, true);
	check_scan(image, false);
	check_scan(image, true);
	check_space(image, false);
	check_space(image, true);
	(void)jit_list_find_descriptor(image, ".symtab", &va);
	return 0;
}
