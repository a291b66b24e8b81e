/* SPDX-License-Identifier: MIT */
/* Joins tables of older messages to one dictionary. */
#include "older.h"

#include "base/array_grow.h"
#include "base/bytes_compare.h"

#include <stdlib.h>
#include <string.h>

static void put_flag_attribute(struct older *o, uint32_t key)
{
	const uint8_t yes[] = { 2 << 3, 1 }; /* AnyValue: a boolean */

	o->item.size = 0;
	wire_buffer_number(&o->item, 1, key);
	wire_buffer_bytes(&o->item, 2, (struct cairn_bytes){ yes, sizeof(yes) });
	wire_buffer_bytes(&o->dictionary, OTLP_ATTRIBUTE, byte_buffer_view(&o->item));
}

void older_begin(struct older *o)
{
	static const char *const texts[OLDER_TEXTS] = {
		[0] = "",
		[OLDER_HAS_FUNCTIONS] = "pprof.mapping.has_functions",
		[OLDER_HAS_FILENAMES] = "pprof.mapping.has_filenames",
		[OLDER_HAS_LINE_NUMBERS] = "pprof.mapping.has_line_numbers",
		[OLDER_HAS_INLINE_FRAMES] = "pprof.mapping.has_inline_frames",
		[OLDER_IS_FOLDED] = "pprof.location.is_folded",
		[OLDER_COMMENT] = "pprof.profile.comment",
	};
	static const struct cairn_bytes none = { (const uint8_t *)"", 0 };

	*o = (struct older){ .dictionary = { .limit = OLDER_BYTES_MAX } };
	o->item.limit = o->part.limit = o->numbers.limit = OLDER_BYTES_MAX;
	for (uint32_t table = OTLP_MAPPING; table <= OTLP_STACK; table++) {
		o->made[table] = 1;
		if (table != OTLP_TEXT)
			wire_buffer_bytes(&o->dictionary, table, none);
	}
	for (uint32_t i = 0; i < OLDER_TEXTS; i++)
		wire_buffer_bytes(
			&o->dictionary, OTLP_TEXT,
			(struct cairn_bytes){ (const uint8_t *)texts[i], strlen(texts[i]) });
	for (uint32_t i = 1; i < OLDER_FLAGS; i++)
		put_flag_attribute(o, i);
	o->made[OTLP_TEXT] = OLDER_TEXTS;
	o->made[OTLP_ATTRIBUTE] = OLDER_FLAGS;
}

void older_finish(struct older *o)
{
	byte_buffer_finish(&o->dictionary);
	byte_buffer_finish(&o->item);
	byte_buffer_finish(&o->part);
	byte_buffer_finish(&o->numbers);
	free(o->texts);
	free(o->locations);
}

bool older_next(struct older *o, struct cairn_bytes *body, struct wire_field *part)
{
	if (wire_next(body, part))
		return true;
	if (body->size > 0 && !o->why)
		o->why = "a message in the profile is damaged";
	return false;
}

void older_put_level(struct older *o, struct cairn_bytes body, struct byte_buffer *to,
                     void (*put)(void *context, struct cairn_bytes body), void *context)
{
	struct wire_field part;

	to->size = 0;
	while (!o->why && !o->no_memory && older_next(o, &body, &part))
		if (part.number == OTLP_PROFILES && part.type == WIRE_BYTES)
			put(context, part.bytes);
		else
			byte_buffer_bytes(to, part.whole.data, part.whole.size);
}

uint64_t older_move(const struct older *o, unsigned table, uint64_t number)
{
	if (number >= o->count[table] || (table == OTLP_TEXT && number == 0))
		return 0;
	return o->base[table] + number;
}

void older_put_moved(struct older *o, struct byte_buffer *b, uint32_t number,
                     const struct wire_field *part, unsigned table)
{
	struct wire_numbers numbers;
	uint64_t value;

	if (!wire_numbers(part, &numbers))
		return;
	o->numbers.size = 0;
	while (wire_number(&numbers, &value))
		byte_buffer_uleb(&o->numbers, older_move(o, table, value));
	wire_buffer_bytes(b, number, byte_buffer_view(&o->numbers));
}

/* A field that stays as it is. */
static void put_whole(struct byte_buffer *b, const struct wire_field *part)
{
	byte_buffer_bytes(b, part->whole.data, part->whole.size);
}

