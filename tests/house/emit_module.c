/* SPDX-License-Identifier: MIT */
/* A library to be loaded under many names. */
int emitted(void);

int emitted(void)
{
	return 1;
}
