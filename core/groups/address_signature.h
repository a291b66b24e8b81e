/* SPDX-License-Identifier: MIT */
/*
 * The signature of addresses: what equal crashes of one build have in common before anybody has looked for symbols. A
 * server that knows it counts the crash, and asks for the core of a new one alone. It is the SHA-256 of lines:
 *
 *	1 none
 *	PROGRAM                the last part of its path, of which 15 bytes count, as a core has them
 *	SIGNAL                 SIGBUS counts as SIGSEGV
 *	BUILD_ID+0xOFFSET      up to 16 of them, innermost first, with the name of a module instead of the build ID that it lacks
 *
 * Its first 16 digits are what `cairn group` calls the ID of a crash without names.
 */
#ifndef CAIRN_GROUPS_ADDRESS_SIGNATURE_H
#define CAIRN_GROUPS_ADDRESS_SIGNATURE_H

#include "base/sha256.h"

/* A frame of the stack, innermost first; calls that were inlined have none. */
struct address_frame {
	uint64_t pc;
	bool is_trampoline; /* a signal handler returns to it: it and what is above it do not count */
	bool has_module;
	struct cairn_bytes module, build_id; /* its path, and bytes; may be empty */
	uint64_t offset;                     /* of the pc in the module */
};

/* Gives frame number `i` of those that `context` has. */
typedef void address_frame_getter(void *context, size_t i, struct address_frame *frame);

/*
 * Writes the signature of a stack of `count` frames. False: no frame is in a module, or memory is short. `is_cut`: the stack goes on; if fewer
 * frames are there than count, it has no signature, because it would be another one.
 */
bool address_signature_make(address_frame_getter *get, void *context, size_t count, bool is_cut,
                            struct cairn_bytes program, struct cairn_bytes signal,
                            uint8_t digest[SHA256_SIZE]);

#endif
