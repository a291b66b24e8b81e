/* SPDX-License-Identifier: MIT */
/*
 * How fast are SFrame lookups, beside libsframe on the same section?
 *
 *	bench_sframe [FILE...]      sections made here, and those of ELF files
 *
 * In place: find the function and its row in the section as it is, nothing kept between two
 * questions.  Indexed: cairn_rules_find() with the index that a session makes.  Hot: the same
 * few pcs again and again, as a debugger asks.  Random pcs are weighted by code size.
 */
#include "bench.h"
#include "peer.h"
#include "section.h"

#include "formats/sframe/sframe.h"
#include "unwind/tables/sframe_rules.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	FIXTURE_FUNCTIONS = 100000,
	RANDOM_PCS = 1 << 20,
	HOT_PCS = 20,
	HOT_TURNS = 50000,
};

struct subject {
	struct cairn_bytes bytes;
	uint64_t address;
	struct sframe_table table;
	struct cairn_rules *rules;
	struct peer *peer;
	uint64_t *pcs;
	size_t count;
};

static void open_ours(void *context)
{
	struct subject *s = context;
	struct cairn_rules *rules = cairn_rules_new(s->bytes, s->address);
	const struct cairn_rule *rule;

	if (rules && cairn_rules_find(rules, s->pcs[0], &rule, NULL) == CAIRN_OK)
		bench_use(rule->start);
	cairn_rules_free(rules);
}

static void open_theirs(void *context)
{
	struct subject *s = context;
	struct peer *peer = peer_open(s->bytes);

	bench_use(peer_find(peer, (int32_t)(s->pcs[0] - s->address)));
	peer_close(peer);
}

static void index_ours(void *context)
{
	struct subject *s = context;
	struct cairn_rules *rules = cairn_rules_new(s->bytes, s->address);

	if (rules)
		cairn_rules_build_index(rules);
	cairn_rules_free(rules);
}

static bool in_place(const struct sframe_table *table, uint64_t pc, struct cairn_rule *rule)
{
	struct sframe_function function;
	struct cairn_fault fault;
	uint32_t index;

	return sframe_find(table, pc, &index) &&
	       sframe_function(table, index, &function, &fault) == CAIRN_OK &&
	       sframe_find_rule(table, &function, pc, rule, &fault) == CAIRN_OK;
}

static void random_in_place(void *context)
{
	struct subject *s = context;
	struct cairn_rule rule;
	uint64_t sum = 0;

	for (size_t i = 0; i < s->count; i++)
		if (in_place(&s->table, s->pcs[i], &rule))
			sum += (uint64_t)rule.cfa.offset;
	bench_use(sum);
}

static void random_rules(void *context)
{
	struct subject *s = context;
	const struct cairn_rule *rule;
	uint64_t sum = 0;

	for (size_t i = 0; i < s->count; i++)
		if (cairn_rules_find(s->rules, s->pcs[i], &rule, NULL) == CAIRN_OK)
			sum += (uint64_t)rule->cfa.offset;
	bench_use(sum);
}

static void random_theirs(void *context)
{
	struct subject *s = context;
	uint64_t sum = 0;

	for (size_t i = 0; i < s->count; i++)
		sum += peer_find(s->peer, (int32_t)(s->pcs[i] - s->address));
	bench_use(sum);
}

static void hot_in_place(void *context)
{
	struct subject *s = context;
	struct cairn_rule rule;
	uint64_t sum = 0;

	for (int turn = 0; turn < HOT_TURNS; turn++)
		for (int i = 0; i < HOT_PCS; i++)
			if (in_place(&s->table, s->pcs[i], &rule))
				sum += (uint64_t)rule.cfa.offset;
	bench_use(sum);
}

static void hot_rules(void *context)
{
	struct subject *s = context;
	const struct cairn_rule *rule;
	uint64_t sum = 0;

	for (int turn = 0; turn < HOT_TURNS; turn++)
		for (int i = 0; i < HOT_PCS; i++)
			if (cairn_rules_find(s->rules, s->pcs[i], &rule, NULL) == CAIRN_OK)
				sum += (uint64_t)rule->cfa.offset;
	bench_use(sum);
}

static void hot_theirs(void *context)
{
	struct subject *s = context;
	uint64_t sum = 0;

	for (int turn = 0; turn < HOT_TURNS; turn++)
		for (int i = 0; i < HOT_PCS; i++)
			sum += peer_find(s->peer, (int32_t)(s->pcs[i] - s->address));
	bench_use(sum);
}

