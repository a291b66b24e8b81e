/* SPDX-License-Identifier: MIT */
/* Implements `cairn profile`: its verbs. */
#include "profile.h"

int verb_profile(int argc, char **argv)
{
	static const struct verb verbs[] = {
		{ "convert", "name the locations of a profile, and write it for another tool",
		  profile_convert },
	};

	return verbs_run("cairn profile", "Profiles: stacks that a profiler has counted.", verbs,
	                 COUNT(verbs), argc, argv);
}
