/* SPDX-License-Identifier: MIT */
/*
 * Reads code from the list of GDB's JIT interface, and adds its unwind rules and code ranges to a
 * space.
 */
#include "registered_code.h"

#include "symbols/jit_list.h"
#include "unwind/tables/modules.h"

#include <stdlib.h>

/* maximum gap, due to alignment, between functions whose code ranges are merged */
enum { GAP_MAX = 64 };

enum cairn_status registered_code_read(struct registered_code *code,
                                       const struct cairn_target *target, uint64_t descriptor,
                                       const struct registered_program *program,
                                       struct cairn_fault *fault)
{
	struct byte_buffer dump = { .limit = program->limit };
	enum cairn_status status =
		jit_list_read(target, descriptor, program->big_endian, &dump, fault);

	if (status == CAIRN_OK)
		status = jit_code_read(&code->code, (struct cairn_bytes){ dump.data, dump.size },
		                       NULL);
	if (status != CAIRN_OK) {
		byte_buffer_finish(&dump);
		return status;
	}
	code->bytes = (struct cairn_bytes){ dump.data, dump.size };
	code->code.shift = 0; /* only V8's jitdumps shift line addresses */
	code->code.machine = program->machine;
	code->search = (struct jit_frames_search){ .code = &code->code };
	return CAIRN_OK;
}

void registered_code_finish(struct registered_code *code)
{
	jit_code_finish(&code->code);
	free((void *)(uintptr_t)code->bytes.data);
	code->bytes = (struct cairn_bytes){ NULL, 0 };
}

bool registered_code_find_rule(struct jit_frames_search *search, uint64_t pc,
                               struct cairn_rule *rule)
{
	struct jit_row row;

	if (search->code->count == 0 || !jit_frames_find(search, pc, &row))
		return false;
	*rule = row.rule;
	rule->machine = search->code->machine;
	rule->start = row.start;
	rule->end = row.end;
	rule->function = jit_code_find(search->code, pc)->start;
	return true;
}

static bool find_space_rule(void *context, uint64_t pc, const struct cairn_registers *frame,
                            struct cairn_rule *rule)
{
	struct registered_code *code = context;

	(void)frame;
	/*
	 * Reset the number of searches. Otherwise JIT_FRAMES_FOUND would end the unwinding of JIT
	 * code in a long-running host, because a space lives as long as its host.
	 */
	code->search.done = 0;
	return registered_code_find_rule(&code->search, pc, rule);
}

static void free_space_rules(void *context)
{
	registered_code_finish(context);
	free(context);
}

/* Add the code ranges to the space, with adjacent functions merged. */
static void list_places(struct cairn_space *space, const struct registered_code *code,
                        const struct registered_program *program)
{
	struct registered_image image = { .machine = program->machine, .big = program->big_endian };
	unsigned places = 0;

	registered_images_free(&space->registered);
	for (size_t i = 0; i < code->code.count && places < REGISTERED_IMAGES_MAX; i++) {
		const struct jit_function *f = &code->code.function[i];
		const bool last = i + 1 == code->code.count;

		if (image.code.low == image.code.high)
			image.code.low = f->start;
		if (f->start + f->size > image.code.high)
			image.code.high = f->start + f->size;
		if (!last &&
		    (f[1].start < image.code.high || f[1].start - image.code.high <= GAP_MAX))
			continue;
		places++;
		if (!space_find(space, image.code.low))
			registered_images_add(&space->registered, &space->target, image);
		image.code = (struct cairn_range){ 0, 0 };
	}
}

enum cairn_status cairn_space_read_registered_code(struct cairn_space *space, uint64_t descriptor,
                                                   enum cairn_machine machine, bool big_endian,
                                                   struct cairn_fault *fault)
{
	const struct registered_program program = { machine, big_endian, REGISTERED_CODE_MAX };
	struct registered_code *code = calloc(1, sizeof(*code));

	*fault = (struct cairn_fault){ .status = CAIRN_OK };
	space_set_jit_code_rules(space, (struct jit_code_rules){ .find = NULL });
	const enum cairn_status status =
		code ? registered_code_read(code, &space->target, descriptor, &program, fault)
		     : CAIRN_NO_MEMORY;
	if (status != CAIRN_OK) {
		free(code);
		return status;
	}
	list_places(space, code, &program);
	if (machine == CAIRN_MACHINE_AMD64 || machine == CAIRN_MACHINE_AARCH64)
		space_set_jit_code_rules(
			space, (struct jit_code_rules){ find_space_rule, code, free_space_rules });
	else
		free_space_rules(code);
	return CAIRN_OK;
}
