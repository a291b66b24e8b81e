/* SPDX-License-Identifier: MIT */
/* Assembles the bytes of a test SFrame section and records the offset of each field. */
#include "fixture.h"

#include <inttypes.h>
#include <stdio.h>

enum { ATTRIBUTE = 5 };

bool fixture_is_big(uint8_t abi)
{
	return abi == FIXTURE_AARCH64_BIG || abi == FIXTURE_S390X;
}

bool fixture_counts_from_field(const struct fixture_table *table)
{
	return (table->flags & SFRAME_FLAG_FIELD_RELATIVE) ||
	       (table->version < 3 && !(table->flags & SFRAME_FLAG_SORTED));
}

static size_t record_size(uint8_t version)
{
	return version == 1 ? 17 : version == 2 ? 20 : 16;
}

static size_t row_size(const struct fixture_function *f, const struct fixture_row *row)
{
	return (1u << (f->info & 3)) + 1 +
	       sframe_row_words(row->info) * sframe_word_size(row->info);
}

static size_t rows_size(const struct fixture_table *t, const struct fixture_function *f)
{
	size_t size = t->version == 3 ? ATTRIBUTE : 0;

	for (uint32_t i = 0; i < f->count; i++)
		size += row_size(f, &f->rows[i]);
	return size;
}

static void put_header(struct fixture_out *o, const struct fixture_table *t)
{
	size_t rows = 0, bytes = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		rows += t->functions[i].count;
		bytes += rows_size(t, &t->functions[i]);
	}
	fixture_out_put(o, 0xdee2, 2);
	fixture_out_put(o, t->version, 1);
	fixture_out_put(o, t->flags, 1);
	fixture_out_put(o, t->abi, 1);
	fixture_out_put(o, 0, 1);
	fixture_out_put(o, t->abi == FIXTURE_AMD64 ? 0xf8 : 0, 1);
	fixture_out_put(o, t->aux_size, 1);
	fixture_out_put(o, t->count, 4);
	fixture_out_put(o, rows, 4);
	fixture_out_put(o, bytes, 4);
	fixture_out_put(o, 0, 4);
	fixture_out_put(o, t->count * record_size(t->version) + t->gap, 4);
	for (int i = 0; i < t->aux_size; i++)
		fixture_out_put(o, 0xaa, 1);
}

static void put_record(struct fixture_out *o, const struct fixture_table *t,
                       const struct fixture_function *f, uint64_t base, size_t rows_at,
                       struct fixture_place *place)
{
	*place = (struct fixture_place){ .record = o->size };
	fixture_out_put(o, f->start - base, t->version == 3 ? 8 : 4);
	place->size = o->size;
	fixture_out_put(o, f->size, 4);
	place->rows_at = o->size;
	fixture_out_put(o, rows_at, 4);
	if (t->version == 3)
		return;
	place->rows = o->size;
	fixture_out_put(o, f->count, 4);
	place->info = o->size;
	fixture_out_put(o, f->info, 1);
	if (t->version == 1)
		return;
	place->repeat = o->size;
	fixture_out_put(o, f->repeat, 1);
	fixture_out_put(o, 0, 2);
}

static void put_attribute(struct fixture_out *o, const struct fixture_function *f,
                          struct fixture_place *place)
{
	place->rows = o->size;
	fixture_out_put(o, f->count, 2);
	place->info = o->size;
	fixture_out_put(o, f->info, 1);
	place->info2 = o->size;
	fixture_out_put(o, f->flexible, 1);
	place->repeat = o->size;
	fixture_out_put(o, f->repeat, 1);
}

static void put_row(struct fixture_out *o, const struct fixture_function *f,
                    const struct fixture_row *row)
{
	fixture_out_put(o, row->start, 1u << (f->info & 3));
	fixture_out_put(o, row->info, 1);
	for (unsigned i = 0; i < sframe_row_words(row->info); i++)
		fixture_out_put(o, (uint64_t)row->words[i], sframe_word_size(row->info));
}

static void put_rows(struct fixture_out *o, const struct fixture_table *t,
                     const struct fixture_function *f, struct fixture_place *place)
{
	if (t->version == 3)
		put_attribute(o, f, place);
	for (uint32_t i = 0; i < f->count; i++) {
		if (i < FIXTURE_ROWS)
			place->row[i] = o->size;
		put_row(o, f, &f->rows[i]);
	}
}

void fixture_append(struct fixture_out *section, uint64_t address, const struct fixture_table *t,
                    struct fixture_places *places)
{
	struct fixture_places ours = { .table = section->size };
	struct fixture_place spare;
	size_t rows_at = 0;

	assert(section->big == fixture_is_big(t->abi));
	put_header(section, t);
	for (uint32_t i = 0; i < t->count; i++) {
		size_t from = fixture_counts_from_field(t) ? section->size : ours.table;
		put_record(section, t, &t->functions[i], address + from, rows_at,
		           i < FIXTURE_FUNCTIONS ? &ours.functions[i] : &spare);
		rows_at += rows_size(t, &t->functions[i]);
	}
	for (int i = 0; i < t->gap; i++)
		fixture_out_put(section, 0xbb, 1);
	for (uint32_t i = 0; i < t->count; i++)
		put_rows(section, t, &t->functions[i],
		         i < FIXTURE_FUNCTIONS ? &ours.functions[i] : &spare);
	ours.end = section->size;
	if (places)
		*places = ours;
}

static void place_text(const struct cairn_register_rule *place, char *text, size_t size)
{
	char base[16] = "cfa";

	if (place->base != CAIRN_BASE_CFA)
		snprintf(base, sizeof(base), "r%u", (unsigned)place->base);
	switch (place->kind) {
	case CAIRN_REGISTER_UNDEFINED:
		snprintf(text, size, "-");
		break;
	case CAIRN_REGISTER_SAME_VALUE:
		snprintf(text, size, "u");
		break;
	case CAIRN_REGISTER_VALUE:
		snprintf(text, size, "%s%+" PRId64, base, place->offset);
		break;
	case CAIRN_REGISTER_MEMORY:
		snprintf(text, size, "[%s%+" PRId64 "]", base, place->offset);
		break;
	}
}

const char *fixture_rule_text(const struct cairn_rule *rule)
{
	static char text[160];
	char cfa[40], ra[40], fp[40], flags[8];

	place_text(&rule->cfa, cfa, sizeof(cfa));
	place_text(&rule->ra, ra, sizeof(ra));
	place_text(&rule->fp, fp, sizeof(fp));
	snprintf(flags, sizeof(flags), "%s%s%s%s%s%s", rule->outermost ? "O" : "",
	         rule->signal ? "S" : "", rule->trampoline ? "T" : "", rule->mangled ? "M" : "",
	         rule->key_b ? "B" : "", rule->patched ? "P" : "");
	snprintf(text, sizeof(text), "%s %s %s %s", cfa, ra, fp, *flags ? flags : "-");
	return text;
}
