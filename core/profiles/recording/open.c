/* SPDX-License-Identifier: MIT */
/* Opens a perf recording as a profile. */
#include "recording.h"

#include "base/error.h"

/*
 * After reading this many bytes, tell the host that they are not needed for a while, so that a
 * mapped recording of hundreds of megabytes is never resident as a whole.
 */
enum { DONE_STEP = 8 << 20 };

struct recording_parts recording_parts(const struct cairn_recording_options *options)
{
	const size_t least =
		offsetof(struct cairn_recording_options, part_count) + sizeof(options->part_count);

	if (options->size < least)
		return (struct recording_parts){ NULL, 0 };
	return (struct recording_parts){ options->parts, options->part_count };
}

/* Return true if the host's version of the options includes the callback and it is set. */
static bool tells_host(const struct recording *r)
{
	const size_t least =
		offsetof(struct cairn_recording_options, done_with) + sizeof(r->options->done_with);

	return r->options->size >= least && r->options->done_with;
}

/*
 * Release the whole file rather than only the record, because replaying in time order alternates
 * between distant ranges in the file.
 */
void recording_done(struct recording *r, const struct perfdata_record *record)
{
	const struct recording_parts parts = recording_parts(r->options);

	r->read_bytes += record->body.size;
	if (r->read_bytes < DONE_STEP || !tells_host(r))
		return;
	r->read_bytes = 0;
	r->options->done_with(r->options->context, r->file.bytes);
	for (size_t i = 0; i < parts.count; i++)
		r->options->done_with(r->options->context, parts.bytes[i]);
}

bool cairn_recording_recognize(struct cairn_bytes bytes)
{
	return perfdata_recognize(bytes);
}

static void free_processes(struct recording *r)
{
	for (size_t i = 0; i < r->process_count; i++) {
		recorded_process_drop_code(r->processes[i]);
		recorded_process_drop_maps(r->processes[i]);
		free(r->processes[i]);
	}
	free(r->processes);
	for (size_t i = 0; i < RECORDING_SPACES_MAX; i++)
		recorded_memory_finish(r->memories[i]);
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
	for (size_t i = 0; i < r->file_count; i++)
		free(r->files[i].place);
	free(r->files);
	free(r->pids.slot);
	free(r->thread_names.slot);
	free(r->sample);
	free(r->times);
	free(r->counter);
	recorded_kernel_finish(&r->kernel);
	free(r);
}

static void replay_records(struct recording *r)
{
	for (size_t i = 0; r->status == CAIRN_OK && i < r->event_count; i++) {
		const struct recorded_event *e = &r->events[i];
		const struct perfdata_record record = recorded_event_record(r, e);
		struct perfdata_record deferred;
		if (e->deferred > 0)
			deferred = recorded_event_record(r, &r->events[e->deferred - 1]);
		if (e->type == PERFDATA_SAMPLE)
			recording_take_sample(r, &record, e->deferred > 0 ? &deferred : NULL);
		else if (e->type != PERFDATA_DEFERRED)
			recording_take_record(r, &record);
		recording_done(r, &record);
	}
}

static enum cairn_status convert_recording(struct recording *r, uint8_t **message, size_t *size)
{
	recording_begin_tables(r);
	recording_load(r);
	replay_records(r);
	free(r->events);
	r->events = NULL;
	if (r->status != CAIRN_OK)
		return r->status;
	*message = recording_message(r, size);
	return *message ? CAIRN_OK
	                : fault_set(r->fault, CAIRN_NO_MEMORY, cairn_status_text(CAIRN_NO_MEMORY));
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
	uint8_t *message = NULL;
	size_t size = 0;
	enum cairn_status status;

	if (!r) {
		return fault_set(fault, CAIRN_NO_MEMORY, cairn_status_text(CAIRN_NO_MEMORY));
	}
	r->options = options;
	r->fault = fault;
	r->counts.size = sizeof(r->counts);
	/*
	 * default for a truncated recording, which lacks the feature section that names the machine
	 */
	r->machine = CAIRN_MACHINE_AMD64;
	r->moves_left = allowance_of(RECORDING_MOVES_LEAST, RECORDING_MOVES_TIMES,
	                             recording_size(bytes, options));
	r->deferred_left = allowance_of(RECORDING_DEFERRED_LEAST, RECORDING_DEFERRED_TIMES,
	                                recording_size(bytes, options));
	r->map_bytes_max = RECORDING_MAP_BYTES_LEAST +
	                   RECORDING_MAP_BYTES_TIMES * recording_size(bytes, options);
	status = perfdata_open(bytes, &r->file, fault);
	if (status == CAIRN_OK)
		status = convert_recording(r, &message, &size);
	const struct cairn_recording_counts counts = r->counts;
	const uint64_t without_user = r->without_user;
	/* free the recording first, because the profile takes about as much memory */
	free_recording(r);
	return status == CAIRN_OK
	               ? profile_open_recorded(message, size, &counts, without_user, profile, fault)
	               : status;
}
