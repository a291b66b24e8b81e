/* SPDX-License-Identifier: MIT */
/*
 * Assembles a line of symbolizer markup on the stack and writes it. Lines that exceed the buffer
 * are truncated; the longest lines describe modules, with a name and a build ID.
 */
#include <cairn_emit.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { LINE_CAPACITY = 512 };

struct line {
	char text[LINE_CAPACITY];
	size_t size;
};

static void append_line_text(struct line *line, const char *text, size_t size)
{
	size_t capacity = LINE_CAPACITY - line->size;

	memcpy(line->text + line->size, text, size < capacity ? size : capacity);
	line->size += size < capacity ? size : capacity;
}

static void append_line_string(struct line *line, const char *text)
{
	append_line_text(line, text, strlen(text));
}

static void append_line_number(struct line *line, uint64_t number, unsigned base)
{
	char text[20], *end = text + sizeof(text), *at = end;

	do {
		*--at = "0123456789abcdef"[number % base];
		number /= base;
	} while (number);
	if (base == 16)
		append_line_string(line, "0x");
	append_line_text(line, at, (size_t)(end - at));
}

static void append_line_hex(struct line *line, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		append_line_text(line, &"0123456789abcdef"[bytes[i] >> 4], 1);
		append_line_text(line, &"0123456789abcdef"[bytes[i] & 15], 1);
	}
}

/* Append a name, replacing characters that would end the markup field. */
static void append_line_name(struct line *line, const char *name)
{
	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;
		bool bad = c < 0x20 || c == 0x7f || c == ':' || c == '}';
		append_line_text(line, bad ? "_" : name, 1);
	}
}

static bool finish_and_write_line(int descriptor, struct line *line)
{
	int before = errno;
	size_t done = 0;
	ssize_t wrote = 0;

	append_line_string(line, "}}}\n");
	while (done < line->size && (wrote >= 0 || errno == EINTR)) {
		wrote = write(descriptor, line->text + done, line->size - done);
		if (wrote > 0)
			done += (size_t)wrote;
	}
	errno = before;
	return done == line->size;
}

bool cairn_emit_reset(int descriptor)
{
	struct line line = { .size = 0 };

	append_line_string(&line, "{{{reset");
	return finish_and_write_line(descriptor, &line);
}

bool cairn_emit_module(int descriptor, uint64_t number, const struct cairn_module_info *module)
{
	struct line line = { .size = 0 };

	append_line_string(&line, "{{{module:");
	append_line_number(&line, number, 10);
	append_line_string(&line, ":");
	append_line_name(&line, module->name);
	append_line_string(&line, ":elf:");
	append_line_hex(&line, module->id, module->id_size);
	return finish_and_write_line(descriptor, &line);
}

bool cairn_emit_mmap(int descriptor, const struct cairn_segment *segment)
{
	struct line line = { .size = 0 };

	append_line_string(&line, "{{{mmap:");
	append_line_number(&line, segment->start, 16);
	append_line_string(&line, ":");
	append_line_number(&line, segment->size, 16);
	append_line_string(&line, ":load:");
	append_line_number(&line, segment->module, 10);
	append_line_string(&line, ":");
	append_line_text(&line, "r", segment->readable);
	append_line_text(&line, "w", segment->writable);
	append_line_text(&line, "x", segment->executable);
	append_line_string(&line, ":");
	append_line_number(&line, segment->va, 16);
	return finish_and_write_line(descriptor, &line);
}

bool cairn_emit_context(int descriptor, const struct cairn_modules *modules)
{
	bool good = cairn_emit_reset(descriptor);
	size_t s = 0;

	for (size_t i = 0; i < modules->count; i++) {
		good = cairn_emit_module(descriptor, i, &modules->module[i]) && good;
		for (; s < modules->segments && modules->segment[s].module == i; s++)
			good = cairn_emit_mmap(descriptor, &modules->segment[s]) && good;
	}
	return good;
}

bool cairn_emit_bt(int descriptor, uint64_t number, uint64_t address, enum cairn_emit_pc kind)
{
	struct line line = { .size = 0 };

	append_line_string(&line, "{{{bt:");
	append_line_number(&line, number, 10);
	append_line_string(&line, ":");
	append_line_number(&line, address, 16);
	append_line_string(&line, kind == CAIRN_EMIT_PC ? ":pc" : ":ra");
	return finish_and_write_line(descriptor, &line);
}
