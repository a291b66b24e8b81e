/* SPDX-License-Identifier: MIT */
/*
 * Converts a recording to an OTLP profiles message. Each process becomes a resource, each event in
 * a process a profile, and each distinct thread and stack a sample with all of its timestamps.
 */
#include "recording.h"

#include "base/encoding.h"
#include "base/wire.h"

enum { HEAD_MAX = 24, TIME_SIZE = 8 };

/* strings at the start of the string table; the WORD_* constants are their indices */
static const char *const words[] = { "",
	                             "samples",
	                             "count",
	                             "nanoseconds",
	                             "process.executable.build_id.gnu",
	                             "profile.frame.type",
	                             "kernel",
	                             "thread.id",
	                             "thread.name",
	                             "process.pid",
	                             "process.executable.name" };
enum {
	WORD_COUNT = 2,
	WORD_NANOSECONDS,
	WORD_BUILD_ID,
	WORD_FRAME_TYPE,
	WORD_KERNEL,
	WORD_THREAD,
	WORD_THREAD_NAME,
	WORD_PID,
	WORD_PROCESS_NAME,
};

struct attribute_key {
	uint64_t value;
	uint32_t word;
	uint32_t is_number;
};

struct placed {
	uint32_t pid, attr, number;
};

struct message {
	struct recording *r;
	struct byte_buffer out;
	struct string_pool attributes;
	struct placed *order;
	size_t count;
};

/* Turn all bytes from `start` on into a length-delimited field by inserting the field's header. */
static void close_message(struct byte_buffer *out, uint32_t field, size_t start)
{
	uint8_t memory[HEAD_MAX];
	struct sink head = sink_open(memory, sizeof(memory));
	const size_t size = out->size - start;

	wire_put_head(&head, field, size);
	if (out->failed || !byte_buffer_extend(out, head.size))
		return;
	memmove(out->data + start + head.size, out->data + start, size);
	memcpy(out->data + start, memory, head.size);
}

static uint32_t number_attribute(struct message *m, uint32_t word, uint64_t value, bool is_number)
{
	const struct attribute_key key = { value, word, is_number };

	return recording_item(m->r, &m->attributes, &key, sizeof(key));
}

static void put_value(struct byte_buffer *out, uint64_t value, bool is_number)
{
	const size_t start = out->size;

	if (is_number) {
		byte_buffer_uleb(out, 3 << 3 | WIRE_VARINT);
		byte_buffer_uleb(out, value);
	} else {
		wire_buffer_number(out, 8, value);
	}
	close_message(out, 2, start);
}

static void put_resource_attribute(struct byte_buffer *out, uint32_t word, uint64_t value,
                                   bool is_number)
{
	const size_t start = out->size;

	wire_buffer_bytes(
		out, 1, (struct cairn_bytes){ (const uint8_t *)words[word], strlen(words[word]) });
	put_value(out, value, is_number);
	close_message(out, OTLP_RESOURCE_ATTRIBUTE, start);
}

static void put_type(struct byte_buffer *out, uint32_t field, const struct recorded_attr *attr)
{
	const size_t start = out->size;

	wire_buffer_number(out, 1, attr->name);
	wire_buffer_number(out, 2, attr->is_time ? WORD_NANOSECONDS : WORD_COUNT);
	close_message(out, field, start);
}

static void put_times(struct message *m, const struct recorded_sample *s)
{
	const size_t start = m->out.size;

	for (size_t at = s->first_time; at != 0; at = m->r->times[at - 1].next)
		byte_buffer_number(&m->out, m->r->times[at - 1].time, TIME_SIZE);
	close_message(&m->out, 5, start);
}

/* Field numbers of a sample: 1 stack, 2 attributes, 4 values, 5 timestamps. */
static void put_sample(struct message *m, const struct recorded_sample *s)
{
	const size_t start = m->out.size;

	wire_buffer_number(&m->out, 1, s->stack);
	const size_t list = m->out.size;
	byte_buffer_uleb(&m->out, number_attribute(m, WORD_THREAD, s->tid, true));
	if (s->name != 0)
		byte_buffer_uleb(&m->out, number_attribute(m, WORD_THREAD_NAME, s->name, false));
	close_message(&m->out, 2, list);
	const size_t values = m->out.size;
	byte_buffer_uleb(&m->out, s->value);
	close_message(&m->out, 4, values);
	put_times(m, s);
	close_message(&m->out, OTLP_PROFILE_SAMPLE, start);
}

