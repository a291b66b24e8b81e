/* SPDX-License-Identifier: MIT */
/*
 * A GSYM file, symbfile or Breakpad file of any bytes on the whole way to what a user sees: opened, looked
 * up, printed as text, as words and as JSON.  Always:
 *   - no more memory is held at a time than the promise allows, and none is left;
 *   - one address alone, without a cache and in a batch give the same;
 *   - what is printed has no control character but its own, and is sound UTF-8;
 *   - words have no blanks inside;
 *   - JSON is one document, from which the function's name can be read again.
 */
#include "held.h"

#include "base/json_reader.h"
#include "output/escape.h"
#include "output/location.h"

#include <string.h>

enum { ADDRESSES = 24, LOCATIONS = 16, PRINTED = 1 << 19 };

static char printed[PRINTED];

/* Printed by `print`, NUL-terminated; too much for the buffer is cut, which `whole` tells. */
static struct cairn_bytes print_to_memory(void (*print)(FILE *, const struct cairn_location *),
                                          const struct cairn_location *location, bool *whole)
{
	FILE *out = fmemopen(printed, sizeof(printed), "w");

	ALWAYS(out);
	print(out, location);
	fflush(out);
	long size = ftell(out);
	*whole = size >= 0 && (size_t)size + 1 < sizeof(printed);
	fclose(out);
	return (struct cairn_bytes){ (const uint8_t *)printed, *whole ? (size_t)size : 0 };
}

static void print_as_text(FILE *out, const struct cairn_location *location)
{
	print_text(out, location->function);
	print_source_location(out, location);
}

static void print_as_words(FILE *out, const struct cairn_location *location)
{
	print_word(out, location->function);
	fputc(' ', out);
	print_source_location_word(out, location);
}

static void print_as_json(FILE *out, const struct cairn_location *location)
{
	struct json json = json_to(out);

	json_location(&json, location);
}

/* Does it end in a newline, and is there no other control character? */
static bool is_clean(struct cairn_bytes text)
{
	uint32_t character;

	while (text.size > 0) {
		size_t size = cairn_character_at(text, &character);
		if (size == 0 || !cairn_character_is_printable(character))
			return false;
		text.data += size;
		text.size -= size;
	}
	return true;
}

static void check_json(struct cairn_bytes text, const struct cairn_location *location)
{
	struct json_reader_value top, function;
	struct cairn_fault fault;
	char name[64];

	ALWAYS(text.size > 0 && text.data[text.size - 1] == '\n');
	text.size--;
	ALWAYS(json_reader_open(text, &top, &fault) == CAIRN_OK);
	ALWAYS(!memchr(text.data, '\n', text.size) && !memchr(text.data, 0x1b, text.size));
	if (location->function.size == 0)
		return;
	ALWAYS(json_reader_member(&top, "function", &function));
	ALWAYS(json_reader_text(&function, name, sizeof(name)));
	size_t plain = escape_plain_prefix(location->function);
	plain = plain < sizeof(name) - 4 ? plain : sizeof(name) - 4;
	ALWAYS(memcmp(name, location->function.data, plain) == 0);
}

static void check_location(const struct cairn_location *location)
{
	bool whole;
	struct cairn_bytes text = print_to_memory(print_as_text, location, &whole);

	ALWAYS(is_clean(text));
	text = print_to_memory(print_as_words, location, &whole);
	const uint8_t *blank = whole ? memchr(text.data, ' ', text.size) : NULL;
	ALWAYS(!whole || (is_clean(text) && blank));
	ALWAYS(!whole || !memchr(blank + 1, ' ', text.size - (size_t)(blank + 1 - text.data)));
	text = print_to_memory(print_as_json, location, &whole);
	if (whole)
		check_json(text, location);
}

static bool is_same(const struct cairn_location *a, const struct cairn_location *b)
{
	return a->function.size == b->function.size && a->file.size == b->file.size &&
	       memcmp(a->function.data, b->function.data, a->function.size) == 0 &&
	       memcmp(a->file.data, b->file.data, a->file.size) == 0 && a->line == b->line &&
	       a->start == b->start && a->offset == b->offset && a->inlined == b->inlined;
}

static void look_up(struct cairn_symbols *symbols, uint64_t va, const struct cairn_batch *batch,
                    size_t at)
{
	struct cairn_lookup_result cached, plain;
	struct cairn_location location, other;
	enum cairn_status status = cairn_symbols_find(symbols, va, &cached);
	size_t count = 0;

	ALWAYS(status == cairn_symbols_find_uncached(symbols, va, &plain));
	if (status != CAIRN_OK)
		return;
	while (cairn_lookup_result_next(&cached, &location)) {
		ALWAYS(cairn_lookup_result_next(&plain, &other) && is_same(&location, &other));
		ALWAYS(count < batch->items[at].count);
		ALWAYS(is_same(&location, &batch->locations[batch->items[at].first + count]));
		if (count++ < LOCATIONS)
			check_location(&location);
	}
	ALWAYS(count == batch->items[at].count && !cairn_lookup_result_next(&plain, &other));
}

static void take_input(const uint8_t *data, size_t size)
{
	static const uint64_t bases[] = { 0, 0x1000, 0x401000, 0xffffffff81000000 };
	struct cairn_bytes bytes = { data, size };
	struct cairn_symbols *symbols;
	struct cairn_batch batch;
	struct cairn_fault fault;
	uint64_t vas[ADDRESSES];

	if (cairn_symbols_open_bytes(bytes, NULL, &symbols, &fault) != CAIRN_OK) {
		ALWAYS(fault.what);
		return;
	}
	for (size_t i = 0; i < ADDRESSES; i++)
		vas[i] = bases[i % 4] + (i / 4) * (i / 4) * 7;
	if (cairn_symbols_find_many(symbols, vas, ADDRESSES, &batch) == CAIRN_OK) {
		for (size_t i = 0; i < ADDRESSES; i++)
			look_up(symbols, vas[i], &batch, i);
		cairn_batch_free(&batch);
	}
	cairn_symbols_free(symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	held_begin();
	take_input(data, size);
	held_end(size, HELD_PLAIN);
	return 0;
}
