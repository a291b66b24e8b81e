/* SPDX-License-Identifier: MIT */
/*
 * The slow answer: the rule for an address by reading all of a section from its first byte, with
 * no index, no bisection and no memory of earlier questions.  Lookups must agree with it.
 */
#ifndef CAIRN_TESTS_SCAN_H
#define CAIRN_TESTS_SCAN_H

#include <cairn.h>

#include "formats/sframe/sframe.h"

/*
 * The outcome and, when it is CAIRN_OK, the rule; else what was found wrong first.  Given starts
 * (of relocatable files) are not looked at.
 */
enum cairn_status scan_find(struct cairn_bytes section, uint64_t address, uint64_t va,
                            struct cairn_rule *rule, struct cairn_fault *fault);

/* Are the two answers the same, field by field? */
bool scan_same_rule(const struct cairn_rule *a, const struct cairn_rule *b);

#endif
