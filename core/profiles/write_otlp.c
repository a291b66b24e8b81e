/* SPDX-License-Identifier: MIT */
/*
 * Writes an OTLP message. The input is copied, except for the locations for which names were found.
 * New functions and strings are appended to their tables, so all indices stay valid. Versions
 * before 1.10 are converted to 1.11. JSON is written from the complete message in memory.
 */
#include "write.h"

#include "formats/otlp/json.h"

enum { FIELD_MAX = 64 }; /* maximum size of a field that contains only numbers */

/* output that is produced twice: once to measure it and once for the host */
struct emitter {
	struct profile_writer *w;
	bool measures;
	size_t size;
	struct otlp_line *lines;
};

static void emit_bytes(struct emitter *e, const void *bytes, size_t size)
{
	e->size += size;
	if (!e->measures)
		writer_bytes(e->w, bytes, size);
}

static void emit_location(struct emitter *e, const struct profile_location *location)
{
	const struct cairn_profile *p = e->w->profile;
	struct sink measured = sink_open(NULL, 0);

	for (uint32_t i = 0; i < location->line_count; i++) {
		const struct profile_line *line = &p->new_lines[location->first_line + i];
		e->lines[i] = (struct otlp_line){ p->new_functions[line->function].id, line->line,
			                          line->column };
	}
	otlp_put_location_with(&measured, location->body, e->lines, location->line_count);
	e->size += measured.size;
	if (e->measures)
		return;
	uint8_t *buffer = writer_reserve(e->w, measured.size);
	struct sink out = sink_open(buffer, measured.size);
	if (buffer)
		otlp_put_location_with(&out, location->body, e->lines, location->line_count);
}

static void emit_text(struct emitter *e, struct cairn_bytes text)
{
	uint8_t memory[FIELD_MAX];
	struct sink head = sink_open(memory, sizeof(memory));

	wire_put_head(&head, OTLP_TEXT, text.size);
	emit_bytes(e, memory, head.size);
	emit_bytes(e, text.data, text.size);
}

static void emit_function(struct emitter *e, const struct otlp_function *function)
{
	uint8_t memory[FIELD_MAX];
	struct sink out = sink_open(memory, sizeof(memory));

	otlp_put_function(&out, function);
	emit_bytes(e, memory, out.size);
}

/* Write the new functions. Index 0 means "none", so an empty table first gets an empty item 0. */
static void emit_functions(struct emitter *e)
{
	static const struct otlp_function none = { .name = 0 };
	const struct cairn_profile *p = e->w->profile;
	const uint64_t padding = p->function_gap.padding + (p->function_count == 0);

	for (uint64_t i = 0; p->new_function_count > 0 && i < padding; i++)
		emit_function(e, &none);
	for (size_t i = 0; i < p->new_function_count; i++) {
		const struct profile_function *f = &p->new_functions[i];
		emit_function(e, &(struct otlp_function){ profile_new_text(p, f->name),
		                                          profile_new_text(p, f->linked_name),
		                                          profile_new_text(p, f->file), 0 });
	}
}

static void emit_texts(struct emitter *e)
{
	const struct cairn_profile *p = e->w->profile;

	if (!p->has_texts && p->pool.count > 1)
		emit_text(e, profile_text(p, 0));
	for (uint64_t i = 0; p->pool.count > 1 && i < p->text_gap.padding; i++)
		emit_text(e, (struct cairn_bytes){ (const uint8_t *)"", 0 });
	for (uint32_t i = 1; i < p->pool.count; i++)
		emit_text(e, string_pool_get(&p->pool, i));
}

static void emit_dictionary(struct emitter *e)
{
	const struct cairn_profile *p = e->w->profile;
	const uint8_t *at = p->dictionary.data, *end = at + p->dictionary.size;
	struct wire_field field;
	size_t location = 0;

	while (at < end && wire_field(&at, end, &field)) {
		const struct profile_location *l =
			field.number == OTLP_LOCATION && field.type == WIRE_BYTES
				? &p->locations[location++]
				: NULL;
		if (l && l->line_count > 0)
			emit_location(e, l);
		else
			emit_bytes(e, field.whole.data, field.whole.size);
	}
	emit_functions(e);
	emit_texts(e);
}

