/* SPDX-License-Identifier: MIT */
/*
 * Implements the public cairn_trace_*() functions on top of the decoder for Compact Backtrace
 * Format.
 */
#include <cairn.h>

#include "formats/cbf.h"

_Static_assert(sizeof(struct cbf) <= sizeof(((struct cairn_trace *)0)->state),
               "the state of a trace has no room for its decoder");

static struct cbf *get_cbf_decoder(struct cairn_trace *trace)
{
	return (struct cbf *)(void *)trace->state;
}

void cairn_trace_open(struct cairn_bytes bytes, struct cairn_trace *trace)
{
	*trace = (struct cairn_trace){ .cut = false };
	*get_cbf_decoder(trace) = cbf_open(bytes);
	trace->word_bits = 8 * get_cbf_decoder(trace)->word;
}

bool cairn_trace_next(struct cairn_trace *trace, struct cairn_frame *run)
{
	struct cbf *cbf = get_cbf_decoder(trace);

	if (cbf_next(cbf, run))
		return true;
	trace->cut = cbf->outcome == CBF_TRUNC;
	trace->consumed = cbf->at;
	trace->fault = cbf_fault(cbf);
	return false;
}

const char *cairn_trace_end_name(const struct cairn_trace *trace)
{
	const struct cbf *cbf = (const struct cbf *)(const void *)trace->state;

	return cbf_outcome_name(cbf->outcome);
}
