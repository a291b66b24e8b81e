/* SPDX-License-Identifier: MIT */
/* Tests the hash table of numbered items, and the two tables of texts that are made with it. */
#include "base/hash.h"
#include "base/table.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 5000 };

struct list {
	struct slot_table slots;
	uint64_t item[MANY];
	size_t count;
	uint64_t mask; /* of a hash: 0 lets all items meet in one slot */
};

static uint64_t hash_value(const struct list *list, uint64_t value)
{
	if (list->slots.key)
		return hash_text((struct cairn_bytes){ (const uint8_t *)&value, sizeof(value) },
		                 list->slots.key);
	return value * 0x9e3779b97f4a7c15 >> 32 & list->mask;
}

static uint64_t hash_item(const void *items, uint32_t number)
{
	const struct list *list = items;

	ck_assert(number >= 1 && number <= list->count);
	return hash_value(list, list->item[number - 1]);
}

static size_t compared;

static bool is_same_item(const void *items, uint32_t number, const void *key)
{
	const struct list *list = items;

	compared++;
	ck_assert(number >= 1 && number <= list->count);
	return list->item[number - 1] == *(const uint64_t *)key;
}

static uint32_t add_item(struct list *list, uint64_t value)
{
	ck_assert(slot_table_reserve(&list->slots, list->count, hash_item, list));
	ck_assert(list->count < list->slots.slots / 2);
	uint32_t *slot =
		slot_table_find(&list->slots, hash_value(list, value), is_same_item, list, &value);
	if (*slot == 0) {
		list->item[list->count++] = value;
		*slot = (uint32_t)list->count;
	}
	return *slot;
}

static const struct {
	const char *name;
	uint64_t mask;
	uint32_t count;
} kinds[] = {
	{ "hashes that differ", UINT64_MAX, MANY },
	{ "hashes of four bits", 15, 600 },
	{ "one hash for all", 0, 3000 },
};

START_TEST(numbers_each_item_once)
{
	struct list *list = calloc(1, sizeof(*list));

	list->mask = kinds[_i].mask;
	for (uint32_t twice = 0; twice < 2; twice++)
		for (uint32_t i = 0; i < kinds[_i].count; i++)
			ck_assert_msg(add_item(list, i * 977) == i + 1, "%s: %u", kinds[_i].name,
			              i);
	ck_assert_uint_eq(list->count, kinds[_i].count);
	slot_table_finish(&list->slots);
	ck_assert(!list->slots.slot && list->slots.slots == 0);
	free(list);
}
END_TEST

START_TEST(finds_items_after_their_order_changed)
{
	struct list *list = calloc(1, sizeof(*list));

	list->mask = kinds[_i].mask;
	slot_table_refill(&list->slots, 0, hash_item, list); /* nothing to do without slots */
	for (uint32_t i = 0; i < 200; i++)
		add_item(list, i);
	for (uint32_t i = 0; i < 100; i++) /* turned round, and half of them gone */
		list->item[i] = 199 - i;
	list->count = 100;
	slot_table_refill(&list->slots, list->count, hash_item, list);
	for (uint32_t i = 0; i < 100; i++)
		ck_assert_uint_eq(add_item(list, 199 - i), i + 1);
	ck_assert_uint_eq(add_item(list, 7), 101);
	slot_table_finish(&list->slots);
	free(list);
}
END_TEST

START_TEST(items_with_one_hash_stay_cheap)
{
	struct list *list = calloc(1, sizeof(*list));

	compared = 0;
	for (uint32_t i = 0; i < MANY; i++)
		ck_assert_uint_eq(add_item(list, i), i + 1);
	ck_assert(list->slots.key != 0);
	/* the first of them one by one; each of the others meets a few */
	ck_assert_uint_lt(compared, 2 * SLOT_TABLE_LONG * SLOT_TABLE_LONG + 8 * MANY);
	slot_table_finish(&list->slots);
	free(list);
}
END_TEST

/* Texts of 16 bytes that all have one plain hash: the second word undoes what the first one did. */
static struct cairn_bytes colliding_text(uint64_t capacity[2], uint64_t number)
{
	const uint64_t mixer = 0x9e3779b97f4a7c15;
	uint64_t first = (16 * mixer ^ number) * mixer;

	capacity[0] = number;
	capacity[1] = first ^ first >> 32;
	return (struct cairn_bytes){ (const uint8_t *)capacity, 2 * sizeof(*capacity) };
}

