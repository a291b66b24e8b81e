/* SPDX-License-Identifier: MIT */
/*
 * Collects the modules of the current process with dl_iterate_phdr(), which is not part of POSIX.
 */
#define _GNU_SOURCE

#include <cairn_emit.h>

#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

enum { NOTE_HEADER = 12, GNU_NAME = 4, LINK_CAPACITY = 4096 };

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
 * Copy the module's name. Uses the program's path if the name is empty, because dl_iterate_phdr()
 * reports the program without a name. Truncates a long name at its beginning.
 */
static void copy_module_name(struct cairn_module_info *module, const char *name)
{
	char own[LINK_CAPACITY];
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

/* Add a segment, extended to whole pages, except for pages shared with the previous segment. */
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
