/* SPDX-License-Identifier: MIT */
/*
 * Loads a pprof profile's tables. Indices and ids are checked in a second pass, after all fields
 * have been read, because a field may refer to a later one.
 */
#include "samples.h"

#include "base/memory.h"

/*
 * Map `id` to `number`, which counts from 1. Returns CAIRN_MALFORMED with the message `what` if the
 * id is 0 or occurs twice.
 */
static enum cairn_status add_id(struct number_map *ids, uint64_t id, size_t number,
                                struct pprof *in, const struct wire_field *field, const char *what)
{
	struct number_slot *slot = id != 0 ? number_map_at(ids, id) : NULL;

	if (id == 0 || (slot && slot->key != 0)) {
		pprof_fail(in, field, what);
		return CAIRN_MALFORMED;
	}
	if (!slot || number > UINT32_MAX)
		return CAIRN_NO_MEMORY;
	*slot = (struct number_slot){ id, (uint32_t)number };
	ids->count++;
	return CAIRN_OK;
}

static enum cairn_status load_mapping(struct cairn_profile *p, struct pprof *in,
                                      const struct wire_field *field)
{
	struct profile_mapping mapping = { .changed = false };

	if (!pprof_read_mapping(in, field, &mapping.stored))
		return CAIRN_MALFORMED;
	if (!ARRAY_APPEND(p->mappings, p->mapping_count, p->mapping_capacity, mapping))
		return CAIRN_NO_MEMORY;
	return add_id(&p->mapping_ids, mapping.stored.id, p->mapping_count, in, field,
	              "a mapping's ID is 0 or not unique");
}

/* Load a location. check_location() resolves its mapping id later, once all mappings are known. */
static enum cairn_status load_location(struct cairn_profile *p, struct pprof *in,
                                       const struct wire_field *field)
{
	struct pprof_location stored;

	if (!pprof_read_location(in, field, &stored))
		return CAIRN_MALFORMED;
	if (!ARRAY_APPEND(p->locations, p->location_count, p->location_capacity,
	                  (struct profile_location){ .address = stored.address,
	                                             .body = stored.body,
	                                             .folded = stored.folded }))
		return CAIRN_NO_MEMORY;
	return add_id(&p->location_ids, stored.id, p->location_count, in, field,
	              "a location's ID is 0 or not unique");
}

static enum cairn_status load_function(struct cairn_profile *p, struct pprof *in,
                                       const struct wire_field *field)
{
	struct pprof_function function;

	if (!pprof_read_function(in, field, &function))
		return CAIRN_MALFORMED;
	if (!ARRAY_APPEND(p->functions, p->function_count, p->function_capacity, function))
		return CAIRN_NO_MEMORY;
	return add_id(&p->function_ids, function.id, p->function_count, in, field,
	              "a function's ID is 0 or not unique");
}

static enum cairn_status load_type(struct cairn_profile *p, struct pprof *in,
                                   const struct wire_field *field)
{
	struct pprof_type type;

	if (!pprof_read_type(in, field, &type))
		return CAIRN_MALFORMED;
	return ARRAY_APPEND(p->types, p->type_count, p->type_capacity, type) ? CAIRN_OK
	                                                                     : CAIRN_NO_MEMORY;
}

static enum cairn_status load_field(struct cairn_profile *p, struct pprof *in,
                                    const struct wire_field *field)
{
	if (field->number == PPROF_DEFAULT_TYPE && field->type == WIRE_VARINT)
		p->default_type = field->value;
	if (field->type != WIRE_BYTES)
		return CAIRN_OK;
	switch (field->number) {
	case PPROF_SAMPLE_TYPE:
		return load_type(p, in, field);
	case PPROF_MAPPING:
		return load_mapping(p, in, field);
	case PPROF_LOCATION:
		return load_location(p, in, field);
	case PPROF_FUNCTION:
		return load_function(p, in, field);
	case PPROF_TEXT:
		return ARRAY_APPEND(p->texts, p->text_count, p->text_capacity, field->bytes)
		               ? CAIRN_OK
		               : CAIRN_NO_MEMORY;
	default:
		return CAIRN_OK;
	}
}

static bool has_text(const struct cairn_profile *p, uint64_t number)
{
	return number < p->text_count;
}

/* Check the indices in a sample. Reject invalid indices, as other pprof readers do. */
static bool check_sample(const struct cairn_profile *p, struct pprof *in,
                         const struct wire_field *field)
{
	struct pprof_sample sample;
	struct pprof_label label;
	uint64_t id;

	if (!pprof_read_sample(in, field, &sample))
		return false;
	if (sample.values != p->type_count)
		pprof_fail(in, field, "a sample does not have one value for each type");
	struct pprof_numbers ids = pprof_numbers(&sample, PPROF_SAMPLE_LOCATION);
	while (pprof_next_number(&ids, &id))
		if (profile_number(&p->location_ids, id) == 0)
			pprof_fail(in, field, "a sample refers to a location that does not exist");
	for (struct cairn_bytes rest = sample.body; pprof_next_label(&rest, &label);)
		if (!has_text(p, label.key) || !has_text(p, label.text) || !has_text(p, label.unit))
			pprof_fail(in, field, "a label refers to a string that does not exist");
	return in->fault.status == CAIRN_OK;
}

