/* SPDX-License-Identifier: MIT */
/* Tracks processes' mappings, names and forks, one record at a time. */
#include "recording.h"

#include "base/memory.h"
#include "base/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	PATH_CAPACITY = 4096 + 32,
	PROC_CAPACITY = 32, /* capacity for the prefix /proc/PID/root */
};

struct recorded_process *recording_process(struct recording *r, uint32_t pid)
{
	struct number_slot *slot = number_map_at(&r->pids, (uint64_t)pid + 1);

	if (slot && slot->key != 0)
		return r->processes[slot->number - 1];
	struct recorded_process *process = slot ? calloc(1, sizeof(*process)) : NULL;
	if (!process || !array_grow(&r->processes, &r->process_capacity, r->process_count + 1,
	                            sizeof(*r->processes))) {
		free(process);
		recording_lack_memory(r);
		return NULL;
	}
	*process = (struct recorded_process){
		.pid = pid, .mount = r->mount, .changed = true, .recording = r
	};
	r->processes[r->process_count++] = process;
	*slot = (struct number_slot){ (uint64_t)pid + 1, (uint32_t)r->process_count };
	r->pids.count++;
	return process;
}

static size_t find_map(const struct recorded_process *p, uint64_t address)
{
	return p->maps ? SORTED_UP_TO(p->maps->map, p->maps->count, end, address) : 0;
}

const struct recorded_map *recorded_process_map(const struct recorded_process *p, uint64_t address)
{
	const size_t at = find_map(p, address);

	return p->maps && at < p->maps->count && p->maps->map[at].start <= address
	               ? &p->maps->map[at]
	               : NULL;
}

static uint64_t count_map_bytes(size_t capacity)
{
	return sizeof(struct recorded_maps) + capacity * sizeof(struct recorded_map);
}

void recorded_process_drop_maps(struct recorded_process *p)
{
	struct recorded_maps *maps = p->maps;

	p->maps = NULL;
	p->changed = true;
	if (!maps || --maps->users > 0)
		return;
	p->recording->map_bytes -= count_map_bytes(maps->capacity);
	free(maps);
}

/*
 * Give the process its own copy of its maps (copy on write) with a capacity of `need` maps. Count
 * each copy against an allowance, because a recording in which fork and mmap records alternate
 * needs a copy for each pair.
 */
static bool own_maps(struct recorded_process *p, size_t need)
{
	enum { FIRST = 4 };
	struct recording *r = p->recording;
	struct recorded_maps *old = p->maps;
	const bool is_shared = old && old->users > 1;

	if (old && !is_shared && need <= old->capacity)
		return true;
	const size_t capacity =
		array_grow_capacity(old && !is_shared ? old->capacity : FIRST, need, FIRST);
	r->maps_over |= r->map_bytes + count_map_bytes(capacity) > r->map_bytes_max;
	if (!allowance_draw(&r->moves_left, old ? old->count : 0) || r->maps_over)
		return false;
	struct recorded_maps *maps = malloc((size_t)count_map_bytes(capacity));
	if (!maps)
		return false;
	r->map_bytes += count_map_bytes(capacity);
	*maps = (struct recorded_maps){ .capacity = capacity, .users = 1 };
	if (old) {
		maps->count = old->count;
		memcpy(maps->map, old->map, old->count * sizeof(*old->map));
		recorded_process_drop_maps(p);
	}
	p->maps = maps;
	return true;
}

static bool replace_maps(struct recorded_process *p, size_t at, size_t end,
                         const struct recorded_map *put, size_t more)
{
	const size_t count = p->maps ? p->maps->count : 0, result = count - (end - at) + more;

	if (!allowance_draw(&p->recording->moves_left, count - end + more))
		return false;
	if (result > RECORDING_MAPS_MAX)
		return true;
	if (!own_maps(p, result > count ? result : count))
		return false;
	struct recorded_map *map = p->maps->map;
	if (end < count)
		memmove(&map[at + more], &map[end], (count - end) * sizeof(*map));
	memcpy(&map[at], put, more * sizeof(*map));
	p->maps->count = result;
	p->changed = true;
	return true;
}