static const struct recorded_sample *sample_at(const struct message *m, size_t index)
{
	return &m->r->sample[m->order[index].number];
}

/*
 * Write the samples of one process and event, which are adjacent after sorting. Returns the index
 * of the next sample.
 */
static size_t put_profile(struct message *m, size_t at)
{
	const struct recorded_sample *first = sample_at(m, at);
	const size_t start = m->out.size;

	put_type(&m->out, OTLP_PROFILE_TYPE, &m->r->attrs[first->attr]);
	for (; at < m->count && sample_at(m, at)->pid == first->pid &&
	       sample_at(m, at)->attr == first->attr;
	     at++)
		put_sample(m, sample_at(m, at));
	put_type(&m->out, OTLP_PROFILE_PERIOD_TYPE, &m->r->attrs[first->attr]);
	close_message(&m->out, OTLP_PROFILES, start);
	return at;
}

static size_t put_process(struct message *m, size_t at)
{
	const uint32_t pid = sample_at(m, at)->pid;
	const struct recorded_process *process = recording_process(m->r, pid);
	const size_t start = m->out.size;

	put_resource_attribute(&m->out, WORD_PID, pid, true);
	if (process && process->name != 0)
		put_resource_attribute(&m->out, WORD_PROCESS_NAME, process->name, false);
	close_message(&m->out, OTLP_RESOURCE_ITSELF, start);
	const size_t scope = m->out.size;
	while (at < m->count && sample_at(m, at)->pid == pid)
		at = put_profile(m, at);
	close_message(&m->out, OTLP_PROFILES, scope);
	close_message(&m->out, OTLP_RESOURCE, start);
	return at;
}

