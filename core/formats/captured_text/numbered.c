/* SPDX-License-Identifier: MIT */
/*
 * Frames that begin with a number:
 *
 *	sanitizer = "#" n " " [address " "] ["in " function] [" " source] [" (" path "+" offset ")"] [" (BuildId: " id ")"]
 *	coredump  = "#" n "  " address " " function " (" module [" + " offset] ")"
 *	debugger  = "#" n "  " address " in " function " (" ... ")" [" at " source | " from " path]
 *	llvm      = "#" n " " address [" " function] (" " source | " (" path "+" offset ")")
 *	cpptrace  = "#" n " " address [" in " function] " at " (source | path)
 *
 * They are read from the right, because functions have blanks and brackets in their names.  A sanitizer gives the
 * address of the call, but for the innermost frame of a program that was stopped: there the error's line has the same.
 * So does cpptrace, and libgfortran, whose lines are "#" n "  " address " in ???".
 * LLVM prints addresses of 16 digits, where the call returns, without "in".
 */
#include "parts.h"

#include "base/bytes_compare.h"
#include "base/bytes_split.h"

enum {
	LLVM_ADDRESS = 18, /* characters */
	OFFSET_BITS = 32,  /* of addresses as linked; programs that are loaded anywhere are above */
};

bool captured_read_source(struct cairn_bytes text, struct captured_frame *frame)
{
	size_t colon = text.size, numbers = 0;
	uint64_t number[2] = { 0, 0 };

	while (numbers < 2) {
		size_t at = colon;
		while (at > 0 && text.data[at - 1] >= '0' && text.data[at - 1] <= '9')
			at--;
		struct cursor digits = { text.data + at, text.data + colon };
		if (at < 2 || text.data[at - 1] != ':' ||
		    !cursor_decimal(&digits, &number[numbers]))
			break;
		colon = at - 1;
		numbers++;
	}
	if (numbers == 0 || number[numbers - 1] == 0)
		return false;
	frame->file = captured_between(text.data, text.data + colon);
	frame->line = number[numbers - 1];
	return true;
}

/* "module" and "0x12", with `plus` between them. */
static bool read_place(struct cairn_bytes text, const char *plus, struct captured_frame *frame)
{
	struct cursor c = cursor_of(text);
	const uint8_t *at = cursor_find_last(&c, plus);
	struct cursor digits = { at ? at + strlen(plus) : c.end, c.end };

	if (!at || at == text.data || !cursor_hex(&digits, &frame->offset) ||
	    digits.at != digits.end)
		return false;
	frame->module = captured_between(text.data, at);
	return true;
}

static bool read_coredump_place(struct cairn_bytes text, struct captured_frame *frame)
{
	if (!read_place(text, " + ", frame))
		return false;
	frame->source = CAPTURED_COREDUMP;
	frame->origin = CAPTURED_FROM_MODULE;
	if (bytes_are(frame->module, "n/a")) {
		frame->module.size = 0;
		frame->origin = CAPTURED_NO_OFFSET;
	}
	return true;
}

/* Takes " (BuildId: hex)" from the end. */
static void take_build_id(struct cairn_bytes *rest, struct captured_frame *frame)
{
	struct cursor c = cursor_of(*rest);
	const uint8_t *at = cursor_find_last(&c, "(BuildId: ");

	if (!at)
		return;
	struct cursor id = { at + strlen("(BuildId: "), c.end };
	const struct cairn_bytes digits = cursor_id(&id);
	if (digits.size == 0 || digits.size % 2 != 0 || !cursor_word(&id, ")") || id.at != id.end)
		return;
	frame->id = digits;
	*rest = captured_trim(captured_between(rest->data, at));
}