static bool check_location(struct cairn_profile *p, struct pprof *in,
                           const struct wire_field *field, size_t index)
{
	struct profile_location *location = &p->locations[index];
	struct pprof_location stored;

	if (!pprof_read_location(in, field, &stored))
		return false;
	location->mapping = profile_number(&p->mapping_ids, stored.mapping);
	location->has = (uint8_t)profile_judge_calls(p, location);
	location->named = location->has & PPROF_HAS_FUNCTIONS;
	if (location->mapping > 0)
		location->has |= p->mappings[location->mapping - 1].stored.has & PPROF_HAS_INLINES;
	return true;
}

static enum cairn_status check_mapping(struct cairn_profile *p, struct pprof *in,
                                       const struct wire_field *field, size_t index)
{
	struct profile_mapping *mapping = &p->mappings[index];

	if (!has_text(p, mapping->stored.path) || !has_text(p, mapping->stored.build_id)) {
		pprof_fail(in, field, "a mapping refers to a string that does not exist");
		return CAIRN_MALFORMED;
	}
	mapping->path = profile_text(p, mapping->stored.path);
	mapping->build_id = profile_text(p, mapping->stored.build_id);
	return profile_add_module(p, mapping);
}

static bool check_profile_function(const struct cairn_profile *p, struct pprof *in,
                                   const struct wire_field *field, size_t index)
{
	const struct pprof_function *f = &p->functions[index];

	if (!has_text(p, f->name) || !has_text(p, f->linked_name) || !has_text(p, f->file))
		pprof_fail(in, field, "a function refers to a string that does not exist");
	return in->fault.status == CAIRN_OK;
}

static bool check_types(const struct cairn_profile *p)
{
	for (size_t i = 0; i < p->type_count; i++)
		if (!has_text(p, p->types[i].type) || !has_text(p, p->types[i].unit))
			return false;
	return has_text(p, p->default_type);
}

struct place {
	size_t mapping, location, function;
};

/*
 * Check the field if it is a function and `functions` is set, or if it is anything else and
 * `functions` is not set. Functions are checked in a first pass, because locations refer to them.
 */
static enum cairn_status check_field(struct cairn_profile *p, struct pprof *in,
                                     const struct wire_field *field, struct place *at,
                                     bool functions)
{
	bool sound = true;

	if (field->type != WIRE_BYTES || (field->number == PPROF_FUNCTION) != functions)
		return CAIRN_OK;
	switch (field->number) {
	case PPROF_MAPPING:
		return check_mapping(p, in, field, at->mapping++);
	case PPROF_LOCATION:
		sound = check_location(p, in, field, at->location++);
		break;
	case PPROF_FUNCTION:
		sound = check_profile_function(p, in, field, at->function++);
		break;
	case PPROF_SAMPLE:
		sound = check_sample(p, in, field);
		break;
	default:
		break;
	}
	return sound ? CAIRN_OK : CAIRN_MALFORMED;
}

static enum cairn_status check_fields(struct cairn_profile *p, struct pprof *in, bool functions)
{
	enum cairn_status status = CAIRN_OK;
	struct wire_field field;
	struct place at = { 0 };

	*in = pprof_open(p->bytes);
	while (status == CAIRN_OK && pprof_next(in, &field))
		status = check_field(p, in, &field, &at, functions);
	return status;
}

static enum cairn_status load_fields(struct cairn_profile *p, struct pprof *in)
{
	enum cairn_status status = CAIRN_OK;
	struct wire_field field;

	while (status == CAIRN_OK && pprof_next(in, &field))
		status = load_field(p, in, &field);
	if (status != CAIRN_OK || in->fault.status != CAIRN_OK)
		return status == CAIRN_OK ? in->fault.status : status;
	if (p->text_count == 0 || profile_text(p, 0).size > 0)
		in->fault = (struct cairn_fault){ CAIRN_MALFORMED, 0, "string 0 is not empty" };
	else if (!check_types(p))
		in->fault = (struct cairn_fault){
			CAIRN_MALFORMED, 0,
			"a type of values refers to a string that does not exist"
		};
	return in->fault.status;
}

enum cairn_status profile_load(struct cairn_profile *p, struct cairn_fault *fault)
{
	struct pprof in = pprof_open(p->bytes);
	enum cairn_status status = load_fields(p, &in);

	if (status == CAIRN_OK)
		status = check_fields(p, &in, true);
	if (status == CAIRN_OK)
		status = check_fields(p, &in, false);
	if (status == CAIRN_NO_MEMORY)
		*fault = (struct cairn_fault){ status, 0, cairn_status_text(status) };
	else if (status != CAIRN_OK)
		*fault = in.fault;
	return status;
}
