/* SPDX-License-Identifier: MIT */
/* Resolves the values of dumps of registers and the like: the ones that are in a module. */
#include "resolver.h"

#include "base/array_grow.h"

enum { CLOSING = 3 };

/* Keep what is in a module for the notes. */
static void read_pairs(struct markup_resolver *r, struct markup_dump *dump,
                       struct cairn_bytes piece)
{
	struct markup_pair pair;

	markup_pairs_feed(&dump->pairs, piece);
	while (markup_pairs_next(&dump->pairs, &pair)) {
		struct markup_resolved_address place = markup_resolve_address(r, pair.value);
		if (!place.module)
			continue;
		if (dump->notes == MARKUP_NOTES) {
			dump->too_many_notes = true;
			continue;
		}
		if (!array_grow(&dump->note, &dump->room, dump->notes + 1, sizeof(*dump->note))) {
			r->no_memory = true;
			return;
		}
		struct hexdict_note *note = &dump->note[dump->notes++];
		*note = (struct hexdict_note){ .key_size = pair.key.size,
			                       .value = pair.value,
			                       .place = place };
		memcpy(note->key, pair.key.data, pair.key.size);
	}
}

void markup_dump_begin(struct markup_resolver *r, struct markup_dump *dump,
                       const struct markup_node *node)
{
	dump->pairs.key_size = 0;
	read_pairs(r, dump,
	           (struct cairn_bytes){ node->fields.data,
	                                 node->has_fields ? node->fields.size : 0 });
	dump->open = node->kind == MARKUP_OPEN;
}

/* Where the dump ends in this line; its size when it goes on. */
static size_t find_end(struct cairn_bytes line)
{
	for (size_t at = 0; line.size - at >= CLOSING; at++) {
		const uint8_t *brace = memchr(line.data + at, '}', line.size - at - CLOSING + 1);
		if (!brace)
			return line.size;
		at = (size_t)(brace - line.data);
		if (brace[1] == '}' && brace[2] == '}')
			return at;
	}
	return line.size;
}

size_t markup_dump_continue(struct markup_resolver *r, struct markup_dump *dump,
                            struct cairn_bytes line)
{
	size_t end = find_end(line);

	read_pairs(r, dump, (struct cairn_bytes){ line.data, end });
	if (end == line.size)
		return end;
	dump->open = false;
	return end + CLOSING;
}

/* Is there a function with a line at the place? */
static bool has_line(const struct cached_answer *known)
{
	return known && known->count > 0 && known->frame[0].file.size > 0 &&
	       known->frame[0].function.size > 0;
}

void markup_resolve_note(struct markup_resolver *r, const struct hexdict_note *note,
                         struct markup_facts *facts)
{
	struct cairn_location location;

	*facts = (struct markup_facts){ .kind = EVENT_VALUE,
		                        .text = { note->key, note->key_size },
		                        .place = note->place,
		                        .value = note->value,
		                        .name = { note->key, 0 } };
	if (note->place.mode & MARKUP_EXECUTE)
		facts->known = markup_look_up_code(r, &note->place);
	if (has_line(facts->known) || !markup_look_up_data(r, &note->place, &location) ||
	    location.function.size == 0)
		return;
	facts->name = location.function;
	facts->offset = location.offset;
}
