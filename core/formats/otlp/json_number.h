/* SPDX-License-Identifier: MIT */
/* Numbers of OpenTelemetry's JSON. */
#ifndef CAIRN_FORMATS_OTLP_JSON_NUMBER_H
#define CAIRN_FORMATS_OTLP_JSON_NUMBER_H

#include <cairn.h>

enum { OTLP_JSON_DOUBLE_MAX = 400 }; /* bytes of a floating-point number */

/*
 * A whole number from -most_negative to `most`, as 64 bits in two's complement. Returns NULL, or what is wrong, a constant.
 */
const char *otlp_json_whole(struct cairn_bytes text, uint64_t most, uint64_t most_negative,
                            uint64_t *value);

/* A number, NaN, Infinity or -Infinity, as the bits of a double. Returns the same. */
const char *otlp_json_double(struct cairn_bytes text, uint64_t *bits);

#endif
