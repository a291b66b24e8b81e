/* SPDX-License-Identifier: MIT */
/* Finds the place of a frame without markup: in the module that it names, or where its address is. */
#include "resolver.h"

#include <string.h>

enum { FIXED_BELOW_BITS = 32 };

/*
 * The address as linked, if the file is not at hand: modules that are loaded anywhere begin at zero, and others below 4 GB,
 * where their addresses are those of the process.
 */
static bool guess_address(const struct captured_frame *frame, uint64_t *va)
{
	const uint64_t start = frame->address - frame->offset;
	const bool fixed = frame->has_address && start != 0 && start >> FIXED_BELOW_BITS == 0;

	if (frame->origin != CAPTURED_FROM_ZERO && frame->origin != CAPTURED_FROM_MODULE)
		return false;
	*va = frame->origin == CAPTURED_FROM_MODULE && fixed ? frame->address : frame->offset;
	return true;
}

/* Asks the host, which has the module's file. */
static bool ask_host(struct markup_resolver *r, const struct captured_frame *frame,
                     struct cairn_bytes digits, struct markup_resolved_address *place)
{
	uint8_t id[NAMED_MODULES_ID], found[2 * NAMED_MODULES_ID];
	struct cairn_markup_module module = { .id = 0, .name = frame->module };
	struct cairn_markup_place asked;

	if (!r->host->locate || !captured_frame_place(frame, &asked))
		return false;
	asked.build_id.data = id;
	if (!markup_build_id(digits, id, sizeof(id), &asked.build_id.size))
		asked.build_id.size = 0;
	if (!r->host->locate(r->host->context, &asked, &module, &place->relative))
		return false;
	place->module = markup_named_modules_get(&r->named, module.name,
	                                         resolver_id_digits(module.build_id, found));
	return place->module != NULL;
}

static bool find_report_place(struct markup_resolver *r, const struct captured_frame *frame,
                              struct markup_resolved_address *place)
{
	const struct cairn_bytes digits =
		frame->id.size > 0 ? frame->id : markup_named_modules_id(&r->named, frame->module);
	const bool mapped = frame->has_address &&
	                    markup_context_find(resolver_context(r), frame->address) != NULL;

	if (mapped && digits.size == 0) {
		*place = markup_resolve_address(r, frame->address);
		return true;
	}
	if (ask_host(r, frame, digits, place))
		return true;
	if (digits.size > 0 && guess_address(frame, &place->relative)) {
		place->module = markup_named_modules_get(&r->named, frame->module, digits);
		return place->module != NULL;
	}
	if (frame->has_address)
		*place = markup_resolve_address(r, frame->address);
	return place->module != NULL;
}

/* The code to which a signal handler returns; before it, where the address of a call would be, is often nothing. */
static bool is_trampoline(const struct cached_answer *known)
{
	static const char name[] = "__restore_rt";

	return known->count == 1 && known->name.size == sizeof(name) - 1 &&
	       memcmp(known->name.data, name, known->name.size) == 0;
}

/* Looks up the call before an address, unless a signal came there: then the address itself. */
static void look_up_frame(struct markup_resolver *r, struct markup_facts *facts)
{
	const uint64_t back = facts->frame.kind == MARKUP_PC_RETURN;
	struct markup_resolved_address exact = facts->place;

	facts->place.pc -= back;
	facts->place.relative -= back;
	facts->known = markup_look_up_code(r, &facts->place);
	if (back == 0 || facts->known->count > 0)
		return;
	const struct cached_answer *known = markup_look_up_code(r, &exact);
	if (is_trampoline(known)) {
		facts->frame.kind = MARKUP_PC_EXACT;
		facts->place = exact;
		r->named.after_signal = true;
	} else {
		known = markup_look_up_code(r, &facts->place);
	}
	facts->known = known;
}

void markup_resolve_report(struct markup_resolver *r, const struct captured_frame *frame,
                           struct markup_facts *facts)
{
	const bool back = frame->pc == CAPTURED_PC_RETURN && !r->named.after_signal;

	*facts = (struct markup_facts){ .kind = EVENT_REPORT,
		                        .text = frame->text,
		                        .captured = frame,
		                        .place = { .pc = frame->address } };
	facts->frame = (struct markup_frame){
		.number = frame->number,
		.address = frame->address,
		.kind = back ? MARKUP_PC_RETURN : MARKUP_PC_EXACT,
		.message = { frame->text.data, 0 },
	};
	facts->name = facts->frame.message;
	r->named.after_signal = false;
	r->report_pc = frame->pc == CAPTURED_PC_RETURN && !back ? CAPTURED_PC_EXACT : frame->pc;
	if (find_report_place(r, frame, &facts->place))
		look_up_frame(r, facts);
	else
		facts->place.module = NULL;
}
