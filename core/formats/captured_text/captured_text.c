/* SPDX-License-Identifier: MIT */
/* Reads one line of a log: a frame, or information about the frames that follow. */
#include "parts.h"

#include "base/base_name.h"
#include "base/bytes_compare.h"
#include "base/bytes_split.h"
#include "base/hex.h"

size_t cursor_blanks(struct cursor *c)
{
	const uint8_t *from = c->at;

	while (c->at < c->end && captured_is_blank(*c->at))
		c->at++;
	return (size_t)(c->at - from);
}

bool cursor_word(struct cursor *c, const char *word)
{
	size_t size = strlen(word);

	if (cursor_left(c) < size || memcmp(c->at, word, size) != 0)
		return false;
	c->at += size;
	return true;
}

static bool take_number(struct cursor *c, unsigned base, uint64_t *number)
{
	const uint8_t *at = c->at;
	uint64_t sum = 0;

	for (unsigned digit; at < c->end && (digit = hex_digit(*at)) < base; at++) {
		if (sum > (UINT64_MAX - digit) / base)
			return false;
		sum = sum * base + digit;
	}
	if (at == c->at)
		return false;
	c->at = at;
	*number = sum;
	return true;
}

bool cursor_decimal(struct cursor *c, uint64_t *number)
{
	return take_number(c, 10, number);
}

bool cursor_digits(struct cursor *c, uint64_t *number)
{
	return take_number(c, 16, number);
}

bool cursor_hex(struct cursor *c, uint64_t *number)
{
	struct cursor in = *c;

	if (!cursor_word(&in, "0x") || !take_number(&in, 16, number))
		return false;
	*c = in;
	return true;
}

const uint8_t *cursor_find(const struct cursor *c, const char *word)
{
	size_t size = strlen(word);

	for (const uint8_t *at = c->at; (size_t)(c->end - at) >= size; at++) {
		at = memchr(at, word[0], (size_t)(c->end - at) - size + 1);
		if (!at || memcmp(at, word, size) == 0)
			return at;
	}
	return NULL;
}

const uint8_t *cursor_find_last(const struct cursor *c, const char *word)
{
	size_t size = strlen(word);

	for (size_t left = cursor_left(c); left >= size; left--)
		if (memcmp(c->at + left - size, word, size) == 0)
			return c->at + left - size;
	return NULL;
}

const uint8_t *captured_find_word(const uint8_t *from, const uint8_t *end)
{
	while (end > from && !captured_is_blank(end[-1]))
		end--;
	return end;
}

struct cairn_bytes cursor_id(struct cursor *c)
{
	const uint8_t *from = c->at;

	while (c->at < c->end && hex_digit(*c->at) < HEX_NO_DIGIT)
		c->at++;
	return cursor_since(c, from);
}

struct cairn_bytes captured_trim(struct cairn_bytes text)
{
	while (text.size > 0 &&
	       (captured_is_blank(text.data[text.size - 1]) || text.data[text.size - 1] == '\r'))
		text.size--;
	return text;
}

/*
 * Frames of Go, whose function is on the previous line, and of Rust, whose source is on the next
 * line:
 *
 *	go   = tab file ":" line [" +" offset] [" fp=" address " sp=" address " pc=" address]
 *	rust = number ":" blanks address " - " function
 *
 * In Go, the offset is relative to the function. An inlined call has no offset and no pc, and its
 * arguments are "(...)". The line after "created by" is the location of a statement, not a frame.
 */

/* Read a line of Go that names a function. The next line continues the frame. */
static bool read_go_function(struct cursor in, struct cairn_bytes *name)
{
	const uint8_t *open = cursor_find_last(&in, "(");

	if (!open || open == in.at || in.end[-1] != ')')
		return false;
	const uint8_t *first = captured_find_word(in.at, open);
	*name = captured_between(first, open);
	return name->size > 0;
}

/* Take " fp=0x.. sp=0x.. pc=0x.." from the end of the line. */
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

static bool read_go(struct captured_text *text, struct cursor in, struct captured_frame *frame)
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

static bool read_rust(struct cursor in, struct captured_frame *frame)
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

/*
 * Lines of the kernel's log:
 *
 *	trace = ["? "] function "+0x" offset "/0x" size [" [" module [" " id] "]"]
 *	fault = " ip " pc " sp " ... " error " n [" in " file "[" [offset ","] start "+" size "]"]
 *
 * An exact address is preceded by "RIP: 0010:", in older kernels "RIP: 0010:[<address>] ", or "pc :
 * ". In a fault, a colon may follow ip and sp. `start` is the start of the mapping, and `offset`,
 * which newer kernels add, is a file offset.
 */

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

/* Return true if the words before the name show that the address is the program counter. */
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

/*
 * Return true if a message mentions the function, or it is the link register. In both cases the
 * trace that follows contains the frame again.
 */
static bool is_mentioned(const uint8_t *from, const uint8_t *name)
{
	const struct cursor before = { from, name };

	return cursor_find(&before, "WARNING: ") || cursor_find(&before, "BUG: ") ||
	       ends_with(from, name, "lr : ") || ends_with(from, name, "LR is at ") ||
	       ends_with(from, name, " ra : ");
}

