/* SPDX-License-Identifier: MIT */
/*
 * Message properties: keeps the sender's properties when a request moves to another queue, and
 * reads and writes cairn's headers. Properties are untrusted: numbers are bounded, and the rest is
 * forwarded unchanged.
 */
#include "link.h"

#include <amqp_framing.h>
#include <stdlib.h>
#include <string.h>

struct broker_origin {
	amqp_pool_t pool;
	amqp_basic_properties_t properties;
};

enum {
	POOL_PAGE = 512, /* bytes; most messages have few properties */
	OWN_HEADERS = 3,
	KEPT = AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_CORRELATION_ID_FLAG |
	       AMQP_BASIC_MESSAGE_ID_FLAG | AMQP_BASIC_TIMESTAMP_FLAG | AMQP_BASIC_TYPE_FLAG |
	       AMQP_BASIC_HEADERS_FLAG,
};

void broker_origin_free(struct broker_origin *origin)
{
	if (origin)
		empty_amqp_pool(&origin->pool);
	free(origin);
}

static bool is_header(const amqp_table_entry_t *entry, const char *name)
{
	return entry->key.len == strlen(name) &&
	       memcmp(entry->key.bytes, name, entry->key.len) == 0;
}

static bool is_own_header(const amqp_table_entry_t *entry)
{
	return is_header(entry, BROKER_ATTEMPTS) || is_header(entry, BROKER_CRASHES) ||
	       is_header(entry, BROKER_REASON);
}

/* Read a count of any integer type. Values that cairn cannot have written count as 0. */
static unsigned read_header_count(const amqp_field_value_t *value)
{
	int64_t count = 0;

	if (value->kind == AMQP_FIELD_KIND_I32)
		count = value->value.i32;
	else if (value->kind == AMQP_FIELD_KIND_I64)
		count = value->value.i64;
	return count > 0 && count <= BROKER_ATTEMPTS_MAX ? (unsigned)count : 0;
}

static void read_headers(const amqp_table_t *headers, struct broker_request *request)
{
	for (int i = 0; i < headers->num_entries; i++)
		if (is_header(&headers->entries[i], BROKER_ATTEMPTS))
			request->attempts = read_header_count(&headers->entries[i].value);
		else if (is_header(&headers->entries[i], BROKER_CRASHES))
			request->crashes = read_header_count(&headers->entries[i].value);
}

static bool copy_pool_text(amqp_pool_t *pool, amqp_bytes_t *text)
{
	const amqp_bytes_t from = *text;

	amqp_pool_alloc_bytes(pool, from.len, text);
	if (!text->bytes)
		return from.len == 0;
	if (from.len > 0)
		memcpy(text->bytes, from.bytes, from.len);
	return true;
}

static bool copy_properties(const amqp_basic_properties_t *from, struct broker_origin *origin)
{
	amqp_basic_properties_t *to = &origin->properties;
	amqp_pool_t *pool = &origin->pool;

	*to = *from;
	to->_flags &= KEPT;
	if ((to->_flags & AMQP_BASIC_CONTENT_TYPE_FLAG) && !copy_pool_text(pool, &to->content_type))
		return false;
	if ((to->_flags & AMQP_BASIC_CORRELATION_ID_FLAG) &&
	    !copy_pool_text(pool, &to->correlation_id))
		return false;
	if ((to->_flags & AMQP_BASIC_MESSAGE_ID_FLAG) && !copy_pool_text(pool, &to->message_id))
		return false;
	if ((to->_flags & AMQP_BASIC_TYPE_FLAG) && !copy_pool_text(pool, &to->type))
		return false;
	return !(to->_flags & AMQP_BASIC_HEADERS_FLAG) ||
	       amqp_table_clone(&from->headers, &to->headers, pool) == AMQP_STATUS_OK;
}

bool origin_copy(const amqp_basic_properties_t *properties, struct broker_request *request)
{
	if (!properties || !(properties->_flags & KEPT))
		return true;
	if (properties->_flags & AMQP_BASIC_HEADERS_FLAG)
		read_headers(&properties->headers, request);
	request->origin = calloc(1, sizeof(*request->origin));
	if (!request->origin)
		return false;
	init_amqp_pool(&request->origin->pool, POOL_PAGE);
	return copy_properties(properties, request->origin);
}

static void add_count(amqp_table_t *headers, const char *name, unsigned count)
{
	if (count > 0)
		headers->entries[headers->num_entries++] =
			(amqp_table_entry_t){ amqp_cstring_bytes(name),
			                      { AMQP_FIELD_KIND_I32, { .i32 = (int32_t)count } } };
}

static void add_reason(amqp_table_t *headers, const char *reason)
{
	if (reason)
		headers->entries[headers->num_entries++] =
			(amqp_table_entry_t){ amqp_cstring_bytes(BROKER_REASON),
			                      { AMQP_FIELD_KIND_UTF8,
			                        { .bytes = amqp_cstring_bytes(reason) } } };
}

static bool make_headers(const struct broker_letter *letter, amqp_basic_properties_t *properties,
                         amqp_table_entry_t **entries)
{
	const amqp_table_t none = { 0, NULL };
	const bool has_old = properties->_flags & AMQP_BASIC_HEADERS_FLAG;
	const amqp_table_t old = has_old ? properties->headers : none;
	amqp_table_t *headers = &properties->headers;

	*entries = malloc(((size_t)old.num_entries + OWN_HEADERS) * sizeof(**entries));
	if (!*entries)
		return false;
	*headers = (amqp_table_t){ 0, *entries };
	for (int i = 0; i < old.num_entries; i++)
		if (!is_own_header(&old.entries[i]))
			headers->entries[headers->num_entries++] = old.entries[i];
	add_count(headers, BROKER_ATTEMPTS, letter->attempts);
	add_count(headers, BROKER_CRASHES, letter->crashes);
	add_reason(headers, letter->reason);
	properties->_flags |= AMQP_BASIC_HEADERS_FLAG;
	return true;
}

bool origin_apply(const struct broker_letter *letter, amqp_basic_properties_t *properties,
                  amqp_table_entry_t **entries)
{
	*entries = NULL;
	*properties = (amqp_basic_properties_t){ ._flags = 0 };
	if (letter->origin)
		*properties = letter->origin->properties;
	if (letter->id.size > 0) {
		/*
		 * An answer has its own message ID; the ID of the request becomes its correlation
		 * ID.
		 */
		if ((properties->_flags & AMQP_BASIC_MESSAGE_ID_FLAG) &&
		    !(properties->_flags & AMQP_BASIC_CORRELATION_ID_FLAG)) {
			properties->correlation_id = properties->message_id;
			properties->_flags |= AMQP_BASIC_CORRELATION_ID_FLAG;
		}
		properties->message_id = (amqp_bytes_t){ letter->id.size, (void *)letter->id.data };
		properties->content_type = amqp_cstring_bytes("application/json");
		properties->_flags &= ~(amqp_flags_t)AMQP_BASIC_HEADERS_FLAG;
		properties->_flags |= AMQP_BASIC_MESSAGE_ID_FLAG | AMQP_BASIC_CONTENT_TYPE_FLAG;
	}
	properties->delivery_mode = AMQP_DELIVERY_PERSISTENT;
	properties->_flags |= AMQP_BASIC_DELIVERY_MODE_FLAG;
	return letter->id.size > 0 || make_headers(letter, properties, entries);
}