/* Takes what is in the last brackets, if that is a place in a module. */
static bool take_place(struct cairn_bytes *rest, struct captured_frame *frame)
{
	struct cursor c = cursor_of(*rest);
	const uint8_t *open = cursor_find_last(&c, "(");

	if (!open || rest->data[rest->size - 1] != ')' ||
	    (open > rest->data && !captured_is_blank(open[-1])))
		return false;
	const struct cairn_bytes inner = captured_between(open + 1, c.end - 1);
	if (!read_coredump_place(inner, frame)) { /* of a sanitizer */
		if (!read_place(inner, "+", frame))
			return false;
		frame->origin = CAPTURED_FROM_ZERO;
	}
	*rest = captured_trim(captured_between(rest->data, open));
	return true;
}

static struct cairn_bytes drop_placeholder(struct cairn_bytes name)
{
	if (bytes_are(name, "n/a") || bytes_are(name, "??") || bytes_are(name, "???") ||
	    bytes_are(name, "<null>") || bytes_are(name, "<unknown>"))
		name.size = 0;
	return name;
}

/* "function source" of a sanitizer, of which only the first may be there. */
static void read_function_and_source(struct cairn_bytes rest, struct captured_frame *frame)
{
	struct cursor c = cursor_of(rest);
	const uint8_t *blank = cursor_find_last(&c, " ");

	if (blank && (captured_read_source(captured_between(blank + 1, c.end), frame) ||
	              bytes_are(captured_between(blank + 1, c.end), "<null>")))
		rest = captured_trim(captured_between(rest.data, blank));
	frame->function = drop_placeholder(rest);
}

/*
 * "in function at source" of cpptrace, or "at path" of a module; `in`: there is a function. GDB prints arguments in brackets after a
 * blank, and no columns.
 */
static bool read_cpptrace(struct cairn_bytes rest, bool in, struct captured_frame *frame)
{
	const struct cursor c = cursor_of(rest);
	const uint8_t *at = cursor_find_last(&c, in ? " at " : "at ");
	struct captured_frame read = *frame;

	if (!at || (!in && at != rest.data) || (in && at == rest.data))
		return false;
	const struct cairn_bytes place = captured_between(at + strlen("at ") + in, c.end);
	if (!captured_read_source(place, &read)) {
		if (place.size == 0 || place.data[0] != '/')
			return false;
		read.module = place;
		if (frame->address >> OFFSET_BITS ==
		    0) { /* as linked, if the program wants it so */
			read.has_address = false;
			read.origin = CAPTURED_FROM_ZERO;
			read.offset = frame->address;
		}
	} else if (in && at[-1] == ')' && cursor_find(&c, " (") &&
	           !memchr(place.data + read.file.size + 1, ':', place.size - read.file.size - 1)) {
		return false;
	}
	if (in)
		read.function = drop_placeholder(captured_trim(captured_between(rest.data, at)));
	*frame = read;
	return true;
}

/* "function (arguments) at source" or "... from path" of GDB; false if it has no brackets of that kind. */
static bool read_debugger_call(struct cairn_bytes rest, struct captured_frame *frame)
{
	struct cursor c = cursor_of(rest);
	const uint8_t *open = cursor_find(&c, " (");
	const uint8_t *at = cursor_find_last(&c, ") at "), *from = cursor_find_last(&c, ") from ");

	if (!open || (!at && !from && c.end[-1] != ')'))
		return false;
	if (at)
		captured_read_source(captured_between(at + strlen(") at "), c.end), frame);
	else if (from)
		frame->module = captured_between(from + strlen(") from "), c.end);
	frame->source = CAPTURED_DEBUGGER;
	frame->function = drop_placeholder(captured_between(rest.data, open));
	return true;
}