/* Take the optional " [module]" or " [module id]". */
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

/* Read a frame of the kernel. `in` is the whole line, and `plus` points to a "+0x" in it. */
static bool read_trace(struct cursor in, const uint8_t *plus, struct captured_frame *frame)
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

/* Read "file[offset,start+size]" and set the frame's location in the file. */
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

static bool read_fault(struct cursor in, struct captured_frame *frame)
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

struct captured_text captured_text_open(void)
{
	return (struct captured_text){ .has_head = false };
}

/*
 * Record the pc from the error line of a sanitizer, or from a signal line of Go. It may be the pc
 * of the innermost frame.
 */
static void note_head(struct captured_text *text, struct cursor in)
{
	const uint8_t *pc = NULL;

	if (cursor_find(&in, "Sanitizer"))
		pc = cursor_find(&in, "pc 0x");
	else if (cursor_find(&in, "[signal "))
		pc = cursor_find(&in, "pc=0x");
	struct cursor c = { pc ? pc + 3 : in.end, in.end };
	if (pc)
		text->has_head = cursor_hex(&c, &text->head);
}

/* Read a line of Go that starts a goroutine or names a function. */
static bool read_go_line(struct captured_text *text, struct cursor in, struct captured_line *out)
{
	const uint8_t *head = cursor_find(&in, "goroutine ");
	struct cursor c = { head ? head + strlen("goroutine ") : in.end, in.end };
	uint64_t number;

	if (head && cursor_decimal(&c, &number) && cursor_find(&c, " [") == c.at &&
	    in.end[-1] == ':') {
		text->go = CAPTURED_GO_WAITS;
		text->in_signal = false;
		out->text = (struct cairn_bytes){ head, (size_t)(in.end - 1 - head) };
		out->kind = CAPTURED_HEADING;
		return true;
	}
	if (text->go == CAPTURED_GO_NONE)
		return false;
	if (cursor_find(&in, "created by ")) {
		text->go = CAPTURED_GO_CREATED;
		return false;
	}
	if (!read_go_function(in, &out->text))
		return false;
	text->go = CAPTURED_GO_FUNCTION;
	if (bytes_are(out->text, "runtime.sigpanic"))
		text->go = CAPTURED_GO_SIGNAL;
	else if (cursor_left(&in) >= 5 && memcmp(in.end - 5, "(...)", 5) == 0)
		text->go = CAPTURED_GO_INLINED;
	out->kind = CAPTURED_FUNCTION;
	return true;
}

static bool read_heading(struct cursor in, struct captured_line *out)
{
	static const char *const words[] = { "Stack trace of thread ",
		                             "Call Trace:",
		                             "Call trace:",
		                             "stack backtrace:",
		                             "Stack trace (most recent call ",
		                             "stack trace (most recent call ",
		                             "<TASK>",
		                             "</TASK>",
		                             "<IRQ>",
		                             "</IRQ>",
		                             "<NMI>",
		                             "</NMI>" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const uint8_t *at = cursor_find(&in, words[i]);
		if (!at || (at > in.at && !captured_is_blank(at[-1])))
			continue;
		out->kind = CAPTURED_HEADING;
		out->text = captured_between(at, in.end);
		if (out->text.data[out->text.size - 1] == ':')
			out->text.size--;
		return true;
	}
	return false;
}

/*
 * Read "Module NAME with build-id ID" as printed by systemd-coredump; older versions print "Found
 * module NAME with build-id: ID".
 */
static bool read_module_line(struct cursor in, struct captured_line *out)
{
	const uint8_t *at = cursor_find(&in, "Module "), *found = cursor_find(&in, "Found module ");
	const uint8_t *name = found ? found + strlen("Found module ")
	                      : at  ? at + strlen("Module ")
	                            : NULL;
	struct cursor c = { name ? name : in.end, in.end };
	const uint8_t *with = cursor_find_last(&c, " with build-id"),
		      *without = cursor_find_last(&c, " without build-id");

	if (!name || (!with && !without))
		return false;
	const struct cairn_bytes module = { name, (size_t)((with ? with : without) - name) };
	struct cairn_bytes id = { c.end, 0 };
	c.at = with ? with + strlen(" with build-id") : c.end;
	(void)(cursor_word(&c, ": ") || cursor_word(&c, " "));
	if (with)
		id = cursor_id(&c);
	if (module.size == 0 || (with && (id.size == 0 || id.size % 2 != 0)))
		return false;
	*out = (struct captured_line){
		.kind = CAPTURED_MODULE, .text = module, .module = module, .id = id
	};
	return true;
}

static bool read_numbered_anywhere(struct captured_text *text, struct cursor in,
                                   struct captured_frame *frame)
{
	struct cursor c = in;

	for (unsigned i = 0; i < CAPTURED_ANCHORS; i++) {
		const uint8_t *at = memchr(c.at, '#', cursor_left(&c));
		if (!at)
			return false;
		c.at = at;
		if ((at == in.at || captured_is_blank(at[-1])) &&
		    (captured_read_backward(c, frame) || captured_read_numbered(text, c, frame) ||
		     captured_read_android(c, frame)))
			return true;
		c.at++;
	}
	return false;
}

