/* SPDX-License-Identifier: MIT */
/* A thread of `cairn bt --json`, or a report of `cairn crash`, as the signature of one crash. */
#ifndef CAIRN_GROUPS_CRASH_OBJECT_H
#define CAIRN_GROUPS_CRASH_OBJECT_H

#include "group_line.h"

#include "base/json_reader.h"

/* Fills all of an entry but its hash. */
enum group_line_kind crash_object_read(struct group_reader *reader,
                                       const struct json_reader_value *top,
                                       struct group_entry *entry, struct cairn_fault *fault);

#endif
