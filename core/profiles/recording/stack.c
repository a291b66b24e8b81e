/* SPDX-License-Identifier: MIT */
/*
 * Builds a sample's stack from the call chain that the kernel has followed, or by unwinding if the
 * kernel has copied registers and stack bytes instead. Return addresses are moved back into the
 * call instruction.
 */
#include "recording.h"

#include "base/encoding.h"
#include "base/memory.h"
#include "formats/elf/elf.h"
#include "process/snapshot/stack_walk.h"
#include "profiles/lookup.h"
#include "unwind/tables/modules.h"

/*
 * A process's memory at the time of a sample: the copied stack bytes, and files at the addresses
 * where they were mapped. A recording lists only mappings of code, so the addresses of the other
 * segments are derived from the program headers.
 */
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
 * Return the code segment that contains a map, or NULL. A map begins at a page boundary, but its
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
 * Compute a file's address range and bias from its code map. Returns false if the file is not
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

/* Pass all modules to the unwinder. Adjacent maps of one file become a single image. */
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
		good = array_grow(&m->images, &m->image_capacity, m->image_count + 1,
		                  sizeof(image)) &&
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
 * Return the number of bytes that are mapped starting at `va`, up to the end of the segment's last
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
 * Copy file bytes that the process has mapped at `va`. In the last page, bytes past the end of the
 * file are zeros.
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
 * Return true for executable memory without a file. It contains JIT code, which is unwound by frame
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
 * Create a process's unwinder state. It takes thousands of bytes, so at most RECORDING_SPACES_MAX
 * processes have one; a new state replaces the oldest.
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

static struct recorded_memory *recorded_process_memory(struct recorded_process *p)
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

uint32_t recording_item(struct recording *r, struct string_pool *table, const void *key,
                        size_t size)
{
	const uint32_t number = string_pool_add(table, (struct cairn_bytes){ key, size });

	if (number != STRING_POOL_FULL)
		return number;
	recording_lack_memory(r);
	return 0;
}

static uint32_t number_mapping(struct recording *r, const struct recorded_map *map)
{
	if (!map)
		return 0;
	const struct mapping_key key = { map->start, map->end, map->offset, map->file, 0 };
	return recording_item(r, &r->mappings, &key, sizeof(key));
}

static uint32_t number_function(struct recording *r, const struct code_name *name)
{
	const struct function_key key = { name->name, name->file };

	return name->name ? recording_item(r, &r->functions, &key, sizeof(key)) : 0;
}

static void add_frame(struct recording *r, uint32_t pid, uint64_t address)
{
	const bool is_kernel = pid == RECORDING_KERNEL;
	struct recorded_process *process = recording_process(r, pid);

	if (!process || r->frame_count >= RECORDING_FRAMES_MAX)
		return;
	const struct recorded_map *map = recorded_process_map(process, address);
	const struct code_name name = recording_name_code(r, process, map, address);
	const struct location_key key = { address, number_mapping(r, map), is_kernel,
		                          number_function(r, &name), name.line };
	r->frames[r->frame_count++] = recording_item(r, &r->locations, &key, sizeof(key));
}

/*
 * Add the calls in the processor's branch records, which replace the call chain (perf record
 * --call-graph lbr): the target of the latest call, and then the source of each call. A source is
 * the call instruction itself, so it is not moved back.
 */
static void add_calls(struct recording *r, const struct perfdata_record *record,
                      const struct perfdata_sample *s)
{
	const size_t words = PERFDATA_BRANCH_SIZE / 8;

	add_frame(r, s->pid, perfdata_number(s->branches, 1, record->big));
	for (size_t i = 0; i < s->branches.size / PERFDATA_BRANCH_SIZE; i++)
		add_frame(r, s->pid, perfdata_number(s->branches, words * i, record->big));
}

/*
 * Add the frames in a call chain. The first kernel address and the first user address are exact;
 * all others are return addresses, unless they are 0. If the user stack has been deferred, the
 * chain continues in the deferred record, and it ends if that record is lost.
 */
