/* SPDX-License-Identifier: MIT */
/* Parses what a person gives as an address: numbers, functions, offsets in the program, frames of a stack. */
#include "question.h"

#include "base/base_name.h"
#include "base/bytes_split.h"
#include "base/hex.h"
#include "formats/captured_text/captured_text.h"

#include <ctype.h>
#include <string.h>

enum {
	PAGE = 4096,
	NUMBER_MAX = 128, /* characters */
};

static struct cairn_bytes take_from(struct cairn_bytes text, size_t start, size_t end)
{
	const struct cairn_bytes part = { text.data + start, end - start };

	return bytes_trim(part, BYTES_WHITE, BYTES_WHITE);
}

static bool parse_number_in(struct cairn_bytes text, uint64_t *value)
{
	char number[NUMBER_MAX];

	if (text.size >= sizeof(number))
		return false;
	memcpy(number, text.data, text.size);
	number[text.size] = '\0';
	return parse_number(number, value);
}

/* Is it an address as nm prints it, in all 8 or 16 hexadecimal digits?  A decimal number has no leading zero. */
static bool is_padded(struct cairn_bytes text)
{
	return (text.size == 8 || text.size == 16) && text.data[0] == '0';
}

/* Reads hexadecimal digits; one of them must be a letter, because other digits alone are a decimal number. */
static bool parse_bare_hex(struct cairn_bytes text, uint64_t *value)
{
	uint64_t sum = 0;
	bool has_letter = false;

	for (size_t i = 0; i < text.size; i++) {
		const unsigned digit = hex_digit(text.data[i]);
		if (digit > 15)
			return false;
		has_letter |= digit > 9;
		sum = sum << 4 | digit;
	}
	if (text.size > 16 || (!has_letter && !is_padded(text)))
		return false;
	*value = sum;
	return true;
}

bool question_parse_address(struct cairn_bytes text, uint64_t *va)
{
	if (is_padded(text) && parse_bare_hex(text, va))
		return true;
	return parse_number_in(text, va) ||
	       (text.size > 0 && isdigit(text.data[0]) && parse_bare_hex(text, va));
}

/* Is it the file that was given, or the program that a GSYM file of this name is for? */
static bool is_module(const struct lookup *lookup, struct cairn_bytes name)
{
	static const char *const extensions[] = { "", ".gsym", ".debug" };
	const char *path = lookup->input.path;
	const struct cairn_bytes own =
		base_name((struct cairn_bytes){ (const uint8_t *)path, strlen(path) });
	const struct cairn_bytes base = base_name(name);

	for (size_t i = 0; i < COUNT(extensions); i++)
		if (base.size > 0 && own.size == base.size + strlen(extensions[i]) &&
		    memcmp(own.data, base.data, base.size) == 0 &&
		    memcmp(own.data + base.size, extensions[i], strlen(extensions[i])) == 0)
			return true;
	return false;
}

static bool find_named_function(struct lookup *lookup, struct cairn_bytes name,
                                struct gsym_function *f)
{
	if (!lookup->input.gsym && lookup->name_functions && name.size > 0)
		lookup->name_functions(lookup->context);
	lookup->names.gsym = lookup->input.gsym;
	return lookup->names.gsym && functions_by_name_find(&lookup->names, name, f);
}

/* The last '+' with a number after it: names of C++ have others ("operator+"). */
static bool split_offset(struct cairn_bytes text, struct cairn_bytes *name, uint64_t *offset)
{
	for (size_t end = text.size; end > 1; end--)
		if (text.data[end - 1] == '+') {
			*name = take_from(text, 0, end - 1);
			return parse_number_in(take_from(text, end, text.size), offset);
		}
	return false;
}

static bool parse_place(struct lookup *lookup, struct cairn_bytes text, uint64_t *va)
{
	struct gsym_function f;
	struct cairn_bytes name;
	uint64_t offset;

	if (find_named_function(lookup, text, &f)) {
		*va = f.start;
		return true;
	}
	if (!split_offset(text, &name, &offset))
		return parse_bare_hex(text, va);
	if (find_named_function(lookup, name, &f))
		*va = f.start + offset;
	else if (is_module(lookup, name))
		*va = lookup->lowest + offset;
	else
		return false;
	return true;
}

static size_t find_text(struct cairn_bytes text, const char *part)
{
	const size_t length = strlen(part);

	for (size_t i = 0; length <= text.size && i <= text.size - length; i++)
		if (memcmp(text.data + i, part, length) == 0)
			return i;
	return text.size;
}

/* Takes "#3  " or "* frame #3: " from the beginning of a line, and the number in it; returns false if the line is not a frame. */
static bool parse_level(struct cairn_bytes *text, uint64_t *level)
{
	size_t at = find_text(*text, "#"), end;

	for (size_t i = 0; i < at; i++)
		if (!strchr(" *frame\t", text->data[i]))
			return false;
	for (end = at + 1; end < text->size && isdigit(text->data[end]); end++)
		;
	if (end >= text->size ||
	    !parse_number_in(take_from(*text, at < text->size ? at + 1 : at, end), level))
		return false;
	*text = take_from(*text, text->data[end] == ':' ? end + 1 : end, text->size);
	return true;
}

