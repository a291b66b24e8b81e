/* SPDX-License-Identifier: MIT */
/* Opens a recording of perf as a profile. */
#include "recording.h"

#include "base/fault.h"

bool cairn_recording_recognize(struct cairn_bytes bytes)
{
	return perfdata_recognize(bytes);
}

static void free_processes(struct recording *r)
{
	for (size_t i = 0; i < r->process_count; i++) {
		cairn_space_free(r->processes[i]->space);
		recorded_code_finish(&r->processes[i]->code);
		free(r->processes[i]->maps);
		free(r->processes[i]->images);
		free(r->processes[i]);
	}
	free(r->processes);
}

static void free_recording(struct recording *r)
{
	struct string_pool *pools[] = { &r->texts,    &r->id_paths,  &r->file_keys,
		                        &r->mappings, &r->functions, &r->locations,
		                        &r->stacks,   &r->samples,   &r->counters };

	for (size_t i = 0; i < sizeof(pools) / sizeof(pools[0]); i++)
		string_pool_finish(pools[i]);
	free_processes(r);
	for (size_t i = 0; i < r->unpacked_count; i++)
		free(r->unpacked[i]);
	free(r->unpacked);
	free(r->attrs);
	free(r->attr_ids.slot);
	free(r->events);
	free(r->packed);
	free(r->ids);
	free(r->files);
	free(r->pids.slot);
	free(r->thread_names.slot);
	free(r->sample);
	free(r->times);
	free(r->counter);
	recorded_kernel_finish(&r->kernel);
	free(r);
}

/* Takes all records in their order. */
static void replay_records(struct recording *r)
{
	for (size_t i = 0; r->status == CAIRN_OK && i < r->event_count; i++) {
		const struct perfdata_record *record = &r->events[i].record;
		if (record->type == PERFDATA_SAMPLE)
			recording_take_sample(r, record);
		else
			recording_take_record(r, record);
		recording_done(r, record);
	}
}

/* The profile of a recording that was opened. */
static enum cairn_status convert_recording(struct recording *r, struct cairn_profile **profile)
{
	uint8_t *message = NULL;
	size_t size = 0;

	recording_begin_tables(r);
	recording_load(r);
	replay_records(r);
	if (r->status == CAIRN_OK) {
		*r->fault = (struct cairn_fault){ CAIRN_NO_MEMORY, 0,
			                          cairn_status_text(CAIRN_NO_MEMORY) };
		message = recording_message(r, &size);
		r->status = message ? profile_open_recorded(message, size, &r->counts, profile,
		                                            r->fault)
		                    : CAIRN_NO_MEMORY;
	}
	return r->status;
}

static uint64_t recording_size(struct cairn_bytes bytes,
                               const struct cairn_recording_options *options)
{
	const struct recording_parts parts = recording_parts(options);
	uint64_t size = bytes.size;

	for (size_t i = 0; i < parts.count; i++)
		size += parts.bytes[i].size;
	return size;
}

enum cairn_status cairn_profile_open_recording(struct cairn_bytes bytes,
                                               const struct cairn_recording_options *options,
                                               struct cairn_profile **profile,
                                               struct cairn_fault *fault)
{
	struct recording *r = calloc(1, sizeof(*r));
	enum cairn_status status;

	if (!r) {
		return fault_set(fault, CAIRN_NO_MEMORY, cairn_status_text(CAIRN_NO_MEMORY));
	}
	r->options = options;
	r->fault = fault;
	r->counts.size = sizeof(r->counts);
	r->machine = CAIRN_MACHINE_AMD64; /* a recording that was cut off does not tell */
	r->moves_left = allowance_of(RECORDING_MOVES_LEAST, RECORDING_MOVES_TIMES,
	                             recording_size(bytes, options));
	status = perfdata_open(bytes, &r->file, fault);
	if (status == CAIRN_OK)
		status = convert_recording(r, profile);
	free_recording(r);
	return status;
}
