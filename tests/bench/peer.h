/* SPDX-License-Identifier: MIT */
/* libsframe behind a few calls, so that its headers and ours stay apart; it may be missing. */
#ifndef CAIRN_BENCH_PEER_H
#define CAIRN_BENCH_PEER_H

#include <cairn.h>

struct peer;

/* What it is, or that it is missing. */
const char *peer_name(void);

/* NULL: no libsframe, or it does not read this section. */
struct peer *peer_open(struct cairn_bytes section);
void peer_close(struct peer *peer);

/* sframe_find_fre() and nothing more; `delta` counts from the section. */
bool peer_find(struct peer *peer, int32_t delta);

/* The same and what it says, to see whether both agree. */
bool peer_facts(struct peer *peer, int32_t delta, bool *from_sp, int64_t *cfa, int64_t *fp);

#endif
