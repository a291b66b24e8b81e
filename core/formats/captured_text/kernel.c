/* SPDX-License-Identifier: MIT */
/*
 * Lines of the kernel's log:
 *
 *	trace = ["? "] function "+0x" offset "/0x" size [" [" module [" " id] "]"]
 *	fault = " ip " pc " sp " ... " error " n [" in " file "[" [offset ","] start "+" size "]"]
 *
 * Before the function of an exact address is "RIP: 0010:", in older kernels "RIP: 0010:[<address>] ", or "pc : ".  In a fault, ip and sp may be followed by a colon, and
 * `start` is that of the mapping; `offset`, in newer kernels, is one of the file.
 */
#include "parts.h"

static bool is_name_byte(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_' || c == '.' || c == '$';
}

static bool ends_with(const uint8_t *from, const uint8_t *end, const char *word)
{
	size_t size = strlen(word);

	return (size_t)(end - from) >= size && memcmp(end - size, word, size) == 0;
}

/* Is the program counter what is printed, by the words before it? */
static bool is_exact(const uint8_t *from, const uint8_t *name)
{
	enum { SELECTOR = 5 };
	const struct cursor before = { from, name };
	const uint8_t *rip = cursor_find_last(&before, "RIP: ");

	return (rip && name - rip == (ptrdiff_t)strlen("RIP: ") + SELECTOR && name[-1] == ':') ||
	       (rip && ends_with(from, name, ">] ")) || ends_with(from, name, "pc : ") ||
	       ends_with(from, name, "PC is at ") || ends_with(from, name, "EIP: ") ||
	       ends_with(from, name, "EIP is at ");
}

/* Does a sentence name the function, or is it that of the link register? Both are frames of the trace that follows. */
static bool is_mentioned(const uint8_t *from, const uint8_t *name)
{
	const struct cursor before = { from, name };

	return cursor_find(&before, "WARNING: ") || cursor_find(&before, "BUG: ") ||
	       ends_with(from, name, "lr : ") || ends_with(from, name, "LR is at ") ||
	       ends_with(from, name, " ra : ");
}

/* " [module]" or " [module id]", which may be missing. */
static void take_module(struct cursor *c, struct captured_frame *frame)
{
	struct cursor in = *c;

	if (!cursor_word(&in, " ["))
		return;
	const uint8_t *name = in.at;
	while (in.at < in.end && (is_name_byte(*in.at) || *in.at == '-'))
		in.at++;
	const struct cairn_bytes module = cursor_since(&in, name);
	struct cairn_bytes id = { in.at, 0 };
	if (cursor_word(&in, " "))
		id = cursor_id(&in);
	if (module.size == 0 || id.size % 2 != 0 || !cursor_word(&in, "]"))
		return;
	frame->module = module;
	frame->id = id;
	*c = in;
}

bool captured_read_trace(struct cursor in, const uint8_t *plus, struct captured_frame *frame)
{
	struct cursor c = { plus + 1, in.end };
	const uint8_t *name = plus;

	*frame = (struct captured_frame){ .source = CAPTURED_KERNEL_TRACE,
		                          .origin = CAPTURED_FROM_SYMBOL };
	while (name > in.at && is_name_byte(name[-1]))
		name--;
	frame->function = captured_between(name, plus);
	if (name == plus || !cursor_hex(&c, &frame->offset) || !cursor_word(&c, "/") ||
	    !cursor_hex(&c, &frame->function_size))
		return false;
	take_module(&c, frame);
	frame->text = cursor_since(&c, name);
	frame->unreliable = ends_with(in.at, name, "? ");
	frame->mentioned = is_mentioned(in.at, name);
	frame->pc = is_exact(in.at, name) ? CAPTURED_PC_EXACT : CAPTURED_PC_RETURN;
	return c.at == c.end || !is_name_byte(*c.at);
}

/* "file[offset,start+size]": where the address is in the file. */
static bool read_mapping(struct cursor *c, struct captured_frame *frame)
{
	const uint8_t *open = cursor_find(c, "[");
	uint64_t first, start, size;
	struct cursor in = { open ? open + 1 : c->end, c->end };

	if (!open || open == c->at || !cursor_digits(&in, &first))
		return false;
	const bool has_offset = cursor_word(&in, ",");
	start = first;
	if ((has_offset && !cursor_digits(&in, &start)) || !cursor_word(&in, "+") ||
	    !cursor_digits(&in, &size) || !cursor_word(&in, "]"))
		return false;
	if (frame->address < start || frame->address - start >= size)
		return false;
	frame->module = captured_between(c->at, open);
	frame->origin = has_offset ? CAPTURED_FROM_FILE : CAPTURED_FROM_MAPPING;
	frame->offset = has_offset ? first : frame->address - start;
	*c = in;
	return true;
}

static bool take_register(struct cursor *c, const char *name, uint64_t *value)
{
	const uint8_t *at = cursor_find(c, name);
	struct cursor in = { at ? at + strlen(name) : c->end, c->end };

	if (!at || !(cursor_word(&in, " ") || cursor_word(&in, ":")) || !cursor_digits(&in, value))
		return false;
	*c = in;
	return true;
}

bool captured_read_fault(struct cursor in, struct captured_frame *frame)
{
	uint64_t ignored;

	*frame = (struct captured_frame){ .source = CAPTURED_KERNEL_FAULT,
		                          .pc = CAPTURED_PC_EXACT,
		                          .has_address = true };
	const uint8_t *start = cursor_find(&in, " ip");
	if (!start || !take_register(&in, " ip", &frame->address) ||
	    !take_register(&in, " sp", &ignored) || !cursor_find(&in, " error"))
		return false;
	const uint8_t *file = cursor_find(&in, " in ");
	struct cursor c = { file ? file + strlen(" in ") : in.end, in.end };
	if (!file || !read_mapping(&c, frame))
		c = in;
	frame->text = cursor_since(&c, start + 1);
	return true;
}
