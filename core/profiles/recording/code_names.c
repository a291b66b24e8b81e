/* SPDX-License-Identifier: MIT */
/* Names JIT code with the jitdump or perf map of its process, as of the time of the sample. */
#include "recording.h"

#include "profiles/ask.h"
#include "recorded_files.h"

static bool read_made_code(const struct recording *r, struct recorded_process *process)
{
	struct cairn_recorded_request request = { .kind = CAIRN_RECORDED_JITDUMP,
		                                  .pid = process->pid,
		                                  .path = process->jitdump,
		                                  .build_id = CAIRN_NO_BYTES };

	if (process->jitdump.size > 0 && recording_read_file(r, &request, &process->code->bytes))
		return true;
	request.kind = CAIRN_RECORDED_PERF_MAP;
	request.path = (struct cairn_bytes)CAIRN_NO_BYTES;
	return recording_read_file(r, &request, &process->code->bytes);
}

static bool load_made_code(struct recording *r, struct recorded_process *process)
{
	if (process->code)
		return true;
	process->code = calloc(1, sizeof(*process->code));
	if (process->code &&
	    (!read_made_code(r, process) ||
	     jit_history_read(&process->code->history, process->code->bytes) == CAIRN_OK))
		return true;
	recording_lack_memory(r);
	return false;
}

void recorded_process_drop_code(struct recorded_process *process)
{
	if (!process->code)
		return;
	jit_history_finish(&process->code->history);
	free((void *)(uintptr_t)process->code->bytes.data);
	free(process->code);
	process->code = NULL;
}

static struct code_name name_made_code(struct recording *r, struct recorded_process *process,
                                       uint64_t address)
{
	struct code_name name = { 0, 0, 0 };
	struct jit_line line;

	if (!load_made_code(r, process))
		return name;
	const struct jit_function *function = jit_history_find(&process->code->history, address,
	                                                       r->is_monotonic ? &r->now : NULL);
	if (!function)
		return name;
	name.name = recording_text(r, function->name);
	if (jit_code_find_line(&process->code->history.code, function, address, &line)) {
		name.file = recording_text(r, line.file);
		name.line = line.line;
	}
	return name;
}

bool recording_is_in_file(const struct recording *r, const struct recorded_map *map)
{
	return map && !profile_is_without_file(string_pool_get(&r->texts, r->files[map->file].path),
	                                       (struct cairn_bytes)CAIRN_NO_BYTES, map->start);
}

struct code_name recording_name_code(struct recording *r, struct recorded_process *process,
                                     const struct recorded_map *map, uint64_t address)
{
	if (process->pid == RECORDING_KERNEL)
		return recording_name_kernel(r, map, address);
	if (recording_is_in_file(r, map))
		return (struct code_name){ 0, 0, 0 };
	return name_made_code(r, process, address);
}
