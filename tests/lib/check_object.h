/* SPDX-License-Identifier: MIT */
/*
 * Is a symbol object sound (docs/formats/symbol-object.md)?  Symbols lie in their sections, every
 * entry's code in that of the entry around it and apart from its neighbours', every offset leads to
 * what it should, and lines ascend.  The first flaw as a phrase; NULL when there is none.
 */
#ifndef CAIRN_TESTS_CHECK_OBJECT_H
#define CAIRN_TESTS_CHECK_OBJECT_H

#include <cairn.h>

const char *check_object(struct cairn_bytes object);

#endif
