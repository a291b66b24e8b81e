/* SPDX-License-Identifier: MIT */
/* Reads all records, decompresses compressed records, and sorts all records by time. */
#include "recording.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/sort.h"

static void fail_recording(struct recording *r, enum cairn_status status, const char *what)
{
	if (r->status != CAIRN_OK)
		return;
	r->status = status;
	*r->fault = (struct cairn_fault){ status, 0, what ? what : cairn_status_text(status) };
}

void recording_lack_memory(struct recording *r)
{
	if (r->moves_left.over || r->maps_over)
		fail_recording(r, CAIRN_UNSUPPORTED,
		               "too many mappings for the size of the recording");
	else if (r->deferred_left.over)
		fail_recording(r, CAIRN_UNSUPPORTED,
		               "samples share too many deferred user stacks for the size of the "
		               "recording");
	else
		fail_recording(r, CAIRN_NO_MEMORY, NULL);
}

uint32_t recording_text(struct recording *r, struct cairn_bytes text)
{
	const uint32_t number = string_pool_add_utf8(&r->texts, text);

	if (number != STRING_POOL_FULL)
		return number;
	fail_recording(r, CAIRN_NO_MEMORY, NULL);
	return 0;
}

/* Return an event's default name, used unless the recording's header contains a name. */
static const char *name_event(const struct perfdata_attr *attr)
{
	static const char *const hardware[] = { "cycles", "instructions" };
	static const char *const software[] = { "cpu-clock", "task-clock", "page-faults",
		                                "context-switches" };

	if (attr->type == 0 && attr->config < 2)
		return hardware[attr->config];
	return attr->type == 1 && attr->config < 4 ? software[attr->config] : "event";
}

static void add_attr(struct recording *r, const struct perfdata_attr *attr)
{
	const char *name = name_event(attr);

	if (r->attr_count >= RECORDING_ATTRS_MAX ||
	    !array_grow(&r->attrs, &r->attr_capacity, r->attr_count + 1, sizeof(*r->attrs))) {
		fail_recording(r, CAIRN_NO_MEMORY, NULL);
		return;
	}
	r->attrs[r->attr_count++] = (struct recorded_attr){
		*attr,
		recording_text(r, (struct cairn_bytes){ (const uint8_t *)name, strlen(name) }),
		attr->type == 1 && attr->config < 2,
	};
	for (size_t i = 0; i < attr->ids.size / 8; i++) {
		const uint64_t id = perfdata_number(attr->ids, i, attr->big);
		struct number_slot *slot = id != 0 ? number_map_at(&r->attr_ids, id) : NULL;
		if (slot && slot->key == 0) {
			*slot = (struct number_slot){ id, (uint32_t)r->attr_count };
			r->attr_ids.count++;
		}
	}
}

static void name_attrs(struct recording *r, struct cairn_bytes feature)
{
	struct cairn_bytes name;
	size_t at = 0, index = 0;
	uint32_t number;
	uint64_t id;

	for (; perfdata_event_name(feature, r->file.big, &at, &id, &name); index++) {
		if (id == 0 || !number_map_find(&r->attr_ids, id, &number))
			number = (uint32_t)index + 1;
		if (number <= r->attr_count && name.size > 0)
			r->attrs[number - 1].name = recording_text(r, name);
	}
}

static void take_arch(struct recording *r, struct cairn_bytes feature)
{
	const struct cairn_bytes name = perfdata_feature_text(feature, r->file.big);

	if (bytes_begin_with(name, "x86_64"))
		r->machine = CAIRN_MACHINE_AMD64;
	else if (bytes_begin_with(name, "aarch64"))
		r->machine = CAIRN_MACHINE_AARCH64;
}

/* The feature HEADER_CLOCK_DATA consists of version:u32 clock:u32 wall:u64 clock_time:u64. */
static void take_clock(struct recording *r, struct cairn_bytes feature)
{
	struct reader in = reader_open(feature, r->file.big);

	reader_skip(&in, 8);
	const uint64_t wall = reader_u64(&in), time = reader_u64(&in);
	if (reader_ok(&in))
		r->clock_offset = (int64_t)(wall - time);
}

static void add_build_id(struct recording *r, const struct perfdata_record *record)
{
	struct perfdata_build_id id;

	if (!perfdata_read_build_id(record, &id) || id.size == 0)
		return;
	const uint32_t number = string_pool_add(&r->id_paths, id.path);
	if (number == STRING_POOL_FULL ||
	    !array_grow(&r->ids, &r->id_capacity, (size_t)number + 1, sizeof(*r->ids))) {
		fail_recording(r, CAIRN_NO_MEMORY, NULL);
		return;
	}
	if (number >= r->id_count)
		r->id_count = (size_t)number + 1;
	r->ids[number] = id;
}

