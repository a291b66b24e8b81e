/* SPDX-License-Identifier: MIT */
/* LLVM's reader of GSYM files, for comparison in the same process; written in C++. */
#ifndef CAIRN_BENCH_GSYM_PEER_H
#define CAIRN_BENCH_GSYM_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NULL when it cannot be opened. */
void *gsym_peer_open(const char *path);
void gsym_peer_close(void *peer);

/*
 * All locations of one address.  Returns their number and adds lines, offsets and lengths of names
 * and paths to *sum, so that nothing of the work can be left out.
 */
size_t gsym_peer_find(void *peer, uint64_t va, uint64_t *sum);

/* Such as "LLVM 19.1.7". */
const char *gsym_peer_name(void);

#ifdef __cplusplus
}
#endif

#endif