/* pcs anywhere in the code of ordinary functions: a large one is asked for more often. */
static bool choose_pcs(struct subject *s)
{
	uint64_t *ends = calloc(s->table.functions + 1ul, sizeof(*ends));
	uint64_t random = 0x9e3779b97f4a7c15, total = 0;
	struct sframe_function f;
	struct cairn_fault fault;

	s->pcs = malloc(RANDOM_PCS * sizeof(*s->pcs));
	for (uint32_t i = 0; ends && i < s->table.functions; i++) {
		if (sframe_function(&s->table, i, &f, &fault) == CAIRN_OK && !f.masked)
			total += f.size;
		ends[i] = total;
	}
	for (size_t i = 0; ends && s->pcs && total > 0 && i < RANDOM_PCS; i++) {
		uint64_t at = bench_random(&random) % total;
		uint32_t low = 0, high = s->table.functions - 1, size;
		while (low < high) {
			uint32_t middle = low + (high - low) / 2;
			if (ends[middle] <= at)
				low = middle + 1;
			else
				high = middle;
		}
		sframe_extent(&s->table, low, &s->pcs[i], &size);
		s->pcs[i] += at - (low ? ends[low - 1] : 0);
		s->count = i + 1;
	}
	free(ends);
	return s->count == RANDOM_PCS;
}

/* Do both say the same?  A benchmark of wrong answers would be worthless. */
static void compare_answers(const struct subject *s)
{
	size_t same = 0, missing = 0;
	struct cairn_rule rule;

	for (size_t i = 0; i < s->count; i++) {
		bool from_sp = false;
		int64_t cfa = 0, fp = 0;
		int32_t delta = (int32_t)(s->pcs[i] - s->address);
		if (!in_place(&s->table, s->pcs[i], &rule))
			missing++;
		else if (peer_facts(s->peer, delta, &from_sp, &cfa, &fp))
			same += rule.cfa.offset == cfa && (rule.cfa.base == 7) == from_sp &&
			        (rule.fp.kind == CAIRN_REGISTER_MEMORY ? rule.fp.offset : 0) == fp;
	}
	printf("  answers: %zu of %zu equal to libsframe's, %zu not found by cairn\n", same,
	       s->count, missing);
}

static void race(const char *what, struct subject *s, size_t operations, void (*ours)(void *),
                 void (*theirs)(void *))
{
	struct bench_run runs[] = { { "cairn", ours, s, 0 }, { "libsframe", theirs, s, 0 } };
	bool alone = !s->peer || !theirs;

	bench_race(runs, alone ? 1 : 2, operations);
	bench_line(what, &runs[0], alone ? NULL : &runs[1]);
}

static void measure(const char *title, struct cairn_bytes bytes, uint64_t address)
{
	struct subject s = { .bytes = bytes, .address = address };
	struct cairn_fault fault;
	size_t at = 0;
	char line[256];

	if (sframe_next_table(bytes, address, &at, &s.table, &fault) != CAIRN_OK || !choose_pcs(&s))
		return;
	snprintf(line, sizeof(line), "%s: version %d, %u functions, %u rows, %zu bytes", title,
	         s.table.version, s.table.functions, s.table.claimed_rows, bytes.size);
	bench_title(line);
	s.peer = peer_open(bytes);
	s.rules = cairn_rules_new(bytes, address);
	if (s.rules) {
		race("open, ask once, close", &s, 1, open_ours, open_theirs);
		race("open, make the index, close", &s, 1, index_ours, NULL);
		cairn_rules_build_index(s.rules);
		race("random pcs, in place", &s, RANDOM_PCS, random_in_place, random_theirs);
		race("random pcs, indexed", &s, RANDOM_PCS, random_rules, random_theirs);
		race("20 hot pcs, in place", &s, HOT_PCS * HOT_TURNS, hot_in_place, hot_theirs);
		race("20 hot pcs, cached", &s, HOT_PCS * HOT_TURNS, hot_rules, hot_theirs);
		if (s.peer)
			compare_answers(&s);
	}
	cairn_rules_free(s.rules);
	peer_close(s.peer);
	free(s.pcs);
}

static void measure_made(uint8_t version)
{
	struct section section = section_make(version, FIXTURE_FUNCTIONS);

	measure("made here", section.bytes, section.address);
	section_finish(&section);
}

static void measure_file(const char *name)
{
	struct cairn_bytes bytes = bench_file(name);
	struct sframe_section sframe;
	struct cairn_fault fault;
	struct elf elf;

	if (bytes.size > 0 && elf_open(bytes, &elf, &fault) == CAIRN_OK &&
	    sframe_section_find(&elf, &sframe) == CAIRN_OK)
		measure(name, sframe.bytes, sframe.address);
	else
		printf("\n%s: no .sframe\n", name);
	bench_file_free(bytes);
}

int main(int argc, char **argv)
{
	bench_machine();
	printf("%s\n", peer_name());
	for (int i = 1; i < argc; i++)
		measure_file(argv[i]);
	for (uint8_t version = 1; version <= 3; version++)
		measure_made(version);
	return 0;
}
