/* SPDX-License-Identifier: MIT */
/*
 * A line is put together on the stack and written at once.  What does not fit is cut, so that the
 * longest line is known: a module's, with its name and build ID.
 */
#include <cairn_markup.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { LINE_ROOM = 512 };

struct line {
	char text[LINE_ROOM];
	size_t size;
};

static void put(struct line *line, const char *text, size_t size)
{
	size_t room = LINE_ROOM - line->size;

	memcpy(line->text + line->size, text, size < room ? size : room);
	line->size += size < room ? size : room;
}

static void put_string(struct line *line, const char *text)
{
	put(line, text, strlen(text));
}

static void put_number(struct line *line, uint64_t number, unsigned base)
{
	char text[20], *end = text + sizeof(text), *at = end;

	do {
		*--at = "0123456789abcdef"[number % base];
		number /= base;
	} while (number);
	if (base == 16)
		put_string(line, "0x");
	put(line, at, (size_t)(end - at));
}

static void put_bytes(struct line *line, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		put(line, &"0123456789abcdef"[bytes[i] >> 4], 1);
		put(line, &"0123456789abcdef"[bytes[i] & 15], 1);
	}
}

/* A name without what would end its field. */
static void put_name(struct line *line, const char *name)
{
	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;
		bool bad = c < 0x20 || c == 0x7f || c == ':' || c == '}';
		put(line, bad ? "_" : name, 1);
	}
}

/* The line goes out whole, or not. */
static bool end(int descriptor, struct line *line)
{
	int before = errno;
	size_t done = 0;
	ssize_t wrote = 0;

	put_string(line, "}}}\n");
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

	put_string(&line, "{{{reset");
	return end(descriptor, &line);
}

bool cairn_emit_module(int descriptor, uint64_t number, const struct cairn_module_info *module)
{
	struct line line = { .size = 0 };

	put_string(&line, "{{{module:");
	put_number(&line, number, 10);
	put_string(&line, ":");
	put_name(&line, module->name);
	put_string(&line, ":elf:");
	put_bytes(&line, module->id, module->id_size);
	return end(descriptor, &line);
}

bool cairn_emit_mmap(int descriptor, const struct cairn_segment *segment)
{
	struct line line = { .size = 0 };

	put_string(&line, "{{{mmap:");
	put_number(&line, segment->start, 16);
	put_string(&line, ":");
	put_number(&line, segment->size, 16);
	put_string(&line, ":load:");
	put_number(&line, segment->module, 10);
	put_string(&line, ":");
	put(&line, "r", segment->readable);
	put(&line, "w", segment->writable);
	put(&line, "x", segment->executable);
	put_string(&line, ":");
	put_number(&line, segment->va, 16);
	return end(descriptor, &line);
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

	put_string(&line, "{{{bt:");
	put_number(&line, number, 10);
	put_string(&line, ":");
	put_number(&line, address, 16);
	put_string(&line, kind == CAIRN_EMIT_PC ? ":pc" : ":ra");
	return end(descriptor, &line);
}