/* Add a map. Like mmap(), it replaces overlapped ranges of older maps. */
static bool add_map(struct recorded_process *p, const struct recorded_map *map)
{
	const size_t at = find_map(p, map->start), map_count = p->maps ? p->maps->count : 0;
	const struct recorded_map *maps = p->maps ? p->maps->map : NULL;
	struct recorded_map left[3];
	size_t end = at, count = 0;

	while (end < map_count && maps[end].start < map->end)
		end++;
	if (end > at && maps[at].start < map->start) {
		left[count] = maps[at];
		left[count++].end = map->start;
	}
	left[count++] = *map;
	if (end > at && maps[end - 1].end > map->end) {
		left[count] = maps[end - 1];
		left[count].offset += map->end - left[count].start;
		left[count++].start = map->end;
	}
	return replace_maps(p, at, end, left, count);
}

/*
 * Note the kernel's reference symbol. Its map is named "[kernel.kallsyms]SYMBOL" and has the
 * symbol's address as its offset.
 */
static void note_reference(struct recording *r, const struct perfdata_mmap *m)
{
	static const char name[] = "[kernel.kallsyms]";
	const size_t length = sizeof(name) - 1;

	if (m->pid != RECORDING_KERNEL || m->path.size <= length ||
	    memcmp(m->path.data, name, length) != 0)
		return;
	r->kernel.reference = (struct cairn_bytes){ m->path.data + length, m->path.size - length };
	r->kernel.reference_address = m->offset;
}

/*
 * Note a process's jitdump. Programs map a page of the jitdump so that it appears in recordings. If
 * JIT code has run before, its names may have been loaded from another file, such as a perf map;
 * discard them.
 */
static void note_jitdump(struct recorded_process *process, const struct perfdata_mmap *m)
{
	static const char end[] = ".dump";
	const size_t length = sizeof(end) - 1;

	if (m->path.size <= length ||
	    memcmp(m->path.data + m->path.size - length, end, length) != 0)
		return;
	process->jitdump = m->path;
	recorded_process_drop_code(process);
}

/* Remove the reference symbol from a name such as "[kernel.kallsyms]_text". */
static struct cairn_bytes trim_kernel_name(struct cairn_bytes path)
{
	const uint8_t *end =
		path.size > 0 && path.data[0] == '[' ? memchr(path.data, ']', path.size) : NULL;

	if (end)
		path.size = (size_t)(end - path.data) + 1;
	return path;
}

static bool grow_files(struct recording *r, uint32_t number)
{
	if (!array_grow(&r->files, &r->file_capacity, (size_t)number + 1, sizeof(*r->files)))
		return false;
	for (; r->file_count <= number; r->file_count++)
		r->files[r->file_count] = (struct recorded_file){ .path = 0 };
	return true;
}

/*
 * Return a path's string index. In another mount namespace, for example in a container, the same
 * path is a different file. A build ID identifies the file anyway; without one, use the path below
 * /proc/PID/root, which works as long as the process runs.
 */
static uint32_t name_path(struct recording *r, const struct recorded_process *process,
                          const struct perfdata_mmap *m, bool has_id)
{
	const struct cairn_bytes path = trim_kernel_name(m->path);
	char text[PATH_CAPACITY];

	if (has_id || process->mount == r->mount || path.size == 0 || path.data[0] != '/' ||
	    path.size >= sizeof(text) - PROC_CAPACITY)
		return recording_text(r, path);
	const int size = snprintf(text, sizeof(text), "/proc/%" PRIu32 "/root%.*s", process->pid,
	                          (int)path.size, (const char *)path.data);
	return recording_text(r, (struct cairn_bytes){ (const uint8_t *)text, (size_t)size });
}

/*
 * Find or add a file, which is identified by path and build ID. If the map record does not contain
 * a build ID, use the build ID in the header, but not for a process in another mount namespace,
 * where perf may have read a different file at that path.
 */
static bool number_mapped_file(struct recording *r, const struct recorded_process *process,
                               const struct perfdata_mmap *m, uint32_t *number)
{
	struct recorded_file file = { .id_size = m->id_size };
	uint8_t key[sizeof(file.id) + sizeof(file.path)];

	memcpy(file.id, m->build_id, sizeof(file.id));
	if (file.id_size == 0 && process->mount == r->mount) {
		const size_t known = r->id_paths.count;
		const uint32_t id = string_pool_add(&r->id_paths, trim_kernel_name(m->path));
		if (id < known && id < r->id_count) {
			file.id_size = r->ids[id].size;
			memcpy(file.id, r->ids[id].id, sizeof(file.id));
		}
	}
	file.path = name_path(r, process, m, file.id_size > 0);
	memcpy(key, &file.path, sizeof(file.path));
	memcpy(key + sizeof(file.path), file.id, sizeof(file.id));
	*number = string_pool_add(&r->file_keys, (struct cairn_bytes){ key, sizeof(key) });
	if (*number == STRING_POOL_FULL)
		return false;
	const bool is_new = *number >= r->file_count;
	if (!grow_files(r, *number))
		return false;
	if (is_new)
		r->files[*number] = file;
	return true;
}