static void add_chain(struct recording *r, const struct perfdata_record *record,
                      const struct perfdata_sample *s, bool has_calls,
                      const struct perfdata_record *deferred_record)
{
	struct cairn_bytes chain = s->chain;
	struct perfdata_deferred deferred;
	uint32_t pid = s->pid;
	bool known = true, is_leaf = true;

	for (size_t i = 0; i < chain.size / 8; i++) {
		const uint64_t value = perfdata_number(chain, i, record->big);
		if (value == PERFDATA_CONTEXT_USER && has_calls) {
			add_calls(r, record, s);
			return;
		}
		if (value == PERFDATA_CONTEXT_DEFERRED) {
			if (i + 1 >= chain.size / 8 || !deferred_record ||
			    !perfdata_read_deferred(deferred_record, &r->attrs[0].attr,
			                            &deferred) ||
			    perfdata_number(chain, i + 1, record->big) != deferred.cookie) {
				r->without_user++;
				return;
			}
			if (!allowance_draw(&r->deferred_left, deferred.chain.size / 8)) {
				recording_lack_memory(r);
				return;
			}
			deferred_record = NULL;
			chain = deferred.chain;
			i = (size_t)-1;
			pid = s->pid;
			known = is_leaf = true;
		} else if (value >= PERFDATA_CONTEXT_FIRST) {
			known = value == PERFDATA_CONTEXT_KERNEL || value == PERFDATA_CONTEXT_USER;
			pid = value == PERFDATA_CONTEXT_KERNEL ? RECORDING_KERNEL : s->pid;
			is_leaf = true;
		} else if (known) {
			add_frame(r, pid, value - (value > 0 && !is_leaf));
			is_leaf = false;
		}
	}
}

/* DWARF numbers of the registers in perf's order; -1 if DWARF has no number. */
static const int8_t amd64_numbers[] = { 0,  3,  2,  1,  4, 5, 6,  7,  -2, -1, -1, -1,
	                                -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15 };
enum { IS_PC = -2, AARCH64_PC = 32 };

static int find_register(enum cairn_machine machine, unsigned bit)
{
	if (machine == CAIRN_MACHINE_AARCH64)
		return bit < AARCH64_PC ? (int)bit : bit == AARCH64_PC ? IS_PC : -1;
	return bit < sizeof(amd64_numbers) ? amd64_numbers[bit] : -1;
}

static bool read_registers(const struct recording *r, const struct perfdata_attr *attr,
                           const struct perfdata_sample *s, struct cairn_registers *registers)
{
	size_t index = 0;
	bool has_pc = false;

	*registers = (struct cairn_registers){ .machine = r->machine };
	for (unsigned bit = 0; bit < 64 && index < s->registers.size / 8; bit++) {
		if (!(attr->user_registers >> bit & 1))
			continue;
		const uint64_t value = perfdata_number(s->registers, index++, attr->big);
		const int number = find_register(r->machine, bit);
		if (number == IS_PC) {
			registers->pc = value;
			has_pc = true;
		} else if (number >= 0) {
			registers->value[number] = value;
			registers->known |= (uint64_t)1 << number;
		}
	}
	return has_pc && r->machine != CAIRN_MACHINE_NONE;
}

/*
 * Return true if an unwind step must not be trusted. Samples do not contain code outside files,
 * such as JIT code, so steps through it cannot be verified, but frame pointers usually lead through
 * it. On aarch64, however, the frame pointer in a leaf function, often the innermost function,
 * skips the leaf's caller.
 */
static bool is_unproven(const struct stack_walk *walk)
{
	return walk->guessed &&
	       (walk->found != CAIRN_UNWIND_METHOD_FRAME_POINTER ||
	        (walk->level == 1 && walk->registers.machine == CAIRN_MACHINE_AARCH64));
}

/*
 * Unwind the stack and add its frames. Returns false if the stack ends early because a caller could
 * not be verified.
 */
static bool walk_dump(struct recording *r, struct recorded_process *process,
                      const struct cairn_registers *registers)
{
	struct stack_walk walk = { .space = process->memory->space, .limit = RECORDING_FRAMES_MAX };

	if (!stack_walk_begin(&walk, registers)) {
		add_frame(r, process->pid, registers->pc);
		return false;
	}
	do {
		if (is_unproven(&walk))
			return false;
		add_frame(r, process->pid, stack_walk_lookup_address(&walk));
	} while (stack_walk_next(&walk));
	return walk.end == CAIRN_STACK_OUTERMOST;
}

static void add_dump(struct recording *r, const struct perfdata_attr *attr,
                     const struct perfdata_sample *s)
{
	const unsigned sp = r->machine == CAIRN_MACHINE_AARCH64 ? 31 : 7;
	struct recorded_process *process = recording_process(r, s->pid);
	struct cairn_registers registers;

	if (!process || s->register_abi == 0)
		return;
	r->counts.dumps++;
	/* only 64-bit programs, because 32-bit programs have different registers */
	if (s->register_abi != 2 || !read_registers(r, attr, s, &registers))
		return;
	struct recorded_memory *memory = recorded_process_memory(process);
	if (!memory) {
		recording_lack_memory(r);
		return;
	}
	memory->stack_start = registers.value[sp];
	memory->stack = s->stack;
	r->counts.whole += walk_dump(r, process, &registers);
	memory->stack = (struct cairn_bytes)CAIRN_NO_BYTES;
}

