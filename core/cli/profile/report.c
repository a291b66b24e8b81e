/* SPDX-License-Identifier: MIT */
/* Reports on standard error which locations of a profile have names, and why others do not. */
#include "profile.h"

#include "output/escape.h"
#include "profiles/profile.h"

#include <inttypes.h>

enum { MODULES_LISTED = 20 }; /* a profile may have a module per sample */

static uint64_t count_unnamed(const struct cairn_profiled_module *module)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CAIRN_PROFILE_REASONS; i++)
		sum += module->unnamed[i];
	return sum;
}

static void print_unnamed(const struct cairn_profiled_module *module)
{
	fputs("  ", stderr);
	if (module->path.size > 0)
		print_text(stderr, module->path);
	else
		fputs(module->build_id.size > 0 ? "a module without a name" : "no module", stderr);
	if (module->build_id.size > 0)
		print_text_between(stderr, " [", module->build_id, "]");
	fputc('\n', stderr);
	for (unsigned i = 0; i < CAIRN_PROFILE_REASONS; i++)
		if (module->unnamed[i] > 0)
			fprintf(stderr, "    %" PRIu64 ": %s\n", module->unnamed[i],
			        cairn_profile_reason_text((enum cairn_profile_reason)i));
}

static void report_recording(const char *input, const struct cairn_profile *profile)
{
	struct cairn_recording_counts counts = { .size = sizeof(counts) };

	if (!cairn_profile_recording(profile, &counts))
		return;
	print_diagnostic(input,
	                 "%" PRIu64 " samples, %" PRIu64 " that were lost, %" PRIu64
	                 " that are damaged",
	                 counts.samples, counts.lost, counts.damaged);
	if (profile->without_user > 0)
		print_diagnostic(input,
		                 "%" PRIu64 " samples without their user stacks, which were lost",
		                 profile->without_user);
	if (counts.dumps > 0)
		print_diagnostic(input,
		                 "of %" PRIu64 " stacks that were copied %" PRIu64
		                 " are whole, and %" PRIu64 " are cut",
		                 counts.dumps, counts.whole, counts.dumps - counts.whole);
	if (counts.is_cut)
		print_diagnostic(input, "the recording is cut off or damaged; "
		                        "what comes before that place is used");
}

static void report_names(const char *input, const struct cairn_profile *profile)
{
	struct cairn_profiled_module module = { .size = sizeof(module) };
	uint64_t named = 0, before = 0, unnamed = 0;
	size_t without = 0, listed = 0;

	for (size_t i = 0; cairn_profile_module(profile, i, &module); i++) {
		named += module.named;
		before += module.named_before;
		unnamed += count_unnamed(&module);
		without += count_unnamed(&module) > 0;
	}
	print_diagnostic(input,
	                 "%s: %" PRIu64 " locations have names now, %" PRIu64 " had them, %" PRIu64
	                 " have none%s",
	                 cairn_profile_format_text(profile), named, before, unnamed,
	                 without > 0 ? ":" : "");
	for (size_t i = 0; listed < MODULES_LISTED && cairn_profile_module(profile, i, &module);
	     i++)
		if (count_unnamed(&module) > 0) {
			print_unnamed(&module);
			listed++;
		}
	if (without > listed)
		fprintf(stderr, "  and %zu modules more\n", without - listed);
}

void profile_report(const char *input, const struct cairn_profile *profile, bool names)
{
	report_recording(input, profile);
	if (names)
		report_names(input, profile);
}
