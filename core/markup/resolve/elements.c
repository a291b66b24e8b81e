/* SPDX-License-Identifier: MIT */
/* Resolves symbols, addresses and frames: the facts that are shown in their place. */
#include "resolver.h"

static void resolve_symbol(struct markup_resolver *r, struct markup_facts *facts)
{
	struct cairn_bytes name;

	if (!markup_read_symbol(facts->node, &name, &facts->problem)) {
		facts->kind = EVENT_INVALID;
		return;
	}
	facts->kind = EVENT_SYMBOL;
	facts->name = r->host->readable ? r->host->readable(r->host->context, name) : name;
}

/*
 * llvm-symbolizer takes what it does not know at the end for an error. `most` is the number of
 * fields with which the last one counts.
 */
static bool follow_llvm_frame(struct markup_facts *facts, size_t most)
{
	struct markup_frame *frame = &facts->frame;

	if (frame->is_odd) {
		facts->problem = (struct markup_fault){ "expected ra or pc", frame->message,
			                                frame->message.data };
		return false;
	}
	if (frame->fields > most)
		frame->kind = MARKUP_PC_UNSPECIFIED;
	return true;
}

static bool read_frame(const struct markup_resolver *r, struct markup_facts *facts)
{
	enum markup_tag tag = facts->node->tag;

	if (!markup_read_frame(facts->node, &facts->frame, &facts->problem))
		return false;
	return !resolver_is_llvm(r) || tag == MARKUP_DATA ||
	       follow_llvm_frame(facts, tag == MARKUP_BT ? 3 : 2);
}

/* How far before the address as in the log the call is. */
static uint64_t distance_to_call(const struct markup_resolver *r, enum markup_tag tag,
                                 enum markup_pc kind)
{
	if (tag == MARKUP_BT)
		return kind == MARKUP_PC_RETURN ||
		       (kind == MARKUP_PC_UNSPECIFIED && !r->options->already_before);
	return tag == MARKUP_PC && kind == MARKUP_PC_RETURN;
}

/* The frame, and the place of its address.  False when there is none. */
static bool resolve_place(struct markup_resolver *r, struct markup_facts *facts,
                          enum markup_event_kind kind)
{
	struct markup_frame *frame = &facts->frame;

	if (!read_frame(r, facts)) {
		facts->kind = EVENT_INVALID;
		return false;
	}
	facts->kind = kind;
	facts->place = markup_resolve_address(
		r, frame->address - distance_to_call(r, facts->node->tag, frame->kind));
	if (facts->place.module)
		return true;
	facts->problem = (struct markup_fault){ "no mapping covers the address",
		                                frame->address_text, frame->address_text.data };
	return false;
}

static void resolve_code(struct markup_resolver *r, struct markup_facts *facts,
                         enum markup_event_kind kind)
{
	if (resolve_place(r, facts, kind))
		facts->known = markup_look_up_code(r, &facts->place);
}

static void resolve_data(struct markup_resolver *r, struct markup_facts *facts)
{
	struct cairn_location location;

	facts->name.data = facts->text.data;
	if (!resolve_place(r, facts, EVENT_DATA))
		return;
	facts->has_data = markup_look_up_data(r, &facts->place, &location);
	if (facts->has_data && location.function.size > 0) {
		facts->name = location.function;
		facts->offset = location.offset;
	}
}

static void resolve_tag(struct markup_resolver *r, struct markup_facts *facts)
{
	switch (facts->node->tag) {
	case MARKUP_SYMBOL:
		resolve_symbol(r, facts);
		break;
	case MARKUP_PC:
		resolve_code(r, facts, EVENT_PC);
		break;
	case MARKUP_DATA:
		resolve_data(r, facts);
		break;
	case MARKUP_BT:
		resolve_code(r, facts, EVENT_BT);
		break;
	case MARKUP_HEXDICT:
		facts->kind = EVENT_TEXT;
		break;
	case MARKUP_DUMPFILE:
		facts->kind = EVENT_DUMPFILE;
		break;
	case MARKUP_UNKNOWN:
	case MARKUP_RESET:
	case MARKUP_MODULE:
	case MARKUP_MMAP:
		facts->kind = EVENT_UNKNOWN;
		break;
	}
}

void markup_resolve_element(struct markup_resolver *r, const struct markup_node *node,
                            struct markup_facts *facts)
{
	*facts = (struct markup_facts){ .kind = EVENT_TEXT, .node = node, .text = node->text };
	if (node->kind == MARKUP_ELEMENT)
		resolve_tag(r, facts);
	else if (node->kind == MARKUP_SGR)
		facts->kind = EVENT_COLOUR;
}
