/* SPDX-License-Identifier: MIT */
/* C++ operators by their two-letter codes, for function names and expressions. */
#ifndef CAIRN_FORMATS_ITANIUM_OPERATORS_H
#define CAIRN_FORMATS_ITANIUM_OPERATORS_H

#include <stdbool.h>
#include <stdint.h>

struct itanium_operator {
	char code[3];
	/*
	 * Name of the operator function, such as "operator+" or "operator delete". Keyword
	 * operators that cannot be overloaded are stored without a space before the keyword:
	 * "operatorsizeof ".
	 */
	const char *name;
	/*
	 * Form of an expression: '1', '2' and '3' operands; 'p': one operand, prefix or postfix;
	 * 'w': a word, then an operand; 't': a type in parentheses; 'e': an expression in
	 * parentheses; 'c': a cast; 'm': member access; 'n': new; 0: other forms
	 */
	char form;
};

/* Return NULL if there is no such operator. */
const struct itanium_operator *itanium_find_operator(uint8_t first, uint8_t second);

/* Return the function name of an operator that can be overloaded, or NULL. */
const char *itanium_operator_name(uint8_t first, uint8_t second);

/* Return "+" for "operator+". */
const char *itanium_operator_sign(const struct itanium_operator *op);

#endif
