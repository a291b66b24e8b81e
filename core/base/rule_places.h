/* SPDX-License-Identifier: MIT */
/* Compares unwind rules by meaning, ignoring fields that a rule's kind does not use. */
#ifndef CAIRN_BASE_RULE_PLACES_H
#define CAIRN_BASE_RULE_PLACES_H

#include <cairn.h>

static inline bool rule_is_same_location(const struct cairn_register_rule *a,
                                         const struct cairn_register_rule *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == CAIRN_REGISTER_UNDEFINED || a->kind == CAIRN_REGISTER_SAME_VALUE)
		return true;
	return a->base == b->base && a->offset == b->offset;
}

static inline bool rule_has_same_locations(const struct cairn_rule *a, const struct cairn_rule *b)
{
	return rule_is_same_location(&a->cfa, &b->cfa) && rule_is_same_location(&a->fp, &b->fp) &&
	       rule_is_same_location(&a->ra, &b->ra);
}

#endif
