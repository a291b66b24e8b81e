/* SPDX-License-Identifier: MIT */
/* The verbs of `cairn cbf`. */
#include "cbf.h"

static const struct verb verbs[] = {
	{ "decode", "print the frames of backtraces, or image maps", cbf_decode },
	{ "encode", "write backtraces, or image maps", cbf_encode },
	{ "find", "find the backtraces in a core dump", cbf_find },
};

int verb_cbf(int argc, char **argv)
{
	return verbs_run("cairn cbf", "Swift's backtraces: Compact Backtrace Format.", verbs,
	                 COUNT(verbs), argc, argv);
}
