/* SPDX-License-Identifier: MIT */
/*
 * The memory of a process at the time of a sample: the copied part of the stack, and files at the
 * addresses where they were mapped. A recording lists only mappings of code, so the addresses of
 * the other segments are derived from the program headers.
 */
#include "recording.h"

#include "base/encoding.h"
#include "base/memory.h"
#include "formats/elf/elf.h"
#include "profiles/ask.h"
#include "unwind/tables/modules.h"

enum { PAGE = 4096 };

/* Look up the contents of a file, at most once per file. */
static struct recorded_file *find_file_bytes(struct recording *r, uint32_t number)
{
	struct recorded_file *file = &r->files[number];
	const struct cairn_bytes path = string_pool_get(&r->texts, file->path);
	char id[2 * PERFDATA_ID_MAX + 1];
	struct profile_asked asked;
	struct cairn_open_file open;

	if (file->looked || !r->options->symbolizer)
		return file;
	file->looked = true;
	hex_encode((struct cairn_bytes){ file->id, file->id_size }, id);
	const struct cairn_bytes text = { (const uint8_t *)id, 2 * file->id_size };
	profile_ask(&asked, path, text);
	if (profile_is_without_file(path, text, 0) || r->image_count >= RECORDING_IMAGES_MAX ||
	    !cairn_symbolizer_file(r->options->symbolizer, &asked.module, CAIRN_FILE_PROGRAM,
	                           &open) ||
	    open.bytes.size > RECORDING_IMAGE_BYTES - r->image_bytes)
		return file;
	file->place = calloc(1, sizeof(*file->place));
	if (!file->place)
		return file;
	r->image_count++;
	r->image_bytes += open.bytes.size;
	file->bytes = open.bytes;
	place_from_program(file->place, open.bytes);
	return file;
}

/*
 * Return the code segment that a map belongs to, or NULL. A map begins at a page boundary, but its
 * segment may begin in the middle of that page.
 */
static const struct elf_place *find_code_segment(const struct elf_places *places, uint64_t offset)
{
	for (unsigned i = 0; i < places->count; i++) {
		const struct elf_place *s = &places->place[i];
		const uint64_t first = s->offset & ~(uint64_t)(PAGE - 1);
		if (s->code && offset - first < s->offset - first + s->size)
			return s;
	}
	return NULL;
}

/*
 * Compute the address range and bias of a file from its code map. Return false if the file is not
 * available.
 */
static bool place_image(struct recording *r, const struct recorded_map *map,
                        struct recorded_image *image)
{
	uint64_t low = UINT64_MAX, high = 0;

	if (!map->is_code)
		return false;
	const struct profile_place *place = find_file_bytes(r, map->file)->place;
	if (!place)
		return false;
	const struct elf_places *places = &place->segments;
	const struct elf_place *code = find_code_segment(places, map->offset);
	if (!code)
		return false;
	for (unsigned i = 0; i < places->count; i++) {
		const struct elf_place *s = &places->place[i];
		low = s->va < low ? s->va : low;
		high = s->va + s->size > high ? s->va + s->size : high;
	}
	low &= ~(uint64_t)(PAGE - 1);
	const uint64_t bias = map->start - (code->va - code->offset + map->offset);
	*image = (struct recorded_image){ bias + low, bias + high, bias, map->file };
	return image->low < image->high;
}

static struct cairn_range find_image_section(const struct elf *elf, const char *name, uint64_t bias)
{
	struct elf_section section;

	if (!elf_find_section(elf, name, &section) || section.va == 0)
		return (struct cairn_range){ 0, 0 };
	return (struct cairn_range){ section.va + bias, section.va + bias + section.size };
}

static bool tell_module(struct recorded_memory *m, const struct recorded_image *image)
{
	const struct recording *r = m->process->recording;
	const struct recorded_file *file = &r->files[image->file];
	struct cairn_host_module module = { .name = CAIRN_NO_BYTES,
		                            .low = image->low,
		                            .high = image->high,
		                            .machine = r->machine };
	struct elf elf;

	if (!elf_opens(file->bytes, &elf))
		return true;
	module.text = find_image_section(&elf, ".text", image->bias);
	module.sframe = find_image_section(&elf, ".sframe", image->bias);
	module.eh_frame_hdr = find_image_section(&elf, ".eh_frame_hdr", image->bias);
	module.eh_frame = find_image_section(&elf, ".eh_frame", image->bias);
	return cairn_space_add_module(m->space, &module) != CAIRN_NO_MEMORY;
}

