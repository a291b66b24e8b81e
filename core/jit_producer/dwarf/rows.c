/* SPDX-License-Identifier: MIT */
/*
 * Writes rows as call frame instructions. Each row is encoded as the difference from the previous
 * one, the first as the difference from the CIE.
 *
 * The lengths of instructions are not needed: a row that holds after an instruction starts one byte
 * after the instruction's start, because no pc lies inside of an instruction.
 */
#include "rows.h"

#include "jit_producer/base/machine.h"

#include <string.h>

enum {
	DW_CFA_advance_loc = 0x40,
	DW_CFA_offset = 0x80,
	DW_CFA_restore = 0xc0,
	DW_CFA_advance_loc1 = 0x02,
	DW_CFA_advance_loc2 = 0x03,
	DW_CFA_advance_loc4 = 0x04,
	DW_CFA_def_cfa = 0x0c,
	DW_CFA_offset_extended_sf = 0x11,
	DW_CFA_def_cfa_sf = 0x12,
	DW_CFA_restore_extended = 0x06,
	REGISTER_MAX = 127,
};

static void advance_location(struct cairn_jit_rule *state, uint32_t offset)
{
	uint32_t delta = offset - state->at;

	state->at = offset;
	if (delta == 0)
		return;
	if (delta < 0x40) {
		cairn_jit_put_number(state->out, DW_CFA_advance_loc | delta, 1);
		return;
	}
	unsigned size = delta < 0x100 ? 1 : delta < 0x10000 ? 2 : 4;

	cairn_jit_put_number(state->out,
	                     size == 1   ? DW_CFA_advance_loc1
	                     : size == 2 ? DW_CFA_advance_loc2
	                                 : DW_CFA_advance_loc4,
	                     1);
	cairn_jit_put_number(state->out, delta, size);
}

static void write_cfa(struct cairn_jit_bytes *out, uint16_t reg, int32_t offset)
{
	cairn_jit_put_number(out, offset < 0 ? DW_CFA_def_cfa_sf : DW_CFA_def_cfa, 1);
	cairn_jit_put_uleb(out, reg);
	if (offset < 0)
		cairn_jit_put_sleb(out, offset / MACHINE_DATA_ALIGN);
	else
		cairn_jit_put_uleb(out, (uint64_t)offset);
}

static void write_saved(struct cairn_jit_bytes *out, struct cairn_jit_saved saved)
{
	int64_t factored = saved.offset / MACHINE_DATA_ALIGN;

	if (factored >= 0 && saved.reg < 64) {
		cairn_jit_put_number(out, DW_CFA_offset | saved.reg, 1);
		cairn_jit_put_uleb(out, (uint64_t)factored);
		return;
	}
	cairn_jit_put_number(out, DW_CFA_offset_extended_sf, 1);
	cairn_jit_put_uleb(out, saved.reg);
	cairn_jit_put_sleb(out, factored);
}

static void write_restored(struct cairn_jit_bytes *out, uint16_t reg)
{
	if (reg < 64) {
		cairn_jit_put_number(out, DW_CFA_restore | reg, 1);
		return;
	}
	cairn_jit_put_number(out, DW_CFA_restore_extended, 1);
	cairn_jit_put_uleb(out, reg);
}

static const struct cairn_jit_saved *find_saved(const struct cairn_jit_saved *saved, size_t count,
                                                uint16_t reg)
{
	for (size_t i = 0; i < count; i++)
		if (saved[i].reg == reg)
			return &saved[i];
	return NULL;
}

static bool check_row(const struct cairn_jit_rule *state, const struct cairn_jit_row *row)
{
	if (row->offset >= state->function->size || row->saved_count > CAIRN_JIT_SAVED_MAX ||
	    (state->started && row->offset <= state->at) || row->cfa_register > REGISTER_MAX ||
	    (row->cfa_offset < 0 && row->cfa_offset % MACHINE_DATA_ALIGN))
		return false;
	for (size_t i = 0; i < row->saved_count; i++)
		if (row->saved[i].reg > REGISTER_MAX || row->saved[i].offset % MACHINE_DATA_ALIGN ||
		    find_saved(row->saved, i, row->saved[i].reg))
			return false;
	return true;
}

static void write_places(struct cairn_jit_rule *state, const struct cairn_jit_row *row)
{
	for (size_t i = 0; i < state->count; i++)
		if (!find_saved(row->saved, row->saved_count, state->saved[i].reg))
			write_restored(state->out, state->saved[i].reg);
	for (size_t i = 0; i < row->saved_count; i++) {
		const struct cairn_jit_saved *before =
			find_saved(state->saved, state->count, row->saved[i].reg);

		if (!before || before->offset != row->saved[i].offset)
			write_saved(state->out, row->saved[i]);
	}
}

CAIRN_JIT_INTERNAL bool cairn_jit_write_row(struct cairn_jit_rule *state,
                                            const struct cairn_jit_row *row)
{
	if (!check_row(state, row))
		return false;
	advance_location(state, row->offset);
	if (row->cfa_register != state->cfa_register || row->cfa_offset != state->cfa_offset)
		write_cfa(state->out, row->cfa_register, row->cfa_offset);
	write_places(state, row);
	state->cfa_register = row->cfa_register;
	state->cfa_offset = row->cfa_offset;
	if (row->saved_count)
		memcpy(state->saved, row->saved, row->saved_count * sizeof(*row->saved));
	state->count = row->saved_count;
	state->started = true;
	return true;
}

CAIRN_JIT_INTERNAL void cairn_jit_write_cie(struct cairn_jit_bytes *out, enum cairn_jit_cie kind)
{
	const size_t begin = out->size;
	const bool eh = kind != CIE_DEBUG_FRAME;

	cairn_jit_put_number(out, CIE_BYTES - 4, 4);
	cairn_jit_put_number(out, eh ? 0 : UINT32_MAX, 4);
	cairn_jit_put(out, eh ? "\1" : "\3", 1);
	cairn_jit_put(out, eh ? "zR" : "", eh ? 3 : 1);
	cairn_jit_put_uleb(out, 1);
	cairn_jit_put_sleb(out, MACHINE_DATA_ALIGN);
	cairn_jit_put_uleb(out, MACHINE_RETURN);
	if (eh)
		cairn_jit_put(out, kind == CIE_RELATIVE ? "\1\x1b" : "\1\0",
		              2); /* size 1, DW_EH_PE_ encoding */
	write_cfa(out, MACHINE_SP, MACHINE_CFA_AT_ENTRY);
	if (MACHINE_RETURN_SAVED)
		write_saved(out, (struct cairn_jit_saved){ MACHINE_RETURN, -8 });
	while (out->size - begin < CIE_BYTES && !out->failed)
		cairn_jit_put_number(out, 0, 1);
}
