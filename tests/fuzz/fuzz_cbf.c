/* SPDX-License-Identifier: MIT */
/*
 * CBF: a run for a byte at most; reading in blocks gives the same; what was decoded, encoded in
 * either profile and decoded again is what it was; the walk over sequences ends.
 */
#include "fuzz.h"

#include "formats/cbf.h"

#include <string.h>

static bool same(const struct cairn_frame *a, const struct cairn_frame *b)
{
	return a->kind == b->kind && a->value == b->value && a->times == b->times;
}

static size_t decode(struct cbf *c, struct cairn_frame *runs, size_t capacity)
{
	size_t count = 0;

	while (count < capacity && cbf_next(c, &runs[count])) {
		ALWAYS(runs[count].times > 0);
		ALWAYS(count == 0 || runs[count].kind != runs[count - 1].kind ||
		       runs[count].value != runs[count - 1].value);
		count++;
	}
	ALWAYS(count < capacity && c->outcome != CBF_MORE && c->at <= c->in.size);
	return count;
}

static size_t encode(struct sink out, const struct cbf *from, enum cbf_profile profile,
                     const struct cairn_frame *runs, size_t count)
{
	struct cbf_encoder e = cbf_encoder(out.data, out.capacity, from->word, profile);
	size_t size = 0;

	for (size_t i = 0; i < count; i++)
		cbf_put(&e, &runs[i]);
	if (from->outcome == CBF_TRUNC)
		cbf_truncate(&e);
	enum cairn_status status = cbf_finish(&e, &size);
	ALWAYS(status == (out.capacity < size ? CAIRN_NO_MEMORY : CAIRN_OK));
	return size;
}

static void check_encoded(const struct cbf *from, enum cbf_profile profile,
                          const struct cairn_frame *runs, size_t count)
{
	uint8_t none;
	size_t size = encode(sink_open(&none, 0), from, profile, runs, count);
	uint8_t *bytes = malloc(size);
	struct cairn_frame *again = malloc((count + 1) * sizeof(*again));

	ALWAYS(bytes && again);
	ALWAYS(encode(sink_open(bytes, size), from, profile, runs, count) == size);
	struct cbf c = cbf_open((struct cairn_bytes){ bytes, size });
	ALWAYS(decode(&c, again, count + 1) == count);
	for (size_t i = 0; i < count; i++)
		ALWAYS(same(&again[i], &runs[i]));
	bool swift = profile == CBF_PROFILE_SWIFT;
	ALWAYS(c.outcome == (from->outcome == CBF_TRUNC ? CBF_TRUNC : swift ? CBF_EOF : CBF_END));
	/* A count may be wider than a small word. */
	ALWAYS(c.warnings == 0 || (c.warnings == CBF_WARNING_WIDE && c.word < 8));
	ALWAYS(c.at == size && c.word == from->word);
	free(again);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes in = { data ? data : (const uint8_t *)"", size };
	struct cairn_frame *runs = malloc((size + 1) * sizeof(*runs));
	struct cbf c = cbf_open(in);

	ALWAYS(runs != NULL);
	do {
		size_t count = decode(&c, runs, size + 1);
		if (c.word > 0) {
			check_encoded(&c, CBF_PROFILE_SPECIFICATION, runs, count);
			check_encoded(&c, CBF_PROFILE_SWIFT, runs, count);
		}
	} while (cbf_next_sequence(&c, &c));
	free(runs);
	return 0;
}