static int compare_numbers(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_samples(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int order = compare_numbers(x->pid, y->pid);

	if (order == 0)
		order = compare_numbers(x->attr, y->attr);
	return order ? order : compare_numbers(x->number, y->number);
}

static bool order_samples(struct message *m)
{
	const size_t count = m->r->sample_count;

	m->order = calloc(count ? count : 1, sizeof(*m->order));
	for (size_t i = 1; m->order && i < count; i++)
		m->order[m->count++] =
			(struct placed){ m->r->sample[i].pid, m->r->sample[i].attr, (uint32_t)i };
	if (m->order)
		qsort(m->order, m->count, sizeof(*m->order), compare_samples);
	return m->order != NULL;
}

static void put_mappings(struct message *m)
{
	struct recording *r = m->r;
	struct mapping_key key;
	char id[2 * PERFDATA_ID_MAX + 1];

	wire_buffer_bytes(&m->out, OTLP_MAPPING, string_pool_get(&r->texts, 0));
	for (uint32_t i = 1; i < r->mappings.count; i++) {
		const size_t start = m->out.size;
		memcpy(&key, string_pool_get(&r->mappings, i).data, sizeof(key));
		const struct recorded_file *file = &r->files[key.file];
		wire_buffer_number(&m->out, 1, key.start);
		wire_buffer_number(&m->out, 2, key.end);
		wire_buffer_number(&m->out, 3, key.offset);
		wire_buffer_number(&m->out, 4, file->path);
		hex_encode((struct cairn_bytes){ file->id, file->id_size }, id);
		if (file->id_size > 0)
			wire_buffer_number(
				&m->out, 5,
				number_attribute(
					m, WORD_BUILD_ID,
					recording_text(r,
			                               (struct cairn_bytes){ (const uint8_t *)id,
			                                                     2 * file->id_size }),
					false));
		close_message(&m->out, OTLP_MAPPING, start);
	}
}

static void put_line(struct byte_buffer *out, const struct location_key *key)
{
	const size_t start = out->size;

	if (key->function == 0)
		return;
	wire_buffer_number(out, 1, key->function);
	wire_buffer_number(out, 2, key->line);
	close_message(out, 3, start);
}

static void put_locations(struct message *m)
{
	struct location_key key;

	wire_buffer_bytes(&m->out, OTLP_LOCATION, string_pool_get(&m->r->texts, 0));
	for (uint32_t i = 1; i < m->r->locations.count; i++) {
		const size_t start = m->out.size;
		memcpy(&key, string_pool_get(&m->r->locations, i).data, sizeof(key));
		wire_buffer_number(&m->out, 1, key.mapping);
		wire_buffer_number(&m->out, 2, key.address);
		put_line(&m->out, &key);
		if (key.is_kernel)
			wire_buffer_number(
				&m->out, 4,
				number_attribute(m, WORD_FRAME_TYPE, WORD_KERNEL, false));
		close_message(&m->out, OTLP_LOCATION, start);
	}
}

static void put_functions(struct message *m)
{
	struct function_key key;

	wire_buffer_bytes(&m->out, OTLP_FUNCTION, string_pool_get(&m->r->texts, 0));
	for (uint32_t i = 1; i < m->r->functions.count; i++) {
		const size_t start = m->out.size;
		memcpy(&key, string_pool_get(&m->r->functions, i).data, sizeof(key));
		wire_buffer_number(&m->out, 1, key.name);
		wire_buffer_number(&m->out, 3, key.file);
		close_message(&m->out, OTLP_FUNCTION, start);
	}
}

static void put_stacks(struct message *m)
{
	uint32_t number;

	for (uint32_t i = 0; i < m->r->stacks.count; i++) {
		const struct cairn_bytes list = string_pool_get(&m->r->stacks, i);
		const size_t start = m->out.size;
		for (size_t k = 0; k < list.size / sizeof(number); k++) {
			memcpy(&number, list.data + k * sizeof(number), sizeof(number));
			byte_buffer_uleb(&m->out, number);
		}
		if (list.size > 0)
			close_message(&m->out, OTLP_STACK_LOCATION, start);
		close_message(&m->out, OTLP_STACK, start);
	}
}

static void put_attributes(struct message *m)
{
	struct attribute_key key;

	wire_buffer_bytes(&m->out, OTLP_ATTRIBUTE, string_pool_get(&m->r->texts, 0));
	for (uint32_t i = 1; i < m->attributes.count; i++) {
		const size_t start = m->out.size;
		memcpy(&key, string_pool_get(&m->attributes, i).data, sizeof(key));
		wire_buffer_number(&m->out, 1, key.word);
		put_value(&m->out, key.value, key.is_number);
		close_message(&m->out, OTLP_ATTRIBUTE, start);
	}
}

/* Write the tables; strings and attributes come last because the other tables add to them. */
static void put_dictionary(struct message *m)
{
	const size_t start = m->out.size;

	put_mappings(m);
	put_locations(m);
	put_functions(m);
	put_stacks(m);
	put_attributes(m);
	for (uint32_t i = 0; i < m->r->texts.count; i++)
		wire_buffer_bytes(&m->out, OTLP_TEXT, string_pool_get(&m->r->texts, i));
	close_message(&m->out, OTLP_DICTIONARY, start);
}

void recording_begin_tables(struct recording *r)
{
	struct string_pool *tables[] = { &r->mappings, &r->functions, &r->locations,
		                         &r->stacks,   &r->samples,   &r->counters };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		(void)recording_text(
			r, (struct cairn_bytes){ (const uint8_t *)words[i], strlen(words[i]) });
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		(void)recording_item(r, tables[i], "", 0);
}

uint8_t *recording_message(struct recording *r, size_t *size)
{
	struct message m = { .r = r, .out = { .limit = SIZE_MAX } };

	(void)recording_item(r, &m.attributes, "", 0);
	if (order_samples(&m)) {
		for (size_t at = 0; at < m.count && r->status == CAIRN_OK;)
			at = put_process(&m, at);
		put_dictionary(&m);
	} else {
		m.out.failed = true;
	}
	free(m.order);
	string_pool_finish(&m.attributes);
	*size = m.out.size;
	if (!m.out.failed && r->status == CAIRN_OK)
		return m.out.data;
	byte_buffer_finish(&m.out);
	return NULL;
}
