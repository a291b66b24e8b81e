/* SPDX-License-Identifier: MIT */
/*
 * Assembles a line of symbolizer markup on the stack and writes it. Lines that exceed the buffer
 * are truncated; the longest is a module's, with its name and build ID.
 */
#define _GNU_SOURCE
#include <cairn_emit.h>

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

enum { LINE_ROOM = 512 };

struct line {
	char text[LINE_ROOM];
	size_t size;
};

static void append_line_text(struct line *line, const char *text, size_t size)
{
	size_t capacity = LINE_ROOM - line->size;

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

/* Append a name, replacing the characters that would end its field. */
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

/* Collects the modules of this process with dl_iterate_phdr(), which is not part of POSIX. */

enum { NOTE_HEADER = 12, GNU_NAME = 4, LINK_ROOM = 4096 };

static size_t align_note_size(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

static bool read_note_build_id(struct cairn_module_info *module, const uint8_t *at, size_t size)
{
	uint32_t head[3];

	while (size >= NOTE_HEADER) {
		memcpy(head, at, NOTE_HEADER);
		size_t name = align_note_size(head[0]), text = align_note_size(head[1]);
		if (name > size - NOTE_HEADER || text > size - NOTE_HEADER - name)
			return false;
		if (head[2] == NT_GNU_BUILD_ID && head[0] == GNU_NAME &&
		    memcmp(at + NOTE_HEADER, "GNU", GNU_NAME) == 0) {
			if (head[1] > CAIRN_MODULE_ID)
				return false;
			memcpy(module->id, at + NOTE_HEADER + name, head[1]);
			module->id_size = head[1];
			return head[1] > 0;
		}
		at += NOTE_HEADER + name + text;
		size -= NOTE_HEADER + name + text;
	}
	return false;
}

/*
 * Copy the name, or the path of the program itself, whose name is empty here. Long names keep their
 * end.
 */
static void copy_module_name(struct cairn_module_info *module, const char *name)
{
	char own[LINK_ROOM];
	ssize_t size = 0;

	if (!name || !*name) {
		size = readlink("/proc/self/exe", own, sizeof(own) - 1);
		own[size > 0 ? size : 0] = '\0';
		name = own;
	}
	size_t length = strlen(name);
	if (length >= CAIRN_MODULE_NAME)
		name += length - CAIRN_MODULE_NAME + 1;
	strcpy(module->name, name);
}

/* Add a segment rounded to whole pages, without pages shared with the previous segment. */
static void add_loaded_segment(struct cairn_modules *m, const struct dl_phdr_info *info,
                               const ElfW(Phdr) * segment)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t start = (info->dlpi_addr + segment->p_vaddr) & ~(page - 1);
	uint64_t end =
		(info->dlpi_addr + segment->p_vaddr + segment->p_memsz + page - 1) & ~(page - 1);

	if (m->segments == CAIRN_SEGMENTS_MAX)
		return;
	if (m->segments > 0) {
		const struct cairn_segment *last = &m->segment[m->segments - 1];
		if (last->module == m->count && last->start + last->size > start)
			start = last->start + last->size;
	}
	if (start >= end)
		return;
	m->segment[m->segments++] =
		(struct cairn_segment){ .start = start,
		                        .size = end - start,
		                        .va = start - info->dlpi_addr,
		                        .module = (uint16_t)m->count,
		                        .readable = (segment->p_flags & PF_R) != 0,
		                        .writable = (segment->p_flags & PF_W) != 0,
		                        .executable = (segment->p_flags & PF_X) != 0 };
}

static int add_loaded_module(struct dl_phdr_info *info, size_t size, void *context)
{
	struct cairn_modules *m = context;
	struct cairn_module_info *module = &m->module[m->count];
	bool has_id = false;

	(void)size;
	if (m->count == CAIRN_MODULES_MAX)
		return 1;
	for (unsigned i = 0; i < info->dlpi_phnum && !has_id; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_NOTE)
			has_id = read_note_build_id(
				module, (const uint8_t *)(uintptr_t)(info->dlpi_addr + p->p_vaddr),
				p->p_memsz);
	}
	if (!has_id)
		return 0;
	copy_module_name(module, info->dlpi_name);
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			add_loaded_segment(m, info, &info->dlpi_phdr[i]);
	m->count++;
	return 0;
}

void cairn_modules_collect(struct cairn_modules *modules)
{
	modules->count = modules->segments = 0;
	dl_iterate_phdr(add_loaded_module, modules);
}