/* start limit offset path attribute* and four flags */
static void put_mapping(struct older *o, struct cairn_bytes body)
{
	enum { PATH = 4, ATTRIBUTE = 5, FIRST_FLAG = 6, LAST_FLAG = 9 };
	struct wire_field part;

	while (older_next(o, &body, &part))
		if (part.number == PATH)
			wire_buffer_number(&o->item, PATH, older_move(o, OTLP_TEXT, part.value));
		else if (part.number == ATTRIBUTE)
			older_put_moved(o, &o->item, ATTRIBUTE, &part, OTLP_ATTRIBUTE);
		else if (part.number < FIRST_FLAG || part.number > LAST_FLAG)
			put_whole(&o->item, &part);
		else if (part.value)
			wire_buffer_number(&o->item, ATTRIBUTE,
			                   part.number - FIRST_FLAG + OLDER_HAS_FUNCTIONS);
}

/* function line column; function 0 is one, also where it is left out */
static void put_line(struct older *o, struct cairn_bytes body)
{
	enum { FUNCTION = 1 };
	struct wire_field part;
	uint64_t function = 0;

	o->part.size = 0;
	while (older_next(o, &body, &part))
		if (part.number == FUNCTION)
			function = part.value;
		else
			put_whole(&o->part, &part);
	wire_buffer_number(&o->part, FUNCTION, older_move(o, OTLP_FUNCTION, function));
}

/* mapping? address line* folded attribute* */
static void put_location(struct older *o, struct cairn_bytes body)
{
	enum { MAPPING = 1, LINE = 3, FOLDED = 4, ATTRIBUTE_OLD = 5, ATTRIBUTE = 4 };
	struct wire_field part;

	while (older_next(o, &body, &part))
		switch (part.number) {
		case MAPPING:
			wire_buffer_number(&o->item, MAPPING,
			                   older_move(o, OTLP_MAPPING, part.value));
			break;
		case LINE:
			put_line(o, part.bytes);
			wire_buffer_bytes(&o->item, LINE, byte_buffer_view(&o->part));
			break;
		case FOLDED:
			wire_buffer_number(&o->item, ATTRIBUTE, part.value ? OLDER_IS_FOLDED : 0);
			break;
		case ATTRIBUTE_OLD:
			older_put_moved(o, &o->item, ATTRIBUTE, &part, OTLP_ATTRIBUTE);
			break;
		default:
			put_whole(&o->item, &part);
		}
}

/* name linked_name file: texts */
static void put_function(struct older *o, struct cairn_bytes body)
{
	enum { LAST_TEXT = 3 };
	struct wire_field part;

	while (older_next(o, &body, &part))
		if (part.number <= LAST_TEXT)
			wire_buffer_number(&o->item, part.number,
			                   older_move(o, OTLP_TEXT, part.value));
		else
			put_whole(&o->item, &part);
}

/* The unit of all attributes with this key, a text of the new dictionary. */
static uint64_t find_unit(const struct older *o, struct cairn_bytes key)
{
	for (size_t i = 0; i < o->unit_count; i++)
		if (o->units[i].key < o->count[OTLP_TEXT] &&
		    bytes_equal(o->texts[o->units[i].key], key))
			return older_move(o, OTLP_TEXT, o->units[i].unit);
	return 0;
}

/* A key as text, and a value, become the number of a new text, the value, and a unit. */
static void put_attribute(struct older *o, struct cairn_bytes body)
{
	enum { KEY = 1, VALUE = 2, UNIT = 3 };
	struct cairn_bytes key = { NULL, 0 };
	struct wire_field part;

	while (older_next(o, &body, &part))
		if (part.number == KEY && part.type == WIRE_BYTES)
			key = part.bytes;
		else if (part.number == VALUE)
			put_whole(&o->item, &part);
	wire_buffer_bytes(&o->dictionary, OTLP_TEXT, key);
	wire_buffer_number(&o->item, KEY, o->made[OTLP_TEXT]++);
	wire_buffer_number(&o->item, UNIT, find_unit(o, key));
}

