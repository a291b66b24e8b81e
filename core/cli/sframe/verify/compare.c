/* SPDX-License-Identifier: MIT */
/* `cairn sframe verify`: every byte of code, .sframe against .eh_frame. */
#include "verify.h"

#include "base/rule_places.h"
#include "debuginfo/cfi/cfi.h"

#include <string.h>

/* Neighbouring bytes that differ in the same way. */
struct run {
	uint64_t low, high; /* equal: there is none */
	enum verify_class what;
	struct cairn_rule truth, stored;
};

struct comparison {
	struct verify *verify;
	struct debuginfo_cfi *cfi;
	uint64_t budget; /* bytes that may still be looked at */
	struct run run;
	struct cairn_rule truth, stored; /* what was found last, good for its range */
	bool has_truth, has_stored;
};

/* Where one has no caller, or is a trampoline without a rule, places mean nothing. */
static enum verify_class classify_rules(const struct cairn_rule *truth,
                                        const struct cairn_rule *stored)
{
	if (truth->outermost != stored->outermost)
		return VERIFY_OUTERMOST;
	if (!truth->outermost && !stored->trampoline && !rule_has_same_places(truth, stored))
		return VERIFY_RULE;
	if (!truth->outermost && truth->signal != stored->signal)
		return VERIFY_SIGNAL;
	return VERIFY_EQUAL;
}

static void finish_run(struct comparison *c)
{
	if (c->run.low != c->run.high)
		verify_print_difference(c->verify, c->run.low, c->run.high, c->run.what,
		                        &c->run.truth, &c->run.stored);
	c->run.low = c->run.high;
}

static void add_difference(struct comparison *c, uint64_t low, uint64_t high,
                           enum verify_class what)
{
	struct run *run = &c->run;

	if (run->low == run->high || run->high != low || run->what != what ||
	    !rule_has_same_places(&run->truth, &c->truth) ||
	    !rule_has_same_places(&run->stored, &c->stored)) {
		finish_run(c);
		*run = (struct run){ low, low, what, c->truth, c->stored };
	}
	run->high = high;
}

static bool find_stored(const struct verify *verify, uint64_t va, struct cairn_rule *stored)
{
	const struct cairn_rule *found;

	if (verify->row_table)
		return rowtable_find(verify->row_table, va, stored) == CAIRN_OK;
	if (cairn_rules_find(verify->input->rules, va, &found, NULL) != CAIRN_OK)
		return false;
	*stored = *found;
	return true;
}

/* What the two say at `va`; returns how far both answers hold, at the most to `high`. */
static uint64_t ask_both(struct comparison *c, uint64_t va, uint64_t high)
{
	if (!c->has_stored || va - c->stored.start >= c->stored.end - c->stored.start)
		c->has_stored = find_stored(c->verify, va, &c->stored);
	if (!c->has_truth || va - c->truth.start >= c->truth.end - c->truth.start)
		c->has_truth = debuginfo_cfi_find(c->cfi, va, &c->truth) == CAIRN_OK;
	if (!c->has_stored || !c->has_truth)
		return va + 1;
	uint64_t end = c->stored.end < c->truth.end ? c->stored.end : c->truth.end;
	return end < high ? end : high;
}

static void compare_range(struct comparison *c, uint64_t low, uint64_t high)
{
	uint64_t next;

	for (uint64_t va = low; va != high && !debuginfo_cfi_exhausted(c->cfi); va = next) {
		enum verify_class what = VERIFY_ONLY_SFRAME;
		progress_update(&c->verify->progress, va - low, high - low);
		next = ask_both(c, va, high);
		if (!c->has_truth && !c->has_stored)
			continue;
		if (c->has_truth)
			what = c->has_stored ? classify_rules(&c->truth, &c->stored)
			                     : VERIFY_ONLY_EH_FRAME;
		c->verify->bytes[what] += next - va;
		if (what == VERIFY_RULE || what == VERIFY_OUTERMOST || what == VERIFY_SIGNAL)
			add_difference(c, va, next, what);
	}
	finish_run(c);
}

/*
 * Segments may claim anything: no more is looked at than the file has bytes.  A debug file has the segments of its
 * program, but not their bytes.
 */
static void compare_segments(struct comparison *c, const struct elf *elf)
{
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment(elf, i, &s); i++) {
		if (s.type != ELF_PT_LOAD || !(s.flags & ELF_PF_EXECUTE))
			continue;
		uint64_t size = s.memory_size < c->budget ? s.memory_size : c->budget;
		c->budget -= size;
		compare_range(c, s.va, s.va + size);
	}
}

static void compare_with(struct verify *verify, struct cairn_bytes file, const struct elf *elf)
{
	struct comparison c = { .verify = verify, .budget = file.size };

	verify->not_compared = "relocatable: its .eh_frame has no addresses yet";
	if (elf->type == ELF_TYPE_REL)
		return;
	c.cfi = debuginfo_cfi_open(file, elf_machine(elf), &verify->not_compared);
	if (!c.cfi)
		return;
	compare_segments(&c, elf);
	verify->compared = !debuginfo_cfi_exhausted(c.cfi);
	if (!verify->compared)
		verify->not_compared = "its .eh_frame takes more work to read than the file's size "
				       "allows";
	debuginfo_cfi_close(c.cfi);
}

static bool is_other_build(const struct verify *verify, const struct elf *elf)
{
	const struct cairn_bytes other = elf_build_id(elf);

	if (!verify->row_table && !verify->input->is_elf)
		return false;
	const struct cairn_bytes own =
		verify->row_table ? verify->row_table->build_id : elf_build_id(&verify->input->elf);
	return own.size > 0 && other.size > 0 &&
	       (own.size != other.size || memcmp(own.data, other.data, own.size) != 0);
}

static void compare_with_named(struct verify *verify)
{
	struct os_file file;
	struct elf elf;

	verify->not_compared = "the file that it was to be compared with cannot be read";
	if (input_open_elf(verify->against, &file, &elf)) {
		if (is_other_build(verify, &elf))
			verify->not_compared = "another build: the build IDs differ";
		else
			compare_with(verify, file.bytes, &elf);
		os_file_close(&file);
	}
	/* whoever names a file wants the comparison */
	if (!verify->compared)
		verify->status = EXIT_BROKEN;
}

void verify_against_cfi(struct verify *verify)
{
	const struct sframe_input *input = verify->input;

	if (verify->against) {
		compare_with_named(verify);
		return;
	}
	verify->not_compared = verify->row_table
	                               ? "a row table has none: --against names the program"
	                               : "bare bytes have no .eh_frame";
	if (input->is_elf)
		compare_with(verify, input->file.bytes, &input->elf);
}
