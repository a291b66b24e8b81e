/* SPDX-License-Identifier: MIT */
/* Addresses of profiles: each kind of mapping, by programs of each linker's layout, and by debug files. */
#include "unit.h"

#include "profiles/lookup.h"

enum { CODE = 5, DATA = 6, READ = 4 };

struct segment {
	uint32_t flags;
	uint64_t offset, va, size;
};

/* An ELF file of 64 bits with these segments, in a heap copy. */
static struct cairn_bytes make_file(uint16_t type, const struct segment *segment, uint16_t count,
                                    bool debug)
{
	static uint8_t file[64 + 8 * 56];
	uint8_t *head = file;

	memset(file, 0, sizeof(file));
	memcpy(head,
	       "\x7f"
	       "ELF\2\1\1",
	       7);
	memcpy(head + 16, &type, 2);
	memcpy(head + 18, "\x3e\0\1\0\0\0", 6);
	head[32] = 64;
	head[52] = 64;
	head[54] = 56;
	memcpy(head + 56, &count, 2);
	for (unsigned i = 0; i < count; i++) {
		const uint64_t in_file = debug ? 0 : segment[i].size;
		uint8_t *at = file + 64 + i * 56;
		at[0] = 1;
		memcpy(at + 4, &segment[i].flags, 4);
		memcpy(at + 8, &segment[i].offset, 8);
		memcpy(at + 16, &segment[i].va, 8);
		memcpy(at + 32, &in_file, 8);
		memcpy(at + 40, &segment[i].size, 8);
	}
	return unit_exact((struct cairn_bytes){ file, 64 + (size_t)count * 56 });
}

/* GNU ld: offsets are addresses. lld: each segment has the offset of the one before and a page more. */
static const struct segment ld[] = { { READ, 0, 0, 0x600 },
	                             { CODE, 0x1000, 0x1000, 0x500 },
	                             { DATA, 0x2db8, 0x3db8, 0x300 } };
static const struct segment lld[] = { { READ, 0, 0x200000, 0x5d4 },
	                              { CODE, 0x5e0, 0x2015e0, 0x1400 },
	                              { DATA, 0x19e0, 0x2039e0, 0x200 } };

static const struct {
	const char *name;
	const struct segment *segments;
	struct pprof_mapping mapping;
	uint64_t address, va; /* va 0: outside */
} rows[] = {
	{ "PIE",
	  ld,
	  { .start = 0x555555555000, .limit = 0x555555556000, .offset = 0x1000 },
	  0x555555555123,
	  0x1123 },
	{ "the last byte of the code",
	  ld,
	  { .start = 0x555555555000, .limit = 0x555555556000, .offset = 0x1000 },
	  0x5555555554ff,
	  0x14ff },
	{ "after it",
	  ld,
	  { .start = 0x555555555000, .limit = 0x555555556000, .offset = 0x1000 },
	  0x555555555500,
	  0 },
	{ "before the mapping",
	  ld,
	  { .start = 0x555555555000, .limit = 0x555555556000, .offset = 0x1000 },
	  0x555555554fff,
	  0 },
	{ "at its limit", ld, { .start = 0x5000, .limit = 0x5100, .offset = 0x1000 }, 0x5100, 0 },
	{ "offsets that are not addresses",
	  lld,
	  { .start = 0x7f0000001000, .limit = 0x7f0000003000, .offset = 0 },
	  0x7f0000001600,
	  0x201600 },
	{ "a mapping from the middle of a segment",
	  lld,
	  { .start = 0x7f0000002000, .limit = 0x7f0000003000, .offset = 0x1000 },
	  0x7f0000002010,
	  0x202010 },
	{ "a mapping of two segments",
	  ld,
	  { .start = 0x9000, .limit = 0xb000, .offset = 0 },
	  0xa010,
	  0x1010 },
	{ "linked addresses, which stay",
	  lld,
	  { .start = 0x201000, .limit = 0x203000, .offset = 0 },
	  0x201600,
	  0x201600 },
	{ "start and offset that wrap",
	  ld,
	  { .start = UINT64_MAX - 0xfff, .limit = 0x1000, .offset = 0x1000 },
	  0x10,
	  0 },
};

START_TEST(converts_by_programs)
{
	struct profile_place place;
	uint64_t va = 0;

	place_from_program(&place, make_file(3, rows[_i].segments, 3, false));
	ck_assert(place.kind == PLACE_SEGMENTS);
	ck_assert_msg(place_address(&place, &rows[_i].mapping, rows[_i].address, &va) ==
	                      (rows[_i].va != 0),
	              "%s", rows[_i].name);
	ck_assert_msg(va == rows[_i].va, "%s: 0x%llx", rows[_i].name, (unsigned long long)va);
}
END_TEST

START_TEST(converts_by_debug_files)
{
	struct pprof_mapping mapping = { .start = 0x7f0000001000, .limit = 0x7f0000003000 };
	struct profile_place place;
	uint64_t va = 0;

	place_from_debug_file(&place, make_file(3, lld, 3, true), &mapping);
	ck_assert(place.kind == PLACE_BIAS);
	ck_assert(place_address(&place, &mapping, 0x7f0000001600, &va) && va == 0x201600);
	mapping.limit += 0x1000; /* not this segment */
	place_from_debug_file(&place, make_file(3, lld, 3, true), &mapping);
	ck_assert(place.kind == PLACE_UNKNOWN);
	place_from_debug_file(&place, (struct cairn_bytes)BYTES("none"), &mapping);
	ck_assert(place.kind == PLACE_UNKNOWN);
}
END_TEST

START_TEST(knows_what_it_cannot_convert)
{
	struct profile_place place;

	place_from_program(&place, (struct cairn_bytes)BYTES("none"));
	ck_assert(place.kind == PLACE_UNKNOWN);
	place_from_program(&place, make_file(1, ld, 3, false)); /* relocatable */
	ck_assert(place.kind == PLACE_UNKNOWN);
	place_from_program(&place, make_file(3, ld, 3, true));
	ck_assert(place.kind == PLACE_UNKNOWN);
	ck_assert(place_is_linked(&(struct pprof_mapping){ .limit = UINT64_MAX }));
	ck_assert(place_is_linked(&(struct pprof_mapping){ .limit = 0 }));
	ck_assert(!place_is_linked(&(struct pprof_mapping){ .limit = 4096 }));
	ck_assert(!place_is_linked(&(struct pprof_mapping){ .offset = 4096 }));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("profile_place");
	TCase *places = tcase_create("places");

	tcase_add_loop_test(places, converts_by_programs, 0, COUNT(rows));
	tcase_add_test(places, converts_by_debug_files);
	tcase_add_test(places, knows_what_it_cannot_convert);
	suite_add_tcase(suite, places);
	return unit_run(suite);
}