/*
 * Track data mappings, too: after a library has been closed, data may be mapped over its former
 * code.
 */
static void take_mmap(struct recording *r, const struct perfdata_record *record)
{
	struct recorded_process *process;
	struct perfdata_mmap m;
	struct recorded_map map;

	if (!perfdata_read_mmap(record, &m))
		return;
	process = recording_process(r, m.pid);
	note_reference(r, &m);
	if (process)
		note_jitdump(process, &m);
	map = (struct recorded_map){ m.start, m.start + m.size, m.offset, 0, m.is_code };
	if (!process || !number_mapped_file(r, process, &m, &map.file) || !add_map(process, &map))
		recording_lack_memory(r);
}

static void name_recorded_thread(struct recording *r, uint32_t tid, uint32_t name)
{
	struct number_slot *slot = number_map_at(&r->thread_names, (uint64_t)tid + 1);

	if (!slot) {
		recording_lack_memory(r);
		return;
	}
	r->thread_names.count += slot->key == 0;
	*slot = (struct number_slot){ (uint64_t)tid + 1, name };
}

static void take_comm(struct recording *r, const struct perfdata_record *record)
{
	struct recorded_process *process;
	struct perfdata_comm comm;

	if (!perfdata_read_comm(record, &comm))
		return;
	const uint32_t name = recording_text(r, comm.name);
	name_recorded_thread(r, comm.tid, name);
	process = recording_process(r, comm.pid);
	if (!process)
		return;
	if (comm.pid == comm.tid)
		process->name = name;
	if (comm.is_exec) {
		process->jitdump = (struct cairn_bytes)CAIRN_NO_BYTES;
		recorded_process_drop_code(process);
		recorded_process_drop_maps(process);
	}
}

/*
 * Let a thread share its process's maps, and a child process its parent's maps until either process
 * changes its maps.
 */
static void take_fork(struct recording *r, const struct perfdata_record *record)
{
	struct recorded_process *child, *parent;
	struct perfdata_fork fork;
	uint32_t name = 0;

	if (!perfdata_read_fork(record, &fork))
		return;
	if (number_map_find(&r->thread_names, (uint64_t)fork.parent_tid + 1, &name))
		name_recorded_thread(r, fork.tid, name);
	if (fork.pid == fork.parent)
		return;
	child = recording_process(r, fork.pid);
	parent = recording_process(r, fork.parent);
	if (!child || !parent)
		return;
	child->name = parent->name;
	child->mount = parent->mount;
	if (child == parent)
		return;
	recorded_process_drop_maps(child);
	child->maps = parent->maps;
	if (child->maps)
		child->maps->users++;
}

/*
 * Note a process's mount namespace. The first record describes the machine's first process or the
 * process that perf starts, and both are in perf's own mount namespace.
 */
static void take_namespaces(struct recording *r, const struct perfdata_record *record)
{
	struct perfdata_namespaces namespaces;

	if (!perfdata_read_namespaces(record, &namespaces) || namespaces.mount == 0)
		return;
	struct recorded_process *process = recording_process(r, namespaces.pid);
	if (!process)
		return;
	if (r->mount == 0) {
		r->mount = namespaces.mount;
		for (size_t i = 0; i < r->process_count; i++)
			r->processes[i]->mount = r->mount;
	}
	process->mount = namespaces.mount;
}

static void take_lost(struct recording *r, const struct perfdata_record *record)
{
	struct reader in = reader_open(record->body, record->big);

	if (record->type == PERFDATA_LOST)
		(void)reader_u64(&in);
	r->counts.lost += reader_u64(&in);
}

void recording_take_record(struct recording *r, const struct perfdata_record *record)
{
	switch (record->type) {
	case PERFDATA_MMAP:
	case PERFDATA_MMAP2:
		take_mmap(r, record);
		break;
	case PERFDATA_COMM:
		take_comm(r, record);
		break;
	case PERFDATA_FORK:
		take_fork(r, record);
		break;
	case PERFDATA_NAMESPACES:
		take_namespaces(r, record);
		break;
	default:
		take_lost(r, record);
		break;
	}
}