START_TEST(texts_with_one_hash_get_a_key)
{
	struct string_pool pool = { .count = 0 };
	struct interner table;
	uint64_t one[2], other[2];

	ck_assert(interner_init(&table, SIZE_MAX));
	ck_assert(hash_bytes(colliding_text(one, 1)) == hash_bytes(colliding_text(other, 2)));
	for (unsigned twice = 0; twice < 2; twice++)
		for (uint32_t i = 0; i < MANY; i++) {
			ck_assert_uint_eq(string_pool_add(&pool, colliding_text(one, i)), i);
			ck_assert_uint_eq(interner_add_copy(&table, colliding_text(one, i)), i + 1);
		}
	ck_assert(pool.slots.key != 0 && table.slots.key != 0);
	string_pool_finish(&pool);
	interner_finish(&table);
}
END_TEST

START_TEST(keyed_hashes_depend_on_every_bit)
{
	uint8_t bytes[40] = { 0 };
	const uint64_t key = 0x0123456789abcdef;

	for (size_t size = 0; size < sizeof(bytes); size++) {
		struct cairn_bytes text = { bytes, size };
		uint64_t plain = hash_text(text, key);
		ck_assert(plain != hash_text(text, key ^ 1));
		ck_assert(plain != hash_text((struct cairn_bytes){ bytes, size + 1 }, key));
		for (size_t bit = 0; bit < 8 * size; bit++) {
			bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
			ck_assert(plain != hash_text(text, key));
			bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
	}
}
END_TEST

static struct cairn_bytes made_text(char *buffer, size_t size, unsigned number)
{
	int length = snprintf(buffer, size, "name %u/%.*s", number, (int)(number % 9), "12345678");

	return (struct cairn_bytes){ (const uint8_t *)buffer, (size_t)length };
}

START_TEST(pool_has_each_text_once)
{
	struct string_pool pool = { .count = 0 };
	char buffer[64];

	for (unsigned twice = 0; twice < 2; twice++)
		for (unsigned i = 0; i < MANY; i++)
			ck_assert_uint_eq(
				string_pool_add(&pool, made_text(buffer, sizeof(buffer), i)), i);
	for (unsigned i = 0; i < MANY; i++) {
		struct cairn_bytes text = made_text(buffer, sizeof(buffer), i);
		struct cairn_bytes kept = string_pool_get(&pool, i);
		ck_assert(kept.size == text.size && memcmp(kept.data, text.data, text.size) == 0);
	}
	ck_assert_uint_eq(string_pool_get(&pool, MANY).size, 0);
	ck_assert_uint_eq(string_pool_add(&pool, (struct cairn_bytes){ (const uint8_t *)"", 0 }),
	                  MANY);
	string_pool_finish(&pool);
}
END_TEST

START_TEST(interner_has_each_text_once)
{
	struct interner table;
	char buffer[64];

	ck_assert(interner_init(&table, SIZE_MAX));
	ck_assert_uint_eq(interner_add(&table, (struct cairn_bytes){ (const uint8_t *)"", 0 }), 0);
	for (unsigned twice = 0; twice < 2; twice++)
		for (unsigned i = 0; i < MANY; i++)
			ck_assert_uint_eq(
				interner_add_copy(&table, made_text(buffer, sizeof(buffer), i)),
				i + 1);
	for (unsigned i = 0; i < MANY; i++) {
		made_text(buffer, sizeof(buffer), i);
		ck_assert_str_eq((char *)table.text.data + table.entry[i + 1].offset, buffer);
	}
	interner_finish(&table);
	ck_assert(interner_init(&table, 8)); /* what does not fit is the empty text */
	ck_assert_uint_eq(interner_add_copy(&table, made_text(buffer, sizeof(buffer), 88)), 0);
	ck_assert(table.text.failed);
	interner_finish(&table);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("slot_table");
	TCase *tcase = tcase_create("numbers");
	enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

	tcase_add_loop_test(tcase, numbers_each_item_once, 0, KINDS);
	tcase_add_loop_test(tcase, finds_items_after_their_order_changed, 0, KINDS);
	tcase_add_test(tcase, items_with_one_hash_stay_cheap);
	tcase_add_test(tcase, texts_with_one_hash_get_a_key);
	tcase_add_test(tcase, keyed_hashes_depend_on_every_bit);
	tcase_add_test(tcase, pool_has_each_text_once);
	tcase_add_test(tcase, interner_has_each_text_once);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
