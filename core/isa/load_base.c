/* SPDX-License-Identifier: MIT */
/*
 * Infers a load address: lets return addresses vote for candidates, and decides whether to accept
 * the winner.
 */
#include "load_base.h"

#include "calls.h"

#include <stdlib.h>
#include <string.h>

enum {
	PAGE = 4096,
	LEAST = 3,
	SAMPLES = 256, /* maximum number of addresses per cluster that vote */
	RETURNS_MAX = 4096,
	WORK = 1 << 26,
	BASES_MAX = 1 << 22, /* maximum number of candidate pages for the start of the code */
	NEAR_CALL = 5,
};
/* highest accepted probability that the addresses fit other code by chance */
static const double chance_max = 0.001;
/* lowest density of calls (per byte of code) to assume, because hardly any code has fewer calls */
static const double density_min = 0.02;

struct search {
	enum cairn_machine machine;
	const struct load_base_code *code;
	size_t parts;
	uint64_t low, high; /* start of the code's first page, and end of the code */
	uint64_t first;
	size_t bases; /* number of candidate bases, one per page starting at `first` */
	uint16_t *votes;
	uint64_t all, looked_at; /* number of votes, and number of code offsets examined for them */
};

static const struct load_base_code *find_code_part(const struct search *s, uint64_t va)
{
	for (size_t i = 0; i < s->parts; i++)
		if (va >= s->code[i].va && va - s->code[i].va < s->code[i].bytes.size)
			return &s->code[i];
	return NULL;
}

/*
 * Return true if a call ends at the address. A direct call must lead to code. System calls do not
 * count, because they do not push a return address.
 */
static bool follows_call(const struct search *s, uint64_t va)
{
	static const uint8_t lengths[] = { 2, 3, 4, 6, 7 };
	const struct load_base_code *part = find_code_part(s, va - 1);
	struct calls_instruction call;

	if (!part || va - part->va < CALLS_LENGTH_MAX)
		return false;
	const size_t end = (size_t)(va - part->va);
	const uint8_t *at = part->bytes.data + end;
	const struct cairn_bytes before = { at - CALLS_LENGTH_MAX, CALLS_LENGTH_MAX };
	if (s->machine == CAIRN_MACHINE_AARCH64) {
		enum { WORD = 4, SYSTEM_CALL = 0xd4 };
		return va % WORD == 0 && at[-1] != SYSTEM_CALL &&
		       calls_next(s->machine, before, CALLS_LENGTH_MAX - WORD, &call) &&
		       call.is_call;
	}
	if (at[-NEAR_CALL] == 0xe8) {
		const uint32_t distance = (uint32_t)at[-4] | (uint32_t)at[-3] << 8 |
		                          (uint32_t)at[-2] << 16 | (uint32_t)at[-1] << 24;
		if (find_code_part(s, va + (uint64_t)(int64_t)(int32_t)distance))
			return true;
	}
	for (size_t i = 0; i < sizeof(lengths); i++)
		if (at[-lengths[i]] == 0xff &&
		    calls_next(s->machine, before, CALLS_LENGTH_MAX - (size_t)lengths[i], &call) &&
		    call.is_call && call.length == lengths[i])
			return true;
	return false;
}

static void count_votes(struct search *s, const uint64_t *returns, size_t count)
{
	s->all = s->looked_at = 0;
	memset(s->votes, 0, s->bases * sizeof(*s->votes));
	for (size_t i = 0; i < count; i++)
		for (uint64_t va = s->low + returns[i] % PAGE; va <= s->high; va += PAGE) {
			s->looked_at++;
			if (!follows_call(s, va))
				continue;
			s->votes[(returns[i] - va - s->first) / PAGE]++;
			s->all++;
		}
}

static size_t find_most(const struct search *s, size_t without)
{
	size_t most = without == 0 && s->bases > 1 ? 1 : 0;

	for (size_t i = 0; i < s->bases; i++)
		if (i != without && s->votes[i] > s->votes[most])
			most = i;
	return most;
}

/*
 * Estimate the number of candidates, out of `bases`, at which base->follow or more addresses would
 * follow calls by chance.
 */
static double estimate_chance(double bases, double density, const struct load_base *base)
{
	for (size_t i = 0; i < base->follow; i++)
		bases *= density * (double)(base->inside - i) / (double)(i + 1);
	return bases;
}

