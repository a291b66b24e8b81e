/* SPDX-License-Identifier: MIT */
/* Prints what replaces the elements: names, lines, and substitutes when these are not known. */
#include "filter.h"

static const struct cairn_bytes invalid = { (const uint8_t *)"<invalid>", 9 };

static void value_string(struct markup_out *out, struct cairn_bytes text)
{
	markup_out_begin_value(out);
	markup_out_text(out, text);
	markup_out_end_value(out);
}

/* The element in brackets, to say that it could not be answered. */
void markup_render_raw(struct cairn_markup *m, const struct markup_node *node)
{
	struct cairn_bytes rest = node->fields;

	markup_out_begin_element(&m->out);
	markup_out_string(&m->out, "[[[");
	value_string(&m->out, node->name);
	for (bool more = node->has_fields; more;) {
		const uint8_t *colon = memchr(rest.data, ':', rest.size);
		struct cairn_bytes field = { rest.data,
			                     colon ? (size_t)(colon - rest.data) : rest.size };
		markup_out_string(&m->out, ":");
		value_string(&m->out, field);
		more = colon != NULL;
		if (more)
			rest = (struct cairn_bytes){ colon + 1, rest.size - field.size - 1 };
	}
	markup_out_string(&m->out, "]]]");
	markup_out_end_element(&m->out);
}

bool markup_reject(struct cairn_markup *m, const struct markup_node *node,
                   const struct markup_fault *fault)
{
	struct markup_event event = {
		.kind = EVENT_INVALID, .node = node, .text = node->text, .what = fault->what
	};

	markup_report_problem(m, fault->where, fault->what, fault->found);
	markup_emit_event(m, &event);
	if (!markup_is_llvm(m))
		markup_out_text(&m->out, node->text);
	return false;
}

/* The host's module at the address, when the log has none. */
static const struct context_mapping *ask_module(struct cairn_markup *m, uint64_t address)
{
	struct cairn_markup_module module = { .id = m->lent.modules.count };
	struct cairn_range pcs;
	uint64_t va;

	if (!m->host.module || !markup_context_is_empty(&m->own) ||
	    !m->host.module(m->host.context, address, &module, &pcs, &va) ||
	    cairn_markup_add_host_module(m, &module, &pcs, va) != CAIRN_OK)
		return NULL;
	return markup_context_find(&m->lent, address);
}

struct markup_resolved_address markup_resolve_address(struct cairn_markup *m, uint64_t address)
{
	const struct context_mapping *mapping = markup_context_find(markup_context_of(m), address);
	struct markup_resolved_address place = { .pc = address };

	if (!mapping)
		mapping = ask_module(m, address);
	if (mapping) {
		place.relative = address - mapping->start + mapping->relative;
		place.module = mapping->module;
		place.mode = mapping->mode;
	}
	return place;
}

const struct cached_answer *markup_look_up(struct cairn_markup *m,
                                           const struct markup_resolved_address *place)
{
	static const struct cached_answer nothing = { .count = 0 };
	uint64_t serial = place->module->serial;
	const struct cached_answer *known = markup_cache_find(&m->cache, serial, place->relative);
	struct cairn_markup_query question = { &place->module->told, place->pc, place->relative };
	struct cairn_markup_result answer = { .name = { (const uint8_t *)"", 0 } };

	if (known)
		return known;
	bool good = m->host.code && m->host.code(m->host.context, &question, &answer);
	known = markup_cache_add(&m->cache, serial, place->relative, good ? &answer : NULL);
	if (!known)
		m->no_memory = true;
	return known ? known : &nothing;
}

bool markup_look_up_data(struct cairn_markup *m, const struct markup_resolved_address *place,
                         struct cairn_location *location)
{
	struct cairn_markup_query question = { &place->module->told, place->pc, place->relative };

	*location = (struct cairn_location){ .function = { (const uint8_t *)"", 0 } };
	return m->host.data && m->host.data(m->host.context, &question, location);
}

/* "(module+0x1234)" */
void markup_render_offset(struct cairn_markup *m, const struct markup_resolved_address *place)
{
	markup_out_string(&m->out, "(");
	markup_out_begin_value(&m->out);
	if (place->module->plain)
		markup_out_text(&m->out, place->module->told.name);
	else
		markup_out_name(&m->out, place->module->told.name);
	markup_out_end_value(&m->out);
	markup_out_string(&m->out, "+");
	markup_out_begin_value(&m->out);
	markup_out_hex(&m->out, place->relative, 1);
	markup_out_end_value(&m->out);
	markup_out_string(&m->out, ")");
}

/* Nothing is known of the place: its module at least, unless llvm-symbolizer is to be followed. */
static void show_unknown(struct cairn_markup *m, const struct markup_node *node,
                         const struct markup_resolved_address *place)
{
	if (!place->module || markup_is_llvm(m)) {
		markup_render_raw(m, node);
		return;
	}
	markup_out_begin_element(&m->out);
	markup_render_offset(m, place);
	markup_out_end_element(&m->out);
}

static void show_symbol(struct cairn_markup *m, const struct markup_node *node)
{
	struct markup_event event = { .kind = EVENT_SYMBOL, .node = node, .text = node->text };
	struct markup_fault fault;
	struct cairn_bytes name;

	if (!markup_read_symbol(node, &name, &fault)) {
		markup_reject(m, node, &fault);
		return;
	}
	struct cairn_bytes shown =
		m->host.readable ? m->host.readable(m->host.context, name) : name;
	markup_out_begin_element(&m->out);
	/* the log's own bytes go through as they are */
	if (shown.data == name.data)
		markup_out_text(&m->out, shown);
	else
		markup_out_name(&m->out, shown);
	markup_out_end_element(&m->out);
	event.name = shown;
	markup_emit_event(m, &event);
}

