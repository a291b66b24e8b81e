/* SPDX-License-Identifier: MIT */
/*
 * Rules that a user adds to the built-in rules for signatures, one per line: a word and a pattern.
 *
 *	inner app::fatal*       skip these functions at the inner end: the bug is in their caller
 *	outer app::run_task     these start a thread or a task: skip them and their callers
 *	runtime libapp-rt.so*   skip unnamed frames in this library, like in the C library
 *
 * Functions are normal forms (name_form.h), modules are base names. A '*' at the end of a pattern
 * matches anything. Blank lines are ignored, and so is everything from a word that begins with '#'
 * to the end of its line.
 *
 *	struct group_rules rules = { 0 };
 *	if (!group_rules_read(&rules, bytes, &wrong))
 *		... wrong.line, wrong.what
 *	group_rules_finish(&rules);
 */
#ifndef CAIRN_GROUPS_RULES_H
#define CAIRN_GROUPS_RULES_H

#include <cairn.h>

enum {
	GROUP_RULES_MAX = 1024,
	GROUP_RULES_BYTES_MAX = 1 << 20,
	GROUP_RULES_VERSION_SIZE = 32,
};

enum group_rule_kind {
	GROUP_RULE_INNER,
	GROUP_RULE_OUTER,
	GROUP_RULE_RUNTIME,
};

struct group_rule {
	enum group_rule_kind kind;
	bool is_prefix;
	struct cairn_bytes text; /* pattern without the '*'; borrowed from the file */
};

struct group_rules {
	struct group_rule *rule;
	size_t count, room;
	/*
	 * "1+" and 16 hexadecimal digits, a hash of the rules that does not depend on their order.
	 */
	char version[GROUP_RULES_VERSION_SIZE];
};

struct group_rules_fault {
	uint64_t line; /* line number from 1; 0 if the fault is not in one line */
	const char *what;
};

/* Read a file of rules. `bytes` are borrowed until group_rules_finish(). */
bool group_rules_read(struct group_rules *rules, struct cairn_bytes bytes,
                      struct group_rules_fault *fault);

/* Return true if a rule of this kind matches `name`. `rules` may be NULL. */
bool group_rules_match(const struct group_rules *rules, enum group_rule_kind kind,
                       struct cairn_bytes name);

void group_rules_finish(struct group_rules *rules);

#endif