static uint32_t find_thread_name(struct recording *r, const struct perfdata_sample *s)
{
	uint32_t name = 0;

	(void)number_map_find(&r->thread_names, (uint64_t)s->tid + 1, &name);
	return name;
}

static void keep_time(struct recording *r, struct recorded_sample *sample, uint64_t time)
{
	if (!array_grow(&r->times, &r->time_capacity, r->time_count + 1, sizeof(*r->times))) {
		recording_lack_memory(r);
		return;
	}
	r->times[r->time_count++] = (struct recorded_time){ time, 0 };
	if (sample->last_time > 0)
		r->times[sample->last_time - 1].next = r->time_count;
	else
		sample->first_time = r->time_count;
	sample->last_time = r->time_count;
}

static void keep_sample(struct recording *r, uint32_t attr, const struct perfdata_sample *s,
                        uint64_t period)
{
	const uint32_t stack =
		recording_item(r, &r->stacks, r->frames, r->frame_count * sizeof(*r->frames));
	const uint32_t key[] = { attr, s->pid, s->tid, find_thread_name(r, s), stack };
	const uint32_t number = recording_item(r, &r->samples, key, sizeof(key));

	if (r->status == CAIRN_OK &&
	    !array_grow(&r->sample, &r->sample_capacity, (size_t)number + 1, sizeof(*r->sample)))
		recording_lack_memory(r);
	if (r->status != CAIRN_OK)
		return;
	if (number >= r->sample_count) {
		r->sample_count = (size_t)number + 1;
		r->sample[number] =
			(struct recorded_sample){ attr, s->pid, s->tid, key[3], stack, 0, 0, 0, 0 };
	}
	r->sample[number].value += period > 0 ? period : 1;
	r->sample[number].count++;
	keep_time(r, &r->sample[number], s->time + (uint64_t)r->clock_offset);
}

/*
 * Return the increase of a counter since its previous sample. Inherited events have a counter per
 * thread.
 */
static uint64_t advance_counter(struct recording *r, const struct perfdata_count *count,
                                uint32_t thread)
{
	const uint64_t key[] = { count->id, thread };
	const uint32_t number = recording_item(r, &r->counters, key, sizeof(key));
	const size_t known = r->counter_count;

	if (number == 0)
		return 0;
	if (!array_grow(&r->counter, &r->counter_capacity, (size_t)number + 1,
	                sizeof(*r->counter))) {
		recording_lack_memory(r);
		return 0;
	}
	if (number >= known) {
		r->counter[number] = 0;
		r->counter_count = (size_t)number + 1;
	}
	if (count->value <= r->counter[number])
		return 0;
	const uint64_t counted = count->value - r->counter[number];
	r->counter[number] = count->value;
	return counted;
}

/*
 * Store a sample of an event group as one sample for each event whose counter has advanced since
 * the last sample.
 */
static void keep_counted(struct recording *r, uint32_t leader, const struct perfdata_sample *s)
{
	const struct perfdata_attr *attr = &r->attrs[leader].attr;
	struct perfdata_count count;
	uint32_t number;

	if (!perfdata_sample_count(s, attr, 0, &count)) {
		keep_sample(r, leader, s, s->period);
		return;
	}
	for (size_t i = 0; perfdata_sample_count(s, attr, i, &count) && r->status == CAIRN_OK;
	     i++) {
		const uint64_t counted =
			advance_counter(r, &count, attr->is_inherited ? s->tid : 0);
		if (counted > 0 && count.id != 0 &&
		    number_map_find(&r->attr_ids, count.id, &number))
			keep_sample(r, number - 1, s, counted);
	}
}

void recording_take_sample(struct recording *r, const struct perfdata_record *record,
                           const struct perfdata_record *deferred)
{
	const uint32_t number = recording_attr_number(r, record);
	const struct perfdata_attr *attr = &r->attrs[number].attr;
	const unsigned mode = record->misc & PERFDATA_MODE;
	struct perfdata_sample s;

	if (!perfdata_read_sample(record, attr, &s)) {
		r->counts.damaged++;
		return;
	}
	r->counts.samples++;
	r->now = s.time;
	r->is_monotonic = attr->is_monotonic && s.has_time;
	r->frame_count = 0;
	add_chain(r, record, &s, (attr->branch_type & PERFDATA_BRANCH_CALLS) && s.branches.size > 0,
	          deferred);
	if (r->frame_count == 0 && (s.register_abi == 0 || mode == PERFDATA_MODE_KERNEL))
		add_frame(r, mode == PERFDATA_MODE_KERNEL ? RECORDING_KERNEL : s.pid, s.ip);
	if (s.register_abi != 0)
		add_dump(r, attr, &s);
	keep_counted(r, number, &s);
}