/* llvm-symbolizer takes what it does not know at the end for an error. */
static bool read_place(struct cairn_markup *m, const struct markup_node *node,
                       struct markup_frame *frame, struct markup_resolved_address *place)
{
	struct markup_fault fault;

	if (!markup_read_frame(node, frame, &fault))
		return markup_reject(m, node, &fault);
	if (markup_is_llvm(m) && node->tag == MARKUP_PC) {
		if (frame->is_odd) {
			fault = (struct markup_fault){ "expected ra or pc", frame->message,
				                       frame->message.data };
			return markup_reject(m, node, &fault);
		}
		if (frame->fields > 2)
			frame->kind = MARKUP_PC_UNSPECIFIED;
	}
	uint64_t before = node->tag == MARKUP_PC && frame->kind == MARKUP_PC_RETURN ? 1 : 0;
	*place = markup_resolve_address(m, frame->address - before);
	if (!place->module)
		markup_report_problem(m, frame->address_text.data, "no mapping covers the address",
		                      frame->address_text);
	return true;
}

static void show_pc(struct cairn_markup *m, const struct markup_node *node)
{
	struct markup_event event = { .kind = EVENT_PC, .node = node, .text = node->text };
	struct markup_frame frame;

	if (!read_place(m, node, &frame, &event.place))
		return;
	const struct cached_answer *known =
		event.place.module ? markup_look_up(m, &event.place) : NULL;
	event.frame = &frame;
	event.known = known;
	markup_emit_event(m, &event);
	if (!known || known->count == 0) {
		show_unknown(m, node, &event.place);
		return;
	}
	const struct cached_frame *inner = &known->frame[0];
	markup_out_begin_element(&m->out);
	markup_out_begin_value(&m->out);
	markup_out_name(&m->out, known->name.size ? known->name : invalid);
	markup_out_end_value(&m->out);
	markup_out_string(&m->out, "[");
	markup_out_begin_value(&m->out);
	markup_out_name(&m->out, inner->file.size ? inner->file : invalid);
	markup_out_end_value(&m->out);
	markup_out_string(&m->out, ":");
	markup_out_begin_value(&m->out);
	markup_out_decimal(&m->out, inner->line);
	markup_out_end_value(&m->out);
	markup_out_string(&m->out, "]");
	markup_out_end_element(&m->out);
}

static void show_data(struct cairn_markup *m, const struct markup_node *node)
{
	struct markup_event event = { .kind = EVENT_DATA, .node = node, .text = node->text };
	struct cairn_location location;
	struct markup_frame frame;

	if (!read_place(m, node, &frame, &event.place))
		return;
	bool asked = event.place.module && markup_look_up_data(m, &event.place, &location);
	bool known = asked && location.function.size > 0;
	event.frame = &frame;
	event.name = known ? location.function : (struct cairn_bytes){ node->text.data, 0 };
	event.offset = known ? location.offset : 0;
	markup_emit_event(m, &event);
	if (!asked || (!known && !markup_is_llvm(m))) {
		show_unknown(m, node, &event.place);
		return;
	}
	markup_out_begin_element(&m->out);
	markup_out_name(&m->out, known ? location.function : invalid);
	if (!markup_is_llvm(m) && event.offset != 0) {
		markup_out_string(&m->out, "+");
		markup_out_hex(&m->out, location.offset, 1);
	}
	markup_out_end_element(&m->out);
}

static void show_verbatim(struct cairn_markup *m, const struct markup_node *node,
                          enum markup_event_kind kind)
{
	struct markup_event event = { .kind = kind, .node = node, .text = node->text };

	markup_emit_event(m, &event);
	markup_out_text(&m->out, node->text);
}

static void tell_colour(struct cairn_markup *m, const struct markup_node *node)
{
	struct markup_event event = { .kind = EVENT_COLOUR, .node = node, .text = node->text };

	markup_emit_event(m, &event);
}

static void show_bad_tag(struct cairn_markup *m, const struct markup_node *node)
{
	markup_report_problem(m, node->name.data, "tags have lower-case letters only", node->name);
}

static void show_element(struct cairn_markup *m, const struct markup_node *node)
{
	switch (node->tag) {
	case MARKUP_SYMBOL:
		show_symbol(m, node);
		break;
	case MARKUP_PC:
		show_pc(m, node);
		break;
	case MARKUP_DATA:
		show_data(m, node);
		break;
	case MARKUP_BT:
		markup_render_frames(m, node);
		break;
	case MARKUP_HEXDICT:
		markup_render_hexdict(m, node);
		break;
	case MARKUP_DUMPFILE:
		show_verbatim(m, node, EVENT_DUMPFILE);
		break;
	case MARKUP_UNKNOWN:
	case MARKUP_RESET:
	case MARKUP_MODULE:
	case MARKUP_MMAP:
		show_verbatim(m, node, EVENT_UNKNOWN);
		break;
	}
}

void markup_render(struct cairn_markup *m, const struct markup_node *node)
{
	switch (node->kind) {
	case MARKUP_TEXT:
		show_verbatim(m, node, EVENT_TEXT);
		break;
	case MARKUP_SGR:
		tell_colour(m, node);
		markup_out_sgr(&m->out, node->sgr);
		break;
	case MARKUP_ELEMENT:
		show_element(m, node);
		break;
	case MARKUP_BAD_TAG:
		show_bad_tag(m, node);
		break;
	case MARKUP_OPEN:
		markup_render_hexdict(m, node);
		break;
	}
}
