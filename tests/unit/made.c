/* SPDX-License-Identifier: MIT */
#include "made.h"

#include <inttypes.h>
#include <stdio.h>

enum { ATTRIBUTE = 5 };

bool made_is_big(uint8_t abi)
{
	return abi == MADE_AARCH64_BIG || abi == MADE_S390X;
}

bool made_counts_from_field(const struct made_table *table)
{
	return (table->flags & SFRAME_FLAG_FIELD_RELATIVE) ||
	       (table->version < 3 && !(table->flags & SFRAME_FLAG_SORTED));
}

static size_t record_size(uint8_t version)
{
	return version == 1 ? 17 : version == 2 ? 20 : 16;
}

static size_t row_size(const struct made_function *f, const struct made_row *row)
{
	return (1u << (f->info & 3)) + 1 +
	       sframe_row_words(row->info) * sframe_word_size(row->info);
}

static size_t rows_size(const struct made_table *t, const struct made_function *f)
{
	size_t size = t->version == 3 ? ATTRIBUTE : 0;

	for (uint32_t i = 0; i < f->count; i++)
		size += row_size(f, &f->rows[i]);
	return size;
}

static void put_header(struct out *o, const struct made_table *t)
{
	size_t rows = 0, bytes = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		rows += t->functions[i].count;
		bytes += rows_size(t, &t->functions[i]);
	}
	out_put(o, 0xdee2, 2);
	out_put(o, t->version, 1);
	out_put(o, t->flags, 1);
	out_put(o, t->abi, 1);
	out_put(o, 0, 1);
	out_put(o, t->abi == MADE_AMD64 ? 0xf8 : 0, 1);
	out_put(o, t->aux_size, 1);
	out_put(o, t->count, 4);
	out_put(o, rows, 4);
	out_put(o, bytes, 4);
	out_put(o, 0, 4);
	out_put(o, t->count * record_size(t->version) + t->gap, 4);
	for (int i = 0; i < t->aux_size; i++)
		out_put(o, 0xaa, 1);
}

static void put_record(struct out *o, const struct made_table *t, const struct made_function *f,
                       uint64_t base, size_t rows_at, struct made_place *place)
{
	*place = (struct made_place){ .record = o->size };
	out_put(o, f->start - base, t->version == 3 ? 8 : 4);
	place->size = o->size;
	out_put(o, f->size, 4);
	place->rows_at = o->size;
	out_put(o, rows_at, 4);
	if (t->version == 3)
		return;
	place->rows = o->size;
	out_put(o, f->count, 4);
	place->info = o->size;
	out_put(o, f->info, 1);
	if (t->version == 1)
		return;
	place->repeat = o->size;
	out_put(o, f->repeat, 1);
	out_put(o, 0, 2);
}

static void put_attribute(struct out *o, const struct made_function *f, struct made_place *place)
{
	place->rows = o->size;
	out_put(o, f->count, 2);
	place->info = o->size;
	out_put(o, f->info, 1);
	place->info2 = o->size;
	out_put(o, f->flexible, 1);
	place->repeat = o->size;
	out_put(o, f->repeat, 1);
}

static void put_row(struct out *o, const struct made_function *f, const struct made_row *row)
{
	out_put(o, row->start, 1u << (f->info & 3));
	out_put(o, row->info, 1);
	for (unsigned i = 0; i < sframe_row_words(row->info); i++)
		out_put(o, (uint64_t)row->words[i], sframe_word_size(row->info));
}

static void put_rows(struct out *o, const struct made_table *t, const struct made_function *f,
                     struct made_place *place)
{
	if (t->version == 3)
		put_attribute(o, f, place);
	for (uint32_t i = 0; i < f->count; i++) {
		if (i < MADE_ROWS)
			place->row[i] = o->size;
		put_row(o, f, &f->rows[i]);
	}
}

void made_append(struct out *section, uint64_t address, const struct made_table *t,
                 struct made_places *places)
{
	struct made_places ours = { .table = section->size };
	struct made_place spare;
	size_t rows_at = 0;

	assert(section->big == made_is_big(t->abi));
	put_header(section, t);
	for (uint32_t i = 0; i < t->count; i++) {
		size_t from = made_counts_from_field(t) ? section->size : ours.table;
		put_record(section, t, &t->functions[i], address + from, rows_at,
		           i < MADE_FUNCTIONS ? &ours.functions[i] : &spare);
		rows_at += rows_size(t, &t->functions[i]);
	}
	for (int i = 0; i < t->gap; i++)
		out_put(section, 0xbb, 1);
	for (uint32_t i = 0; i < t->count; i++)
		put_rows(section, t, &t->functions[i],
		         i < MADE_FUNCTIONS ? &ours.functions[i] : &spare);
	ours.end = section->size;
	if (places)
		*places = ours;
}

static void place_text(const struct cairn_place *place, char *text, size_t size)
{
	char base[16] = "cfa";

	if (place->base != CAIRN_BASE_CFA)
		snprintf(base, sizeof(base), "r%u", (unsigned)place->base);
	switch (place->kind) {
	case CAIRN_PLACE_UNKNOWN:
		snprintf(text, size, "-");
		break;
	case CAIRN_PLACE_SAME:
		snprintf(text, size, "u");
		break;
	case CAIRN_PLACE_VALUE:
		snprintf(text, size, "%s%+" PRId64, base, place->offset);
		break;
	case CAIRN_PLACE_MEMORY:
		snprintf(text, size, "[%s%+" PRId64 "]", base, place->offset);
		break;
	}
}

const char *made_rule_text(const struct cairn_rule *rule)
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