static void write_dictionary(struct emitter *e)
{
	uint8_t memory[FIELD_MAX];
	struct sink head = sink_open(memory, sizeof(memory));

	*e = (struct emitter){ .w = e->w, .measures = true, .lines = e->lines };
	emit_dictionary(e);
	wire_put_head(&head, OTLP_DICTIONARY, e->size);
	writer_bytes(e->w, memory, head.size);
	e->measures = false;
	emit_dictionary(e);
}

static void write_resource(struct profile_writer *w, struct cairn_bytes body)
{
	struct sink measured = sink_open(NULL, 0);

	otlp_put_resource(&measured, body, w->profile->otlp);
	uint8_t *buffer = writer_reserve(w, measured.size);
	struct sink out = sink_open(buffer, measured.size);
	if (buffer)
		otlp_put_resource(&out, body, w->profile->otlp);
}

void profile_write_otlp(struct profile_writer *w)
{
	const struct cairn_profile *p = w->profile;
	const uint8_t *at = p->bytes.data, *end = at + p->bytes.size;
	const size_t most = profile_most_lines(p);
	struct emitter e = { .w = w, .lines = calloc(most ? most : 1, sizeof(*e.lines)) };
	struct wire_field field;

	if (!e.lines) {
		w->status = CAIRN_NO_MEMORY;
		return;
	}
	while (at < end && wire_field(&at, end, &field))
		if (field.number == OTLP_DICTIONARY)
			write_dictionary(&e);
		else
			write_resource(w, field.bytes);
	free(e.lines);
}

static int append_bytes(void *context, const void *bytes, size_t size)
{
	byte_buffer_bytes(context, bytes, size);
	return 0;
}

static void put_piece(void *context, const void *bytes, size_t size)
{
	writer_bytes(context, bytes, size);
}

static void ignore_piece(void *context, const void *bytes, size_t size)
{
	(void)context;
	(void)bytes;
	(void)size;
}

static enum cairn_status make_message(const struct cairn_profile *profile,
                                      struct byte_buffer *message)
{
	const struct cairn_profile_output output = { append_bytes, message, NULL };
	struct profile_writer writer;

	writer_begin(&writer, profile, &output);
	profile_write_otlp(&writer);
	const enum cairn_status status = writer_end(&writer);
	return message->failed ? CAIRN_NO_MEMORY : status;
}

static struct cairn_bytes lend_message(const struct byte_buffer *buffer)
{
	return (struct cairn_bytes){ buffer->data ? buffer->data : (const uint8_t *)"",
		                     buffer->size };
}

enum cairn_status profile_write_otlp_json(struct profile_writer *w, struct cairn_fault *fault)
{
	struct byte_buffer message = { .limit = SIZE_MAX };
	struct otlp_json_output out = { .put = put_piece, .context = w };
	enum cairn_status status = CAIRN_OK;

	w->status = make_message(w->profile, &message);
	if (w->status == CAIRN_OK)
		status = otlp_json_write(lend_message(&message), &out, fault);
	writer_bytes(w, "\n", 1);
	byte_buffer_finish(&message);
	return status;
}

uint64_t cairn_profile_unknown_fields(const struct cairn_profile *profile)
{
	struct otlp_json_output out = { .put = ignore_piece };
	struct byte_buffer message = { .limit = SIZE_MAX };
	struct cairn_fault fault;

	if (profile->otlp != OTLP_UNKNOWN && make_message(profile, &message) == CAIRN_OK &&
	    otlp_json_write(lend_message(&message), &out, &fault) != CAIRN_OK)
		out.unknown = 0;
	byte_buffer_finish(&message);
	return out.unknown;
}