static void take_feature(struct recording *r, uint64_t number, struct cairn_bytes feature)
{
	struct perfdata_record record;

	switch (number) {
	case PERFDATA_HOST:
		r->kernel.host = perfdata_feature_text(feature, r->file.big);
		break;
	case PERFDATA_RELEASE:
		r->kernel.release = perfdata_feature_text(feature, r->file.big);
		break;
	case PERFDATA_ARCH:
		take_arch(r, feature);
		break;
	case PERFDATA_EVENTS:
		name_attrs(r, feature);
		break;
	case PERFDATA_CLOCK:
		take_clock(r, feature);
		break;
	case PERFDATA_BUILD_IDS: {
		struct perfdata_records records = perfdata_records(feature, r->file.big);
		while (perfdata_next(&records, &record))
			add_build_id(r, &record);
		break;
	}
	default:
		break;
	}
}

static void take_feature_record(struct recording *r, const struct perfdata_record *record)
{
	struct reader in = reader_open(record->body, record->big);
	const uint64_t number = reader_u64(&in);

	if (reader_ok(&in))
		take_feature(r, number, reader_bytes(&in, reader_left(&in)));
}

static void keep_packed(struct recording *r, struct cairn_bytes piece)
{
	if (!array_grow(&r->packed, &r->packed_capacity, r->packed_count + 1, sizeof(piece)))
		fail_recording(r, CAIRN_NO_MEMORY, NULL);
	else if (piece.size > 0)
		r->packed[r->packed_count++] = piece;
}

static void keep_event(struct recording *r, const struct perfdata_record *record)
{
	if (r->event_count == UINT32_MAX ||
	    !array_grow(&r->events, &r->event_capacity, r->event_count + 1, sizeof(*r->events))) {
		fail_recording(r, CAIRN_NO_MEMORY, NULL);
		return;
	}
	r->events[r->event_count] = (struct recorded_event){ .body = record->body.data,
		                                             .size = (uint16_t)record->body.size,
		                                             .number = (uint32_t)r->event_count,
		                                             .type = (uint16_t)record->type,
		                                             .misc = record->misc };
	r->event_count++;
	r->has_deferred |= record->type == PERFDATA_DEFERRED;
}

struct perfdata_record recorded_event_record(const struct recording *r,
                                             const struct recorded_event *event)
{
	const struct cairn_bytes body = { event->body, event->size };

	return (struct perfdata_record){ .type = event->type,
		                         .misc = event->misc,
		                         .big = r->file.big,
		                         .body = body,
		                         .data = body };
}

static void take_record(struct recording *r, const struct perfdata_record *record)
{
	struct perfdata_attr attr;

	switch (record->type) {
	case PERFDATA_MMAP:
	case PERFDATA_MMAP2:
	case PERFDATA_COMM:
	case PERFDATA_FORK:
	case PERFDATA_LOST:
	case PERFDATA_LOST_SAMPLES:
	case PERFDATA_NAMESPACES:
	case PERFDATA_DEFERRED:
	case PERFDATA_SAMPLE:
		keep_event(r, record);
		break;
	case PERFDATA_ATTR:
		if (r->file.is_pipe && perfdata_read_attr(record, &attr))
			add_attr(r, &attr);
		break;
	case PERFDATA_BUILD_ID:
		add_build_id(r, record);
		break;
	case PERFDATA_FEATURE:
		take_feature_record(r, record);
		break;
	case PERFDATA_COMPRESSED:
	case PERFDATA_COMPRESSED2:
		keep_packed(r, record->data);
		break;
	default:
		break;
	}
}

/*
 * Keep the records up to the first damaged one or the end of a truncated recording, and note that
 * some are missing.
 */
static void take_records(struct recording *r, struct perfdata_records records)
{
	struct perfdata_record record;

	while (r->status == CAIRN_OK && perfdata_next(&records, &record)) {
		take_record(r, &record);
		recording_done(r, &record);
	}
	if (records.in.fault.status == CAIRN_NO_MEMORY)
		fail_recording(r, CAIRN_NO_MEMORY, NULL);
	else if (records.in.fault.status != CAIRN_OK)
		r->counts.is_cut = true;
}

static struct cairn_bytes next_piece(void *context)
{
	struct recording *r = context;

	return r->packed_next < r->packed_count ? r->packed[r->packed_next++]
	                                        : (struct cairn_bytes){ (const uint8_t *)"", 0 };
}

/* Decompressed data is freed only at the end, because records point into it. */
static void **add_unpacked(struct recording *r)
{
	if (!array_grow(&r->unpacked, &r->unpacked_capacity, r->unpacked_count + 1,
	                sizeof(*r->unpacked))) {
		fail_recording(r, CAIRN_NO_MEMORY, NULL);
		return NULL;
	}
	r->unpacked[r->unpacked_count] = NULL;
	return &r->unpacked[r->unpacked_count++];
}