static bool read_trace_anywhere(struct cursor in, struct captured_frame *frame)
{
	struct cursor c = in;

	for (unsigned i = 0; i < CAPTURED_ANCHORS; i++) {
		const uint8_t *plus = cursor_find(&c, "+0x");
		if (!plus)
			return false;
		if (read_trace(in, plus, frame))
			return true;
		c.at = plus + 1;
	}
	return false;
}

static bool read_any_frame(struct captured_text *text, struct cursor in,
                           struct captured_frame *frame)
{
	return read_numbered_anywhere(text, in, frame) || captured_read_boost(in, frame) ||
	       captured_read_hotspot(text, in, frame) || captured_read_python(in, frame) ||
	       captured_read_glibc(in, frame) || read_fault(in, frame) ||
	       read_trace_anywhere(in, frame) || captured_read_perf(text, in, frame) ||
	       read_go(text, in, frame) || read_rust(in, frame) || captured_read_node(in, frame) ||
	       captured_read_valgrind(in, frame) || captured_read_glog(in, frame);
}

/* Make absent strings empty and let them point into the line. */
static void place_empty_texts(struct captured_frame *frame)
{
	struct cairn_bytes *const texts[] = { &frame->module, &frame->id, &frame->function,
		                              &frame->file };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!texts[i]->data)
			*texts[i] = (struct cairn_bytes){ frame->text.data, 0 };
}

enum captured_kind captured_text_line(struct captured_text *text, struct cairn_bytes line,
                                      struct captured_line *out)
{
	const struct cairn_bytes none = { line.data, 0 };
	*out = (struct captured_line){
		.kind = CAPTURED_OTHER, .text = none, .module = none, .id = none
	};
	if (line.size > CAPTURED_LINE_MAX)
		return out->kind;
	struct cursor in = cursor_of(captured_trim(line)), blank = in;
	cursor_blanks(&blank);
	if (blank.at == blank.end) {
		text->go = CAPTURED_GO_NONE;
		text->list = CAPTURED_SANITIZER;
		return out->kind = CAPTURED_BLANK;
	}
	note_head(text, in);
	if (read_module_line(in, out) || read_heading(in, out))
		return out->kind;
	if (captured_read_hotspot_function(text, in, &out->text))
		return out->kind = CAPTURED_FUNCTION;
	if (read_any_frame(text, in, &out->frame)) {
		place_empty_texts(&out->frame);
		text->list = out->frame.source;
		return out->kind = CAPTURED_FRAME;
	}
	text->list = CAPTURED_SANITIZER;
	read_go_line(text, in, out);
	return out->kind;
}

bool captured_returns_read(struct captured_returns *r, struct cairn_bytes *lines,
                           struct cairn_bytes name)
{
	struct captured_line line;

	while (lines->size > 0 && r->count < CAPTURED_RETURNS_MAX) {
		const struct captured_frame *frame = &line.frame;
		if (captured_text_line(&r->text, bytes_take_part(lines, '\n'), &line) !=
		            CAPTURED_FRAME ||
		    !frame->has_address || frame->pc == CAPTURED_PC_EXACT)
			continue;
		r->bare += frame->module.size == 0;
		/*
		 * a frame without a file name may belong to any file, as may a frame with a
		 * program's title
		 */
		if (bytes_equal(base_name(frame->module), name)
		            ? frame->origin == CAPTURED_NO_OFFSET
		            : !memchr(frame->module.data, '/', frame->module.size))
			r->address[r->count++] = frame->address + (frame->pc == CAPTURED_PC_CALL);
	}
	/*
	 * Lines may arrive one at a time, so report only when the number of addresses has grown by
	 * a quarter.
	 */
	const bool more = r->count > r->tried + r->tried / 4 ||
	                  (r->count == CAPTURED_RETURNS_MAX && r->tried < CAPTURED_RETURNS_MAX);
	if (more)
		r->tried = r->count;
	return more;
}

bool captured_frame_place(const struct captured_frame *frame, struct cairn_markup_place *place)
{
	static const enum cairn_markup_origin origins[] = {
		[CAPTURED_FROM_ZERO] = CAIRN_MARKUP_FROM_ZERO,
		[CAPTURED_FROM_MODULE] = CAIRN_MARKUP_FROM_MODULE,
		[CAPTURED_FROM_FILE] = CAIRN_MARKUP_FROM_FILE,
		[CAPTURED_FROM_MAPPING] = CAIRN_MARKUP_FROM_MAPPING,
		[CAPTURED_FROM_SYMBOL] = CAIRN_MARKUP_FROM_SYMBOL,
	};

	*place = (struct cairn_markup_place){ .module = frame->module,
		                              .function = frame->function,
		                              .function_size = frame->function_size,
		                              .origin = origins[frame->origin],
		                              .offset = frame->offset,
		                              .build_id = { frame->module.data, 0 } };
	return frame->origin != CAPTURED_NO_OFFSET;
}
