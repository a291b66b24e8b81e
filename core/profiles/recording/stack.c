/* SPDX-License-Identifier: MIT */
/*
 * Builds the stack of a sample from the call chain that the kernel followed, or by unwinding if the
 * kernel copied registers and a part of the stack instead. Return addresses are moved back into the
 * call instruction.
 */
#include "recording.h"

#include "base/memory.h"
#include "process/snapshot/stack_walk.h"

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
 * Add the calls that the processor recorded instead of a chain (perf record --call-graph lbr): the
 * target of the latest call, and then the source of each call. A source is the call instruction
 * itself, so it is not moved back.
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
 * Add the frames of a call chain. The first address of the kernel part and of the user part is
 * exact; the others are return addresses, except for 0, to which nothing returns. If the user stack
 * was deferred, the chain continues in the deferred record, and it ends if that record was lost.
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

/* DWARF numbers of the registers in perf's order; -1 if DWARF does not have a number. */
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
 * Return true if a step must not be trusted. Samples do not contain code outside of files, such as
 * JIT code, so steps through it cannot be verified, but frame pointers usually lead through it. On
 * aarch64, however, the frame pointer of a leaf function, often the innermost one, skips the leaf's
 * caller.
 */
static bool is_unproven(const struct stack_walk *walk)
{
	return walk->guessed &&
	       (walk->found != CAIRN_UNWIND_METHOD_FRAME_POINTER ||
	        (walk->level == 1 && walk->registers.machine == CAIRN_MACHINE_AARCH64));
}

/*
 * Add the unwound frames. Return false if the stack was truncated because a caller could not be
 * verified.
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
	/* 32-bit programs have other registers */
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
	if (!array_grow(&r->times, &r->time_room, r->time_count + 1, sizeof(*r->times))) {
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
	    !array_grow(&r->sample, &r->sample_room, (size_t)number + 1, sizeof(*r->sample)))
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
	if (!array_grow(&r->counter, &r->counter_room, (size_t)number + 1, sizeof(*r->counter))) {
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
 * Store a sample of an event group as one sample for each event that advanced since the last one.
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