/* "... from /opt/srv+0x14f0": the offset in the program that the line is about. */
static bool parse_module_offset(const struct lookup *lookup, struct cairn_bytes line, uint64_t *va)
{
	const size_t plus = find_text(line, "+0x");
	size_t start = plus, end = plus + 1;
	uint64_t offset;

	if (plus == line.size)
		return false;
	while (start > 0 && !strchr(" (`[", line.data[start - 1]))
		start--;
	while (end < line.size && isalnum(line.data[end]))
		end++;
	if (!is_module(lookup, take_from(line, start, plus)) ||
	    !parse_number_in(take_from(line, plus + 1, end), &offset))
		return false;
	*va = lookup->lowest + offset;
	return true;
}

/* "0x... in NAME (...) at a.c:3", "0x... in NAME + 4 at a.c:3", "0x... srv`NAME(...) + 4 at a.c:3:5" */
static struct cairn_bytes find_frame_name(struct cairn_bytes line)
{
	const size_t tick = find_text(line, "`"), in = find_text(line, " in ");
	const size_t start = tick < line.size ? tick + 1 : in < line.size ? in + 4 : line.size;
	struct cairn_bytes name = take_from(line, start, line.size);
	size_t end = find_text(name, " at ");

	if (find_text(name, " from ") < end)
		end = find_text(name, " from ");
	if (find_text(name, " + ") < end)
		end = find_text(name, " + ");
	if (find_text(name, " (") < end && find_text(name, " (") > 0)
		end = find_text(name, " (");
	return take_from(name, 0, end);
}

/*
 * A process has the program at a multiple of a page: of an address in a known function the digits within the page say
 * which byte of the function it is, unless that is longer than a page.
 */
static bool place_in_function(const struct gsym_function *f, uint64_t pc, uint64_t *va)
{
	const uint64_t offset = (pc - f->start) % PAGE;

	if (pc >= f->start && pc - f->start < f->size) { /* as linked */
		*va = pc;
		return true;
	}
	*va = f->start + offset;
	return offset < f->size && f->size <= PAGE;
}

/* LLDB prints arguments behind names: "main(argc=1)". */
static bool find_frame_function(struct lookup *lookup, struct cairn_bytes name,
                                struct gsym_function *f)
{
	const size_t arguments = find_text(name, "(");

	return find_named_function(lookup, name, f) ||
	       (arguments > 0 && arguments < name.size &&
	        find_named_function(lookup, take_from(name, 0, arguments), f));
}

static bool parse_frame(struct lookup *lookup, struct cairn_bytes line, uint64_t level,
                        uint64_t *va)
{
	const struct cairn_bytes word = take_from(line, 0, find_text(line, " "));
	const uint64_t before = level > 0;
	struct gsym_function f;
	uint64_t pc;

	if (parse_module_offset(lookup, line, va)) {
		*va -= before;
		return true;
	}
	if (!parse_number_in(word, &pc))
		return false;
	pc -= pc >= before ? before : 0; /* nothing comes before address 0 */
	if (lookup->place && lookup->place(lookup->context, pc, va))
		return true;
	if (find_frame_function(lookup, find_frame_name(line), &f))
		return place_in_function(&f, pc, va);
	*va = pc;
	return true;
}

/* A line of a log in another form, with an address of the process. */
static bool parse_log_line(struct lookup *lookup, struct cairn_bytes line, uint64_t *va)
{
	struct captured_text reader = captured_text_open();
	struct captured_line read;

	return lookup->place && captured_text_line(&reader, line, &read) == CAPTURED_FRAME &&
	       read.frame.has_address && lookup->place(lookup->context, read.frame.address, va);
}

bool question_parse(struct lookup *lookup, const char *text, uint64_t *va)
{
	struct cairn_bytes line = { (const uint8_t *)text, strlen(text) };
	uint64_t level;

	line = bytes_trim(line, BYTES_WHITE, BYTES_WHITE);
	if (question_parse_address(line, va)) {
		if (lookup->place)
			(void)lookup->place(lookup->context, *va, va);
		return true;
	}
	if (parse_log_line(lookup, line, va))
		return true;
	if (parse_level(&line, &level))
		return parse_frame(lookup, line, level, va);
	return parse_place(lookup, line, va);
}

void question_begin(struct lookup *lookup, int count, char **texts)
{
	bool has_offset = count == 0;
	struct cairn_program program;

	for (int i = 0; i < count; i++)
		has_offset |= strchr(texts[i], '+') != NULL;
	lookup->lowest = 0;
	if (has_offset && cairn_program_read(lookup->input.path, &program, NULL) == CAIRN_OK)
		lookup->lowest = program.span.low & -(uint64_t)PAGE;
}
