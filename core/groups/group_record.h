/* SPDX-License-Identifier: MIT */
/* Reads groups back that `cairn group` printed. */
#ifndef CAIRN_GROUPS_GROUP_RECORD_H
#define CAIRN_GROUPS_GROUP_RECORD_H

#include "group_line.h"

/*
 * Read a line that is one JSON object. Return false with *fault if the group was made under other
 * rules or its members contradict each other.
 */
bool group_record_read(struct group_reader *reader, struct cairn_bytes line,
                       struct group_entry *entry, struct cairn_fault *fault);

#endif