static void take_packed_records(struct recording *r)
{
	enum cairn_status status = CAIRN_UNSUPPORTED;
	void **unpacked = r->packed_count > 0 && r->status == CAIRN_OK ? add_unpacked(r) : NULL;
	size_t size = 0;

	if (!unpacked)
		return;
	r->packed_next = 0;
	if (r->options->unpack)
		status = r->options->unpack(r->options->context, next_piece, r, unpacked, &size);
	r->packed_count = 0;
	if (status != CAIRN_OK)
		fail_recording(r, status, "cannot decompress the records");
	else
		take_records(
			r, perfdata_records((struct cairn_bytes){ *unpacked, size }, r->file.big));
}

/* The compressed records in each file form a separate stream. */
static void take_stream(struct recording *r, struct perfdata_records records)
{
	take_records(r, records);
	take_packed_records(r);
}

static void take_parts(struct recording *r)
{
	const struct recording_parts parts = recording_parts(r->options);

	for (size_t i = 0; r->status == CAIRN_OK && i < parts.count; i++)
		take_stream(r, perfdata_records(parts.bytes[i], r->file.big));
}

uint32_t recording_attr_number(const struct recording *r, const struct perfdata_record *record)
{
	uint32_t number = 1;

	if (r->attr_count > 1 &&
	    !number_map_find(&r->attr_ids, perfdata_sample_event(record, &r->attrs[0].attr),
	                     &number))
		number = 1;
	return number - 1;
}

/*
 * Rank records with equal times: first maps, then samples, and finally deferred user stacks, which
 * belong to earlier samples.
 */
static int rank_event(const struct recorded_event *e)
{
	return e->time == 0                   ? 0
	       : e->type == PERFDATA_SAMPLE   ? 1
	       : e->type == PERFDATA_DEFERRED ? 2
	                                      : 0;
}

static int compare_events(const void *a, const void *b)
{
	const struct recorded_event *x = a, *y = b;

	return ORDER_BY(x->time, y->time,
	                ORDER_BY(rank_event(x), rank_event(y), ORDER_BY(x->number, y->number, 0)));
}

static bool read_event_sample(const struct recording *r, const struct recorded_event *e,
                              struct perfdata_sample *sample)
{
	const struct perfdata_record record = recorded_event_record(r, e);

	return e->type == PERFDATA_SAMPLE &&
	       perfdata_read_sample(&record, &r->attrs[recording_attr_number(r, &record)].attr,
	                            sample);
}

/*
 * Assign to each sample the next deferred record of its thread. Iterate backwards, so that the next
 * record is always the one seen most recently.
 */
static void find_deferred(struct recording *r)
{
	struct number_map last = { 0 };
	struct perfdata_deferred deferred;
	struct perfdata_sample sample;

	for (size_t i = r->event_count; i-- > 0;) {
		struct recorded_event *e = &r->events[i];
		const struct perfdata_record record = recorded_event_record(r, e);
		if (e->type == PERFDATA_DEFERRED &&
		    perfdata_read_deferred(&record, &r->attrs[0].attr, &deferred)) {
			struct number_slot *slot = number_map_at(&last, (uint64_t)deferred.tid + 1);
			if (!slot) {
				fail_recording(r, CAIRN_NO_MEMORY, NULL);
				break;
			}
			last.count += slot->key == 0;
			*slot = (struct number_slot){ (uint64_t)deferred.tid + 1, (uint32_t)i + 1 };
		} else if (read_event_sample(r, e, &sample)) {
			(void)number_map_find(&last, (uint64_t)sample.tid + 1, &e->deferred);
		}
		recording_done(r, &record);
	}
	free(last.slot);
}

/*
 * Sort the records by time, because perf writes them separately for each processor. Records without
 * a timestamp come first, in file order.
 */
static void order_events(struct recording *r)
{
	struct perfdata_sample sample;

	for (size_t i = 0; i < r->event_count; i++) {
		struct recorded_event *e = &r->events[i];
		const struct perfdata_record record = recorded_event_record(r, e);
		if (e->type != PERFDATA_SAMPLE)
			e->time = perfdata_record_time(&record, &r->attrs[0].attr);
		else if (read_event_sample(r, e, &sample))
			e->time = sample.time;
		recording_done(r, &record);
	}
	if (r->event_count > 1)
		qsort(r->events, r->event_count, sizeof(*r->events), compare_events);
	if (r->has_deferred)
		find_deferred(r);
}

void recording_load(struct recording *r)
{
	struct perfdata_attr attr;
	struct cairn_bytes feature;

	for (size_t i = 0; r->status == CAIRN_OK && perfdata_attr(&r->file, i, &attr); i++)
		add_attr(r, &attr);
	for (unsigned i = 0; r->status == CAIRN_OK && i < PERFDATA_FEATURES; i++)
		if (perfdata_feature(&r->file, i, &feature))
			take_feature(r, i, feature);
	take_stream(r, r->file.records);
	take_parts(r);
	if (r->status == CAIRN_OK && r->attr_count == 0)
		fail_recording(r, CAIRN_MALFORMED, "the recording has no events");
	if (r->status == CAIRN_OK)
		order_events(r);
}
