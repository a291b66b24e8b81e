/* SPDX-License-Identifier: MIT */
/* Wraps libsframe lookups for the benchmark and stubs them where the library is missing. */
#include "peer.h"

#ifdef HAVE_LIBSFRAME

#include <sframe-api.h>

const char *peer_name(void)
{
	return "libsframe as installed, through sframe_decode() and sframe_find_fre()";
}

struct peer *peer_open(struct cairn_bytes section)
{
	int error = 0;

	return (struct peer *)sframe_decode((const char *)section.data, section.size, &error);
}

void peer_close(struct peer *peer)
{
	sframe_decoder_ctx *decoder = (sframe_decoder_ctx *)peer;

	if (decoder)
		sframe_decoder_free(&decoder);
}

bool peer_find(struct peer *peer, int32_t delta)
{
	sframe_frame_row_entry row;

	return sframe_find_fre((sframe_decoder_ctx *)peer, delta, &row) == 0;
}

bool peer_facts(struct peer *peer, int32_t delta, bool *from_sp, int64_t *cfa, int64_t *fp)
{
	sframe_decoder_ctx *decoder = (sframe_decoder_ctx *)peer;
	sframe_frame_row_entry row;
	int error = 0;

	if (sframe_find_fre(decoder, delta, &row) != 0)
		return false;
	*from_sp = sframe_fre_get_base_reg_id(&row, &error) == SFRAME_BASE_REG_SP;
	*cfa = sframe_fre_get_cfa_offset(decoder, &row, &error);
	*fp = sframe_fre_get_fp_offset(decoder, &row, &error);
	if (error != 0)
		*fp = 0; /* not saved */
	return true;
}

#else

const char *peer_name(void)
{
	return "libsframe is not installed: nothing to compare with";
}

struct peer *peer_open(struct cairn_bytes section)
{
	(void)section;
	return NULL;
}

void peer_close(struct peer *peer)
{
	(void)peer;
}

bool peer_find(struct peer *peer, int32_t delta)
{
	(void)peer;
	(void)delta;
	return false;
}

bool peer_facts(struct peer *peer, int32_t delta, bool *from_sp, int64_t *cfa, int64_t *fp)
{
	(void)from_sp;
	(void)cfa;
	(void)fp;
	return peer_find(peer, delta);
}

#endif