/* Pass all modules to the unwinder. Adjacent maps of one file yield a single image. */
static bool tell_modules(struct recorded_memory *m)
{
	struct recording *r = m->process->recording;
	const struct recorded_maps *maps = m->process->maps;
	const size_t count = maps ? maps->count : 0;
	struct recorded_image image;
	bool good = allowance_draw(&r->moves_left, count);

	m->image_count = 0;
	cairn_space_begin_modules(m->space);
	for (size_t i = 0; good && i < count; i++) {
		const struct recorded_image *last =
			m->image_count > 0 ? &m->images[m->image_count - 1] : NULL;
		if (!place_image(r, &maps->map[i], &image) ||
		    (last && last->file == image.file && last->bias == image.bias))
			continue;
		good = array_grow(&m->images, &m->image_room, m->image_count + 1, sizeof(image)) &&
		       tell_module(m, &image);
		if (good)
			m->images[m->image_count++] = image;
	}
	cairn_space_end_modules(m->space);
	return good;
}

static const struct recorded_image *find_image(const struct recorded_memory *m, uint64_t address)
{
	for (size_t i = 0; i < m->image_count; i++)
		if (address - m->images[i].low < m->images[i].high - m->images[i].low)
			return &m->images[i];
	return NULL;
}

/*
 * Return the number of bytes that are mapped from `va` on, up to the end of the segment's last
 * page, and set *offset to their file offset.
 */
static uint64_t find_mapped_bytes(const struct recorded_file *file, uint64_t va, uint64_t *offset)
{
	for (unsigned i = 0; i < file->place->segments.count; i++) {
		const struct elf_place *s = &file->place->segments.place[i];
		const uint64_t first = s->va & ~(uint64_t)(PAGE - 1);
		const uint64_t size = (s->va - first + s->size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
		if (va - first >= size)
			continue;
		*offset = s->offset + (va - s->va);
		return size - (va - first);
	}
	return 0;
}

/*
 * Copy what the process saw of a file at `va`. The part of a page past the end of the file reads as
 * zeros.
 */
static bool read_file_bytes(const struct recorded_file *file, uint64_t va, uint8_t *buffer,
                            size_t size)
{
	while (size > 0) {
		uint64_t offset, mapped = find_mapped_bytes(file, va, &offset);
		const size_t part = mapped < size ? (size_t)mapped : size;
		if (part == 0 || offset >= file->bytes.size)
			return false;
		const uint64_t there = file->bytes.size - offset;
		const size_t copied = part < there ? part : (size_t)there;
		memcpy(buffer, file->bytes.data + offset, copied);
		memset(buffer + copied, 0, part - copied);
		buffer += part;
		size -= part;
		va += part;
	}
	return true;
}

static enum cairn_status read_recorded_memory(void *context, uint64_t address, void *buffer,
                                              size_t size)
{
	const struct recorded_memory *m = context;
	const uint64_t into = address - m->stack_start;

	if (into < m->stack.size) {
		if (size > m->stack.size - into)
			return CAIRN_UNREADABLE;
		memcpy(buffer, m->stack.data + into, size);
		return CAIRN_OK;
	}
	const struct recorded_image *image = find_image(m, address);
	if (!image || !read_file_bytes(&m->process->recording->files[image->file],
	                               address - image->bias, buffer, size))
		return CAIRN_UNREADABLE;
	return CAIRN_OK;
}

/*
 * Executable memory without a file contains code that the process generated. It is unwound by frame
 * pointers.
 */
static bool has_made_code(void *context, uint64_t pc)
{
	const struct recorded_process *p = ((const struct recorded_memory *)context)->process;
	const struct recorded_map *map = recorded_process_map(p, pc);

	return map && map->is_code && !recording_is_in_file(p->recording, map);
}

void recorded_memory_finish(struct recorded_memory *m)
{
	if (!m)
		return;
	cairn_space_free(m->space);
	free(m->images);
	free(m);
}

/*
 * Create the unwinder's state for a process. It takes thousands of bytes, so at most
 * RECORDING_SPACES_MAX processes have one; a new one replaces the oldest.
 */
static struct recorded_memory *make_memory(struct recorded_process *p)
{
	struct recording *r = p->recording;
	struct recorded_memory **slot = &r->memories[r->next_memory];
	struct recorded_memory *m = calloc(1, sizeof(*m));
	const struct cairn_target target = { read_recorded_memory, m };

	if (!m)
		return NULL;
	*m = (struct recorded_memory){ .process = p,
		                       .space = cairn_space_new(&target),
		                       .stack = CAIRN_NO_BYTES };
	if (!m->space) {
		free(m);
		return NULL;
	}
	m->space->code = (struct generated_code){ .contains = has_made_code, .context = m };
	if (*slot)
		(*slot)->process->memory = NULL;
	recorded_memory_finish(*slot);
	*slot = m;
	r->next_memory = (r->next_memory + 1) % RECORDING_SPACES_MAX;
	p->changed = true;
	return m;
}

struct recorded_memory *recorded_process_memory(struct recorded_process *p)
{
	if (!p->memory)
		p->memory = make_memory(p);
	if (!p->memory || !p->changed)
		return p->memory;
	cairn_space_begin_query(p->memory->space);
	if (!tell_modules(p->memory))
		return NULL;
	p->changed = false;
	return p->memory;
}
