/* SPDX-License-Identifier: MIT */
/* Table of the C++ operators by their two-letter codes. */
#include "operators.h"

#include <string.h>

static const struct itanium_operator operators[] = {
	{ "aN", "operator&=", '2' },
	{ "aS", "operator=", '2' },
	{ "aa", "operator&&", '2' },
	{ "ad", "operator&", '1' },
	{ "an", "operator&", '2' },
	{ "at", "operatoralignof ", 't' },
	{ "aw", "operator co_await", 'w' },
	{ "az", "operatoralignof ", 'e' },
	{ "cc", "operatorconst_cast", 'c' },
	{ "cl", "operator()", 0 },
	{ "cm", "operator,", '2' },
	{ "co", "operator~", '1' },
	{ "dV", "operator/=", '2' },
	{ "da", "operator delete[]", 'w' },
	{ "dc", "operatordynamic_cast", 'c' },
	{ "de", "operator*", '1' },
	{ "dl", "operator delete", 'w' },
	{ "ds", "operator.*", '2' },
	{ "dt", "operator.", 'm' },
	{ "dv", "operator/", '2' },
	{ "eO", "operator^=", '2' },
	{ "eo", "operator^", '2' },
	{ "eq", "operator==", '2' },
	{ "ge", "operator>=", '2' },
	{ "gt", "operator>", '2' },
	{ "ix", "operator[]", 0 },
	{ "lS", "operator<<=", '2' },
	{ "le", "operator<=", '2' },
	{ "ls", "operator<<", '2' },
	{ "lt", "operator<", '2' },
	{ "mI", "operator-=", '2' },
	{ "mL", "operator*=", '2' },
	{ "mi", "operator-", '2' },
	{ "ml", "operator*", '2' },
	{ "mm", "operator--", 'p' },
	{ "na", "operator new[]", 'n' },
	{ "ne", "operator!=", '2' },
	{ "ng", "operator-", '1' },
	{ "nt", "operator!", '1' },
	{ "nw", "operator new", 'n' },
	{ "nx", "operatornoexcept", 'e' },
	{ "oR", "operator|=", '2' },
	{ "oo", "operator||", '2' },
	{ "or", "operator|", '2' },
	{ "pL", "operator+=", '2' },
	{ "pl", "operator+", '2' },
	{ "pm", "operator->*", '2' },
	{ "pp", "operator++", 'p' },
	{ "ps", "operator+", '1' },
	{ "pt", "operator->", 'm' },
	{ "qu", "operator?", '3' },
	{ "rM", "operator%=", '2' },
	{ "rS", "operator>>=", '2' },
	{ "rc", "operatorreinterpret_cast", 'c' },
	{ "rm", "operator%", '2' },
	{ "rs", "operator>>", '2' },
	{ "sc", "operatorstatic_cast", 'c' },
	{ "ss", "operator<=>", '2' },
	{ "st", "operatorsizeof ", 't' },
	{ "sz", "operatorsizeof ", 'e' },
	{ "te", "operatortypeid ", 'e' },
	{ "ti", "operatortypeid ", 't' },
	{ "tw", "operatorthrow ", '1' },
};

const struct itanium_operator *itanium_find_operator(uint8_t first, uint8_t second)
{
	size_t low = 0, high = sizeof(operators) / sizeof(operators[0]);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const uint8_t *code = (const uint8_t *)operators[middle].code;
		if (code[0] == first && code[1] == second)
			return &operators[middle];
		if (code[0] < first || (code[0] == first && code[1] < second))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Return the operator as it appears in expressions, without "operator" and a space after it. */
const char *itanium_operator_sign(const struct itanium_operator *op)
{
	const char *sign = op->name + sizeof("operator") - 1;

	return *sign == ' ' ? sign + 1 : sign;
}

/* Operators that occur only in expressions have no function name. */
const char *itanium_operator_name(uint8_t first, uint8_t second)
{
	const struct itanium_operator *op = itanium_find_operator(first, second);

	if (!op || op->form == 't' || op->form == 'e' || op->form == 'c' || op->form == '3')
		return NULL;
	return strcmp(op->name, "operator.") == 0 || op->code[0] == 't' ? NULL : op->name;
}
