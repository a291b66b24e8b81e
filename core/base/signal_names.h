/* SPDX-License-Identifier: MIT */
/* Phrases that describe Linux signals; their names are in <cairn/stacks.h>. */
#ifndef CAIRN_BASE_SIGNAL_NAMES_H
#define CAIRN_BASE_SIGNAL_NAMES_H

#include <stdint.h>

/* Return a phrase such as "Segmentation fault", or NULL for an unknown signal. */
const char *signal_phrase(uint64_t signal);

#endif
