/* SPDX-License-Identifier: MIT */
/*
 * Rules that a user adds to those of signatures: a text of lines, each a word and a pattern.
 *
 *	inner app::fatal*       skip these functions at the inner end: the bug is in their caller
 *	outer app::run_task     these start a thread, or a task: they and what called them go
 *	runtime libapp-rt.so*   a library whose frames without names are passed over, as those of the C library are
 *
 * Functions are normal forms (name_form.h), modules the last parts of paths. A '*' at the end of a pattern stands for anything. Blank
 * lines, and what follows a '#' at the beginning of a word, mean nothing.
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
	GROUP_RULES_MAX = 1024,          /* patterns of a file */
	GROUP_RULES_BYTES_MAX = 1 << 20, /* of the file */
	GROUP_RULES_VERSION_SIZE = 32,   /* bytes of the text of a version, with its NUL */
};

enum group_rule_kind {
	GROUP_RULE_INNER,
	GROUP_RULE_OUTER,
	GROUP_RULE_RUNTIME,
};

struct group_rule {
	enum group_rule_kind kind;
	bool is_prefix;
	struct cairn_bytes text; /* without the star; of the file's bytes */
};

struct group_rules {
	struct group_rule *rule;
	size_t count, room;
	char version
		[GROUP_RULES_VERSION_SIZE]; /* "1+" and 16 digits, those of the rules in any order */
};

/* What is wrong with a file of rules. */
struct group_rules_fault {
	uint64_t line;    /* from 1; 0: of the whole */
	const char *what; /* a constant */
};

/* Reads a file, whose bytes are borrowed as long as the rules are used. */
bool group_rules_read(struct group_rules *rules, struct cairn_bytes bytes,
                      struct group_rules_fault *fault);

/* Is there a rule of this kind for the name?  `rules` may be NULL: there is none. */
bool group_rules_match(const struct group_rules *rules, enum group_rule_kind kind,
                       struct cairn_bytes name);

void group_rules_finish(struct group_rules *rules);

#endif
