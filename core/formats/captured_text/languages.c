/* SPDX-License-Identifier: MIT */
/*
 * Frames of Go, whose function is on the line before, and of Rust, whose source is on the line after:
 *
 *	go   = tab file ":" line [" +" offset] [" fp=" address " sp=" address " pc=" address]
 *	rust = number ":" blanks address " - " function
 *
 * The offset of Go counts from the beginning of the function.  An inlined call has neither offset nor pc, and its
 * arguments are "(...)".  The line after "created by" names a statement, not a frame.
 */
#include "parts.h"

#include "base/bytes_compare.h"

bool captured_read_go_function(struct cursor in, struct cairn_bytes *name)
{
	const uint8_t *open = cursor_find_last(&in, "(");

	if (!open || open == in.at || in.end[-1] != ')')
		return false;
	const uint8_t *first = captured_find_word(in.at, open);
	*name = captured_between(first, open);
	return name->size > 0;
}

/* " fp=0x.. sp=0x.. pc=0x.." at the end. */
static bool take_registers(struct cursor *in, struct captured_frame *frame)
{
	const uint8_t *at = cursor_find_last(in, " fp=0x");
	struct cursor c = { at ? at + strlen(" fp=") : in->end, in->end };

	if (!at || !cursor_hex(&c, &frame->frame_end) || !cursor_word(&c, " sp=") ||
	    !cursor_hex(&c, &frame->stack_pointer) || !cursor_word(&c, " pc=") ||
	    !cursor_hex(&c, &frame->address) || c.at != c.end)
		return false;
	frame->has_address = true;
	in->end = at;
	return true;
}

static bool take_function_offset(struct cursor *in, struct captured_frame *frame)
{
	const uint8_t *at = cursor_find_last(in, " +0x");
	struct cursor c = { at ? at + strlen(" +") : in->end, in->end };

	if (!at || !cursor_hex(&c, &frame->offset) || c.at != c.end)
		return false;
	in->end = at;
	return true;
}

bool captured_read_go(struct captured_text *text, struct cursor in, struct captured_frame *frame)
{
	const uint8_t *end = in.end, *first;
	const enum captured_go before = text->go;

	*frame = (struct captured_frame){ .source = CAPTURED_GO, .origin = CAPTURED_FROM_SYMBOL };
	text->go = before == CAPTURED_GO_NONE ? before : CAPTURED_GO_WAITS;
	const bool registers = take_registers(&in, frame);
	const bool offset = take_function_offset(&in, frame);
	first = captured_find_word(in.at, in.end);
	if (!captured_read_source(captured_between(first, in.end), frame) ||
	    before == CAPTURED_GO_INLINED || before == CAPTURED_GO_CREATED)
		return false;
	if (!registers && !(before == CAPTURED_GO_FUNCTION || before == CAPTURED_GO_SIGNAL))
		return false;
	if (!registers && !offset && !text->has_head)
		return false;
	frame->text = captured_between(first, end);
	frame->pc = text->in_signal || (text->has_head && !registers) ? CAPTURED_PC_EXACT
	                                                              : CAPTURED_PC_RETURN;
	text->in_signal = before == CAPTURED_GO_SIGNAL;
	text->has_head = false;
	return true;
}

bool captured_read_rust(struct cursor in, struct captured_frame *frame)
{
	const uint8_t *start;

	*frame = (struct captured_frame){ .source = CAPTURED_RUST,
		                          .pc = CAPTURED_PC_RETURN,
		                          .numbered = true,
		                          .has_address = true };
	cursor_blanks(&in);
	start = in.at;
	if (!cursor_decimal(&in, &frame->number) || !cursor_word(&in, ":") ||
	    cursor_blanks(&in) == 0 || !cursor_hex(&in, &frame->address) ||
	    !cursor_word(&in, " - "))
		return false;
	frame->function = captured_trim(captured_between(in.at, in.end));
	if (bytes_are(frame->function, "<unknown>"))
		frame->function.size = 0;
	frame->text = captured_between(start, in.end);
	return true;
}