/*
 * Find the best base for a cluster, and return true if it wins clearly. A cluster is a run of
 * sorted addresses in which the distance between neighbours is less than the size of the code.
 */
static bool judge_cluster(struct search *s, const uint64_t *returns, size_t count,
                          struct load_base *base)
{
	const uint64_t pages = (s->high - s->low) / PAGE + 1;
	const size_t most = pages < WORK / SAMPLES ? SAMPLES : (size_t)(WORK / pages);
	const size_t step = most > 0 ? count / most + 1 : count;
	uint64_t samples[SAMPLES] = { returns[0] };
	size_t sampled = 0, placed = 0;

	/* limit both page counts, because the number of bases is their sum and must not overflow */
	if (pages > BASES_MAX || (returns[count - 1] - returns[0]) / PAGE > BASES_MAX)
		return false;
	s->first = returns[0] / PAGE * PAGE - s->high / PAGE * PAGE - PAGE;
	s->bases = (size_t)((returns[count - 1] - s->low - s->first) / PAGE) + 1;
	s->votes = s->bases <= BASES_MAX ? calloc(s->bases, sizeof(*s->votes)) : NULL;
	if (!s->votes)
		return false;
	for (size_t i = 0; i < count && sampled < SAMPLES; i += step)
		samples[sampled++] = returns[i];
	count_votes(s, samples, sampled);
	const uint64_t all = s->all, looked_at = s->looked_at + 1;
	const size_t best = find_most(s, SIZE_MAX);
	*base = (struct load_base){ .bias = s->first + (uint64_t)best * PAGE };
	for (size_t i = 0; i < count; i++) {
		base->inside += find_code_part(s, returns[i] - base->bias - 1) != NULL;
		base->follow += follows_call(s, returns[i] - base->bias);
	}
	/*
	 * count again with only the samples that fit the best base; those that also fit another
	 * base are evidence against it
	 */
	for (size_t i = 0; i < sampled; i++)
		if (follows_call(s, samples[i] - base->bias))
			samples[placed++] = samples[i];
	count_votes(s, samples, placed);
	const size_t next = s->bases > 1 ? s->votes[find_most(s, best)] : 0;
	free(s->votes);
	const double others = (double)(all - placed) / (double)looked_at;
	const double density = others > density_min ? others : density_min;
	return base->follow >= LEAST && placed > 2 * next && base->follow * 4 >= base->inside * 3 &&
	       estimate_chance((double)s->bases, density, base) < chance_max;
}

bool load_base_is_return(enum cairn_machine machine, const struct load_base_code *code,
                         size_t parts, uint64_t va)
{
	/* mov $15, %rax; syscall */
	static const uint8_t signal_return[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 };
	const struct search s = { .machine = machine, .code = code, .parts = parts };
	const struct load_base_code *part = find_code_part(&s, va);

	return !calls_supported(machine) || follows_call(&s, va) ||
	       (part && part->bytes.size - (va - part->va) >= sizeof(signal_return) &&
	        memcmp(part->bytes.data + (va - part->va), signal_return, sizeof(signal_return)) ==
	                0);
}

bool load_base_find(enum cairn_machine machine, const struct load_base_code *code, size_t parts,
                    const uint64_t *returns, size_t count, struct load_base *base)
{
	struct search s = { .machine = machine, .code = code, .parts = parts, .low = UINT64_MAX };
	struct load_base found;

	*base = (struct load_base){ .follow = 0 };
	for (size_t i = 0; i < parts; i++) {
		if (code[i].va / PAGE * PAGE < s.low)
			s.low = code[i].va / PAGE * PAGE;
		if (code[i].va + code[i].bytes.size > s.high)
			s.high = code[i].va + code[i].bytes.size;
	}
	if (!calls_supported(machine) || s.low >= s.high)
		return false;
	const uint64_t pages = (s.high - s.low) / PAGE + 1;
	for (size_t at = 0, end; at < count && at < RETURNS_MAX && at * pages < WORK; at = end) {
		for (end = at + 1; end < count && returns[end] - returns[end - 1] < s.high - s.low;)
			end++;
		if (end - at >= LEAST && judge_cluster(&s, returns + at, end - at, &found) &&
		    found.follow > base->follow)
			*base = found;
	}
	return base->follow > 0;
}
