/* SPDX-License-Identifier: MIT */
/* What the module keeps between two calls of GDB. */
#ifndef CAIRN_GDB_SESSION_H
#define CAIRN_GDB_SESSION_H

#include <cairn.h>

#include <gdb/jit-reader.h>

enum policy {
	POLICY_AUTO,   /* only where GDB has no call frame information */
	POLICY_ALWAYS, /* wherever there is SFrame */
	POLICY_OFF,
};

struct session {
	struct cairn_space *space;
	gdb_target_read *target_read; /* of the call in progress */
	enum policy policy;
	enum cairn_machine machine; /* of the frame that was recognised last */
	bool big_endian;
};

/*
 * The machine, byte order and pc of the frame that GDB asks about: certain, for code of that
 * machine lies there.  Then all its registers.  False: not a frame of ours.
 */
bool identify(struct session *s, struct gdb_unwind_callbacks *cb, struct cairn_registers *frame);

/* What to tell GDB of the frame; false to let it ask its other unwinders. */
bool answer(struct session *s, struct gdb_unwind_callbacks *cb, struct cairn_step *step);

#endif