static void put_item(struct older *o, unsigned table, struct cairn_bytes body)
{
	o->item.size = 0;
	switch (table) {
	case OTLP_MAPPING:
		put_mapping(o, body);
		break;
	case OTLP_LOCATION:
		put_location(o, body);
		break;
	case OTLP_FUNCTION:
		put_function(o, body);
		break;
	case OTLP_ATTRIBUTE:
		put_attribute(o, body);
		break;
	case OTLP_LINK:
		if (body.size > 0)
			byte_buffer_bytes(&o->item, body.data, body.size);
		break;
	default:
		return;
	}
	wire_buffer_bytes(&o->dictionary, table, byte_buffer_view(&o->item));
}

static void keep_text(struct older *o, struct cairn_bytes text)
{
	const size_t number = (size_t)o->count[OTLP_TEXT] - 1;

	if (array_grow(&o->texts, &o->text_room, number + 1, sizeof(*o->texts)))
		o->texts[number] = text;
	else
		o->no_memory = true;
	wire_buffer_bytes(&o->dictionary, OTLP_TEXT, text);
}

static void keep_unit(struct older *o, struct cairn_bytes body)
{
	uint64_t value[2] = { 0 };

	(void)wire_read_numbers(body, value, 2);
	if (o->unit_count == OLDER_UNITS_MAX)
		return;
	o->units[o->unit_count].key = value[0];
	o->units[o->unit_count++].unit = value[1];
}

static unsigned table_of(const struct wire_field *part, const uint8_t *table, uint32_t fields)
{
	return part->number < fields && part->type == WIRE_BYTES ? table[part->number] : 0;
}

/* Texts first, and how many there are of all else: items refer to each other. */
void older_add_tables(struct older *o, struct cairn_bytes body, const uint8_t *table,
                      uint32_t fields)
{
	struct cairn_bytes rest = body;
	struct wire_field part;

	o->unit_count = 0;
	for (unsigned i = 0; i < OLDER_TABLES; i++) {
		o->base[i] = o->made[i];
		o->count[i] = 0;
	}
	while (!o->no_memory && older_next(o, &rest, &part)) {
		const unsigned kind = table_of(&part, table, fields);
		o->count[kind]++;
		if (kind == OTLP_TEXT)
			keep_text(o, part.bytes);
		else if (kind == OLDER_UNITS)
			keep_unit(o, part.bytes);
	}
	for (unsigned i = 0; i < OLDER_TABLES; i++)
		o->made[i] += o->count[i];
	while (!o->no_memory && older_next(o, &body, &part))
		put_item(o, table_of(&part, table, fields), part.bytes);
}

void older_add_stack(struct older *o, uint64_t first, uint64_t count)
{
	enum { LOCATIONS = 1 };

	if (first > o->location_count || count > o->location_count - first)
		count = 0;
	o->stack_locations += count;
	if (o->stack_locations > OLDER_STACK_LOCATIONS_MAX) {
		o->why = "its stacks have more than 67108864 locations";
		return;
	}
	o->numbers.size = o->item.size = 0;
	for (uint64_t i = first; i < first + count; i++)
		byte_buffer_uleb(&o->numbers, older_move(o, OTLP_LOCATION, o->locations[i]));
	wire_buffer_bytes(&o->item, LOCATIONS, byte_buffer_view(&o->numbers));
	wire_buffer_bytes(&o->dictionary, OTLP_STACK, byte_buffer_view(&o->item));
	o->made[OTLP_STACK]++;
}

/* KeyValueAndUnit. */
void older_put_comments(struct older *o, uint64_t key)
{
	enum { ARRAY = 5 };

	o->numbers.size = o->item.size = 0;
	wire_buffer_bytes(&o->numbers, ARRAY, byte_buffer_view(&o->part));
	wire_buffer_number(&o->item, 1, key);
	wire_buffer_bytes(&o->item, 2, byte_buffer_view(&o->numbers));
	wire_buffer_bytes(&o->dictionary, OTLP_ATTRIBUTE, byte_buffer_view(&o->item));
}

void older_add_comment_texts(struct older *o, const struct wire_field *part)
{
	struct wire_numbers numbers;
	uint64_t text;

	if (!wire_numbers(part, &numbers))
		return;
	while (wire_number(&numbers, &text)) {
		if (text >= o->count[OTLP_TEXT])
			continue;
		o->numbers.size = 0;
		wire_buffer_bytes(&o->numbers, 1, o->texts[text]);
		wire_buffer_bytes(&o->part, 1, byte_buffer_view(&o->numbers));
	}
}
