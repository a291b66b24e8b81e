/* SPDX-License-Identifier: MIT */
/* Converts the frames of JIT code (symbols/sources/jit/) to call frame information on amd64. */
#include "frame_writer.h"

#include "base/memory.h"
#include "cfi_encoder.h"
#include "saved_registers.h"
#include "symbols/sources/jit_frames.h"

enum {
	WORD = 8,
	JIT_POLL_FUNCTIONS = 1 << 8,
};

static int16_t translate_saved(const struct cfi_register_rule *rule)
{
	if (rule->kind == CFI_RULE_UNSET || rule->kind == CFI_RULE_SAME)
		return FLOW_SAME;
	if (rule->kind != CFI_RULE_OFFSET || rule->offset % WORD != 0 || rule->offset >= 0 ||
	    rule->offset / WORD < INT16_MIN)
		return FLOW_UNKNOWN;
	return (int16_t)(rule->offset / WORD);
}

static struct cfi_encoder_row encode_row(const struct jit_row *row)
{
	struct cfi_encoder_row encoded = { .rule = row->rule };

	for (unsigned i = 0; i < FLOW_SAVED_REGISTERS; i++)
		encoded.saved[i] =
			row->described ? translate_saved(&row->row.reg[saved_register_numbers[i]])
				       : (int16_t)FLOW_UNKNOWN;
	return encoded;
}

/* Write an FDE and return its end, which is the function's start if nothing is known. */
static uint64_t write_fde(struct cfi_encoder *encoder, const struct jit_code *code,
                          const struct jit_function *function)
{
	struct jit_frames frames;
	struct jit_row row;
	uint64_t end = function->start;

	if (!jit_frames_open(&frames, code, function))
		return end;
	while (jit_frames_next(&frames, &row)) {
		const struct cfi_encoder_row encoded = encode_row(&row);
		cfi_encoder_row(encoder, row.start, &encoded);
		end = row.end;
	}
	cfi_encoder_end(encoder, end);
	return end;
}

static bool write_frames(const struct jit_code *code, const struct frame_writer_options *options,
                         struct frame_table *table)
{
	struct cfi_encoder encoder = cfi_encoder_open(&table->section, CAIRN_MACHINE_AMD64);

	for (size_t i = 0; i < code->count && !table->section.failed; i++) {
		const struct jit_function *f = &code->function[i];
		if (options->poll && i % JIT_POLL_FUNCTIONS == 0)
			options->poll(options->poll_context);
		uint64_t end = frame_writer_leaves_out(options, f->start)
		                       ? f->start
		                       : write_fde(&encoder, code, f);
		if (end == f->start)
			continue;
		if (!ARRAY_APPEND(table->function, table->functions, table->room,
		                  (struct frame_function){ .range = { f->start, end },
		                                           .kind = FRAME_FUNCTION,
		                                           .name = f->name }))
			return false;
	}
	return !table->section.failed;
}

enum cairn_status frame_table_make_jit(struct cairn_bytes file,
                                       const struct frame_writer_options *options,
                                       struct frame_table *table)
{
	struct polling polling = { options->poll, options->poll_context, 0 };
	WITH_CLEANUP(jit_code_finish) struct jit_code code = { .dump = false };

	*table = (struct frame_table){ .section = { .limit = options->limit } };
	enum cairn_status status = jit_code_read(&code, file, &polling);
	if (status != CAIRN_OK)
		return status;
	jit_code_drop_replaced(&code);
	if (!write_frames(&code, options, table))
		return CAIRN_NO_MEMORY;
	return table->functions > 0 ? CAIRN_OK : CAIRN_NOT_FOUND;
}