/* Reads the names that stand after the address, without a module in brackets. */
static bool read_names(struct cairn_bytes rest, struct captured_frame *frame)
{
	struct cursor c = cursor_of(rest);
	const bool in = cursor_word(&c, "in ");
	const bool place = frame->origin != CAPTURED_NO_OFFSET;

	rest = captured_between(c.at, c.end);
	if (rest.size == 0 && !place)
		frame->source = CAPTURED_DEBUGGER;
	if (rest.size == 0)
		return !in;
	if (!place && frame->has_address && read_cpptrace(rest, in, frame))
		return true;
	if (in && !place && read_debugger_call(rest, frame))
		return true;
	if (in || place) {
		read_function_and_source(rest, frame);
		if (in && bytes_are(rest, "???")) /* libgfortran, of a program that is stripped */
			return frame->has_address;
		return place || frame->line > 0 || frame->function.size > 0;
	}
	/* of a debugger: one word, after an address */
	if (frame->source == CAPTURED_SANITIZER)
		frame->source = CAPTURED_DEBUGGER;
	frame->function = drop_placeholder(rest);
	return frame->has_address && rest.data[0] != '(' && !memchr(rest.data, ' ', rest.size);
}

/* Without an address there is a place, and the number is that of a frame, not of something else before one. */
static bool is_placed_alone(struct cairn_bytes rest, const struct captured_frame *frame)
{
	struct cursor c = cursor_of(rest);

	return frame->origin != CAPTURED_NO_OFFSET && !cursor_find(&c, " #") &&
	       !cursor_word(&c, "0x");
}

/* "function source" or a place, after an address of 16 digits and one blank. */
static bool read_llvm_names(struct cairn_bytes rest, struct captured_frame *frame)
{
	struct cursor c = cursor_of(rest);

	if (cursor_word(&c, "in ") || cursor_word(&c, "at ") || bytes_are(rest, "in"))
		return false;
	if (frame->origin != CAPTURED_FROM_ZERO && frame->origin != CAPTURED_NO_OFFSET)
		return false;
	struct captured_frame read = *frame;
	if (rest.size > 0)
		read_function_and_source(rest, &read);
	if (read.origin == CAPTURED_NO_OFFSET && read.line == 0)
		return false;
	*frame = read;
	frame->source = CAPTURED_LLVM;
	return true;
}

static enum captured_pc choose_pc(struct captured_text *text, const struct captured_frame *frame)
{
	if (frame->source == CAPTURED_LLVM)
		return CAPTURED_PC_RETURN;
	if (frame->source != CAPTURED_SANITIZER)
		return frame->number == 0 ? CAPTURED_PC_EXACT : CAPTURED_PC_RETURN;
	const bool stopped = frame->number == 0 && text->has_head && frame->has_address &&
	                     frame->address == text->head;
	text->has_head = false;
	return stopped ? CAPTURED_PC_EXACT : CAPTURED_PC_CALL;
}

bool captured_read_numbered(struct captured_text *text, struct cursor in,
                            struct captured_frame *frame)
{
	const uint8_t *start = in.at;

	*frame = (struct captured_frame){ .source = CAPTURED_SANITIZER, .numbered = true };
	if (!cursor_word(&in, "#") || !cursor_decimal(&in, &frame->number) ||
	    cursor_blanks(&in) == 0)
		return false;
	const uint8_t *digits = in.at;
	frame->has_address = cursor_hex(&in, &frame->address);
	const bool wide = frame->has_address && in.at - digits == LLVM_ADDRESS;
	const size_t blanks = frame->has_address ? cursor_blanks(&in) : 1;
	if (blanks == 0 && in.at < in.end)
		return false;
	struct cairn_bytes rest = bytes_trim(captured_between(in.at, in.end), " \t", "");
	frame->text = captured_between(start, in.end);
	if (rest.size > 0)
		take_build_id(&rest, frame);
	if (rest.size > 0)
		take_place(&rest, frame);
	if (!frame->has_address && !is_placed_alone(rest, frame))
		return false;
	if (!(wide && blanks == 1 && read_llvm_names(rest, frame)) && !read_names(rest, frame))
		return false;
	frame->pc = choose_pc(text, frame);
	return true;
}
