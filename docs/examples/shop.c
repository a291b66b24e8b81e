/* SPDX-License-Identifier: MIT */
/*
 * A program that crashes, for docs/tour.md: it adds up the prices of an order, one of which is missing.
 *
 *	cc -O2 -g -Wa,--gsframe docs/examples/shop.c -o shop
 */
#include <stddef.h>

struct item {
	const char *name;
	const int *price;
};

static int taxed(const int *price, int percent)
{
	return *price + *price * percent / 100;
}

__attribute__((noinline, noclone)) static int item_total(const struct item *item, int count)
{
	volatile int pieces = count; /* in memory, so that a core has it */

	return taxed(item->price, 19) * pieces;
}

__attribute__((noinline, noclone)) static int order_total(const struct item *items, int count)
{
	volatile int totals[4] = { 0 };

	for (int i = 0; i < count; i++)
		totals[i] = item_total(&items[i], i + 1);
	return totals[0] + totals[1] + totals[2] + totals[3];
}

int main(void)
{
	static const int chair = 4900, table = 19900;
	static const struct item order[] = {
		{ "chair", &chair },
		{ "table", &table },
		{ "lamp", NULL },
	};

	return order_total(order, 3) == 0;
}
